//! The animations of UNIGINE files as animations of the joints of a model. Animations in the model's own file are
//! decoded on demand. Animations of `.anim` files are decoded at once, and their bones are found by name.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use meshlens_unigine::{Anim, Animation, Binding, File, FileKind, SamplerMemory};
use meshlens_wire::{Partial, Report, Result};

use crate::model::skeleton::{TrackScratch, Tracks};
use crate::model::{Clip, JointAnimation, Model, Transform};
use crate::{Format, codes};

/// Converts the transform of a bone to the transform of a joint.
pub(super) fn transform(transform: &meshlens_unigine::Transform) -> Transform {
    Transform::new(transform.position, transform.rotation, transform.scale)
}

/// An animation of a file, and the joints of a model that its bones move.
#[derive(Debug)]
struct Source<'a, K> {
    file: Arc<File<'a, K, Partial>>,
    index: usize,
    columns: Columns,
}

/// The joints that an animation moves, and the bone that moves each joint.
#[derive(Clone, Debug)]
struct Columns {
    /// The joints that it moves.
    joints: Vec<usize>,
    /// For each bone of the animation, the index of its joint in `joints`.
    of_bone: Vec<Option<usize>>,
}

impl Columns {
    /// The columns of an animation of a model with `count` joints. `joint_of` returns the joint of a bone of the file.
    fn new(
        animation: &Animation<'_, '_>,
        count: usize,
        joint_of: impl Fn(usize) -> Option<usize>,
    ) -> Columns {
        let mut columns = Columns { joints: Vec::new(), of_bone: Vec::new() };
        let mut place: Vec<Option<usize>> = alloc::vec![None; count];
        for bone in animation.bones() {
            let joint = usize::try_from(bone).ok().and_then(&joint_of);
            // If two bones move a joint, the last one is used.
            columns.of_bone.push(joint.and_then(|joint| {
                Some(*place.get_mut(joint)?.get_or_insert_with(|| {
                    columns.joints.push(joint);
                    columns.joints.len() - 1
                }))
            }));
        }
        columns
    }

    /// Appends the transforms of frames.
    fn frames_into(
        &self,
        animation: &Animation<'_, '_>,
        frames: Range<usize>,
        memory: &mut SamplerMemory,
        out: &mut Vec<Transform>,
    ) {
        let mut sampler = animation.sampler_in(mem::take(memory));
        for frame in frames {
            let Ok(pose) = sampler.seek(frame) else { break };
            let start = out.len();
            out.resize(start + self.joints.len(), Transform::IDENTITY);
            for (place, moved) in self.of_bone.iter().zip(pose) {
                if let Some(slot) = place.and_then(|place| out.get_mut(start + place)) {
                    *slot = transform(moved);
                }
            }
        }
        *memory = sampler.into_memory();
    }
}

impl<K: FileKind> Tracks for Source<'_, K> {
    fn frames_into(&self, frames: Range<usize>, scratch: &mut TrackScratch, out: &mut Vec<Transform>) {
        // The animation was loaded when the source was made.
        if let Ok(Some(animation)) = self.file.animation(self.index) {
            let mut memory = scratch.take();
            self.columns.frames_into(&animation, frames, &mut memory, out);
            scratch.keep(memory);
        }
    }
}

impl<'a> Model<'a> {
    /// Adds an animation, and a clip that plays it.
    fn push_animation(&mut self, animation: JointAnimation<'a>) {
        let frames = animation.frame_count();
        if frames == 0 || animation.joints.is_empty() {
            return;
        }
        let name = if animation.name.is_empty() { "animation".into() } else { animation.name.clone() };
        self.clips
            .push(Clip { animation: Some(self.animations.len()), ..Clip::without_rate(name, 0, frames) });
        self.animations.push(animation);
    }

    /// Adds every animation of the file of the model. They are decoded on demand.
    pub(super) fn add_own<K: FileKind + 'a>(&mut self, file: &Arc<File<'a, K, Partial>>) -> Result<()> {
        for index in 0..file.animation_count() {
            let Some(animation) = file.animation(index)? else { continue };
            let (name, frames) = (animation.name().to_text().into_owned(), animation.frame_count());
            let columns = Columns::new(&animation, self.joints.len(), Some);
            let joints = columns.joints.clone();
            let source = Source { file: file.clone(), index, columns };
            self.push_animation(JointAnimation::lazy(name, joints, frames, source));
        }
        Ok(())
    }
}

impl Model<'_> {
    /// Adds the animations of an `.anim` file. Its bones move the joints with the same names. Animations without a name
    /// are called `name`. Returns a finding for every bone that does not match. The animations are decoded, so the
    /// model does not borrow the file. O(animations).
    pub fn add_anim(&mut self, anim: &Anim<'_>, name: &str) -> Report {
        let mut lost = Report::default();
        if self.format != Some(Format::Unigine) || self.meshes.is_empty() {
            let message = format_args!("{name}: only UNIGINE meshes take .anim files");
            lost.lose(&codes::ANIMATION_UNUSED, 1, format_args!("{name}"), message);
            return lost;
        }
        let joints = self.joints.iter().map(|joint| (joint.name.as_str(), joint.parent));
        let binding = Binding::by_text(joints, anim.skeleton());
        let mismatches = binding.mismatches();
        let faults = [
            (&mismatches.missing_in_mesh, "the mesh has no bone of this name"),
            (&mismatches.same_name, "an earlier bone has the same name"),
        ];
        for (bones, fault) in faults {
            for bone in bones.iter().filter_map(|bone| anim.skeleton().bone(*bone)) {
                let message = format_args!("{name}: bone {}: {fault}", bone.name);
                lost.lose(&codes::BONE_UNMATCHED, 1, format_args!("bone {}", bone.name), message);
            }
        }
        for animation in anim.animations() {
            let own = animation.name().to_text().into_owned();
            let columns = Columns::new(&animation, self.joints.len(), |bone| binding.mesh_bone(bone));
            let mut transforms = Vec::new();
            let frames = 0..animation.frame_count();
            columns.frames_into(&animation, frames, &mut SamplerMemory::default(), &mut transforms);
            let own = if own.is_empty() { name.into() } else { own };
            self.push_animation(JointAnimation::new(own, columns.joints, transforms));
        }
        lost
    }
}
