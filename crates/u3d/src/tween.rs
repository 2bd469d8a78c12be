//! Vertex tweening: a mesh between two of its frames (Ultimate 3D: VertexTweening).

use meshlens_lens::{lerp_directions_into, lerp_into};
use meshlens_wire::{ErrorKind, Result};

use crate::{Mesh, U3d};

/// A mesh between two frames: `from` at `t = 0`, `to` at `t = 1`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Tween<'d, 'a> {
    /// The mesh of the frame at or before the requested one.
    pub from: Mesh<'d, 'a>,
    /// The mesh of the next frame.
    pub to: Mesh<'d, 'a>,
    /// The position between the two: 0 to 1.
    pub t: f32,
}

impl<'a> U3d<'a> {
    /// The mesh with number `mesh_in_frame` in level of detail `lod_index`, at any frame from 0 to the last. Without
    /// VertexTweening, a frame is shown until the next one begins. `None` if there is no such mesh. O(log meshes).
    pub fn tween(&self, lod_index: u32, mesh_in_frame: u32, frame: f32) -> Option<Tween<'_, 'a>> {
        // A model without frames has no mesh of frame 0, either.
        let last = self.header().frames.saturating_sub(1);
        // A float cast saturates and takes NaN to zero.
        let before = (frame as u32).min(last);
        let t = frame - before as f32;
        let from = self.find_mesh(lod_index, mesh_in_frame, before)?;
        if !self.header().vertex_tweening || before == last || t.is_nan() || t <= 0.0 {
            return Some(Tween { from, to: from, t: 0.0 });
        }
        let to = self.find_mesh(lod_index, mesh_in_frame, before + 1)?;
        Some(Tween { from, to, t })
    }
}

impl Tween<'_, '_> {
    /// Writes the positions between the two frames to `out`, decoded and blended in one pass.
    ///
    /// # Errors
    ///
    /// The meshes have different numbers of vertices, or `out` does not have one value for each vertex.
    pub fn positions_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        self.check()?;
        let blended = lerp_into(self.from.positions(), self.to.positions(), self.t, out);
        blended.map_err(|error| error.at(self.from.place()))
    }

    /// Writes the normals between the two frames to `out`, decoded, blended and normalized in one pass. They are not
    /// multiplied by [`Mesh::normal_scalar`].
    ///
    /// # Errors
    ///
    /// The meshes have different numbers of vertices, or `out` does not have one value for each vertex.
    pub fn normals_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        self.check()?;
        let blended = lerp_directions_into(self.from.normals(), self.to.normals(), self.t, out);
        blended.map_err(|error| error.at(self.from.place()))
    }

    fn check(&self) -> Result<()> {
        let (expected, found) = (self.from.vertex_count() as u64, self.to.vertex_count() as u64);
        if expected == found {
            return Ok(());
        }
        let kind = ErrorKind::Length { what: "vertices of the next frame", expected, found };
        Err(self.to.error(self.to.offset(), kind))
    }
}
