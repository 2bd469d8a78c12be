//! Bones and animations for UNIGINE meshes (ms11) and animation files (an10).

use alloc::borrow::Cow;
use alloc::vec::Vec;

use meshlens_unigine::layout::{ROTATION, SCALE, TRANSLATION};
use meshlens_unigine::write::{Anim, Animation, Bone};
use meshlens_unigine::{Transform as Stored, Version};
use meshlens_wire::{Checks, ErrorKind, Report, Result};

use super::super::finite::Replaced;
use super::super::lost::{lose_loop, lose_rate};
use super::bind::Bind;
use crate::codes;
use crate::model::skeleton::put;
use crate::model::{
    Clip, Conversion, DEFAULT_RATE, JointAnimation, Model, Space, Transform, distinct_names, joint_parents,
    lose_clip_name,
};

const CHECKS: Checks = Checks::new(meshlens_unigine::FORMAT);

/// Writes the joint animations of a model as a UNIGINE animation file (an10), with lengths multiplied by `scale`.
/// Returns the file, and a finding for everything that it does not keep. The bones are the same as in the mesh that
/// [`to_unigine`](super::to_unigine) writes, so the file plays on that mesh. Each clip becomes an animation.
///
/// Translations and scales become 16-bit fractions of their range over all bones and frames.
///
/// O(joints x frames), in time and memory.
///
/// # Errors
///
/// The model has no joint animations, more joints than the format can count, or a range of translations or scales that
/// exceeds a float.
pub fn to_unigine_anim(model: &Model<'_>, scale: f32) -> Result<(Vec<u8>, Report)> {
    let conversion = model.space.to(&Space::UNIGINE).scaled(scale);
    let mut losses = Report::default();
    model.losses(&mut losses);
    let mut file = Anim::new(Version::An10);
    let bind = Bind::new(model)?;
    let mut replaced = Replaced::default();
    file.bones = bones(model, &bind, &conversion, &mut replaced)?;
    file.animations = animations(model, &bind, Version::An10, &conversion, &mut losses, &mut replaced)?;
    replaced.report(&mut losses);
    if file.animations.is_empty() {
        return Err(CHECKS.error(ErrorKind::Unsupported { what: "a model without joint animations" }));
    }
    let meshes = model.meshes.len() as u64;
    let message = format_args!("{meshes} meshes: only animations are written");
    losses.lose(&codes::MESH_LOST, meshes, format_args!(""), message);
    Ok((file.write()?, losses))
}

/// The joints in the pose in which meshes are bound to them.
pub(super) fn bones(
    model: &Model<'_>,
    bind: &Bind,
    conversion: &Conversion,
    replaced: &mut Replaced,
) -> Result<Vec<Bone>> {
    CHECKS.at_most("bones", i16::MAX.unsigned_abs().into(), model.joints.len())?;
    let mut bones = Vec::with_capacity(model.joints.len());
    // Readers refuse bones whose parents form a cycle.
    let parents = joint_parents(&model.joints);
    for ((joint, parent), rest) in model.joints.iter().zip(parents).zip(&bind.local) {
        // The number of joints fits, and so does each parent.
        let parent = parent.and_then(|parent| i16::try_from(parent).ok());
        let mut bone = Bone::new(&joint.name.replace('\0', ""), parent)?;
        bone.transform = stored(replaced.transform(conversion.transform(rest)));
        bones.push(bone);
    }
    Ok(bones)
}

/// An animation for each clip of joints, with the frames in playing order, and one for each animation that no clip
/// plays.
pub(super) fn animations(
    model: &Model<'_>,
    bind: &Bind,
    version: Version,
    conversion: &Conversion,
    losses: &mut Report,
    replaced: &mut Replaced,
) -> Result<Vec<Animation>> {
    let mut made = Vec::new();
    let mut clips: Vec<(Cow<'_, Clip>, &JointAnimation<'_>)> = Vec::new();
    for (index, animation) in model.animations.iter().enumerate() {
        let first = clips.len();
        let own = model.clips.iter().filter(|clip| clip.animation == Some(index));
        clips.extend(own.map(|clip| (Cow::Borrowed(clip), animation)));
        if clips.len() == first && animation.frame_count() > 0 {
            let all = Clip::new(animation.name.clone(), 0, animation.frame_count(), DEFAULT_RATE);
            clips.push((Cow::Owned(all), animation));
        }
    }
    let names = distinct_names(clips.iter().map(|(clip, _)| &*clip.name), []);
    for ((clip, animation), name) in clips.iter().zip(&names) {
        lose_clip_name(losses, &clip.name, name);
        let mut transforms = Vec::new();
        animation.frames_into(clip.range(), &mut transforms);
        let decoded: Vec<&[Transform]> = transforms.chunks_exact(animation.joints.len().max(1)).collect();
        // If bones rest in another pose, joints that do not move also need keys.
        let all: Vec<usize> =
            if bind.differs_from_rest { (0..model.joints.len()).collect() } else { Vec::new() };
        let joints = if bind.differs_from_rest { &all } else { &animation.joints };
        let mut pose: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        let mut poses: Vec<Stored> = Vec::new();
        for frame in clip.frames() {
            let Some(moved) = frame.checked_sub(clip.first).and_then(|index| decoded.get(index)) else {
                break;
            };
            put(&animation.joints, moved, &mut pose);
            let shown = joints.iter().filter_map(|joint| pose.get(*joint));
            poses.extend(shown.map(|transform| stored(replaced.transform(conversion.transform(transform)))));
        }
        // There are no more joints than an `i16` can count.
        let bones: Vec<i16> = joints.iter().map(|joint| i16::try_from(*joint).unwrap_or(i16::MAX)).collect();
        let mask = TRANSLATION | ROTATION | SCALE;
        made.push(Animation::new(version, &name.replace('\0', ""), &bones, mask, &poses)?);
    }
    for clip in model.clips.iter().filter(|clip| clip.animation.is_some()) {
        lose_rate(losses, &clip.name, clip.rate.get());
        lose_loop(losses, clip);
    }
    Ok(made)
}

const fn stored(transform: Transform) -> Stored {
    let Transform { translation: position, rotation, scale } = transform;
    Stored { position, rotation, scale }
}
