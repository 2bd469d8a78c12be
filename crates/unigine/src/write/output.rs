//! Bytes of a file to be, and the errors of writing.

use alloc::vec::Vec;

use meshlens_wire::{Compact, Error, ErrorKind, Expected, Result};

use crate::layout::Version;
use crate::{BoundingVolume, FORMAT};

/// A file, or a block of one, as far as it is written.
pub(super) struct Output {
    pub(super) version: Version,
    bytes: Vec<u8>,
}

impl Output {
    pub(super) const fn new(version: Version) -> Self {
        Output { version, bytes: Vec::new() }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn magic(&mut self) {
        self.bytes(&self.version.magic());
    }

    pub(super) fn count(&mut self, count: usize, what: &'static str) -> Result<()> {
        let compact = i32::try_from(count).ok().and_then(Compact::new);
        let compact = compact.ok_or_else(|| {
            let limit = i32::MAX.unsigned_abs().into();
            error(ErrorKind::Limit { what, limit, found: count as u64 })
        })?;
        self.bytes(compact.as_bytes());
        Ok(())
    }

    /// A name's field: its length, which counts the NUL it ends with, and its bytes; or a length of 0.
    pub(super) fn name(&mut self, field: &[u8]) -> Result<()> {
        if field.last().is_some_and(|last| *last != 0) {
            return Err(error(ErrorKind::Unterminated { what: "name" }));
        }
        self.count(field.len(), "name length")?;
        self.bytes(field);
        Ok(())
    }

    pub(super) fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|value| self.bytes(&value.to_le_bytes()));
    }

    pub(super) fn bounds(&mut self, volume: &BoundingVolume) {
        self.floats(&volume.bounds.min);
        self.floats(&volume.bounds.max);
        self.floats(&volume.center);
        self.floats(&[volume.radius]);
    }

    /// A block: both sizes and the content, packed where that makes it smaller. Equal sizes say that it is raw.
    pub(super) fn block(&mut self, content: &[u8], pack: bool) {
        let packed = if pack { lz4_flex::block::compress(content) } else { Vec::new() };
        let stored = if pack && packed.len() < content.len() { packed.as_slice() } else { content };
        for size in [content.len(), stored.len()] {
            self.bytes(&(size as u64).to_le_bytes());
        }
        self.bytes(stored);
    }
}

/// An error of the writer; there is no file yet, so its offset is 0.
pub(super) fn error(kind: ErrorKind) -> Error {
    Error::new(FORMAT, 0, kind)
}

fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn mismatch(what: &'static str, expected: usize, found: usize) -> Error {
    error(ErrorKind::Value { what, expected: Expected::Exactly(to_i64(expected)), found: to_i64(found) })
}

pub(super) fn value(what: &'static str, expected: &'static str, found: usize) -> Error {
    error(ErrorKind::Value { what, expected: Expected::Text(expected), found: to_i64(found) })
}

/// A number that must be below a count.
pub(super) fn below(what: &'static str, index: i64, count: usize) -> Result<()> {
    if usize::try_from(index).is_ok_and(|index| index < count) {
        return Ok(());
    }
    Err(error(ErrorKind::Index { what, index, count: count as u64 }))
}

pub(super) fn bone_number(bone: i16, count: usize) -> Result<()> {
    below("bone", bone.into(), count)
}
