//! Vertices that are moved by joints.

use alloc::vec::Vec;

use bytemuck::cast_slice_mut;
use glam::Mat4;
use meshlens_lens::encoding::{F32, U16};
use meshlens_lens::{AttributeSource, Influences, Lerp, Level, Semantic, Skin, Skinned};
use meshlens_wire::Result;

use super::attribute::Attribute;
use super::clip::Blend;
use super::kept::KeptInfluences;
use super::mesh::Mesh;
use super::sources::floats;
use super::topology::{Topology, decode_gathered, gather};

impl Mesh<'_> {
    /// Writes the positions of one frame, moved by the joints. `world` is the matrix of each joint in the space of the model, as
    /// [`world_into`](super::world_into) computes it. Points that no joint moves keep their position. O(points + joints);
    /// the joints and weights of each point are decoded once and kept.
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn skin_positions_into(
        &self,
        frame: usize,
        world: &[[[f32; 4]; 4]],
        out: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        self.displayed_positions_into(frame.into(), world, out)
    }

    /// Like [`skin_positions_into`](Self::skin_positions_into), for two blended frames.
    pub(crate) fn displayed_positions_into(
        &self,
        blend: Blend,
        world: &[[[f32; 4]; 4]],
        out: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        let (a, b) =
            (self.positions(blend.a)?, self.positions(if blend.is_still() { blend.a } else { blend.b })?);
        let blended = Lerp::new(a, b, blend.weight)?;
        let source: &dyn AttributeSource = if blend.is_still() { &a } else { &blended };
        out.resize(a.len(), [0.0; 3]);
        let (level, out) = (Level::current(), cast_slice_mut(out));
        match self.skin(world, None, &mut ThreadMatrices::new())? {
            Some(skin) => Skinned::positions(source, skin, None)?.decode_part(level, 0, out),
            None => source.decode_part(level, 0, out),
        }
        Ok(())
    }

    /// Writes the positions and normals of one frame, one for each vertex of `topology`, moved by the joints. Normals
    /// have length 1; `normals` is empty if the mesh has no normals. The cost is the same as for
    /// [`skin_positions_into`](Self::skin_positions_into) and [`normals_into`](Self::normals_into).
    ///
    /// # Errors
    ///
    /// The frame is out of range.
    pub fn skin_vertices_into(
        &self,
        topology: &Topology,
        frame: usize,
        world: &[[[f32; 4]; 4]],
        positions: &mut Vec<[f32; 3]>,
        normals: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        self.vertices_into(topology, frame, positions, normals)?;
        let mut matrices = ThreadMatrices::new();
        let Some(skin) = self.skin(world, None, &mut matrices)? else { return Ok(()) };
        let (level, points) = (Level::current(), topology.points());
        let stored = positions.clone();
        let skinned = Skinned::positions(floats(&stored, F32::<3>)?, skin, points)?;
        skinned.decode_part(level, 0, cast_slice_mut(positions));
        let stored = normals.clone();
        let skinned = Skinned::directions(floats(&stored, F32::<3>)?, skin, points)?;
        skinned.decode_part(level, 0, cast_slice_mut(normals));
        Ok(())
    }

    /// The joints in one pose; `None` if no joint moves the mesh, or if `world` is empty. `prepared` are the
    /// [`SkinMatrices`], if they were computed before.
    pub(crate) fn skin<'m>(
        &'m self,
        world: &[[[f32; 4]; 4]],
        prepared: Option<&'m [[[f32; 4]; 4]]>,
        matrices: &'m mut ThreadMatrices,
    ) -> Result<Option<Skin<'m>>> {
        let Some(bind) = self.skin.as_ref().filter(|_| !world.is_empty()) else { return Ok(None) };
        let influences = self.influences()?;
        if influences.is_empty() {
            return Ok(None);
        }
        Ok(Some(Skin { influences, matrices: prepared.unwrap_or_else(|| matrices.0.fill(world, bind)) }))
    }

    /// The joints and weights of each point, which are decoded once and kept, 24 bytes for each point; empty if no joint moves the mesh.
    fn influences(&self) -> Result<&Influences> {
        let KeptInfluences { charge, influences } = &*self.influences;
        let bytes = || Ok(self.point_count().saturating_mul(24));
        influences.get(charge, "joints and weights", bytes, || {
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            self.influences_into(&mut joints, &mut weights)?;
            Ok(Influences::new(joints, weights))
        })
    }

    /// The joints or the weights of each point for a vertex buffer: the array of the file, or else what is kept.
    pub(crate) fn joints_or_weights(&self, semantic: Semantic) -> Result<Option<Attribute<'_>>> {
        if self.influences.influences.known().is_none() {
            let found = self.attribute(semantic, 0, 0)?;
            if found.as_ref().is_none_or(|found| found.stored().is_some()) {
                return Ok(found);
            }
        }
        let influences = self.influences()?;
        Ok(match semantic {
            _ if influences.is_empty() => None,
            Semantic::Joints => Some(Attribute::kept(floats(influences.joints(), U16::<4>)?)),
            _ => Some(Attribute::kept(floats(influences.weights(), F32::<4>)?)),
        })
    }

    /// Like [`skin_vertices_into`](Self::skin_vertices_into), without joints.
    pub(crate) fn vertices_into(
        &self,
        topology: &Topology,
        frame: usize,
        positions: &mut Vec<[f32; 3]>,
        normals: &mut Vec<[f32; 3]>,
    ) -> Result<()> {
        let mut decoded = Vec::new();
        decode_gathered(self.positions(frame)?, topology.points(), &mut decoded, positions)?;
        normals.clear();
        if self.normals_into(frame, &mut decoded)? {
            normals.resize(positions.len(), [0.0, 0.0, 1.0]);
            gather(&decoded, topology.corners(), normals);
        }
        Ok(())
    }
}

/// The matrix of each joint from the bind pose to a pose. Each is in one cache line.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkinMatrices {
    columns: Vec<[f32; 4]>,
    /// The first column of the first matrix.
    start: usize,
}

impl SkinMatrices {
    /// Computes the matrices of the joints in the pose times those to the bind pose. Keeps its memory.
    pub(crate) fn fill(&mut self, world: &[[[f32; 4]; 4]], bind: &[[[f32; 4]; 4]]) -> &[[[f32; 4]; 4]] {
        let (columns, matrix) = (&mut self.columns, Mat4::from_cols_array_2d);
        columns.clear();
        columns.reserve(world.len().min(bind.len()).saturating_mul(4).saturating_add(3));
        // A part of a cache line that a clone has elsewhere: its matrices are in two lines until they are computed again.
        self.start = columns.as_ptr().align_offset(64).min(3);
        columns.resize(self.start, [0.0; 4]);
        for (world, bind) in world.iter().zip(bind) {
            columns.extend_from_slice(&(matrix(world) * matrix(bind)).to_cols_array_2d());
        }
        self.matrices()
    }

    pub(crate) fn matrices(&self) -> &[[[f32; 4]; 4]] {
        self.columns.get(self.start..).unwrap_or_default().as_chunks().0
    }
}

/// [`SkinMatrices`] in memory that each thread keeps.
pub(crate) struct ThreadMatrices(SkinMatrices);

#[cfg(feature = "std")]
std::thread_local! {
    static KEPT: core::cell::Cell<SkinMatrices> =
        const { core::cell::Cell::new(SkinMatrices { columns: Vec::new(), start: 0 }) };
}

impl ThreadMatrices {
    pub(crate) fn new() -> Self {
        #[cfg(feature = "std")]
        return ThreadMatrices(KEPT.take());
        #[cfg(not(feature = "std"))]
        ThreadMatrices(SkinMatrices::default())
    }
}

#[cfg(feature = "std")]
impl Drop for ThreadMatrices {
    fn drop(&mut self) {
        KEPT.set(core::mem::take(&mut self.0));
    }
}
