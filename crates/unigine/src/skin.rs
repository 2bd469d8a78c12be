//! Skinning: vertices moved by their bones, and morph targets blended.

use meshlens_wire::{ErrorKind, Result};

use crate::math::normalized;
use crate::{Geometry, Influence, Matrix, TangentFrame, Welded};

/// What moves a vertex of the bind pose with each bone: the bone's matrix in world space after its
/// [inverse bind matrix](crate::Skeleton::inverse_bind_into). Stops at the end of the shortest list.
pub fn skin_matrices_into(world: &[Matrix], inverse_bind: &[Matrix], out: &mut [Matrix]) {
    for ((out, world), inverse) in out.iter_mut().zip(world).zip(inverse_bind) {
        *out = world.after(inverse);
    }
}

/// The matrix of one vertex: its bones' matrices, blended. Weights are cut off when they are stored, so they are made
/// to add up to 1 again; a vertex of no bones, or of weights of 0, stays. The error is the bone that does not exist.
fn blend(matrices: &[Matrix], influence: &Influence) -> Result<Matrix, i16> {
    let mut matrix = Matrix::ZERO;
    let mut sum = 0.0;
    for (bone, weight) in influence.parts() {
        let bone_matrix = usize::try_from(bone).ok().and_then(|bone| matrices.get(bone)).ok_or(bone)?;
        let weight = f32::from(weight);
        matrix.add_scaled(bone_matrix, weight);
        sum += weight;
    }
    if sum == 0.0 {
        return Ok(Matrix::IDENTITY);
    }
    matrix.rows = matrix.rows.map(|row| row.map(|value| value / sum));
    Ok(matrix)
}

impl Geometry<'_> {
    /// Positions of morph target 0, moved by [skin matrices](skin_matrices_into). A surface without weights stays.
    /// Reads each record once and allocates nothing.
    ///
    /// # Errors
    ///
    /// An output that does not hold one position for each vertex, weights for another number of vertices, or a bone
    /// that has no matrix.
    pub fn skin_positions_into(&self, matrices: &[Matrix], out: &mut [[f32; 3]]) -> Result<()> {
        let positions = self.positions();
        self.check("output length", positions.len(), out.len())?;
        let mut weights = self.weights();
        if weights.len() == 0 {
            return positions
                .decode_into(out)
                .map_err(|_| self.length_error("output length", positions.len(), 0));
        }
        self.check("weights", positions.len(), weights.len())?;
        for (out, position) in out.iter_mut().zip(positions) {
            let offset = weights.offset();
            let influence = weights.next().unwrap_or_default();
            let matrix = blend(matrices, &influence).map_err(|bone| self.no_bone(offset, bone, matrices))?;
            *out = matrix.point(position);
        }
        Ok(())
    }

    /// The welded vertices, moved by [skin matrices](skin_matrices_into): positions and tangent spaces of morph target
    /// 0 in one pass. Normals stay perpendicular to their surface; all three directions come out with length 1.
    ///
    /// `influences` are those of this surface ([`Weights::decode_into`](crate::Weights::decode_into)), or none to move
    /// nothing: a vertex list jumps among them, and they have no fixed size in the file.
    ///
    /// # Errors
    ///
    /// Outputs that do not hold one element for each vertex, influences for another number of vertices, a vertex list
    /// of another surface, or a bone that has no matrix.
    pub fn skin_vertices_into(
        &self,
        matrices: &[Matrix],
        influences: &[Influence],
        welded: &Welded,
        positions_out: &mut [[f32; 3]],
        frames_out: &mut [TangentFrame],
    ) -> Result<()> {
        let (positions, tangents) = (self.positions(), self.tangents());
        self.check("positions length", welded.vertices.len(), positions_out.len())?;
        self.check("frames length", welded.vertices.len(), frames_out.len())?;
        if !influences.is_empty() {
            self.check("influences", positions.len(), influences.len())?;
        }
        let start = positions.byte_range().start;
        let missing = |what, index: u32, count: usize| {
            self.error(start, ErrorKind::Index { what, index: index.into(), count: count as u64 })
        };
        for ((vertex, position_out), frame_out) in welded.vertices.iter().zip(positions_out).zip(frames_out) {
            let position = positions.get(vertex.coordinate as usize);
            let position = position.ok_or_else(|| missing("vertex", vertex.coordinate, positions.len()))?;
            let frame = tangents.frame(vertex.triangle as usize);
            let frame = frame.ok_or_else(|| missing("tangent", vertex.triangle, tangents.len()))?;
            let influence = influences.get(vertex.coordinate as usize).copied().unwrap_or_default();
            let matrix = blend(matrices, &influence).map_err(|bone| self.no_bone(start, bone, matrices))?;
            *position_out = matrix.point(position);
            *frame_out = TangentFrame {
                normal: normalized(matrix.normal(frame.normal)),
                tangent: normalized(matrix.direction(frame.tangent)),
                binormal: normalized(matrix.direction(frame.binormal)),
            };
        }
        Ok(())
    }

    /// Positions of all morph targets blended: target 0, and of each other one its weight times its distance from
    /// target 0 (targets hold absolute positions). `weights[0]` is that of target 1; those that are missing are 0.
    ///
    /// # Errors
    ///
    /// An output that does not hold one position for each vertex, or a target of another number of vertices.
    pub fn morph_positions_into(&self, weights: &[f32], out: &mut [[f32; 3]]) -> Result<()> {
        let base = self.positions();
        let length = || self.length_error("output length", base.len(), out.len());
        if out.len() != base.len() {
            return Err(length());
        }
        for (out, position) in out.iter_mut().zip(base) {
            *out = position;
        }
        for (target, weight) in self.targets().skip(1).zip(weights) {
            self.check("vertices of a morph target", base.len(), target.positions.len())?;
            for ((out, to), from) in out.iter_mut().zip(target.positions).zip(base) {
                for ((out, to), from) in out.iter_mut().zip(to).zip(from) {
                    *out += (to - from) * weight;
                }
            }
        }
        Ok(())
    }

    fn check(&self, what: &'static str, expected: usize, found: usize) -> Result<()> {
        if expected == found { Ok(()) } else { Err(self.length_error(what, expected, found)) }
    }

    fn no_bone(&self, offset: u64, bone: i16, matrices: &[Matrix]) -> meshlens_wire::Error {
        self.error(
            offset,
            ErrorKind::Index { what: "bone", index: bone.into(), count: matrices.len() as u64 },
        )
    }
}
