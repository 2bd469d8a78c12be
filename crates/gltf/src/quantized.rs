//! Positions as the integers of the source file, and the node that scales and places them.

use glam::{Mat3, Mat4, Quat, Vec3};
use meshlens::Result;
use meshlens::lens::{ArrayFormat, ComponentType, Numbers};
use meshlens::model::{Mesh, Placement};

/// The step of each component of an array of integers that fit a 16-bit accessor: signed integers of up to 16 bits, and bit
/// fields of up to 16 bits, which are unpacked.
fn steps(format: &ArrayFormat) -> Option<[f32; 3]> {
    if let Numbers::BitFields { bits, scale } = format.numbers() {
        return bits.iter().all(|bits| *bits <= 16).then_some(scale);
    }
    let accessor = format.gltf().filter(|accessor| accessor.components == 3)?;
    let largest = match format.component() {
        ComponentType::I8 => f32::from(i8::MAX),
        ComponentType::U8 => f32::from(u8::MAX),
        ComponentType::I16 => f32::from(i16::MAX),
        _ => return None,
    };
    Some([if accessor.normalized { 1.0 / largest } else { accessor.scale }; 3])
}

/// Positions that are stored as the integers of the source file, and the node that scales and places them.
#[derive(Clone, Copy)]
pub(crate) struct Quantized {
    /// The step of each component in the source's space.
    pub(crate) step: Vec3,
    /// The node's translation, rotation and scale: from integers to glTF's space.
    pub(crate) node: (Vec3, Quat, Vec3),
    /// The matrix from normals in glTF's space to normals of the node; `None` if the normals of the node are the
    /// normals of the source.
    pub(crate) normals: Option<Mat3>,
}

impl Quantized {
    /// `None` if positions are not integers that fit 16 bits, or if a node cannot express the transform.
    pub(crate) fn new(placement: &Placement, mesh: &Mesh<'_>) -> Result<Option<Quantized>> {
        // The node of a skinned mesh does not move it.
        if mesh.skin.is_some() || mesh.frame_count() == 0 {
            return Ok(None);
        }
        let step = steps(mesh.positions(0)?.format());
        Ok(step.and_then(|step| Self::with_step(placement, Vec3::from(step))))
    }

    fn with_step(placement: &Placement, step: Vec3) -> Option<Quantized> {
        let matrix = Mat4::from_cols_array_2d(&placement.matrix_of_steps(step.to_array()));
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let again = Mat4::from_scale_rotation_translation(scale, rotation, translation);
        let size = matrix.to_cols_array().iter().fold(0.0f32, |size, value| size.max(value.abs()));
        if !(matrix.is_finite() && matrix.determinant() != 0.0 && again.abs_diff_eq(matrix, size * 1e-5)) {
            return None;
        }
        // Readers transform normals by the inverse transpose.
        let is_uniform = placement.conversion().is_some() && step == Vec3::splat(step.x);
        let normals = (!is_uniform).then(|| Mat3::from_mat4(matrix).transpose());
        Some(Quantized { step, node: (translation, rotation, scale), normals })
    }

    /// Converts a normal of the source to the space of the node, without normalizing it.
    pub(crate) fn normal(&self, placement: &Placement, normal: [f32; 3]) -> [f32; 3] {
        match self.normals {
            Some(matrix) => {
                let placed = Vec3::from(placement.normal(normal));
                (matrix * placed).to_array()
            }
            None => normal,
        }
    }

    /// Whether the node mirrors the mesh, which changes the winding.
    pub(crate) fn mirrors(&self) -> bool {
        self.node.2.to_array().iter().filter(|factor| **factor < 0.0).count() % 2 == 1
    }
}
