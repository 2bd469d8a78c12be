//! The content of an MD3 file that conversions do not keep.

use meshlens_lens::Bounds;
use meshlens_wire::Report;

use crate::{Frame, Md3, codes};

/// Adds findings for content that no other format preserves to `losses`: flags, shaders after the first, names of
/// tags in later frames, and bounds of frames that are larger than their vertices. O(size of the file).
pub fn losses(md3: &Md3<'_>, losses: &mut Report) {
    if md3.flags() != 0 {
        let message = format_args!("the model's flags {:#x}", md3.flags());
        losses.lose(&codes::FLAGS_LOST, 1, format_args!("/flags"), message);
    }
    for surface in md3.surfaces() {
        let (index, name, flags) = (surface.index(), surface.name(), surface.flags());
        if flags != 0 {
            let message = format_args!("surface {name}: flags {flags:#x}");
            losses.lose(&codes::FLAGS_LOST, 1, format_args!("/surfaces/{index}/flags"), message);
        }
        for (number, shader) in surface.shaders().enumerate().skip(1) {
            let message = format_args!("surface {name}: shader {} after the first", shader.name);
            losses.lose(&codes::SHADER_LOST, 1, format_args!("/surfaces/{index}/shaders/{number}"), message);
        }
    }
    for (index, frame) in md3.frames().enumerate() {
        for (tag, first) in md3.tags(index).zip(md3.tags(0)).filter(|(tag, first)| tag.name != first.name) {
            let message = format_args!("tag {}: its name {} in frame {index}", first.name, tag.name);
            losses.lose(&codes::TAG_NAME_LOST, 1, format_args!("/frames/{index}"), message);
        }
        let Frame { bounds, local_origin, radius, .. } = frame;
        let computed = md3.compute_bounds(index);
        if computed.is_some_and(|computed| computed.is_exceeded_by(&bounds, local_origin, radius)) {
            let Bounds { min, max } = bounds;
            let message = format_args!(
                "frame {index}: the bounds {min:?} to {max:?}, and {radius} around {local_origin:?}"
            );
            losses.lose(&codes::FRAME_BOUNDS_LOST, 1, format_args!("/frames/{index}"), message);
        }
    }
}
