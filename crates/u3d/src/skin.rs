//! Skinning: vertices of a mesh moved by several bones each (Ultimate 3D 2.0: pSkinWeightBoneIndex).

use meshlens_wire::{ErrorKind, Result};

use crate::mesh::{unit, with_last};
use crate::{Matrix, Mesh};

impl Mesh<'_, '_> {
    /// Positions moved by the bones of each vertex: as many times as it has weights, each result times its weight,
    /// added up. `palette` has a matrix for each bone, such as
    /// [`Skeleton::palette_into`](crate::Skeleton::palette_into) gives. A mesh without skin keeps its positions.
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each vertex; a bone that is not in the palette.
    pub fn skin_positions_into(&self, palette: &[Matrix], out: &mut [[f32; 3]]) -> Result<()> {
        self.positions().decode_into(out).map_err(|_| self.len_error(out.len()))?;
        self.skin(palette, out, Matrix::transform_point)
    }

    /// Normals turned by the bones of each vertex, times [`normal_scalar`](Self::normal_scalar), scaled to length 1.
    /// A mesh without skin keeps its normals.
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each vertex; a bone that is not in the palette.
    pub fn skin_normals_into(&self, palette: &[Matrix], out: &mut [[f32; 3]]) -> Result<()> {
        self.decode_normals_into(out)?;
        for normal in out.iter_mut() {
            *normal = normal.map(|value| value * self.normal_scalar());
        }
        self.skin(palette, out, Matrix::transform_direction)?;
        for normal in out {
            *normal = unit(*normal);
        }
        Ok(())
    }

    /// Moves every value of `out` by the bones of its vertex.
    fn skin(
        &self,
        palette: &[Matrix],
        out: &mut [[f32; 3]],
        transform: fn(&Matrix, [f32; 3]) -> [f32; 3],
    ) -> Result<()> {
        let Some(floats) = self.skin_weights() else { return Ok(()) };
        let stored = self.skin_weight_count();
        for (((vertex, out), bones), weights) in (0u64..).zip(out).zip(self.skin_bones()).zip(floats.iter()) {
            let weights = with_last(weights, stored);
            let value = core::mem::take(out);
            for (weight, bone) in weights.into_iter().zip(bones).take(stored.saturating_add(1)) {
                let Some(matrix) = palette.get(usize::from(bone)) else {
                    let offset = self.parts().skin_bones().offset().saturating_add(vertex.saturating_mul(4));
                    let count = palette.len() as u64;
                    let kind = ErrorKind::Index { what: "bone", index: bone.into(), count };
                    return Err(self.error(offset, kind));
                };
                for (sum, value) in out.iter_mut().zip(transform(matrix, value)) {
                    *sum += weight * value;
                }
            }
        }
        Ok(())
    }
}
