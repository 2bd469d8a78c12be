//! Meshes as plain arrays in memory: unpacked, imported, or made by the caller.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use meshlens_lens::encoding::{F32, U16};
use meshlens_lens::{Described, Semantic};
use meshlens_wire::{Checks, Result};

use super::arrays::{Arrays, no_frame};
use super::attribute::Attribute;
use super::mesh::Mesh;
use super::sources::floats;
use super::topology::{Submesh, Topology};

/// The checks of the arrays.
const CHECKS: Checks = Checks::new("meshlens");

/// A mesh as plain arrays. Points and corners are indexed separately, as in [`Mesh`]. An empty list means that the mesh does not
/// have the attribute.
///
/// ```
/// use meshlens::model::{PlainFrame, PlainMesh};
///
/// let frame = PlainFrame { positions: vec![[0.0; 3], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]], ..PlainFrame::default() };
/// let plain = PlainMesh { frames: vec![frame], triangles: vec![[0, 1, 2]], ..PlainMesh::default() };
/// let mesh = plain.into_mesh("triangle")?;
/// assert_eq!((mesh.point_count(), mesh.triangle_count()), (3, 1));
/// # Ok::<(), meshlens::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainMesh {
    /// The frames or morph targets; at least one.
    pub frames: Vec<PlainFrame>,
    /// The sets of texture coordinates, one for each corner, with the origin at the top left.
    pub texcoords: Vec<Vec<[f32; 2]>>,
    /// The sets of colors, one for each corner: red, green, blue and alpha from 0 to 1.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// The indices of up to four joints that move each point.
    pub joints: Vec<[u16; 4]>,
    /// The weights of these joints, which add up to 1.
    pub weights: Vec<[f32; 4]>,
    /// The index of the point of each vertex; empty if vertex `i` has point `i`.
    pub points: Vec<u32>,
    /// The index of the corner of each vertex; empty if vertex `i` has corner `i`.
    pub corners: Vec<u32>,
    /// The triangles: three vertex indices each, with the winding of the model's space.
    pub triangles: Vec<[u32; 3]>,
    /// The materials of the triangles, submesh after submesh from the first triangle to the last; empty if all have the material
    /// of the mesh.
    pub submeshes: Vec<Submesh>,
}

/// One frame of a [`PlainMesh`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainFrame {
    /// The name, which may be empty.
    pub name: String,
    /// The positions, one for each point.
    pub positions: Vec<[f32; 3]>,
    /// The normals, one for each corner, of length 1.
    pub normals: Vec<[f32; 3]>,
    /// The tangents, one for each corner: a direction of length 1, and the sign of the bitangent.
    pub tangents: Vec<[f32; 4]>,
}

impl PlainMesh {
    /// Checks every index and the lengths of all arrays, and makes a mesh. O(triangles + vertices).
    ///
    /// # Errors
    ///
    /// [`Index`](crate::wire::ErrorKind::Index) if a vertex, point or corner index is out of range;
    /// [`Length`](crate::wire::ErrorKind::Length) if the lengths of arrays do not match.
    pub fn into_mesh<'a>(self, name: impl Into<String>) -> Result<Mesh<'a>> {
        let points = self.frames.first().map_or(0, |frame| frame.positions.len());
        let corners = self.corners();
        let vertices = self.vertices();
        CHECKS.all_below("vertex", self.triangles.as_flattened().iter().copied(), vertices)?;
        CHECKS.all_below("point", self.points.iter().copied(), points)?;
        CHECKS.all_below("corner", self.corners.iter().copied(), corners)?;
        let optional =
            |what, expected, found| if found == 0 { Ok(()) } else { CHECKS.length(what, expected, found) };
        for frame in &self.frames {
            CHECKS.length("positions", points, frame.positions.len())?;
            optional("normals", corners, frame.normals.len())?;
            optional("tangents", corners, frame.tangents.len())?;
        }
        for set in &self.texcoords {
            optional("texture coordinates", corners, set.len())?;
        }
        for set in &self.colors {
            optional("colors", corners, set.len())?;
        }
        optional("joints", points, self.joints.len())?;
        CHECKS.length("weights", self.joints.len(), self.weights.len())?;
        let mut covered = 0;
        for submesh in &self.submeshes {
            let Range { start, end } = submesh.triangles;
            if start != covered || end < start {
                return Err(CHECKS.value("start of a submesh", "the end of the submesh before it", start));
            }
            covered = end;
        }
        let all = if self.submeshes.is_empty() { 0 } else { self.triangles.len() };
        CHECKS.length("triangles of all submeshes", all, covered)?;
        // Without indices, vertex `i` has point `i` and corner `i`.
        let of_vertices = |indices: &[u32], count| if indices.is_empty() { count } else { indices.len() };
        CHECKS.length("points of vertices", vertices, of_vertices(&self.points, points))?;
        CHECKS.length("corners of vertices", vertices, of_vertices(&self.corners, corners))?;
        Ok(Mesh::new(name, self))
    }

    fn corners(&self) -> usize {
        if self.corners.is_empty() {
            return self.vertices();
        }
        let frame = self.frames.first();
        let lengths = [
            frame.map_or(0, |frame| frame.normals.len().max(frame.tangents.len())),
            self.texcoords.iter().map(Vec::len).max().unwrap_or(0),
            self.colors.iter().map(Vec::len).max().unwrap_or(0),
        ];
        lengths.into_iter().fold(0, usize::max)
    }

    fn vertices(&self) -> usize {
        match (self.points.len(), self.corners.len()) {
            (0, 0) => self.frames.first().map_or(0, |frame| frame.positions.len()),
            (0, corners) => corners,
            (points, _) => points,
        }
    }

    fn frame(&self, frame: usize) -> Result<&PlainFrame> {
        self.frames.get(frame).ok_or_else(|| no_frame(frame, self.frames.len()))
    }
}

/// Values as an attribute, or `None` if there are none.
fn optional<E: Described, T: bytemuck::Pod>(values: &[T], encoding: E) -> Result<Option<Attribute<'_>>> {
    Ok(if values.is_empty() { None } else { Some(floats(values, encoding)?.into()) })
}

impl Arrays for PlainMesh {
    fn point_count(&self) -> usize {
        self.frames.first().map_or(0, |frame| frame.positions.len())
    }

    fn corner_count(&self) -> usize {
        self.corners()
    }

    fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn is_welded(&self) -> bool {
        self.points.is_empty() && self.corners.is_empty()
    }

    fn texcoord_sets(&self) -> usize {
        self.texcoords.len()
    }

    fn color_sets(&self) -> usize {
        self.colors.len()
    }

    fn attribute(&self, semantic: Semantic, set: usize, frame: usize) -> Result<Option<Attribute<'_>>> {
        match semantic {
            Semantic::Position => Ok(Some(floats(&self.frame(frame)?.positions, F32::<3>)?.into())),
            Semantic::Normal => optional(&self.frame(frame)?.normals, F32::<3>),
            Semantic::Tangent => optional(&self.frame(frame)?.tangents, F32::<4>),
            Semantic::Texcoord => self.texcoords.get(set).map_or(Ok(None), |set| optional(set, F32::<2>)),
            Semantic::Color => self.colors.get(set).map_or(Ok(None), |set| optional(set, F32::<4>)),
            Semantic::Joints => optional(&self.joints, U16::<4>),
            Semantic::Weights => optional(&self.weights, F32::<4>),
            _ => Ok(None),
        }
    }

    fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.frames.get(frame).map_or(Cow::Borrowed(""), |frame| Cow::Borrowed(&frame.name))
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()> {
        topology.vertex_count = self.vertices();
        for (map, indices) in [(&mut topology.points, &self.points), (&mut topology.corners, &self.corners)] {
            if !indices.is_empty() {
                map.fill().extend_from_slice(indices);
            }
        }
        topology.triangles.clone_from(&self.triangles);
        topology.submeshes.clone_from(&self.submeshes);
        if topology.submeshes.is_empty() {
            topology.one_part(material);
        }
        Ok(())
    }
}
