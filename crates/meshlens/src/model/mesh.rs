//! One mesh of a model: its attributes frame by frame, and its triangles.

use alloc::borrow::Cow;
use alloc::string::String;

use meshlens_wire::{Error, ErrorKind, Result};

use super::attribute::Attribute;
use super::topology::Topology;

/// A mesh: vertices that move together, and triangles between them. It borrows the file and decodes nothing by itself.
///
/// Attributes come in two kinds. **Points** are positions, joints and weights; **corners** are normals, tangents, colours and
/// texture coordinates. In most formats vertex `i` has point `i` and corner `i`; where a format indexes them apart,
/// [`topology_into`](Mesh::topology_into) welds them and says which vertex takes which.
#[derive(Clone, Debug)]
pub struct Mesh<'a> {
    /// The name, which may be empty or the same as another's.
    pub name: String,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The number of the material in the model, where all triangles wear the same.
    pub material: Option<usize>,
    pub(super) geometry: Geometry<'a>,
}

/// Where a mesh's arrays come from.
#[derive(Clone, Debug)]
pub(super) enum Geometry<'a> {
    #[cfg(feature = "md3")]
    Md3(meshlens_md3::Surface<'a>),
    /// A build without formats still has a type to speak of.
    #[allow(dead_code, reason = "only built where no format is")]
    None(core::marker::PhantomData<&'a [u8]>),
}

impl<'a> Mesh<'a> {
    /// Positions in one frame. For meshes that are welded, more vertices come out of these.
    pub fn point_count(&self) -> usize {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => surface.vertex_count(),
            Geometry::None(_) => 0,
        }
    }

    /// Normals, colours and texture coordinates in one frame.
    pub fn corner_count(&self) -> usize {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => surface.vertex_count(),
            Geometry::None(_) => 0,
        }
    }

    /// Triangles.
    pub fn triangle_count(&self) -> usize {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => surface.triangle_count(),
            Geometry::None(_) => 0,
        }
    }

    /// Frames of vertices, or morph targets; 1 where nothing moves.
    pub fn frame_count(&self) -> usize {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => surface.frame_count(),
            Geometry::None(_) => 0,
        }
    }

    /// Whether vertex `i` is point `i` and corner `i`. O(1).
    pub fn is_welded(&self) -> bool {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(_) => true,
            Geometry::None(_) => true,
        }
    }

    /// Positions of one frame, one for each point. O(1).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn positions(&self, frame: usize) -> Result<Attribute<'a, [f32; 3]>> {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => Ok(surface.positions(frame)?.into()),
            Geometry::None(_) => Err(self.no_frame(frame)),
        }
    }

    /// Normals of one frame, one for each corner; `None` where the format has none. O(1).
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn normals(&self, frame: usize) -> Result<Option<Attribute<'a, [f32; 3]>>> {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => Ok(Some(surface.normals(frame)?.into())),
            Geometry::None(_) => Err(self.no_frame(frame)),
        }
    }

    /// Sets of texture coordinates.
    pub fn texcoord_sets(&self) -> usize {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(_) => 1,
            Geometry::None(_) => 0,
        }
    }

    /// Texture coordinates, one for each corner, with the origin at the top left; `None` past the last set. O(1).
    pub fn texcoords(&self, set: usize) -> Option<Attribute<'a, [f32; 2]>> {
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => (set == 0).then(|| surface.texcoords().into()),
            Geometry::None(_) => None,
        }
    }

    /// The name of a frame or morph target; empty where it has none.
    pub fn frame_name(&self, frame: usize) -> Cow<'a, str> {
        let _ = frame;
        Cow::Borrowed("")
    }

    /// The triangles and what their vertices are made of. O(triangles), and where the format indexes points and
    /// corners apart, as many table look-ups.
    ///
    /// # Errors
    ///
    /// The first vertex number that is out of range, at its absolute offset; `topology` is then empty.
    pub fn topology_into(&self, topology: &mut Topology) -> Result<()> {
        topology.clear();
        match &self.geometry {
            #[cfg(feature = "md3")]
            Geometry::Md3(surface) => {
                let triangles = surface.checked_triangles()?;
                topology.vertex_count = surface.vertex_count();
                topology.triangles.resize(triangles.len(), [0; 3]);
                // The length is the lens's own.
                let _ = triangles.decode_into(&mut topology.triangles);
                topology.one_part(self.material);
            }
            Geometry::None(_) => {}
        }
        Ok(())
    }

    /// The triangles and what their vertices are made of, in memory of their own.
    ///
    /// # Errors
    ///
    /// As [`topology_into`](Self::topology_into).
    pub fn topology(&self) -> Result<Topology> {
        let mut topology = Topology::default();
        self.topology_into(&mut topology)?;
        Ok(topology)
    }

    /// Positions between two frames, one for each point: `blend.a` at weight 0. `scratch` is where the second frame is
    /// decoded; both buffers are brought to the length they need.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn blend_positions_into(
        &self,
        blend: super::Blend,
        scratch: &mut alloc::vec::Vec<[f32; 3]>,
        out: &mut alloc::vec::Vec<[f32; 3]>,
    ) -> Result<()> {
        let (a, b) = (self.positions(blend.a)?, self.positions(blend.b)?);
        out.resize(a.len(), [0.0; 3]);
        scratch.resize(b.len(), [0.0; 3]);
        // The lengths are the attributes' own.
        let _ = (a.decode_into(out), b.decode_into(scratch));
        for (out, b) in out.iter_mut().zip(scratch.iter()) {
            for (out, b) in out.iter_mut().zip(b) {
                *out = *out * (1.0 - blend.weight) + b * blend.weight;
            }
        }
        Ok(())
    }

    fn no_frame(&self, frame: usize) -> Error {
        let index = i64::try_from(frame).unwrap_or(i64::MAX);
        Error::new("meshlens", 0, ErrorKind::Index { what: "frame", index, count: self.frame_count() as u64 })
    }
}
