//! The vertices of a mesh, moved by one matrix, or by several bones each (Ultimate 3D 2.0: pSkinWeightBoneIndex).

use glam::{Mat4, Vec3};
use meshlens_wire::{Presence, Result};

use crate::Mesh;
use crate::mesh::with_last;

impl<P: Presence> Mesh<'_, '_, P> {
    /// Writes the positions to `out`, transformed by a column-major matrix such as
    /// [`Skeleton::mesh_to_world`](crate::Skeleton::mesh_to_world).
    ///
    /// # Errors
    ///
    /// `out` does not have one value for each vertex.
    pub fn transform_positions_into(&self, matrix: &[[f32; 4]; 4], out: &mut [[f32; 3]]) -> Result<()> {
        let matrix = Mat4::from_cols_array_2d(matrix);
        P::result(self.positions())?.decode_into(out).map_err(|error| error.at(self.place()))?;
        for out in out {
            *out = matrix.transform_point3((*out).into()).into();
        }
        Ok(())
    }

    /// Writes the normals to `out`, rotated by a column-major matrix, multiplied by [`normal_scalar`](Self::normal_scalar)
    /// and normalized.
    ///
    /// # Errors
    ///
    /// `out` does not have one value for each vertex.
    pub fn transform_normals_into(&self, matrix: &[[f32; 4]; 4], out: &mut [[f32; 3]]) -> Result<()> {
        let matrix = Mat4::from_cols_array_2d(matrix);
        self.decode_normals_into(out)?;
        for out in out {
            *out = unit(matrix.transform_vector3(Vec3::from(*out) * self.normal_scalar())).into();
        }
        Ok(())
    }

    pub(crate) fn decode_normals_into(&self, out: &mut [[f32; 3]]) -> Result<()> {
        P::result(self.normals())?.decode_into(out).map_err(|error| error.at(self.place()))
    }

    /// Writes the positions, moved by the bones of each vertex, to `out`. A position is the sum of the positions
    /// transformed by the matrix of each bone, multiplied by the weight of the bone. `palette` has one matrix for each
    /// bone, as [`Skeleton::palette_into`](crate::Skeleton::palette_into) writes them. A mesh without skin keeps its
    /// positions.
    ///
    /// # Errors
    ///
    /// `out` does not have one value for each vertex, or a bone is not in the palette.
    pub fn skin_positions_into(&self, palette: &[[[f32; 4]; 4]], out: &mut [[f32; 3]]) -> Result<()> {
        P::result(self.positions())?.decode_into(out).map_err(|error| error.at(self.place()))?;
        self.skin(palette, out, Mat4::transform_point3)
    }

    /// Writes the normals, rotated by the bones of each vertex, to `out`. They are multiplied by
    /// [`normal_scalar`](Self::normal_scalar) and normalized. A mesh without skin keeps its normals.
    ///
    /// # Errors
    ///
    /// `out` does not have one value for each vertex, or a bone is not in the palette.
    pub fn skin_normals_into(&self, palette: &[[[f32; 4]; 4]], out: &mut [[f32; 3]]) -> Result<()> {
        self.decode_normals_into(out)?;
        for normal in out.iter_mut() {
            *normal = normal.map(|value| value * self.normal_scalar());
        }
        self.skin(palette, out, Mat4::transform_vector3)?;
        for normal in out {
            *normal = unit((*normal).into()).into();
        }
        Ok(())
    }

    /// Moves every value of `out` by the bones of its vertex.
    fn skin(
        &self,
        palette: &[[[f32; 4]; 4]],
        out: &mut [[f32; 3]],
        transform: fn(&Mat4, Vec3) -> Vec3,
    ) -> Result<()> {
        let Some(weights) = P::result(self.skin_weights())? else { return Ok(()) };
        let (bones, stored) = (P::result(self.skin_bones())?, self.skin_weight_count());
        for ((vertex, out), names) in out.iter_mut().enumerate().zip(bones) {
            // There are as many weights as vertices.
            let weights = with_last(weights.get_floats(vertex).unwrap_or([0.0; 4]), stored);
            let (value, mut sum) = (Vec3::from(*out), Vec3::ZERO);
            for (number, (weight, bone)) in weights.into_iter().zip(names).take(stored + 1).enumerate() {
                let Some(matrix) = palette.get(usize::from(bone)) else {
                    let offset = bones.byte_range().start + (vertex * bones.stride() + number) as u64;
                    let error = self.data().index_error(offset, "bone", bone.into(), palette.len());
                    return Err(error.at(self.place()));
                };
                sum += weight * transform(&Mat4::from_cols_array_2d(matrix), value);
            }
            *out = sum.into();
        }
        Ok(())
    }
}

/// A normalized direction. A vector of length 0 is unchanged.
fn unit(direction: Vec3) -> Vec3 {
    let length = direction.length();
    if length > 0.0 { direction / length } else { direction }
}
