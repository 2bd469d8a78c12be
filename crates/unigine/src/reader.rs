//! The cursor with what this format reads over and over: compact counts, strings, magics.

use meshlens_lens::{Encoding, Lens};
use meshlens_wire::{Cursor, Data, ErrorKind, Limits, Magic, Name, Result, Span};

use crate::FORMAT;
use crate::layout::{UNSUPPORTED, Version};

/// Reads a file front to back and notes what is legal and odd on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) long_forms: LongForms,
}

/// Compact integers stored in more bytes than they need.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LongForms {
    pub(crate) count: u32,
    pub(crate) first: u64,
}

/// A table of elements without gaps, proven when it was read: where it begins and how many there are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Table {
    pub(crate) offset: u64,
    pub(crate) count: u32,
}

impl Table {
    /// The number of elements; nothing proven exceeds the address space.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.count).unwrap_or(usize::MAX)
    }

    /// The table as a span of elements of `size` bytes.
    pub(crate) fn span(&self, data: Data<'_>, size: u32) -> Span {
        data.span(self.offset, self.count.into(), size, "table").unwrap_or_default()
    }

    /// A lens onto the table.
    pub(crate) fn lens<'a, E: Encoding>(&self, data: Data<'a>, encoding: E) -> Lens<'a, E> {
        let size = u32::try_from(E::SIZE).unwrap_or(u32::MAX);
        let bytes = data.bind(self.span(data, size)).unwrap_or_default();
        Lens::field(encoding, bytes, self.offset, E::SIZE, self.len(), 0)
    }
}

impl<'a> Reader<'a> {
    /// A reader at an absolute offset.
    pub(crate) fn at(data: Data<'a>, offset: u64) -> Result<Self> {
        Ok(Reader { cursor: Cursor::at(data, offset)?, long_forms: LongForms::default() })
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
            if self.long_forms.count == 0 {
                self.long_forms.first = offset;
            }
            self.long_forms.count = self.long_forms.count.saturating_add(1);
        }
        Ok(count)
    }

    /// A compact count of parts that take at least `least` bytes each of what follows, and of which the caller's
    /// limits allow so many. A claim that no bytes stand behind is an error before anything is done with it.
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

    /// A string: a compact length that counts the NUL, then the bytes. Length 0 is an empty string.
    pub(crate) fn string(&mut self, what: &'static str) -> Result<Name<'a>> {
        let len = self.count(what)?;
        let offset = self.offset();
        let bytes = self.cursor.take(len.into(), what)?;
        if bytes.last().is_some_and(|last| *last != 0) {
            return Err(self.data().error(offset, ErrorKind::Unterminated { what }));
        }
        Ok(Name::new(bytes))
    }

    /// `count` elements of `size` bytes without gaps.
    pub(crate) fn table(&mut self, count: u32, size: u32, what: &'static str) -> Result<Table> {
        let offset = self.offset();
        self.cursor.span(count.into(), size, what)?;
        Ok(Table { offset, count })
    }

    /// A compact count and as many elements of `size` bytes.
    pub(crate) fn counted_table(&mut self, size: u32, what: &'static str) -> Result<Table> {
        let count = self.count(what)?;
        self.table(count, size, what)
    }

    /// The magic that stands between parts and at the end.
    pub(crate) fn magic(&mut self, version: Version) -> Result<()> {
        self.data().magic(self.offset(), &version.magic(), version.as_str())?;
        self.cursor.take(4, "magic")?;
        Ok(())
    }

    /// The first magic, which names the version: one of a mesh or one of an animation.
    pub(crate) fn version(&mut self, is_mesh: bool) -> Result<Version> {
        let found = self.cursor.take(4, "magic")?;
        match Version::of(found) {
            Some(version) if version.is_mesh() == is_mesh => Ok(version),
            _ => {
                let other = UNSUPPORTED.into_iter().find(|magic| magic.as_bytes() == found);
                let expected = if is_mesh { "\"ms10\" to \"ms14\"" } else { "\"an10\" or \"an11\"" };
                let kind = match other {
                    Some(what) => ErrorKind::Unsupported { what },
                    None => ErrorKind::Magic { expected, found: Magic::new(found) },
                };
                Err(self.data().error(0, kind))
            }
        }
    }
}

/// What variable-size records a parse may still walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: u64,
    spent: u64,
    /// Frames that take no bytes, over all animations.
    empty_frames: u64,
    empty_limit: u64,
}

impl Budget {
    pub(crate) const fn new(limits: &Limits) -> Self {
        Budget { limit: limits.work, spent: 0, empty_frames: 0, empty_limit: limits.count }
    }

    /// Spends `records` before they are walked.
    pub(crate) fn spend(&mut self, reader: &Reader<'_>, what: &'static str, records: u64) -> Result<()> {
        self.spent = self.spent.saturating_add(records);
        if self.spent > self.limit {
            return Err(reader.cursor.error(ErrorKind::Limit { what, limit: self.limit, found: self.spent }));
        }
        Ok(())
    }

    /// Frames of no bones take no bytes, so nothing else bounds them.
    pub(crate) fn spend_empty_frames(&mut self, data: Data<'_>, offset: u64, frames: u64) -> Result<()> {
        self.empty_frames = self.empty_frames.saturating_add(frames);
        if self.empty_frames > self.empty_limit {
            let (limit, found) = (self.empty_limit, self.empty_frames);
            let kind = ErrorKind::Limit { what: "frames without bones", limit, found };
            return Err(data.error(offset, kind));
        }
        Ok(())
    }
}

/// The file as a whole.
pub(crate) const fn file(bytes: &[u8], file_len: u64) -> Data<'_> {
    Data::prefix(FORMAT, bytes, file_len)
}
