//! Skinning, which moves vertices by bones, and the blending of morph targets.

use glam::{Affine3A, Mat3A, Vec3A};
use meshlens_lens::TangentFrame;
use meshlens_wire::{ErrorKind, Presence, Result};

use crate::transform::{affine, columns};
use crate::{Geometry, Influence, Welded};

/// Computes the skin matrix of each bone, which moves vertices of the bind pose: the bone's matrix in the space of the
/// model times its [inverse bind matrix](crate::Skeleton::inverse_bind_into). Matrices are column-major. Stops at the end of
/// the shortest slice.
pub fn skin_matrices_into(
    world: &[[[f32; 4]; 4]],
    inverse_bind: &[[[f32; 4]; 4]],
    out: &mut [[[f32; 4]; 4]],
) {
    for ((out, world), inverse) in out.iter_mut().zip(world).zip(inverse_bind) {
        *out = columns(affine(world) * affine(inverse));
    }
}

/// The blended matrix of the bones of one vertex. Writers truncate weights, so they are normalized first. A vertex
/// without bones, or with weights of 0, is unchanged. Fails with the number of a bone that does not exist.
fn blend(matrices: &[[[f32; 4]; 4]], influence: &Influence) -> Result<Affine3A, i16> {
    let mut blended = Affine3A::ZERO;
    let mut sum = 0.0;
    for (bone, weight) in influence.parts() {
        let matrix = usize::try_from(bone).ok().and_then(|bone| matrices.get(bone)).ok_or(bone)?;
        let matrix = affine(matrix);
        let weight = f32::from(weight);
        blended.matrix3 += matrix.matrix3 * weight;
        blended.translation += matrix.translation * weight;
        sum += weight;
    }
    if sum == 0.0 {
        return Ok(Affine3A::IDENTITY);
    }
    let scale = sum.recip();
    Ok(Affine3A { matrix3: blended.matrix3 * scale, translation: blended.translation * scale })
}

/// The matrix for normals that belongs to `matrix`: normals stay perpendicular to their surface and on the same side of
/// it. It is the inverse transpose up to a positive factor, and also exists for flat matrices.
fn normal_matrix(matrix: Mat3A) -> Mat3A {
    let Mat3A { x_axis: x, y_axis: y, z_axis: z } = matrix;
    let cofactors = Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y));
    cofactors * 1f32.copysign(x.dot(cofactors.x_axis))
}

/// A direction scaled to length 1; unchanged if its length is 0 or not finite.
fn normalized(direction: Vec3A) -> [f32; 3] {
    direction.normalize_or(direction).to_array()
}

impl<P: Presence> Geometry<'_, P> {
    /// Writes the positions of morph target 0, moved by [skin matrices](skin_matrices_into). Without weights, positions
    /// are not moved. Reads each record once and allocates nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have one position for each vertex, or the number of weights differs from
    /// the number of vertices; [`ErrorKind::Index`] if a bone has no matrix.
    pub fn skin_positions_into(&self, matrices: &[[[f32; 4]; 4]], out: &mut [[f32; 3]]) -> Result<()> {
        let positions = P::result(self.positions())?;
        self.check_length("positions of the output", positions.len(), out.len())?;
        let mut weights = P::result(self.weights())?;
        if weights.len() == 0 {
            return positions.decode_into(out);
        }
        self.check_length("weights", positions.len(), weights.len())?;
        for (out, position) in out.iter_mut().zip(positions) {
            let offset = weights.offset();
            // There are as many weights as positions.
            let influence = weights.next().unwrap_or_default();
            let matrix =
                blend(matrices, &influence).map_err(|bone| self.bone_error(offset, bone, matrices))?;
            *out = matrix.transform_point3a(position.into()).to_array();
        }
        Ok(())
    }

    /// Writes the welded vertices, moved by [skin matrices](skin_matrices_into): the positions and tangent frames of
    /// morph target 0, in one pass. Normals stay perpendicular to their surface. All three directions have length 1.
    ///
    /// `influences` are the decoded weights of this surface ([`Weights::decode_into`](crate::Weights::decode_into)). If
    /// they are empty, nothing is moved. They have to be decoded because vertices use them in any order, and their
    /// records in the file vary in size.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if an output does not have one element for each vertex, or `influences` not one for each
    /// position; [`ErrorKind::Index`] if a vertex belongs to another surface or a bone has no matrix.
    pub fn skin_vertices_into(
        &self,
        matrices: &[[[f32; 4]; 4]],
        influences: &[Influence],
        welded: &Welded,
        positions_out: &mut [[f32; 3]],
        frames_out: &mut [TangentFrame],
    ) -> Result<()> {
        let (positions, tangents) = (P::result(self.positions())?, P::result(self.tangent_frames())?);
        self.check_length("positions of the output", welded.vertices.len(), positions_out.len())?;
        self.check_length("tangent frames of the output", welded.vertices.len(), frames_out.len())?;
        if !influences.is_empty() {
            self.check_length("influences", positions.len(), influences.len())?;
        }
        let start = positions.byte_range().start;
        let missing = |what, index: u32, count: usize| {
            self.error(start, ErrorKind::Index { what, index: index.into(), count: count as u64 })
        };
        for ((vertex, position_out), frame_out) in welded.vertices.iter().zip(positions_out).zip(frames_out) {
            let position = positions.get(vertex.coordinate as usize);
            let position = position.ok_or_else(|| missing("vertex", vertex.coordinate, positions.len()))?;
            let frame = tangents.get(vertex.triangle as usize);
            let frame = frame.ok_or_else(|| missing("tangent", vertex.triangle, tangents.len()))?;
            // Without influences, vertices are not moved.
            let influence = influences.get(vertex.coordinate as usize).copied().unwrap_or_default();
            let matrix =
                blend(matrices, &influence).map_err(|bone| self.bone_error(start, bone, matrices))?;
            *position_out = matrix.transform_point3a(position.into()).to_array();
            *frame_out = TangentFrame {
                normal: normalized(normal_matrix(matrix.matrix3) * Vec3A::from(frame.normal)),
                tangent: normalized(matrix.matrix3 * Vec3A::from(frame.tangent)),
                binormal: normalized(matrix.matrix3 * Vec3A::from(frame.binormal)),
            };
        }
        Ok(())
    }

    /// Writes the blended positions of all morph targets: target 0, plus the difference of each other target from
    /// target 0 times its weight. `weights[0]` is the weight of target 1. Missing weights are 0.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` or a morph target does not have one position for each vertex.
    pub fn morph_positions_into(&self, weights: &[f32], out: &mut [[f32; 3]]) -> Result<()> {
        let base = P::result(self.positions())?;
        base.decode_into(out)?;
        for (target, weight) in self.targets().skip(1).zip(weights) {
            let target = P::result(target)?;
            self.check_length("vertices of a morph target", base.len(), target.positions.len())?;
            for ((out, to), from) in out.iter_mut().zip(target.positions).zip(base) {
                for ((out, to), from) in out.iter_mut().zip(to).zip(from) {
                    *out += (to - from) * weight;
                }
            }
        }
        Ok(())
    }

    fn bone_error(&self, offset: u64, bone: i16, matrices: &[[[f32; 4]; 4]]) -> meshlens_wire::Error {
        let count = matrices.len() as u64;
        self.error(offset, ErrorKind::Index { what: "bone", index: bone.into(), count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_stays_perpendicular_and_on_its_side() {
        // A plane at 45 degrees, stretched to twice its height.
        let stretched = Mat3A::from_diagonal([1.0, 1.0, 2.0].into());
        let slope = stretched * Vec3A::new(1.0, 0.0, -1.0);
        let normal = normal_matrix(stretched) * Vec3A::new(1.0, 0.0, 1.0);
        assert_eq!((slope.dot(normal), normal), (0.0, Vec3A::new(2.0, 0.0, 1.0)));
        // Mirrored along X: up is still up.
        let mirrored = Mat3A::from_diagonal([-1.0, 1.0, 1.0].into());
        assert_eq!(normal_matrix(mirrored) * Vec3A::Z, Vec3A::Z);
        // Flattened to the ground: the result is the normal of the ground.
        let flat = Mat3A::from_diagonal([1.0, 1.0, 0.0].into());
        assert_eq!(normal_matrix(flat) * Vec3A::Z, Vec3A::Z);
        assert_eq!(normalized(Vec3A::ZERO), [0.0; 3]);
    }
}
