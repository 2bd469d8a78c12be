//! Skinning: vertices of a mesh moved by several bones each (Ultimate 3D 2.0: pSkinWeightBoneIndex).

use meshlens_wire::{ErrorKind, Result};

use crate::mesh::unit;
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
        self.check_len(out.len())?;
        for ((vertex, out), position) in (0..).zip(out).zip(self.positions()) {
            *out = self.skin(vertex, position, palette, Matrix::transform_point)?;
        }
        Ok(())
    }

    /// Normals turned by the bones of each vertex, times [`normal_scalar`](Self::normal_scalar), scaled to length 1.
    /// A mesh without skin keeps its normals.
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each vertex; a bone that is not in the palette.
    pub fn skin_normals_into(&self, palette: &[Matrix], out: &mut [[f32; 3]]) -> Result<()> {
        self.decode_normals_into(out)?;
        for (vertex, out) in (0..).zip(out) {
            let normal = out.map(|value| value * self.normal_scalar());
            *out = unit(self.skin(vertex, normal, palette, Matrix::transform_direction)?);
        }
        Ok(())
    }

    fn skin(
        &self,
        vertex: usize,
        value: [f32; 3],
        palette: &[Matrix],
        transform: fn(&Matrix, [f32; 3]) -> [f32; 3],
    ) -> Result<[f32; 3]> {
        let (Some(weights), Some(bones)) = (self.weights(vertex), self.skin_bones().get(vertex)) else {
            return Ok(value);
        };
        let mut sum = [0.0; 3];
        let used = self.skin_weight_count().saturating_add(1);
        for (weight, bone) in weights.into_iter().zip(bones).take(used) {
            let Some(matrix) = palette.get(usize::from(bone)) else {
                let skip = (vertex as u64).saturating_mul(4);
                let offset = self.parts().skin_bones().offset().saturating_add(skip);
                let count = palette.len() as u64;
                return Err(self.error(offset, ErrorKind::Index { what: "bone", index: bone.into(), count }));
            };
            for (sum, value) in sum.iter_mut().zip(transform(matrix, value)) {
                *sum += weight * value;
            }
        }
        Ok(sum)
    }
}
