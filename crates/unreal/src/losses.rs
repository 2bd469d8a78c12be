//! The content of an Unreal mesh that no conversion keeps.

use meshlens_wire::Report;

use crate::{TriangleKind, TriangleType, Unreal, VertexEncoding, codes};

/// Adds findings for the content that no other format supports to `losses`: bytes that engines ignore, and effects of
/// triangles. O(file).
pub fn losses(unreal: &Unreal<'_>, losses: &mut Report) {
    let geometry = unreal.geometry();
    let unused = geometry.unused_header().iter().filter(|byte| **byte != 0).count() as u64;
    let unused = unused + geometry.trailing_bytes();
    let message = format_args!("{unused} bytes of the geometry file that are not used");
    losses.lose(&codes::UNUSED_BYTES_LOST, unused, format_args!("/triangles"), message);
    let padding = (0..unreal.frame_count()).filter_map(|frame| unreal.vertex_bytes(frame).ok());
    let padding = padding.filter(|_| unreal.vertex_encoding() == VertexEncoding::Wide);
    let padding = padding.flat_map(|frame| frame.as_chunks::<8>().0).filter(|[.., a, b]| [*a, *b] != [0, 0]);
    let padding = padding.count() as u64;
    let message = format_args!("the padding of {padding} vertices");
    losses.lose(&codes::UNUSED_BYTES_LOST, padding, format_args!("/frames"), message);
    let frames = unreal.frames();
    let gap = frames.frame_stride() - unreal.vertex_count() * unreal.vertex_encoding().size() as usize;
    let unused = (gap * frames.frame_count()) as u64 + frames.trailing_bytes();
    let message = format_args!("{unused} bytes of the frames file that are not used");
    losses.lose(&codes::UNUSED_BYTES_LOST, unused, format_args!("/frames"), message);

    let set = |bytes: &mut dyn Iterator<Item = u8>| bytes.filter(|byte| *byte != 0).count() as u64;
    let flags = set(&mut geometry.flags().iter());
    let message = format_args!("the flags of {flags} triangles");
    losses.lose(&codes::TRIANGLE_BYTES_LOST, flags, format_args!("/triangles/flags"), message);
    let colors = set(&mut geometry.colors().iter());
    let message = format_args!("the color bytes of {colors} triangles");
    losses.lose(&codes::TRIANGLE_BYTES_LOST, colors, format_args!("/triangles/colors"), message);

    let kinds = |is_lost: fn(TriangleKind) -> bool| {
        geometry.types().iter().filter(|bits| is_lost(TriangleType(*bits).kind())).count() as u64
    };
    let effects = [
        (kinds(|kind| kind == TriangleKind::Modulated), "modulated triangles, which become alpha blended"),
        (
            kinds(|kind| matches!(kind, TriangleKind::Unknown(_))),
            "triangles of an unknown kind, which become normal ones",
        ),
    ];
    for (count, effect) in effects {
        let message = format_args!("{count} {effect}");
        losses.lose(&codes::EFFECT_LOST, count, format_args!("/triangles/types"), message);
    }
}
