//! The transform from stored positions to the world: subtract the origin, scale, rotate.

use core::f32::consts::TAU;

use glam::{Affine3A, EulerRot, Mat3, Mat4, Vec3};

/// The placement of a mesh. The world has the same axes as the mesh: left-handed, X forward, Y right, Z up.
///
/// ```
/// use meshlens_unreal::script::Transform;
///
/// // Subtract the origin, halve, then a quarter turn to the right.
/// let transform = Transform { origin: [2.0, 0.0, 0.0], scale: [0.5; 3], rotation: [64.0, 0.0, 0.0] };
/// let [x, y, z] = transform.apply([10.0, 0.0, 6.0]);
/// assert!(x.abs() < 1e-6 && (y - 4.0).abs() < 1e-6 && z == 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The origin, which is subtracted from stored positions first.
    pub origin: [f32; 3],
    /// The factors along X, Y and Z, applied after the subtraction.
    pub scale: [f32; 3],
    /// Yaw, pitch and roll, in units of 1/256 of a full turn, applied last: roll about X first, then pitch about Y, then yaw
    /// about Z. Yaw turns X towards Y, pitch X towards Z, roll Z towards Y.
    pub rotation: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Transform { origin: [0.0; 3], scale: [1.0; 3], rotation: [0.0; 3] }
    }
}

impl Transform {
    fn affine(&self) -> Affine3A {
        let [yaw, pitch, roll] = self.rotation.map(|turn| turn * (TAU / 256.0));
        let rotation = Mat3::from_euler(EulerRot::ZYX, yaw, -pitch, -roll);
        let linear = rotation * Mat3::from_diagonal(self.scale.into());
        Affine3A::from_mat3_translation(linear, -(linear * Vec3::from(self.origin)))
    }

    /// The transform as a matrix, column-major.
    pub fn to_matrix(&self) -> [[f32; 4]; 4] {
        Mat4::from(self.affine()).to_cols_array_2d()
    }

    /// Converts a stored position to a position in the world.
    pub fn apply(&self, position: [f32; 3]) -> [f32; 3] {
        self.affine().transform_point3(position.into()).into()
    }
}
