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
    /// The pose with axes of length 1. An axis whose length is 1 within the precision of `f32` keeps its bits. An axis
    /// of length 0 is replaced by the axis that completes the other two to a right-handed system. Axes that are not
    /// finite are not changed.
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

    /// The axes and the origin as a matrix, column-major, from a model at the tag to the space of the tag's model. The axes
    /// are made orthogonal, of length 1, like those of [`rotation`](Self::rotation), but left-handed axes stay left-handed: the
    /// matrix mirrors. A scene attaches models by the rotation, without the mirror.
    pub fn to_matrix(&self) -> [[f32; 4]; 4] {
        let mirror = if self.is_left_handed() { Vec3::new(1.0, -1.0, 1.0) } else { Vec3::ONE };
        (self.rigid() * Mat4::from_scale(mirror)).to_cols_array_2d()
    }

    /// The rotation and the origin as a matrix.
    pub(crate) fn rigid(&self) -> Mat4 {
        Mat4::from_mat3_translation(self.orthonormal_axes(), self.origin.into())
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
    // Divides first, so that no square overflows or underflows.
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

    /// The stored pose of a tag in one frame; `None` if the tag or the frame is out of range.
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

/// A tag: a named attachment point for another model. [`Model::tag_pose`](super::Model::tag_pose) returns its poses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name, such as `tag_weapon`.
    pub name: String,
    /// The index of the tag in the model.
    pub index: usize,
}
