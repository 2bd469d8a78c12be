//! The bones of a file as joints and an animation of the model.

use core::ops::Range;

use alloc::vec::Vec;

use meshlens_u3d::{Bone, Skeleton, U3d};
use meshlens_wire::{Partial, Result};

use super::limits::{MAX_LOOKS, MAX_TRANSFORMS, limit};
use crate::model::skeleton::{TrackScratch, Tracks};
use crate::model::{Joint, JointAnimation, Model, Transform};

/// The transforms of the bones in any frame.
#[derive(Clone, Debug)]
struct Bones<'a>(Skeleton<'a>);

impl Bones<'_> {
    fn at(&self, bone: usize, frame: f32) -> Transform {
        let parts = self.0.transform_at(bone, frame);
        parts.map_or(Transform::IDENTITY, |(scaling, rotation, translation)| {
            Transform::new(translation, rotation, scaling)
        })
    }
}

impl Tracks for Bones<'_> {
    fn frames_into(&self, frames: Range<usize>, _: &mut TrackScratch, out: &mut Vec<Transform>) {
        for frame in frames {
            out.extend((0..self.0.len()).map(|bone| self.at(bone, frame as f32)));
        }
    }
}

/// Adds the joints of a file to a model, and the animation that moves them.
pub(super) fn skeleton<'a>(u3d: &U3d<'a, Partial>, model: &mut Model<'a>) -> Result<()> {
    let bones = Bones(u3d.skeleton()?);
    let (joints, frames) = (bones.0.len(), u3d.frame_count());
    let transforms = (frames as u64).saturating_mul(joints as u64);
    limit("transforms of bones in all frames", MAX_TRANSFORMS, transforms)?;
    // Each key has bytes in the file.
    let unsorted: u64 = (0..joints).filter_map(|index| bones.0.bone(index)).map(unsorted_keys).sum();
    limit("keys in no order, in all frames", MAX_LOOKS, (frames as u64).saturating_mul(unsorted))?;
    for index in 0..joints {
        let bone = bones.0.bone(index);
        model.joints.push(Joint {
            name: bone.map_or_else(Default::default, |bone| bone.name().to_text().into_owned()),
            parent: bone.and_then(Bone::parent).map(|parent| parent as usize),
            rest: bones.at(index, 0.0),
        });
    }
    model.animations.push(JointAnimation::lazy("all", (0..joints).collect(), frames, bones));
    Ok(())
}

/// The number of keys that are not sorted. They must be searched one by one.
fn unsorted_keys(bone: &Bone<'_>) -> u64 {
    let (scaling, translation, rotation) =
        (bone.scaling_keys(), bone.translation_keys(), bone.rotation_keys());
    let unsorted = |len: usize, is_sorted| if is_sorted { 0 } else { len as u64 };
    unsorted(scaling.len(), scaling.is_sorted())
        + unsorted(translation.len(), translation.is_sorted())
        + unsorted(rotation.len(), rotation.is_sorted())
}
