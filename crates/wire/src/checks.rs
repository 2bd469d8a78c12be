//! Checks of the arguments of a writer, and the offsets of its tables.

use crate::{Error, ErrorKind, Expected, Result};

/// Checks of the arguments of a writer. The errors have the name of the format and no offset, because there is no file
/// yet.
///
/// ```
/// use meshlens_wire::Checks;
///
/// const CHECKS: Checks = Checks::new("md3");
/// assert!(CHECKS.length("normals", 3, 3).is_ok());
/// let error = CHECKS.length("normals", 3, 2).unwrap_err();
/// assert_eq!(error.to_string(), "md3: normals: expected 3, found 2");
/// let error = CHECKS.all_below("vertex", [0, 1, 5], 3).unwrap_err();
/// assert_eq!(error.to_string(), "md3: vertex 5; there are 3 (0 to 2)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    format: &'static str,
}

impl Checks {
    /// The checks of `format`, which is the name in errors.
    pub const fn new(format: &'static str) -> Self {
        Checks { format }
    }

    /// An error of this format without an offset.
    pub const fn error(&self, kind: ErrorKind) -> Error {
        Error::of_call(self.format, kind)
    }

    /// The error for a number of `what` that is larger than a field or the format can hold.
    pub const fn limit(&self, what: &'static str, limit: u64, found: usize) -> Error {
        self.error(ErrorKind::Limit { what, limit, found: found as u64 })
    }

    /// The error for an invalid number. `expected` describes the valid ones.
    pub fn value(&self, what: &'static str, expected: &'static str, found: usize) -> Error {
        // Larger numbers are shown as `i64::MAX`.
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        self.error(ErrorKind::Value { what, expected: Expected::Text(expected), found })
    }

    /// Checks that there are `expected` of `what`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if there are not.
    pub const fn length(&self, what: &'static str, expected: usize, found: usize) -> Result<()> {
        if expected == found {
            return Ok(());
        }
        Err(self.error(ErrorKind::Length { what, expected: expected as u64, found: found as u64 }))
    }

    /// Checks that a count is at most `limit`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if it is larger.
    pub const fn at_most(&self, what: &'static str, limit: usize, found: usize) -> Result<()> {
        if found <= limit {
            return Ok(());
        }
        Err(self.limit(what, limit as u64, found))
    }

    /// The product of two counts of `what`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] with the first count if the product is larger than `usize::MAX`.
    pub fn product(&self, what: &'static str, count: usize, each: usize) -> Result<usize> {
        count.checked_mul(each).ok_or_else(|| self.limit(what, usize::MAX as u64, count))
    }

    /// Checks that an index is less than `count`. `what` is the name of the elements.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if it is not.
    pub fn below(&self, what: &'static str, index: impl Into<i64>, count: usize) -> Result<()> {
        let (index, count) = (index.into(), count as u64);
        if u64::try_from(index).is_ok_and(|index| index < count) {
            return Ok(());
        }
        Err(self.error(ErrorKind::Index { what, index, count }))
    }

    /// Like [`below`](Self::below), for several indices. O(indices).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for the first index that is out of range.
    pub fn all_below(
        &self,
        what: &'static str,
        indices: impl IntoIterator<Item = impl Into<i64>>,
        count: usize,
    ) -> Result<()> {
        indices.into_iter().try_for_each(|index| self.below(what, index, count))
    }

    /// Checks that a text has no NUL.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] with the offset of the first NUL in the text.
    pub fn no_nul(&self, what: &'static str, text: &[u8]) -> Result<()> {
        match text.iter().position(|byte| *byte == 0) {
            Some(at) => Err(self.value(what, "text without a NUL", at)),
            None => Ok(()),
        }
    }
}

/// The offsets of the tables of a file, computed before any byte is written. Tables are added one after another.
///
/// ```
/// use meshlens_wire::Offsets;
///
/// let mut offsets = Offsets::new("test", i32::MAX.unsigned_abs().into());
/// offsets.table(1, 16)?;
/// assert_eq!(offsets.table(3, 12)?, 16);
/// assert_eq!(offsets.end(), 52);
/// let error = offsets.table(1 << 30, 8).unwrap_err();
/// assert_eq!(error.to_string(), "test: bytes of the file: the limit is 2147483647, found 8589934644");
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Offsets {
    checks: Checks,
    end: u64,
    limit: u64,
}

impl Offsets {
    /// An empty file of `format` that may have `limit` bytes, the largest offset that its fields can hold.
    pub const fn new(format: &'static str, limit: u64) -> Self {
        Offsets { checks: Checks::new(format), end: 0, limit }
    }

    /// Adds a table of `count` records of `size` bytes, and returns its offset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if the table would end after the limit.
    pub const fn table(&mut self, count: usize, size: usize) -> Result<u64> {
        let offset = self.end;
        let end = match (count as u64).checked_mul(size as u64) {
            Some(bytes) => offset.checked_add(bytes),
            None => None,
        };
        match end {
            Some(end) if end <= self.limit => {
                self.end = end;
                Ok(offset)
            }
            end => {
                // A size that overflows is shown as the largest number.
                let found = if let Some(end) = end { end } else { u64::MAX };
                let kind = ErrorKind::Limit { what: "bytes of the file", limit: self.limit, found };
                Err(self.checks.error(kind))
            }
        }
    }

    /// The end of the last table.
    pub const fn end(&self) -> u64 {
        self.end
    }
}
