//! A file's bytes with its format's name, read at any offset; and the proof that a table lies inside them.

use core::ops::Range;

use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use crate::{Error, ErrorKind, Magic, Result};

/// The bytes of one file, or of its beginning, and the length of the whole.
///
/// Every method is checked; format crates index no bytes by any other road.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    format: &'static str,
    bytes: &'a [u8],
    file_len: u64,
    /// Whether the end is that of a chunk, not of the file: errors say so.
    is_chunk: bool,
}

/// A proven table: `count` elements, `stride` bytes from one to the next, the first at absolute `offset`.
///
/// It is plain data, so that a document can be located from its headers, kept, and bound to bytes later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    offset: u64,
    count: u64,
    stride: u32,
}

impl Span {
    /// Absolute offset of the first element.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// How many elements there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Bytes from one element to the next.
    pub const fn stride(&self) -> u32 {
        self.stride
    }

    /// The absolute byte range of the whole table.
    pub const fn byte_range(&self) -> Range<u64> {
        // Proven by `extent` when the span was made: neither saturates.
        self.offset..self.offset.saturating_add(self.count.saturating_mul(self.stride as u64))
    }

    /// Elements `first..first + count` of this table, or `None` where it has fewer.
    pub const fn slice(&self, first: u64, count: u64) -> Option<Span> {
        let Some(end) = first.checked_add(count) else { return None };
        if end > self.count {
            return None;
        }
        let offset = self.offset.saturating_add(first.saturating_mul(self.stride as u64));
        Some(Span { offset, count, stride: self.stride })
    }

    /// `count` elements of `stride` bytes that lie at the start of element `index` of this table, or `None` where
    /// there is no such element or they do not all lie inside it.
    pub const fn inside(&self, index: u64, count: u64, stride: u32) -> Option<Span> {
        let Some(element) = self.slice(index, 1) else { return None };
        match count.checked_mul(stride as u64) {
            Some(size) if size <= self.stride as u64 => Some(Span { offset: element.offset, count, stride }),
            _ => None,
        }
    }
}

/// Absolute end of a table, or `None` where it passes `u64::MAX`. The one place an extent is computed.
const fn extent(offset: u64, count: u64, stride: u32) -> Option<u64> {
    match count.checked_mul(stride as u64) {
        Some(size) => offset.checked_add(size),
        None => None,
    }
}

impl<'a> Data<'a> {
    /// A whole file.
    pub const fn new(format: &'static str, bytes: &'a [u8]) -> Self {
        Data { format, bytes, file_len: bytes.len() as u64, is_chunk: false }
    }

    /// The first bytes of a file of `file_len` bytes. Tables are proven against the file's length; records that
    /// lie behind the prefix are [`ErrorKind::Incomplete`], which says how many bytes are wanted.
    pub const fn prefix(format: &'static str, bytes: &'a [u8], file_len: u64) -> Self {
        let here = bytes.len() as u64;
        Data { format, bytes, file_len: if here > file_len { here } else { file_len }, is_chunk: false }
    }

    /// The same file as one of its chunks sees it, which ends at absolute `end`: what lies behind is
    /// [`ErrorKind::OutOfChunk`]. An `end` behind that of the file, or of the chunk around this one, changes nothing.
    #[must_use]
    pub fn within(self, end: u64) -> Self {
        if end > self.file_len {
            return self;
        }
        let here = usize::try_from(end).unwrap_or(usize::MAX).min(self.bytes.len());
        Data { bytes: self.bytes.get(..here).unwrap_or_default(), file_len: end, is_chunk: true, ..self }
    }

    /// The name of the format, as errors give it.
    pub const fn format(&self) -> &'static str {
        self.format
    }

    /// The bytes given.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Length of the whole file, or absolute end of the chunk that [`within`](Self::within) named.
    pub const fn file_len(&self) -> u64 {
        self.file_len
    }

    /// An error of this format.
    pub const fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        Error::new(self.format, offset, kind)
    }

    /// The error that `count` elements of `size` bytes at `offset` leave the file, or the chunk.
    pub const fn out_of_bounds(&self, offset: u64, what: &'static str, count: u64, size: u64) -> Error {
        let end = self.file_len;
        self.error(
            offset,
            if self.is_chunk {
                ErrorKind::OutOfChunk { what, count, size, end }
            } else {
                ErrorKind::OutOfBounds { what, count, size, end }
            },
        )
    }

    /// The bytes `offset..offset + size`.
    pub fn take(&self, offset: u64, size: u64, what: &'static str) -> Result<&'a [u8]> {
        #[cfg(feature = "steps")]
        meshlens_steps::count(1);
        let end = offset
            .checked_add(size)
            .filter(|end| *end <= self.file_len)
            .ok_or_else(|| self.out_of_bounds(offset, what, 1, size))?;
        usize::try_from(offset)
            .ok()
            .zip(usize::try_from(end).ok())
            .and_then(|(start, end)| self.bytes.get(start..end))
            .ok_or_else(|| {
                self.error(offset, ErrorKind::Incomplete { needed: end, available: self.bytes.len() as u64 })
            })
    }

    /// The record at `offset`, as it lies.
    pub fn record<T>(&self, offset: u64, what: &'static str) -> Result<&'a T>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        let bytes = self.take(offset, size_of::<T>() as u64, what)?;
        T::ref_from_bytes(bytes).map_err(|_| self.out_of_bounds(offset, what, 1, size_of::<T>() as u64))
    }

    /// Proves that `count` elements, `stride` bytes from one to the next, lie inside the file from `offset` on.
    pub fn span(&self, offset: u64, count: u64, stride: u32, what: &'static str) -> Result<Span> {
        match extent(offset, count, stride) {
            Some(end) if end <= self.file_len => Ok(Span { offset, count, stride }),
            _ => Err(self.out_of_bounds(offset, what, count, u64::from(stride))),
        }
    }

    /// The bytes of a proven table; [`ErrorKind::Incomplete`] where only a prefix of the file is here.
    pub fn bind(&self, span: Span) -> Result<&'a [u8]> {
        let range = span.byte_range();
        self.take(range.start, range.end.saturating_sub(range.start), "table")
    }

    /// Checks the identifying bytes at `offset`.
    pub fn magic(&self, offset: u64, magic: &[u8], expected: &'static str) -> Result<()> {
        let found = self.take(offset, magic.len() as u64, expected)?;
        if found == magic {
            return Ok(());
        }
        Err(self.error(offset, ErrorKind::Magic { expected, found: Magic::new(found) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_table_may_end_where_the_file_ends_and_no_later() {
        let data = Data::new("test", &[0; 24]);
        let span = data.span(8, 2, 8, "pairs").unwrap();
        assert_eq!(span.byte_range(), 8..24);
        assert_eq!(data.bind(span).unwrap().len(), 16);
        assert!(data.span(24, 0, 8, "pairs").is_ok());
        assert!(data.span(25, 0, 8, "pairs").is_err());
        assert!(data.span(9, 2, 8, "pairs").is_err());
        assert!(data.span(8, u64::MAX, 8, "pairs").is_err());
        assert!(data.span(u64::MAX, 1, 1, "pairs").is_err());
    }

    #[test]
    fn a_prefix_proves_tables_and_asks_for_records() {
        let data = Data::prefix("test", &[0; 8], 100);
        let span = data.span(8, 4, 4, "quads").unwrap();
        let error = data.bind(span).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Incomplete { needed: 24, available: 8 });
        assert_eq!(data.record::<[u8; 4]>(4, "quad").unwrap(), &[0; 4]);
        assert_eq!(data.record::<[u8; 4]>(98, "quad").unwrap_err().code(), "OUT_OF_BOUNDS");
    }

    #[test]
    fn a_chunk_ends_before_its_file() {
        let data = Data::new("test", &[7; 24]).within(16);
        assert_eq!(data.take(8, 8, "body").unwrap(), [7; 8]);
        let error = data.take(8, 9, "body").unwrap_err();
        assert_eq!(error.to_string(), "test: body of 9 bytes at 0x8 end past their chunk (0x10)");
        assert_eq!(data.span(8, 3, 4, "words").unwrap_err().code(), "OUT_OF_CHUNK");
        assert_eq!(data.within(20).file_len(), 16, "a chunk's end cannot be widened");
        let prefix = Data::prefix("test", &[7; 4], 24).within(16);
        assert_eq!(prefix.take(2, 4, "body").unwrap_err().code(), "INCOMPLETE");
        assert_eq!(prefix.take(14, 4, "body").unwrap_err().code(), "OUT_OF_CHUNK");
    }

    #[test]
    fn a_slice_of_a_table_stays_inside_it() {
        let span = Data::new("test", &[0; 64]).span(4, 5, 12, "rows").unwrap();
        assert_eq!(span.slice(2, 3).unwrap().byte_range(), 28..64);
        assert_eq!(span.slice(5, 0).unwrap().byte_range(), 64..64);
        assert_eq!(span.slice(3, 3), None);
        assert_eq!(span.slice(u64::MAX, 2), None);
        assert_eq!(span.inside(4, 3, 4).unwrap().byte_range(), 52..64);
        assert_eq!(span.inside(0, 0, 4).unwrap().byte_range(), 4..4);
        assert_eq!(span.inside(5, 0, 4), None);
        assert_eq!(span.inside(4, 4, 4), None);
        assert_eq!(span.inside(4, u64::MAX, 4), None);
    }
}
