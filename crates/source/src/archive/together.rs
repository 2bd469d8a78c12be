//! Stored entries that lie next to each other, read at once.

use std::borrow::Cow;

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
        // Without a file, nothing is saved. Its error is that of each read.
        let Ok(Some(file)) = self.bytes.opened() else { return self.read_each(wanted) };
        let start = wanted.iter().map(|(entry, ..)| entry.header_offset()).min().unwrap_or(0);
        let end = |(entry, offset, out): &(Entry<'_>, u64, &mut [u8])| {
            let end = offset.min(&entry.size()).saturating_add(out.len() as u64).min(entry.size());
            entry.header_offset().saturating_add(LOCAL_HEADER_SIZE + NAME).saturating_add(end)
        };
        let end = wanted.iter().map(end).max().unwrap_or(0);
        let len = end.saturating_sub(start);
        let bytes = if len <= MOST { file.read_at(start, len).unwrap_or_default() } else { Cow::default() };
        let span = Span { file: &file, start, bytes };
        Content { bytes: &span, name: self.name, limits: self.limits }.read_each(wanted)
    }

    fn read_each(&self, wanted: &mut [(Entry<'_>, u64, &mut [u8])]) -> Vec<Result<usize>> {
        let mut read = Vec::with_capacity(wanted.len());
        for (entry, offset, out) in wanted {
            read.push(self.read_stored_into(entry, *offset, out));
        }
        read
    }
}
