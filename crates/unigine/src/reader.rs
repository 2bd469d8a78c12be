//! A cursor that reads the elements that all parts of the files consist of: compact counts, strings, tables and magics.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use meshlens_wire::{Cursor, Data, ErrorKind, Limits, Magic, Name, Result, SmallSpan};

use crate::layout::{self, UNSUPPORTED, Version};

/// Reads a file from front to back, and notes integers that are longer than they need to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) non_minimal: NonMinimalInts,
}

/// Compact integers that are not stored in their shortest form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonMinimalInts {
    pub(crate) count: u32,
    pub(crate) first: Option<u64>,
}

impl NonMinimalInts {
    /// The number of such integers; `u32::MAX` if there are more.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The absolute offset of the first one, or `None` if there is none.
    pub const fn first(&self) -> Option<u64> {
        self.first
    }
}

impl<'a> Reader<'a> {
    /// A reader at an absolute offset.
    pub(crate) fn at(data: Data<'a>, offset: u64) -> Result<Self> {
        Ok(Reader { cursor: Cursor::at(data, offset)?, non_minimal: NonMinimalInts::default() })
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.cursor.data()
    }

    pub(crate) const fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    /// A compact count.
    pub(crate) fn count(&mut self, what: &'static str) -> Result<u32> {
        let offset = self.offset();
        let (count, compact) = self.cursor.compact_count(what)?;
        if !compact.is_minimal() {
            self.non_minimal.first.get_or_insert(offset);
            // Larger numbers saturate, as documented at the getter.
            self.non_minimal.count = self.non_minimal.count.saturating_add(1);
        }
        Ok(count)
    }

    /// A compact count of parts, each of which has at least `least` bytes in the rest of the file. A count that exceeds
    /// the limit, or that the rest cannot hold, is an error before anything is allocated.
    pub(crate) fn parts(&mut self, what: &'static str, least: u32, limits: &Limits) -> Result<u32> {
        let offset = self.offset();
        let count = self.count(what)?;
        if u64::from(count) > limits.count {
            let kind = ErrorKind::Limit { what, limit: limits.count, found: count.into() };
            return Err(self.data().error(offset, kind));
        }
        self.data().span(self.offset(), count.into(), least, what)?;
        Ok(count)
    }

    /// A string: a compact length that counts the NUL, then the bytes. A length of 0 is an empty string.
    pub(crate) fn string(&mut self, what: &'static str) -> Result<Name<'a>> {
        let len = self.count(what)?;
        let offset = self.offset();
        let bytes = self.cursor.take(len.into(), what)?;
        if bytes.last().is_some_and(|last| *last != 0) {
            return Err(self.data().error(offset, ErrorKind::Unterminated { what }));
        }
        Ok(Name::new(bytes))
    }

    /// A compact count and a table of as many elements of `size` bytes.
    pub(crate) fn counted_table(&mut self, size: u32, what: &'static str) -> Result<SmallSpan> {
        let count = self.count(what)?;
        self.cursor.small_span(count, size, what)
    }

    /// The magic between parts and at the end of the file.
    pub(crate) fn magic(&mut self, version: Version) -> Result<()> {
        self.data().magic(self.offset(), &version.magic(), version.as_str())?;
        self.cursor.take(4, "magic")?;
        Ok(())
    }

    /// The first magic, which names the version. `expected` names the versions that `is_wanted` accepts.
    pub(crate) fn version(
        &mut self,
        expected: &'static str,
        is_wanted: impl Fn(Version) -> bool,
    ) -> Result<Version> {
        let found = self.cursor.take(4, "magic")?;
        if let Some(version) = Version::of(found).filter(|version| is_wanted(*version)) {
            return Ok(version);
        }
        self.data().refuse_git_lfs_pointer()?;
        let kind = match UNSUPPORTED.into_iter().find(|magic| magic.as_bytes() == found) {
            Some(what) => ErrorKind::Unsupported { what },
            None => match layout::unknown_version(found) {
                Some(found) => ErrorKind::Version { expected, found },
                None => ErrorKind::Magic { expected, found: Magic::new(found) },
            },
        };
        Err(self.data().error(0, kind))
    }
}

/// The records of variable size that a parse may still walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: u64,
    spent: u64,
    /// The frames of all animations that take no bytes.
    empty_frames: u64,
    empty_limit: u64,
}

impl Budget {
    pub(crate) const fn new(limits: &Limits) -> Self {
        Budget { limit: limits.work, spent: 0, empty_frames: 0, empty_limit: limits.count }
    }

    /// Spends `records` before they are walked. A sum that saturates exceeds every limit.
    pub(crate) fn spend(&mut self, reader: &Reader<'_>, what: &'static str, records: u64) -> Result<()> {
        self.spent = self.spent.saturating_add(records);
        if self.spent > self.limit {
            return Err(reader.cursor.error(ErrorKind::Limit { what, limit: self.limit, found: self.spent }));
        }
        Ok(())
    }

    /// Spends frames without bones. They take no bytes, so the file does not bound their number.
    pub(crate) fn spend_empty_frames(&mut self, data: Data<'_>, offset: u64, frames: u64) -> Result<()> {
        // A sum that saturates exceeds every limit.
        self.empty_frames = self.empty_frames.saturating_add(frames);
        if self.empty_frames > self.empty_limit {
            let (limit, found) = (self.empty_limit, self.empty_frames);
            let kind = ErrorKind::Limit { what: "frames without bones", limit, found };
            return Err(data.error(offset, kind));
        }
        Ok(())
    }
}
