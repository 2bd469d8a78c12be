//! The arrays of the measured models, grouped by format and name.

use meshlens::Document;
use meshlens::lens::{AnyLens, Level, Numbers};
use meshlens_source::bench::{Arena, Room};

/// The memory for the values of an array or for a copy of its bytes, including alignment.
pub(super) fn room(array: &AnyLens<'_>) -> usize {
    let values = array.len().saturating_mul(array.format().value().size());
    values.max(array.as_bytes().len()).saturating_add(64)
}

/// Whether the stored bytes of an array are its values. Indices are also checked when they are decoded.
pub(super) fn is_copied(array: &AnyLens<'_>) -> bool {
    let format = array.format();
    let is_same = format.value().component == format.component() && format.value().size() == format.size();
    format.numbers() == Numbers::Plain && is_same && array.stride() == format.size() && !format.is_indices()
}

/// Decodes an array to `room`, which is large enough. Returns the bytes of the values.
pub(super) fn decode<'r>(array: &AnyLens<'_>, level: Level, mut room: Room<'r>) -> &'r [u8] {
    let size = array.len().saturating_mul(array.format().value().size());
    // The memory is aligned to cache lines.
    let out = room.take::<u8>(size).expect("the memory has room for every value");
    std::hint::black_box(array.decode_bytes_into_with(level, out)).expect("as many bytes as the values have");
    out
}

/// The CRC-32 of the values of all arrays.
pub(super) fn crc32(arrays: &[AnyLens<'_>], level: Level, arena: &mut Arena) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    arrays.iter().for_each(|array| crc.update(decode(array, level, arena.reset())));
    crc.finalize()
}

/// All arrays with the same name and format, over all models.
pub(super) struct Group<'a> {
    pub(super) format: &'static str,
    pub(super) name: &'static str,
    pub(super) arrays: Vec<AnyLens<'a>>,
    /// Whether the arrays of another group cover the same bytes.
    pub(super) again: bool,
}

/// All arrays of all models, grouped by format and name, in the order of their first occurrence.
#[derive(Default)]
pub(super) struct Groups<'a>(Vec<Group<'a>>);

impl<'a> Groups<'a> {
    pub(super) fn add(&mut self, document: &Document<'a>) {
        let format = document.format().name();
        for array in document.arrays().filter(|array| !array.lens.is_empty()) {
            let name = array.semantic.name();
            match self.0.iter_mut().find(|group| (group.format, group.name) == (format, name)) {
                Some(group) => group.arrays.push(array.lens),
                None => self.0.push(Group { format, name, arrays: vec![array.lens], again: array.is_part }),
            }
        }
    }
}

impl<'a> std::ops::Deref for Groups<'a> {
    type Target = [Group<'a>];

    fn deref(&self) -> &[Group<'a>] {
        &self.0
    }
}
