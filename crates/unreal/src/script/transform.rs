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

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(rotation: [f32; 3], position: [f32; 3]) -> [i32; 3] {
        Transform { rotation, ..Transform::default() }
            .apply(position)
            .map(|v| libm::roundf(v * 1000.0) as i32)
    }

    #[test]
    fn quarter_turns_of_each_kind() {
        let (forward, right, up) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        assert_eq!(turned([64.0, 0.0, 0.0], forward), [0, 1000, 0], "yaw: forward to the right");
        assert_eq!(turned([0.0, 64.0, 0.0], forward), [0, 0, 1000], "pitch: forward to the top");
        assert_eq!(turned([0.0, 0.0, 64.0], up), [0, 1000, 0], "roll: up to the right");
        assert_eq!(turned([-64.0, 0.0, 0.0], right), [1000, 0, 0]);
        assert_eq!(turned([256.0, 512.0, -256.0], up), [0, 0, 1000], "a full turn changes nothing");
        assert_eq!(turned([64.0, 64.0, 0.0], forward), [0, 0, 1000], "pitch before yaw");
        assert_eq!(turned([64.0, 64.0, 0.0], up), [0, -1000, 0]);
    }

    #[test]
    fn the_origin_is_subtracted_before_the_scale() {
        let transform = Transform { origin: [1.0, 2.0, 3.0], scale: [2.0, 2.0, 4.0], rotation: [0.0; 3] };
        assert_eq!(transform.apply([2.0, 4.0, 6.0]), [2.0, 4.0, 12.0]);
        assert_eq!(transform.to_matrix()[3], [-2.0, -4.0, -12.0, 1.0]);
    }
}
