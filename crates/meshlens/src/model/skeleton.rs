//! Joints: their transforms at rest, and animations that move them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt::Debug;
use core::mem;
use core::ops::Range;

use glam::{DAffine3, DMat4, DQuat, Mat4, Quat, Vec3};
use meshlens_wire::parents_first_in_cycles;

use super::Model;

/// A transform relative to a parent: scale first, then the rotation, then the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The translation.
    pub translation: [f32; 3],
    /// The rotation as a quaternion x, y, z, w of length 1.
    pub rotation: [f32; 4],
    /// The scale along the local axes.
    pub scale: [f32; 3],
}

impl Transform {
    /// The identity transform.
    pub const IDENTITY: Transform =
        Transform { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// Makes a transform from stored numbers. The rotation x, y, z, w is normalized; a rotation of length 0 becomes the
    /// identity. A translation, rotation or scale that is not finite is replaced by that of
    /// [`IDENTITY`](Self::IDENTITY).
    pub fn new(translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Self {
        let finite =
            |v: [f32; 3], other: [f32; 3]| if v.iter().all(|value| value.is_finite()) { v } else { other };
        let rotation = Quat::from_array(rotation);
        let length = rotation.length();
        let is_rotation = length > 1e-6 && length.is_finite();
        Transform {
            translation: finite(translation, [0.0; 3]),
            rotation: if is_rotation { rotation.normalize() } else { Quat::IDENTITY }.to_array(),
            scale: finite(scale, [1.0; 3]),
        }
    }

    /// The transform as a matrix, column-major.
    pub fn to_matrix(&self) -> [[f32; 4]; 4] {
        let rotation = Quat::from_array(self.rotation);
        Mat4::from_scale_rotation_translation(self.scale.into(), rotation, self.translation.into())
            .to_cols_array_2d()
    }

    /// The product with an inner transform, which is applied first. It is exact if the scale of this transform is uniform or
    /// the inner one does not rotate.
    pub fn compose(&self, inner: &Transform) -> Transform {
        if *self == Transform::IDENTITY {
            return *inner;
        }
        let (rotation, scale) = (Quat::from_array(self.rotation), Vec3::from(self.scale));
        let translation = Vec3::from(self.translation) + rotation * (scale * Vec3::from(inner.translation));
        Transform {
            translation: translation.into(),
            rotation: (rotation * Quat::from_array(inner.rotation)).normalize().into(),
            scale: (scale * Vec3::from(inner.scale)).into(),
        }
    }

    /// The interpolated transform: this one at `t = 0`, and the other at `t = 1`. Rotations take the shorter arc at
    /// constant speed.
    pub fn interpolate(&self, to: &Transform, t: f32) -> Transform {
        Transform {
            translation: Vec3::from(self.translation).lerp(to.translation.into(), t).into(),
            rotation: Quat::from_array(self.rotation).slerp(Quat::from_array(to.rotation), t).into(),
            scale: Vec3::from(self.scale).lerp(to.scale.into(), t).into(),
        }
    }
}

/// A joint of a model's skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name, by which animations refer to the joint.
    pub name: String,
    /// The index of the parent joint; `None` for a root. A parent may come after its children.
    pub parent: Option<usize>,
    /// The transform at rest, relative to the parent.
    pub rest: Transform,
}

/// A source of the frames of a [`JointAnimation`].
pub(crate) trait Tracks: Debug + Send + Sync {
    /// Appends the transforms of all moved joints, frame by frame. The frames are in range.
    fn frames_into(&self, frames: Range<usize>, scratch: &mut TrackScratch, out: &mut Vec<Transform>);
}

/// Memory in which a format finds frames, of a type of its own.
#[derive(Debug, Default)]
pub(crate) struct TrackScratch(Option<Box<dyn Any + Send + Sync>>);

impl TrackScratch {
    /// The memory of the last call, or none.
    #[allow(dead_code, reason = "not every format needs memory")]
    pub(crate) fn take<T: Any + Default>(&mut self) -> T {
        self.0.as_mut().and_then(|kept| kept.downcast_mut()).map(mem::take).unwrap_or_default()
    }

    /// Keeps memory for the next call.
    #[allow(dead_code, reason = "not every format needs memory")]
    pub(crate) fn keep<T: Any + Send + Sync>(&mut self, memory: T) {
        match self.0.as_mut().and_then(|kept| kept.downcast_mut()) {
            Some(kept) => *kept = memory,
            None => self.0 = Some(Box::new(memory)),
        }
    }
}

/// Frames of joint transforms, decoded on demand.
#[derive(Clone, Debug)]
pub struct JointAnimation<'a> {
    /// The name.
    pub name: String,
    /// The indices of the joints that the animation moves.
    pub joints: Vec<usize>,
    frames: usize,
    tracks: Arc<dyn Tracks + 'a>,
}

impl<'a> JointAnimation<'a> {
    /// Makes an animation from transforms relative to the parents: one for each of `joints` in frame 0, then in frame
    /// 1, and so on. An incomplete frame at the end is ignored.
    pub fn new(name: impl Into<String>, joints: Vec<usize>, transforms: Vec<Transform>) -> Self {
        let width = joints.len();
        // Without joints, there are no frames.
        let frames = transforms.len().checked_div(width).unwrap_or(0);
        JointAnimation::lazy(name, joints, frames, Stored { width, transforms })
    }

    pub(crate) fn lazy(
        name: impl Into<String>,
        joints: Vec<usize>,
        frames: usize,
        tracks: impl Tracks + 'a,
    ) -> Self {
        JointAnimation { name: name.into(), joints, frames, tracks: Arc::new(tracks) }
    }

    /// The number of frames. O(1).
    pub const fn frame_count(&self) -> usize {
        self.frames
    }

    /// Replaces the content of `out` with the transforms of `frames`, frame by frame, each in the order of
    /// [`joints`](Self::joints). Frames that are out of range are left out. O(joints x frames). To find the first frame,
    /// UNIGINE reads up to 64 frames before it, and Ultimate 3D searches the keys of each joint.
    pub fn frames_into(&self, frames: Range<usize>, out: &mut Vec<Transform>) {
        self.frames_with(frames, &mut TrackScratch::default(), out);
    }

    pub(crate) fn frames_with(
        &self,
        frames: Range<usize>,
        scratch: &mut TrackScratch,
        out: &mut Vec<Transform>,
    ) {
        out.clear();
        let end = frames.end.min(self.frames);
        self.tracks.frames_into(frames.start.min(end)..end, scratch, out);
    }

    /// Writes one frame into a pose of the whole skeleton. Joints that the animation does not move are unchanged, and
    /// so are all joints if the frame is out of range. The cost is the same as for [`frames_into`](Self::frames_into).
    pub fn apply(&self, frame: usize, pose: &mut [Transform]) {
        let mut transforms = Vec::with_capacity(self.joints.len());
        self.frames_into(one(frame), &mut transforms);
        put(&self.joints, &transforms, pose);
    }
}

/// The range of one frame. For frame `usize::MAX`, which no animation has, it is empty.
pub(crate) const fn one(frame: usize) -> Range<usize> {
    frame..frame.saturating_add(1)
}

/// Writes the transform of each of `joints` into a pose of the whole skeleton.
pub(crate) fn put(joints: &[usize], transforms: &[Transform], pose: &mut [Transform]) {
    for (joint, transform) in joints.iter().zip(transforms) {
        if let Some(slot) = pose.get_mut(*joint) {
            *slot = *transform;
        }
    }
}

#[derive(Debug)]
struct Stored {
    width: usize,
    transforms: Vec<Transform>,
}

impl Tracks for Stored {
    fn frames_into(&self, frames: Range<usize>, _: &mut TrackScratch, out: &mut Vec<Transform>) {
        // The frames are in range, so the products are at most the number of transforms.
        let stored = self.transforms.get(frames.start * self.width..frames.end * self.width);
        out.extend_from_slice(stored.unwrap_or(&[]));
    }
}

/// Computes the matrix of each joint in the space of the model, column-major, from a pose relative to the parents.
/// O(joints).
///
/// A joint without a transform in `pose` has the matrix of its parent. A joint whose parent is out of range counts as a
/// root. If parents form a cycle, one joint of it counts as a root. Matrices are multiplied in `f64`: they are the same on
/// every processor.
pub fn world_into(joints: &[Joint], pose: &[Transform], out: &mut Vec<[[f32; 4]; 4]>) {
    JointScratch::default().world_into(joints, pose, out);
}

/// Memory for the computation of poses.
#[derive(Debug, Default)]
pub(crate) struct JointScratch {
    /// The transforms of a frame.
    pub(crate) frames: Vec<Transform>,
    pub(crate) tracks: TrackScratch,
    world: Vec<DAffine3>,
    /// The parents of the last joints that were not in order, and their order.
    parents: Vec<Option<usize>>,
    order: Vec<(usize, Option<usize>)>,
}

impl JointScratch {
    /// See [`world_into`].
    pub(crate) fn world_into(&mut self, joints: &[Joint], pose: &[Transform], out: &mut Vec<[[f32; 4]; 4]>) {
        let world = &mut self.world;
        world.clear();
        world.extend((0..joints.len()).map(|joint| own_matrix(pose, joint)));
        let mut attach = |joint: usize, parent: Option<usize>| {
            let above = parent.and_then(|parent| world.get(parent)).copied();
            if let (Some(above), Some(own)) = (above, world.get_mut(joint)) {
                *own = above * *own;
            }
        };
        let is_before = |(joint, of): (usize, &Joint)| of.parent.is_none_or(|parent| parent < joint);
        if joints.iter().enumerate().all(is_before) {
            joints.iter().enumerate().for_each(|(joint, of)| attach(joint, of.parent));
        } else {
            if !joints.iter().map(|joint| joint.parent).eq(self.parents.iter().copied()) {
                self.parents = joints.iter().map(|joint| joint.parent).collect();
                self.order = parents_first(joints).collect();
            }
            self.order.iter().for_each(|(joint, parent)| attach(*joint, *parent));
        }
        out.clear();
        out.extend(world.iter().map(|joint| DMat4::from(*joint).as_mat4().to_cols_array_2d()));
    }
}

/// The transform of a joint relative to its parent.
fn own_matrix(pose: &[Transform], joint: usize) -> DAffine3 {
    pose.get(joint).map_or(DAffine3::IDENTITY, |own| {
        let (scale, rotation) = (own.scale.map(f64::from), own.rotation.map(f64::from));
        let rotation = DQuat::from_array(rotation);
        let translation = own.translation.map(f64::from);
        DAffine3::from_scale_rotation_translation(scale.into(), rotation, translation.into())
    })
}

/// The parent of each joint, as [`world_into`] uses it: `None` for a root, for a parent that is out of range, and for one
/// joint of each cycle. O(joints).
///
/// ```
/// use meshlens::model::{Joint, Transform, joint_parents};
///
/// let joint = |parent| Joint { name: String::new(), parent, rest: Transform::IDENTITY };
/// assert_eq!(joint_parents(&[joint(Some(1)), joint(Some(0)), joint(Some(9))]), [Some(1), None, None]);
/// ```
pub fn joint_parents(joints: &[Joint]) -> Vec<Option<usize>> {
    let mut parents = alloc::vec![None; joints.len()];
    for (joint, parent) in parents_first(joints) {
        if let Some(slot) = parents.get_mut(joint) {
            *slot = parent;
        }
    }
    parents
}

/// Each joint and its parent, parents before their children.
fn parents_first(joints: &[Joint]) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
    let parent = |joint: usize| joints.get(joint).and_then(|joint| joint.parent);
    let mut is_done = alloc::vec![false; joints.len()];
    parents_first_in_cycles(joints.len(), parent).into_iter().map(move |joint| {
        let joint = joint as usize;
        let above = parent(joint).filter(|parent| is_done.get(*parent) == Some(&true));
        if let Some(is_done) = is_done.get_mut(joint) {
            *is_done = true;
        }
        (joint, above)
    })
}

impl Model<'_> {
    /// Moves the joints without a parent, at rest and in all animations.
    pub(crate) fn move_roots(&mut self, by: &Transform) {
        let parents = joint_parents(&self.joints);
        let is_root = |joint: usize| parents.get(joint).is_some_and(Option::is_none);
        for (joint, _) in self.joints.iter_mut().zip(&parents).filter(|(_, parent)| parent.is_none()) {
            joint.rest = by.compose(&joint.rest);
        }
        for animation in &mut self.animations {
            let mut all = Vec::new();
            animation.frames_into(0..animation.frame_count(), &mut all);
            let moved = animation.joints.iter().cycle().zip(&mut all).filter(|(joint, _)| is_root(**joint));
            moved.for_each(|(_, transform)| *transform = by.compose(transform));
            *animation = JointAnimation::new(&*animation.name, animation.joints.clone(), all);
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
            rest: Transform { translation: [x, 0.0, 0.0], ..Transform::IDENTITY },
        };
        let joints = [joint(Some(2), 1.0), joint(Some(0), 2.0), joint(None, 4.0), joint(Some(3), 8.0)];
        let pose: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
        let mut world = Vec::new();
        world_into(&joints, &pose, &mut world);
        let x: Vec<f32> = world.iter().map(|matrix| matrix[3][0]).collect();
        assert_eq!(x, [5.0, 7.0, 4.0, 8.0]);
    }
}
