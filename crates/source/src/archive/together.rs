//! Stored entries that lie next to each other, read at once.

use std::borrow::Cow;
use std::ops::Range;

use super::content::Content;
use crate::entry::Entry;
use crate::zip_record::LOCAL_HEADER_SIZE;
use crate::{OpenedFile, ReadAt, Result};

/// The largest number of bytes that are read at once.
const MOST: u64 = 256 << 10;
/// Room for the name and the extra field of a local header, which pads an aligned entry.
const NAME: u64 = 8 << 10;

/// A file, some bytes of which are in memory.
struct Span<'f> {
    file: &'f OpenedFile<'f>,
    start: u64,
    bytes: Cow<'f, [u8]>,
}

impl ReadAt for Span<'_> {
    fn size(&self) -> u64 {
        self.file.size()
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        let inside = |number: u64| usize::try_from(number).ok();
        let start = offset.checked_sub(self.start).and_then(inside);
        let bytes = start.zip(inside(len)).and_then(|(start, len)| self.bytes.get(start..)?.get(..len));
        bytes.map_or_else(|| self.file.read_at(offset, len), |bytes| Ok(Cow::Borrowed(bytes)))
    }
}

impl Content<'_> {
    /// See [`Archive::read_stored_together`](super::Archive::read_stored_together).
    pub(super) fn read_stored_together(
        &self,
        wanted: &mut [(Entry<'_>, u64, &mut [u8])],
    ) -> Vec<Result<usize>> {
        let ends =
            wanted.iter().map(|(entry, offset, out)| (*entry, offset.saturating_add(out.len() as u64)));
        let ends: Vec<_> = ends.collect();
        self.together(&ends, |content| {
            let each = wanted.iter_mut();
            each.map(|(entry, offset, out)| content.read_stored_into(entry, *offset, out)).collect()
        })
    }

    /// See [`Archive::read_together`](super::Archive::read_together).
    pub(super) fn read_together(&self, wanted: &[(Entry<'_>, Range<u64>)]) -> Vec<Result<Vec<u8>>> {
        let ends: Vec<_> = wanted.iter().map(|(entry, range)| (*entry, range.end)).collect();
        self.together(&ends, |content| {
            let read = |(entry, range): &(Entry<'_>, Range<u64>)| {
                let bytes = if range.start == 0 && range.end >= entry.size() {
                    content.read(entry, true)?
                } else {
                    content.read_stored(entry, range.start, range.end.saturating_sub(range.start))?
                };
                Ok(bytes.into_owned())
            };
            wanted.iter().map(read).collect()
        })
    }

    /// Calls `read` with an archive that has the bytes of these entries, up to an offset in each, in memory.
    fn together<T>(&self, ends: &[(Entry<'_>, u64)], read: impl FnOnce(&Content<'_>) -> T) -> T {
        // Without a file, nothing is saved. Its error is that of each read.
        let Ok(Some(file)) = self.bytes.opened() else { return read(self) };
        let start = ends.iter().map(|(entry, _)| entry.header_offset()).min().unwrap_or(0);
        let end = |(entry, end): &(Entry<'_>, u64)| {
            entry
                .header_offset()
                .saturating_add(LOCAL_HEADER_SIZE + NAME)
                .saturating_add(*end.min(&entry.size()))
        };
        let end = ends.iter().map(end).max().unwrap_or(0);
        let len = end.saturating_sub(start);
        let bytes = if len <= MOST { file.read_at(start, len).unwrap_or_default() } else { Cow::default() };
        let span = Span { file: &file, start, bytes };
        read(&Content { bytes: &span, name: self.name, limits: self.limits })
    }
}
