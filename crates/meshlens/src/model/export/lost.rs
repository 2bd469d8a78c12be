//! Findings that several target formats share.
#![allow(dead_code, reason = "a build may have few formats, and no format uses all of these")]

use alloc::vec::Vec;

use meshlens_wire::Report;

use super::super::{Clip, DEFAULT_RATE, Material, Mesh, Model};
use crate::codes;

/// The clips with at least one frame, of vertices or of an animation of the model. Reports the others.
pub(super) fn clips_with_frames<'m>(model: &'m Model<'_>, losses: &mut Report) -> Vec<&'m Clip> {
    let mut has_frames = |clip: &&Clip| {
        let is_known = clip.animation.is_none_or(|index| index < model.animations.len());
        if clip.count > 0 && is_known {
            return true;
        }
        let message = format_args!("clip {}: it has no frames", clip.name);
        losses.lose(&codes::CLIP_LOST, 1, format_args!("clip {}", clip.name), message);
        false
    };
    model.clips.iter().filter(|clip| has_frames(clip)).collect()
}

/// Reports the rate of a clip if the target does not store rates. A reader of the result plays the clip at
/// [`DEFAULT_RATE`], so nothing is lost if the rate is the same.
pub(super) fn lose_rate(losses: &mut Report, name: &str, rate: f32) {
    if rate != DEFAULT_RATE {
        let message = format_args!("clip {name}: its {rate} frames per second");
        losses.lose(&codes::CLIP_RATE_LOST, 1, format_args!("clip {name}"), message);
    }
}

/// Reports the properties of a clip that a range of frames does not store: that it plays backwards, and that it loops.
pub(super) fn lose_playing(losses: &mut Report, clip: &Clip) {
    if clip.reversed {
        let message = format_args!("clip {}: that it plays backwards", clip.name);
        losses.lose(&codes::CLIP_REVERSED_LOST, 1, format_args!("clip {}", clip.name), message);
    }
    lose_loop(losses, clip);
}

/// Reports that a clip loops.
pub(super) fn lose_loop(losses: &mut Report, clip: &Clip) {
    if clip.loop_frames > 0 {
        let message = format_args!("clip {}: that it loops", clip.name);
        losses.lose(&codes::CLIP_LOOP_LOST, 1, format_args!("clip {}", clip.name), message);
    }
}

/// Reports a clip of vertex frames where the target stores the frames of joints.
pub(super) fn lose_vertex_clip(losses: &mut Report, clip: &Clip) {
    let message =
        format_args!("clip {}: it plays frames of vertices, and other clips move joints", clip.name);
    losses.lose(&codes::CLIP_LOST, 1, format_args!("clip {}", clip.name), message);
}

/// Reports meshes of coarser levels of detail that are left out.
pub(super) fn lose_levels(losses: &mut Report, coarser: usize) {
    let message = format_args!("{coarser} meshes of coarser levels of detail");
    losses.lose(&codes::LOD_LOST, coarser as u64, format_args!(""), message);
}

/// Reports the vertex frames of meshes after the first, where joints move the meshes.
pub(super) fn lose_targets<'m, 'a: 'm>(losses: &mut Report, meshes: impl Iterator<Item = &'m Mesh<'a>>) {
    // A mesh without frames has no morph targets, either.
    let targets: usize = meshes.map(|mesh| mesh.frame_count().saturating_sub(1)).sum();
    let message = format_args!("{targets} morph targets of meshes that bones move");
    losses.lose(&codes::MORPH_TARGET_LOST, targets as u64, format_args!(""), message);
}

/// Reports the tags if the target does not store tags.
pub(super) fn lose_tags(losses: &mut Report, model: &Model<'_>) {
    for tag in &model.tags {
        losses.lose(&codes::TAG_LOST, 1, format_args!("tag {}", tag.name), format_args!("tag {}", tag.name));
    }
}

/// Reports the properties of a material that a reader of the target does not get back. Textures have losses of their own.
pub(super) fn lose_material(losses: &mut Report, material: &Material, back: &Material) {
    if let Some(message) = material.lost(back) {
        let place = format_args!("material {}", material.name);
        losses.lose(&codes::MATERIAL_LOST, 1, place, format_args!("{message}"));
    }
}
