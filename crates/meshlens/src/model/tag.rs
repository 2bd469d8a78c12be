//! Tags: named attachment points for other models.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

use glam::{Mat3, Mat4, Quat, Vec3};

/// A tag in one frame, in the space of its model.
///
/// A tag places another model but never scales it. Engines normalize each axis when they attach a model, and many files
/// rely on that: their axes are up to eight times too long. The poses of [`Model::tag_pose`](super::Model::tag_pose)
/// are normalized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TagPose {
    /// The position.
    pub origin: [f32; 3],
    /// The local X, Y and Z axis. In some files they are not at right angles, or left-handed.
    pub axes: [[f32; 3]; 3],
}

impl TagPose {
    /// The pose with axes of length 1. An axis whose length is 1 within the precision of `f32` keeps its bits. An axis of
    /// length 0 is replaced by the one that completes the other two to a right-handed system. Axes that are not finite are
    /// not changed.
    #[must_use]
    pub fn normalized(self) -> TagPose {
        if !self.axes.as_flattened().iter().all(|value| value.is_finite()) {
            return self;
        }
        let [x, y, z] = self.axes.map(|axis| normalized(axis.into()));
        let x = x.unwrap_or_else(|| match (y, z) {
            (Some(y), Some(z)) => perpendicular(y, z),
            (Some(other), None) | (None, Some(other)) => other.any_orthonormal_vector(),
            (None, None) => Vec3::X,
        });
        let y = y.unwrap_or_else(|| z.map_or_else(|| x.any_orthonormal_vector(), |z| perpendicular(z, x)));
        let z = z.unwrap_or_else(|| perpendicular(x, y));
        TagPose { axes: [x, y, z].map(Vec3::into), ..self }
    }

    /// The pose between this one and `to`, as engines compute it: origin and axes are interpolated linearly, `self` at
    /// `t = 0` and `to` at `t = 1`, then each axis is [`normalized`](Self::normalized).
    #[must_use]
    pub fn interpolate(&self, to: &TagPose, t: f32) -> TagPose {
        let lerp = |from: [f32; 3], to: [f32; 3]| Vec3::from(from).lerp(to.into(), t).to_array();
        let ([a, b, c], [d, e, f]) = (self.axes, to.axes);
        TagPose { origin: lerp(self.origin, to.origin), axes: [lerp(a, d), lerp(b, e), lerp(c, f)] }
            .normalized()
    }

    /// The axes as a quaternion x, y, z, w. Their lengths do not matter. Axes that are not at right angles are made orthogonal, beginning
    /// with X. The Y axis of left-handed axes is reversed. An axis of length 0 is replaced as in
    /// [`normalized`](Self::normalized).
    pub fn rotation(&self) -> [f32; 4] {
        Quat::from_mat3(&self.orthonormal_axes()).normalize().to_array()
    }

    /// The rotation and the origin as a matrix, column-major, from a model at the tag to the space of the tag's model.
    pub fn to_matrix(&self) -> [[f32; 4]; 4] {
        Mat4::from_mat3_translation(self.orthonormal_axes(), self.origin.into()).to_cols_array_2d()
    }

    /// Right-handed axes of length 1 at right angles.
    fn orthonormal_axes(&self) -> Mat3 {
        let [x, _, z] = self.normalized().axes.map(Vec3::from);
        let z = (z - x * x.dot(z)).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
        Mat3::from_cols(x, z.cross(x), z)
    }

    /// Whether the axes form a left-handed system.
    pub fn is_left_handed(&self) -> bool {
        Mat3::from_cols_array_2d(&self.axes).determinant() < 0.0
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.origin.iter().chain(self.axes.as_flattened()).all(|value| value.is_finite())
    }
}

/// The axis with length 1, or unchanged if its length is 1; `None` for length 0.
fn normalized(axis: Vec3) -> Option<Vec3> {
    if (axis.length_squared() - 1.0).abs() <= 1e-6 {
        return Some(axis);
    }
    // Divided first, so that no square overflows or underflows.
    let largest = axis.abs().max_element();
    (largest > 0.0).then(|| (axis / largest).normalize())
}

/// An axis at right angles to two others, or to the first one if they are parallel.
fn perpendicular(a: Vec3, b: Vec3) -> Vec3 {
    a.cross(b).try_normalize().unwrap_or_else(|| a.any_orthonormal_vector())
}

/// A source of the poses of tags.
pub(crate) trait TagTracks: Debug + Send + Sync {
    /// The number of frames.
    fn frame_count(&self) -> usize;

    /// The pose of a tag in one frame, as it is stored; `None` if the tag or the frame is out of range.
    fn pose(&self, tag: usize, frame: usize) -> Option<TagPose>;
}

/// For each frame, the pose of each tag.
impl TagTracks for Vec<Vec<TagPose>> {
    fn frame_count(&self) -> usize {
        self.len()
    }

    fn pose(&self, tag: usize, frame: usize) -> Option<TagPose> {
        self.get(frame)?.get(tag).copied()
    }
}

/// A tag: a named attachment point for another model. [`Model::tag_pose`](super::Model::tag_pose) gives its poses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name, such as `tag_weapon`.
    pub name: String,
    /// The index of the tag in the model.
    pub index: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(x: [f32; 3], y: [f32; 3], z: [f32; 3]) -> TagPose {
        TagPose { origin: [1.0, 2.0, 3.0], axes: [x, y, z] }
    }

    #[test]
    fn axes_are_a_rotation_whatever_their_lengths() {
        let turn = Quat::from_rotation_z(0.7) * Quat::from_rotation_x(-0.4);
        let axes = Mat3::from_quat(turn) * Mat3::from_diagonal(Vec3::new(1.0, 8.0, 0.5));
        let pose = TagPose { origin: [0.0; 3], axes: axes.to_cols_array_2d() };
        let rotation = Quat::from_array(pose.rotation());
        assert!(rotation.abs_diff_eq(turn, 1e-6) || rotation.abs_diff_eq(-turn, 1e-6));
        let normalized = Mat3::from_cols_array_2d(&pose.normalized().axes);
        assert!(normalized.abs_diff_eq(Mat3::from_quat(turn), 1e-6));
        let [x, y, z] = pose.axes;
        let mirrored = TagPose { axes: [x, y.map(|value| -value), z], ..pose };
        assert!(mirrored.is_left_handed() && !pose.is_left_handed());
        assert!(mirrored.normalized().is_left_handed(), "only lengths change");
        assert!(Quat::from_array(mirrored.rotation()).abs_diff_eq(rotation, 1e-6));
    }

    #[test]
    fn axes_of_length_0_complete_the_others() {
        let [x, y, z, none] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];
        for incomplete in [pose(none, y, z), pose(x, none, z), pose(x, y, none), pose(none, none, none)] {
            assert_eq!(incomplete.normalized(), pose(x, y, z));
            assert_eq!(incomplete.rotation(), [0.0, 0.0, 0.0, 1.0]);
        }
        // One axis alone stays where it is; the others are some right-handed pair.
        for incomplete in [pose(y, none, none), pose(none, x, none), pose(none, none, [0.0, -7.0, 0.0])] {
            let found = Mat3::from_cols_array_2d(&incomplete.normalized().axes);
            assert!((found.determinant() - 1.0).abs() < 1e-6, "{found}");
        }
        assert_eq!(pose(y, none, none).normalized().axes[0], [0.0, 1.0, 0.0]);
        // Parallel axes leave no third direction, and still none is NaN.
        assert!(
            pose(x, x, none).normalized().is_finite()
                && Quat::from_array(pose(x, x, x).rotation()).is_normalized()
        );
        let huge = pose([1e30, 0.0, 0.0], [0.0, 1e-30, 0.0], [0.0, 0.0, 1e-44]);
        assert_eq!(huge.normalized(), pose(x, y, z));
        assert!(!pose([f32::NAN, 0.0, 0.0], y, z).normalized().is_finite());
    }

    #[test]
    fn poses_are_interpolated_before_their_axes_are_normalized() {
        // Halfway between 3 X and Y is (1.5, 0.5, 0): length is weight, as engines have it.
        let from = pose([3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]);
        let to = TagPose { origin: [0.0; 3], ..pose([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]) };
        let half = from.interpolate(&to, 0.5);
        assert_eq!(half.origin, [0.5, 1.0, 1.5]);
        let wanted = Vec3::new(3.0, 1.0, 0.0) / 10f32.sqrt();
        assert!(Vec3::from(half.axes[0]).abs_diff_eq(wanted, 1e-6), "{half:?}");
        assert_eq!(half.axes[2], [0.0, 0.0, 1.0]);
        assert_eq!(from.interpolate(&to, 0.0), from.normalized());
    }
}
