//! The content of an MD3 file that conversions do not keep.

use meshlens_lens::Bounds;
use meshlens_wire::Report;

use crate::{Md3, codes};

/// The distance by which the stored bounds of a frame may exceed the bounds of its vertices, as a fraction of the
/// largest side. Engines only use the bounds for culling, so computed bounds are sufficient unless the stored bounds
/// were enlarged intentionally.
const BOUNDS_SLACK: f32 = 0.1;

/// Adds findings for content that no other format preserves to `losses`: flags, shaders after the first, and bounds of
/// frames that are larger than their vertices. O(size of the file).
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
        let Some(computed) = md3.compute_bounds(index) else { continue };
        let Bounds { min, max } = frame.bounds;
        let sides = computed.max.into_iter().zip(computed.min).map(|(max, min)| max - min);
        let slack = sides.fold(0.0, f32::max) * BOUNDS_SLACK;
        // Many exporters include the origin in the bounds, which is not an intentional enlargement.
        let computed = computed.union(&Bounds { min: [0.0; 3], max: [0.0; 3] });
        if !(computed.contains(min, slack) && computed.contains(max, slack)) {
            let message = format_args!("frame {index}: the bounds {min:?} to {max:?}");
            losses.lose(&codes::FRAME_BOUNDS_LOST, 1, format_args!("/frames/{index}"), message);
        }
    }
}
