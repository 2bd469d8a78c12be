//! The counts and offsets of header records, checked.

#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use meshlens_wire::{Data, Error, ErrorKind, Expected, Result};

/// Reads the counts and offsets of one header record. An error has the offset of the field.
pub(crate) struct Fields<'a> {
    pub(crate) data: Data<'a>,
    pub(crate) start: u64,
}

impl Fields<'_> {
    /// An error at byte `field` of the record, which is inside the file.
    pub(crate) fn error(&self, field: u64, kind: ErrorKind) -> Error {
        self.data.error(self.start.saturating_add(field), kind)
    }

    pub(crate) fn count(&self, value: i32, field: u64, what: &'static str) -> Result<u32> {
        u32::try_from(value).map_err(|_| {
            let (expected, found) = (Expected::AtLeast(0), value.into());
            self.error(field, ErrorKind::Value { what, expected, found })
        })
    }

    /// An offset relative to the record, as an absolute offset that is not after the end of the file.
    pub(crate) fn offset(&self, value: i32, field: u64, what: &'static str) -> Result<u64> {
        let relative = u64::from(self.count(value, field, what)?);
        let end = self.data.file_len();
        self.start.checked_add(relative).filter(|absolute| *absolute <= end).ok_or_else(|| {
            // The record is inside the file.
            let room = end.saturating_sub(self.start);
            let expected = Expected::AtMost(i64::try_from(room).unwrap_or(i64::MAX));
            self.error(field, ErrorKind::Value { what, expected, found: value.into() })
        })
    }
}
