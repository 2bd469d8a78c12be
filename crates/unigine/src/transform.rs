//! The transform of a bone, its interpolation between frames, and its matrix.

use glam::{Affine3A, Mat4, Quat, Vec3, Vec4};

/// How rotations between two frames are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interpolation {
    /// Component by component, then normalized: fast, but not at a constant speed.
    #[default]
    Normalized,
    /// Along the arc, at a constant speed.
    Spherical,
}

/// A transform local to the parent of a bone: scale first, then the rotation, then the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The translation.
    pub position: [f32; 3],
    /// The rotation as a quaternion x, y, z, w. The length of a stored quaternion is slightly below 1.
    pub rotation: [f32; 4],
    /// The scale along the local axes.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Transform::IDENTITY
    }
}

/// The rotation of a quaternion of any length; the identity if the length is 0 or not finite.
fn unit(rotation: Quat) -> Quat {
    Quat::from_vec4(Vec4::from(rotation).normalize_or(Vec4::W))
}

/// The columns of a matrix.
pub(crate) fn columns(matrix: Affine3A) -> [[f32; 4]; 4] {
    Mat4::from(matrix).to_cols_array_2d()
}

/// The matrix with these columns, whose last row is 0, 0, 0, 1.
pub(crate) fn affine(columns: &[[f32; 4]; 4]) -> Affine3A {
    Affine3A::from_mat4(Mat4::from_cols_array_2d(columns))
}

impl Transform {
    /// The identity transform.
    pub const IDENTITY: Transform =
        Transform { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// The same transform as a column-major matrix.
    pub fn to_matrix(&self) -> [[f32; 4]; 4] {
        columns(self.to_affine())
    }

    pub(crate) fn to_affine(self) -> Affine3A {
        let rotation = unit(Quat::from_array(self.rotation));
        Affine3A::from_scale_rotation_translation(self.scale.into(), rotation, self.position.into())
    }

    /// The interpolated transform: this one at `t = 0`, and `to` at `t = 1`. Rotations take the shorter arc.
    pub fn interpolate(&self, to: &Transform, t: f32, interpolation: Interpolation) -> Transform {
        let lerp = |from: [f32; 3], to: [f32; 3]| Vec3::from(from).lerp(to.into(), t).to_array();
        let [mut from, mut end] = [self.rotation, to.rotation].map(Quat::from_array);
        // A quaternion and its negative are the same rotation, so the nearer one is used.
        if from.dot(end) < 0.0 {
            end = -end;
        }
        let rotation = match interpolation {
            Interpolation::Normalized => from * (1.0 - t) + end * t,
            Interpolation::Spherical => {
                (from, end) = (unit(from), unit(end));
                from.slerp(end, t)
            }
        };
        Transform {
            position: lerp(self.position, to.position),
            rotation: unit(rotation).to_array(),
            scale: lerp(self.scale, to.scale),
        }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(&self.rotation).chain(&self.scale).all(|value| value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
    /// A rotation of 90 degrees around Z: X is mapped to Y.
    const QUARTER: [f32; 4] = [0.0, 0.0, HALF, HALF];

    fn close(a: Vec3, b: [f32; 3]) -> bool {
        a.abs_diff_eq(b.into(), 1e-5)
    }

    #[test]
    fn scale_then_rotation_then_translation() {
        let transform = Transform { position: [10.0, 20.0, 30.0], rotation: QUARTER, scale: [2.0, 3.0, 4.0] };
        let matrix = transform.to_affine();
        assert!(close(matrix.transform_point3(Vec3::X), [10.0, 22.0, 30.0]));
        assert!(close(matrix.transform_point3(Vec3::new(0.0, 1.0, 1.0)), [7.0, 20.0, 34.0]));
        assert!(close(matrix.transform_vector3(Vec3::Y), [-3.0, 0.0, 0.0]));
    }

    #[test]
    fn the_length_of_a_quaternion_does_not_matter() {
        let turned = |rotation| Transform { rotation, ..Transform::IDENTITY }.to_affine();
        let longer = turned(QUARTER.map(|v| v * 3.0));
        assert!(longer.abs_diff_eq(turned(QUARTER), 1e-6));
        assert_eq!(turned([0.0; 4]), Affine3A::IDENTITY);
    }

    #[test]
    fn rotations_take_the_shorter_arc_at_a_constant_speed() {
        let from = Transform::IDENTITY;
        let to = Transform { rotation: QUARTER.map(|v| -v), position: [4.0, 0.0, 0.0], ..from };
        // A third of 90 degrees is 30 degrees, half of which is in the quaternion. sin 15° = 0.258819.
        let third = from.interpolate(&to, 1.0 / 3.0, Interpolation::Spherical);
        assert!((third.rotation[2] - 0.258_819).abs() < 1e-5, "{third:?}");
        // Half of 90 degrees is 45 degrees. sin 22.5° = 0.382683.
        let middle = from.interpolate(&to, 0.5, Interpolation::Normalized);
        assert!((middle.rotation[2] - 0.382_683).abs() < 1e-5);
        assert_eq!(middle.position, [2.0, 0.0, 0.0]);
        for interpolation in [Interpolation::Normalized, Interpolation::Spherical] {
            assert_eq!(from.interpolate(&from, 0.7, interpolation), from);
        }
    }
}
