//! The arrays of the measured models, grouped by format and name.

use std::io;

use meshlens::lens::{AnyLens, Level, Numbers};

use crate::models::Model;

/// The size of a cache line.
const LINE: usize = 64;

/// Memory that is reused for one array after another. It begins at a cache line.
pub(crate) struct Output {
    bytes: Vec<u8>,
    start: usize,
}

impl Output {
    /// Memory for `len` bytes. Its pages are written to once, so that measurements do not wait for new pages.
    ///
    /// # Errors
    ///
    /// The system does not have enough memory.
    pub(crate) fn new(len: usize) -> io::Result<Output> {
        let len = len.saturating_add(LINE);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len)?;
        bytes.resize(len, 1);
        let start = bytes.as_ptr().align_offset(LINE).min(LINE);
        Ok(Output { bytes, start })
    }

    /// The first `len` bytes of the memory that [`new`](Self::new) allocated.
    pub(crate) fn first(&mut self, len: usize) -> &mut [u8] {
        &mut self.bytes[self.start..][..len]
    }
}

/// The size of the memory for the values of an array, or for a copy of its bytes.
pub(crate) fn room(array: &AnyLens<'_>) -> usize {
    let values = array.len().saturating_mul(array.format().value().size());
    values.max(array.as_bytes().len())
}

/// Whether the stored bytes of an array are its values. Indices are also checked when they are decoded.
pub(crate) fn is_copied(array: &AnyLens<'_>) -> bool {
    let format = array.format();
    let is_same = format.value().component == format.component() && format.value().size() == format.size();
    format.numbers() == Numbers::Plain && is_same && array.stride() == format.size() && !format.is_indices()
}

/// Decodes an array to `output`, which is large enough. Returns the bytes of the values.
pub(crate) fn decode<'o>(array: &AnyLens<'_>, level: Level, output: &'o mut Output) -> &'o [u8] {
    let out = output.first(array.len().saturating_mul(array.format().value().size()));
    std::hint::black_box(array.decode_bytes_into_with(level, out)).expect("as many bytes as the values have");
    out
}

/// The CRC-32 of the values of all arrays.
pub(crate) fn crc32(arrays: &[AnyLens<'_>], level: Level, output: &mut Output) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    arrays.iter().for_each(|array| crc.update(decode(array, level, output)));
    crc.finalize()
}

/// The largest difference of floats that are computed from angles, quaternions or records: rounding differs between
/// libraries, and between levels for one encoding (see [`Level`]).
const TOLERANCE: f32 = 1.0 / (1 << 20) as f32;

/// Whether values are equal. Floats that are computed from angles, quaternions or records may differ by the tolerance.
pub(crate) fn is_same(array: &AnyLens<'_>, found: &[u8], expected: &[u8]) -> bool {
    let is_computed =
        matches!(array.format().numbers(), Numbers::Angles | Numbers::Quaternion | Numbers::Record);
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect()
    };
    let is_near = || {
        let mut pairs = floats(found).into_iter().zip(floats(expected));
        found.len() == expected.len() && pairs.all(|(found, expected)| (found - expected).abs() <= TOLERANCE)
    };
    found == expected || is_computed && is_near()
}

/// Whether a level decodes all arrays to the values of the scalar code.
pub(crate) fn is_scalar(arrays: &[AnyLens<'_>], level: Level, output: &mut Output) -> bool {
    arrays.iter().all(|array| {
        let expected = decode(array, Level::SCALAR, output).to_vec();
        is_same(array, decode(array, level, output), &expected)
    })
}

/// All arrays with the same name and format, over all models.
pub(crate) struct Group<'a> {
    pub(crate) format: &'static str,
    pub(crate) name: &'static str,
    pub(crate) arrays: Vec<AnyLens<'a>>,
    /// Whether another group contains the same bytes.
    pub(crate) again: bool,
}

/// All arrays of all models, grouped by format and name, in the order of their first occurrence.
pub(crate) fn groups<'a>(models: &[Model<'a>]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for Model { document, .. } in models {
        let format = document.format().name();
        for array in document.arrays().filter(|array| !array.lens.is_empty()) {
            let name = array.semantic.name();
            match groups.iter_mut().find(|group| (group.format, group.name) == (format, name)) {
                Some(group) => group.arrays.push(array.lens),
                None => groups.push(Group { format, name, arrays: vec![array.lens], again: array.is_part }),
            }
        }
    }
    groups
}
