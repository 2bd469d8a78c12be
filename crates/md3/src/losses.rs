//! The content of an MD3 file that conversions do not keep.

use meshlens_wire::Report;

use crate::{Bounds, Md3, codes};

/// The largest accepted distance between the stored bounds of a frame and those of its vertices. Positions are
/// multiples of 1/64.
const BOUNDS_SLACK: f32 = 1.0 / 64.0;

/// Adds findings for the content that no other format keeps to `losses`: flags, shaders after the first, and frame
/// records that differ from the records computed from the vertices. O(size of the file).
pub fn losses(md3: &Md3<'_>, losses: &mut Report) {
    if md3.flags() != 0 {
        let message = format_args!("the model's flags {:#x}", md3.flags());
        losses.lose(&codes::FLAGS_LOST, 1, format_args!("/flags"), message);
    }
    for surface in md3.surfaces() {
        let (index, name) = (surface.index(), surface.name());
        if surface.flags() != 0 {
            let message = format_args!("surface {name}: flags {:#x}", surface.flags());
            losses.lose(&codes::FLAGS_LOST, 1, format_args!("/surfaces/{index}/flags"), message);
        }
        for (number, shader) in surface.shaders().enumerate().skip(1) {
            let message = format_args!("surface {name}: shader {} after the first", shader.name);
            losses.lose(&codes::SHADER_LOST, 1, format_args!("/surfaces/{index}/shaders/{number}"), message);
        }
    }
    for (index, frame) in md3.frames().enumerate() {
        let Some(computed) = md3.compute_bounds(index) else { continue };
        let near = |a: Bounds, b: Bounds| a.contains(b.min, BOUNDS_SLACK) && a.contains(b.max, BOUNDS_SLACK);
        let is_computed = near(frame.bounds, computed) && near(computed, frame.bounds);
        if !is_computed || frame.local_origin != [0.0; 3] {
            let (Bounds { min, max }, origin) = (frame.bounds, frame.local_origin);
            let message = format_args!("frame {index}: the bounds {min:?} to {max:?} with origin {origin:?}");
            losses.lose(&codes::FRAME_BOUNDS_LOST, 1, format_args!("/frames/{index}"), message);
        }
    }
}
