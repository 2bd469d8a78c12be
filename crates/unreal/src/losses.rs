//! The content of an Unreal mesh that no conversion keeps.

use meshlens_wire::Report;

use crate::{TriangleKind, TriangleType, Unreal, codes};

/// Adds findings for the content that no other format supports to `losses`: bytes that engines ignore, and effects of
/// triangles. O(triangles).
pub fn losses(unreal: &Unreal<'_>, losses: &mut Report) {
    let geometry = unreal.geometry();
    let unused = geometry.unused_header().iter().filter(|byte| **byte != 0).count() as u64;
    let unused = unused + geometry.trailing_bytes();
    let message = format_args!("{unused} bytes of the geometry file that are not used");
    losses.lose(&codes::UNUSED_BYTES_LOST, unused, format_args!("/triangles"), message);

    let set = |bytes: &mut dyn Iterator<Item = u8>| bytes.filter(|byte| *byte != 0).count() as u64;
    let flags = set(&mut geometry.flags().iter());
    let message = format_args!("the flags of {flags} triangles");
    losses.lose(&codes::TRIANGLE_BYTES_LOST, flags, format_args!("/triangles/flags"), message);
    let colors = set(&mut geometry.colors().iter());
    let message = format_args!("the color bytes of {colors} triangles");
    losses.lose(&codes::TRIANGLE_BYTES_LOST, colors, format_args!("/triangles/colors"), message);

    let count = |has: &dyn Fn(TriangleType) -> bool| {
        geometry.types().iter().filter(|bits| has(TriangleType(*bits))).count() as u64
    };
    let effects: [(u64, &str); 4] = [
        (
            count(&|bits| bits.kind() == TriangleKind::Modulated),
            "modulated triangles, which become alpha blended",
        ),
        (count(&TriangleType::is_flat), "flat triangles, which become smooth"),
        (
            count(&TriangleType::is_environment_mapped),
            "triangles with environment maps, which become plain textures",
        ),
        (count(&TriangleType::is_not_smoothed), "triangles with textures without filtering"),
    ];
    for (count, effect) in effects {
        let message = format_args!("{count} {effect}");
        losses.lose(&codes::EFFECT_LOST, count, format_args!("/triangles/types"), message);
    }
}
