//! Findings that several target formats share.
#![allow(dead_code, reason = "a build may have few formats, and no format uses all of these")]

use alloc::vec::Vec;

use meshlens_wire::Report;

use super::super::{Alpha, Clip, DEFAULT_RATE, Material, Model};
use crate::codes;

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
    lose_reversal(losses, clip);
    if clip.loop_frames > 0 {
        let message = format_args!("clip {}: that it loops", clip.name);
        losses.lose(&codes::CLIP_LOOP_LOST, 1, format_args!("clip {}", clip.name), message);
    }
}

/// Reports that a clip plays backwards.
pub(super) fn lose_reversal(losses: &mut Report, clip: &Clip) {
    if clip.reversed {
        let message = format_args!("clip {}: that it plays backwards", clip.name);
        losses.lose(&codes::CLIP_REVERSED_LOST, 1, format_args!("clip {}", clip.name), message);
    }
}

/// Reports meshes of coarser levels of detail that are left out.
pub(super) fn lose_levels(losses: &mut Report, coarser: usize) {
    let message = format_args!("{coarser} meshes of coarser levels of detail");
    losses.lose(&codes::LOD_LOST, coarser as u64, format_args!(""), message);
}

/// Reports the tags if the target does not store tags.
pub(super) fn lose_tags(losses: &mut Report, model: &Model<'_>) {
    for tag in &model.tags {
        losses.lose(&codes::TAG_LOST, 1, format_args!("tag {}", tag.name), format_args!("tag {}", tag.name));
    }
}

/// Reports the properties of a material that a reader of the target does not get back. Textures have losses of their own.
pub(super) fn lose_material(losses: &mut Report, material: &Material, back: &Material) {
    // Lists every field, so that a new one is not forgotten.
    let Material { name, texture: _, image: _, height_scale: _, .. } = material;
    let Material { texture_alpha, texture_coordinates, texture_set, height_map, wrap, .. } = material;
    let Material { nearest, color, emissive, two_sided, unlit, alpha, cutoff, sprites, hidden, .. } =
        material;
    let is_masked = *alpha == Alpha::Mask;
    let properties = [
        ("alpha", *alpha != back.alpha),
        ("smallest alpha", is_masked && *cutoff != back.cutoff),
        ("source of alpha", *alpha != Alpha::Opaque && *texture_alpha != back.texture_alpha),
        ("environment map", *texture_coordinates != back.texture_coordinates),
        ("texture coordinate set", *texture_set != back.texture_set),
        ("height map", *height_map != back.height_map),
        ("wrapping", *wrap != back.wrap),
        ("lack of filtering", *nearest != back.nearest),
        ("color", *color != back.color),
        ("emitted light", *emissive != back.emissive),
        ("two sides", *two_sided != back.two_sided),
        ("lack of lighting", *unlit != back.unlit),
        ("sprites", *sprites != back.sprites),
        ("being hidden", *hidden != back.hidden),
    ];
    let lost: Vec<&str> =
        properties.iter().filter(|(_, differs)| *differs).map(|(property, _)| *property).collect();
    if !lost.is_empty() {
        let message = format_args!("material {name}: its {}", lost.join(", "));
        losses.lose(&codes::MATERIAL_LOST, 1, format_args!("material {name}"), message);
    }
}
