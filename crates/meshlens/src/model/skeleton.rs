//! Joints: where they are at rest, and how they move.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops::Range;

use glam::{Mat4, Quat, Vec3};

/// A transform local to a parent: scale first, then the rotation, then the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Where it is.
    pub translation: Vec3,
    /// How it is turned; of length 1.
    pub rotation: Quat,
    /// How it is stretched along its own axes.
    pub scale: Vec3,
}

impl Transform {
    /// Nothing moves.
    pub const IDENTITY: Transform =
        Transform { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Of plain numbers. A rotation of no length is none; what is not finite does not move anything.
    pub fn new(translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Self {
        let finite =
            |v: [f32; 3], other: Vec3| Some(Vec3::from(v)).filter(|v| v.is_finite()).unwrap_or(other);
        let rotation = Quat::from_array(rotation);
        let length = rotation.length();
        Transform {
            translation: finite(translation, Vec3::ZERO),
            rotation: if length > 1e-6 && length.is_finite() { rotation.normalize() } else { Quat::IDENTITY },
            scale: finite(scale, Vec3::ONE),
        }
    }

    /// The matrix that does the same.
    pub fn to_matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Between this (`t = 0`) and another (`t = 1`): rotations along the shorter arc, at an even speed.
    pub fn interpolate(&self, to: &Transform, t: f32) -> Transform {
        Transform {
            translation: self.translation.lerp(to.translation, t),
            rotation: self.rotation.slerp(to.rotation, t),
            scale: self.scale.lerp(to.scale, t),
        }
    }
}

/// A joint of a model's skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name, by which animations find it.
    pub name: String,
    /// The joint it hangs on; `None` for a root. It may come after this one.
    pub parent: Option<usize>,
    /// Where it is at rest, local to its parent.
    pub rest: Transform,
}

/// Where frames of joints come from.
pub(super) trait Tracks: Debug + Send + Sync {
    /// Appends the transforms of each joint moved, frame by frame.
    fn frames_into(&self, frames: Range<usize>, out: &mut Vec<Transform>);
}

/// Frames of joints, decoded when they are asked for.
#[derive(Clone, Debug)]
pub struct JointAnimation<'a> {
    /// The name.
    pub name: String,
    /// The joints it moves, by number.
    pub joints: Vec<usize>,
    frames: usize,
    tracks: Arc<dyn Tracks + 'a>,
}

impl<'a> JointAnimation<'a> {
    /// Frames in memory of their own: transforms local to the parents, those of frame 0, one for each joint moved, then
    /// those of frame 1, and so on.
    pub fn new(name: impl Into<String>, joints: Vec<usize>, transforms: Vec<Transform>) -> Self {
        let frames = transforms.len().checked_div(joints.len()).unwrap_or_default();
        let width = joints.len();
        JointAnimation::lazy(name, joints, frames, Stored { width, transforms })
    }

    pub(super) fn lazy(
        name: impl Into<String>,
        joints: Vec<usize>,
        frames: usize,
        tracks: impl Tracks + 'a,
    ) -> Self {
        JointAnimation { name: name.into(), joints, frames, tracks: Arc::new(tracks) }
    }

    /// How many frames there are. O(1).
    pub const fn frame_count(&self) -> usize {
        self.frames
    }

    /// The transforms of frames, one behind the other, each in the order of [`joints`](Self::joints); frames past the
    /// last are left out. O(joints x frames); to find the first one, UNIGINE reads up to 64 frames before it, and Ultimate
    /// 3D searches each joint's keys.
    pub fn frames_into(&self, frames: Range<usize>, out: &mut Vec<Transform>) {
        out.clear();
        self.tracks.frames_into(frames.start..frames.end.min(self.frames), out);
    }

    /// Puts a frame into a pose of the whole skeleton; joints it does not move stay as they are. As
    /// [`frames_into`](Self::frames_into).
    pub fn apply(&self, frame: usize, pose: &mut [Transform]) {
        let mut transforms = Vec::with_capacity(self.joints.len());
        self.frames_into(frame..frame.saturating_add(1), &mut transforms);
        for (joint, transform) in self.joints.iter().zip(transforms) {
            if let Some(slot) = pose.get_mut(*joint) {
                *slot = transform;
            }
        }
    }
}

#[derive(Debug)]
struct Stored {
    width: usize,
    transforms: Vec<Transform>,
}

impl Tracks for Stored {
    fn frames_into(&self, frames: Range<usize>, out: &mut Vec<Transform>) {
        let (start, end) = (frames.start.saturating_mul(self.width), frames.end.saturating_mul(self.width));
        out.extend_from_slice(self.transforms.get(start..end).unwrap_or_default());
    }
}

/// From transforms local to their parents to matrices of the model's space. O(joints x depth). A parent that is its own
/// ancestor counts as none.
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
pub fn world_into(joints: &[Joint], pose: &[Transform], out: &mut Vec<Mat4>) {
    out.clear();
    out.resize(joints.len(), Mat4::IDENTITY);
    let mut done = alloc::vec![false; joints.len()];
    let mut climb = Vec::new();
    for start in 0..joints.len() {
        // Up to a joint that is known, or a root; then down again.
        let mut next = Some(start);
        while let Some(joint) = next.filter(|joint| done.get(*joint) == Some(&false)) {
            climb.push(joint);
            if let Some(done) = done.get_mut(joint) {
                *done = true;
            }
            next = joints.get(joint).and_then(|joint| joint.parent);
        }
        let mut above = next.and_then(|joint| out.get(joint).copied()).unwrap_or_default();
        while let Some(joint) = climb.pop() {
            above *= pose.get(joint).map_or(Mat4::IDENTITY, Transform::to_matrix);
            if let Some(out) = out.get_mut(joint) {
                *out = above;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_may_come_after_their_children() {
        let joint = |parent, x| Joint {
            name: String::new(),
            parent,
            rest: Transform { translation: Vec3::X * x, ..Transform::IDENTITY },
        };
        let joints = [joint(Some(2), 1.0), joint(Some(0), 2.0), joint(None, 4.0), joint(Some(3), 8.0)];
        let pose: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
        let mut world = Vec::new();
        world_into(&joints, &pose, &mut world);
        let x: Vec<f32> = world.iter().map(|matrix| matrix.w_axis.x).collect();
        assert_eq!(x, [5.0, 7.0, 4.0, 8.0]);
    }
}
