//! Vertex tweening: a mesh between two of its frames (Ultimate 3D: VertexTweening).

use meshlens_lens::{lerp_directions_into, lerp_into};
use meshlens_wire::{ErrorKind, Expected, Result};

use crate::{Mesh, Normals, U3d};

/// A mesh between two frames: `from` at `t = 0`, `to` at `t = 1`.
#[derive(Clone, Copy, Debug)]
pub struct Tween<'d, 'a> {
    /// The mesh of the frame before, or at, the one asked for.
    pub from: Mesh<'d, 'a>,
    /// The mesh of the frame behind it.
    pub to: Mesh<'d, 'a>,
    /// How far it is from one to the other: 0 to 1.
    pub t: f32,
}

impl<'a> U3d<'a> {
    /// The mesh `mesh_in_frame` of level of detail `lod` at any frame from 0 to the last. Without VertexTweening the
    /// frame before holds until the next one begins. `None` where there are no such meshes.
    pub fn tween(&self, lod: u32, mesh_in_frame: u32, frame: f32) -> Option<Tween<'_, 'a>> {
        let last = self.header().frames.saturating_sub(1);
        // A float cast saturates and takes NaN to zero.
        let before = (frame as u32).min(last);
        let share = frame - before as f32;
        let from = self.find_mesh(lod, mesh_in_frame, before)?;
        if !self.header().vertex_tweening || before == last || share.is_nan() || share <= 0.0 {
            return Some(Tween { from, to: from, t: 0.0 });
        }
        let to = self.find_mesh(lod, mesh_in_frame, before.saturating_add(1))?;
        Some(Tween { from, to, t: share })
    }
}

impl Tween<'_, '_> {
    /// Positions between the two frames, decoded and blended in one pass.
    ///
    /// # Errors
    ///
    /// Meshes of different sizes, or an output that does not hold one value for each vertex.
    pub fn positions_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        self.check(out.len())?;
        lerp_into(self.from.positions(), self.to.positions(), self.t, out).or_else(|_| self.check(out.len()))
    }

    /// Normals between the two frames, decoded, blended and scaled to length 1 in one pass, before
    /// [`Mesh::normal_scalar`].
    ///
    /// # Errors
    ///
    /// Meshes of different sizes or kinds of normals, or an output that does not hold one value for each vertex.
    pub fn normals_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        self.check(out.len())?;
        let blended = match (self.from.normals(), self.to.normals()) {
            (Normals::Bytes(from), Normals::Bytes(to)) => lerp_directions_into(from, to, self.t, out),
            (Normals::Shorts(from), Normals::Shorts(to)) => lerp_directions_into(from, to, self.t, out),
            _ => {
                let what = "blending normals of two bytes with normals of four";
                return Err(self.to.error(self.to.offset(), ErrorKind::Unsupported { what }));
            }
        };
        blended.or_else(|_| self.check(out.len()))
    }

    fn check(&self, found: usize) -> Result<()> {
        self.from.check_len(found)?;
        let (from, to) = (self.from.vertex_count(), self.to.vertex_count());
        if from == to {
            return Ok(());
        }
        let to_i64 = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        let expected = Expected::Exactly(to_i64(from));
        let kind = ErrorKind::Value { what: "nVertex of the next frame", expected, found: to_i64(to) };
        Err(self.to.error(self.to.offset(), kind))
    }
}
