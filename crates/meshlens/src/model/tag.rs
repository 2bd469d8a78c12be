//! Tags: named places that other models hang on.

use alloc::string::String;

use glam::{Mat3, Quat, Vec3};

/// A tag in one frame, in the space of its model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TagPose {
    /// Where it is.
    pub origin: Vec3,
    /// Its local X, Y and Z axis, as columns. Not always of length 1, nor at right angles, nor right-handed.
    pub axes: Mat3,
}

impl TagPose {
    /// The axes as a rotation and their lengths. Axes that are not at right angles are brought there, X first; a
    /// left-handed set has its Y axis turned around; an axis of no length takes the place that is left.
    #[allow(clippy::arithmetic_side_effects, reason = "floats")]
    pub fn rotation(&self) -> (Quat, Vec3) {
        let lengths =
            Vec3::new(self.axes.x_axis.length(), self.axes.y_axis.length(), self.axes.z_axis.length());
        let x = self.axes.x_axis.try_normalize();
        let z = self.axes.z_axis.try_normalize();
        let x = x.unwrap_or_else(|| z.map_or(Vec3::X, Vec3::any_orthonormal_vector));
        let z = z.unwrap_or_else(|| x.any_orthonormal_vector());
        let z = (z - x * x.dot(z)).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
        (Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z)).normalize(), lengths)
    }

    /// Whether the axes make a left-handed system.
    pub fn is_left_handed(&self) -> bool {
        self.axes.determinant() < 0.0
    }

    /// Whether no number is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.origin.is_finite() && self.axes.is_finite()
    }
}

/// A tag's name and number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name, such as `tag_weapon`.
    pub name: String,
    /// Its number in the model.
    pub index: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_a_rotation_and_lengths() {
        let turn = Quat::from_rotation_z(0.7) * Quat::from_rotation_x(-0.4);
        let axes = Mat3::from_quat(turn) * Mat3::from_diagonal(Vec3::new(1.0, 2.0, 0.5));
        let pose = TagPose { origin: Vec3::ZERO, axes };
        let (rotation, lengths) = pose.rotation();
        assert!(rotation.abs_diff_eq(turn, 1e-6) || rotation.abs_diff_eq(-turn, 1e-6));
        assert!(lengths.abs_diff_eq(Vec3::new(1.0, 2.0, 0.5), 1e-6));
        let mirrored = TagPose { axes: Mat3::from_cols(axes.x_axis, -axes.y_axis, axes.z_axis), ..pose };
        assert!(mirrored.is_left_handed() && !pose.is_left_handed());
        assert!(mirrored.rotation().0.abs_diff_eq(rotation, 1e-6));
        let (rotation, lengths) = TagPose { axes: Mat3::ZERO, ..pose }.rotation();
        assert!(rotation.is_normalized() && lengths == Vec3::ZERO);
    }
}
