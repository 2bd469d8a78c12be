//! The fields of which all parts of a file consist.

use meshlens_wire::{Result, Writer};

use super::CHECKS;
use crate::BoundingVolume;

/// The field of a name: its length with its NUL, and its bytes; or a length of 0.
pub(super) fn name(out: &mut Writer, field: &[u8]) -> Result<()> {
    if field.last().is_some_and(|last| *last != 0) {
        return Err(CHECKS.error(meshlens_wire::ErrorKind::Unterminated { what: "name" }));
    }
    out.compact_count(field.len(), "name length")?;
    out.bytes(field);
    Ok(())
}

pub(super) fn bounds(out: &mut Writer, volume: &BoundingVolume) {
    out.f32s(&volume.bounds.min);
    out.f32s(&volume.bounds.max);
    out.f32s(&volume.center);
    out.f32(volume.radius);
}

/// A block: both sizes and the content, which is packed if that makes it smaller. Equal sizes mean that it is not
/// packed.
pub(super) fn block(out: &mut Writer, content: &[u8], pack: bool) {
    let packed = if pack { lz4_flex::block::compress(content) } else { alloc::vec::Vec::new() };
    let stored = if pack && packed.len() < content.len() { packed.as_slice() } else { content };
    for size in [content.len(), stored.len()] {
        out.u64(size as u64);
    }
    out.bytes(stored);
}
