//! Clips: curves for vertex frames and for joints.

use bevy::animation::prelude::{AnimatableCurve, AnimatableKeyframeCurve};
use bevy::animation::{AnimationClip, AnimationTargetId, animated_field};
use bevy::math::{Quat, Vec3};
use bevy::transform::components::Transform;
use meshlens::model::{Clip, Conversion, Model, Rate};

use super::{ClipPart, MeshlensParts};
use crate::animation::repeats_in_part;
use crate::{Clips, FrameCurve, VertexFrames};

/// The target of the curves for a node, or for one of its joints.
pub fn target(node: usize, joint: Option<usize>) -> AnimationTargetId {
    let joint = joint.map(|joint| format!("Joint{joint}"));
    [Some(format!("Node{node}")), joint].into_iter().flatten().collect()
}

impl MeshlensParts {
    /// Adds a clip for each name.
    pub(super) fn add_clips(&mut self) {
        let model = self.model.clone();
        let scene = model.scene();
        if model.settings().clips == Clips::Frames {
            self.add_frames();
            return;
        }
        for of_name in scene.clips() {
            let mut made =
                ClipPart { name: of_name.name.into(), clip: AnimationClip::default(), is_cycle: true };
            for (node, index) in of_name.tracks {
                let Some(of) = scene.nodes.get(node) else { continue };
                let Some(clip) = of.model.clips.get(index) else { continue };
                made.is_cycle &= clip.is_cycle();
                if clip.animation.is_some() {
                    let conversion = of.model.space.to(&model.settings().axes.space());
                    add_joints(
                        &mut made.clip,
                        node,
                        &of.model,
                        clip,
                        &conversion.scaled(model.settings().scale),
                    );
                } else {
                    add_vertex_frames(&mut made.clip, node, clip);
                }
            }
            self.clips.push(made);
        }
    }

    /// Adds a clip with all vertex frames.
    fn add_frames(&mut self) {
        let mut clip = AnimationClip::default();
        for (node, of) in self.model.scene().nodes.iter().enumerate() {
            let count = of.model.frame_count();
            if count > 1 {
                add_vertex_frames(&mut clip, node, &Clip::new("frames", 0, count, Rate::ONE.get()));
            }
        }
        self.clips.push(ClipPart { name: "frames".into(), clip, is_cycle: false });
    }
}

fn add_vertex_frames(made: &mut AnimationClip, node: usize, clip: &Clip) {
    let curve = AnimatableCurve::new(animated_field!(VertexFrames::shown), FrameCurve(clip.clone()));
    made.add_curve_to_target(target(node, None), curve);
    let duration = if repeats_in_part(clip) { f32::INFINITY } else { clip.duration() };
    made.set_duration(made.duration().max(duration));
}

/// Adds three curves for each joint that the clip moves.
fn add_joints(
    made: &mut AnimationClip,
    node: usize,
    model: &Model<'_>,
    clip: &Clip,
    conversion: &Conversion,
) {
    let Some(animation) = clip.animation.and_then(|index| model.animations.get(index)) else { return };
    let mut steps: Vec<usize> = clip.frames().collect();
    if let Some(first) = steps.first().copied().filter(|_| clip.is_cycle() || steps.len() == 1) {
        // A repetition ends with its start, and a curve needs at least two keys.
        steps.push(first);
    }
    let mut frames = Vec::with_capacity(steps.len());
    for frame in steps {
        let mut transforms = Vec::new();
        animation.frames_into(frame..frame.saturating_add(1), &mut transforms);
        frames.push(transforms);
    }
    let times = (0..frames.len()).map(|step| step as f32 / clip.rate.get());
    for (place, joint) in animation.joints.iter().enumerate() {
        let keys: Vec<(f32, Transform)> = times
            .clone()
            .zip(&frames)
            .filter_map(|(time, frame)| Some((time, local(frame.get(place)?, conversion))))
            .collect();
        let target = target(node, Some(*joint));
        macro_rules! add {
            ($field:ident: $of:ty) => {
                let keys = keys.iter().map(|(time, of)| (*time, of.$field));
                // Times are finite and ascending. Without frames for this joint, the clip has no curve for it.
                if let Ok(curve) = AnimatableKeyframeCurve::<$of>::new(keys) {
                    made.add_curve_to_target(
                        target,
                        AnimatableCurve::new(animated_field!(Transform::$field), curve),
                    );
                }
            };
        }
        add!(translation: Vec3);
        add!(rotation: Quat);
        add!(scale: Vec3);
    }
}

/// A transform relative to a parent, in the space of the loaded scene.
pub(super) fn local(of: &meshlens::model::Transform, conversion: &Conversion) -> Transform {
    Transform {
        translation: conversion.position(of.translation).into(),
        rotation: Quat::from_array(conversion.rotation(of.rotation)),
        scale: conversion.factors(of.scale).into(),
    }
}
