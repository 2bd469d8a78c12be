//! The bytes of a file with the name of its format, read at any offset and checked against the length of the file.
//!
//! The bytes may be the whole file, a part of it, or several [pieces](Pieces).

use crate::span::extent;
use crate::{
    Error, ErrorKind, Expected, Magic, Piece, Pieces, Record, Result, SmallSpan, Span, is_git_lfs_pointer,
};

/// The bytes of a file, or of parts of it, with the name of its format and the length of the whole file.
///
/// Every offset is absolute, and every method is checked. Format crates read bytes only through this type.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    format: &'static str,
    bytes: &'a [u8],
    /// Absolute offset of the first byte.
    start: u64,
    /// All available bytes, if `bytes` may not be all of them.
    pieces: Option<&'a dyn Pieces>,
    file_len: u64,
    /// Whether the end is the end of a chunk instead of the file. It affects errors.
    is_chunk: bool,
}

impl<'a> Data<'a> {
    /// A whole file.
    pub const fn new(format: &'static str, bytes: &'a [u8]) -> Self {
        Data { format, bytes, start: 0, pieces: None, file_len: bytes.len() as u64, is_chunk: false }
    }

    /// The first bytes of a file of `file_len` bytes. Tables are checked against the length of the file. Reading
    /// missing bytes is [`ErrorKind::Incomplete`], which has the number of bytes that are needed.
    pub const fn prefix(format: &'static str, bytes: &'a [u8], file_len: u64) -> Self {
        Data::part(format, bytes, 0, file_len)
    }

    /// The bytes of a file of `file_len` bytes that begin at absolute offset `start`, such as one table that was
    /// fetched separately. Offsets are still absolute. Bytes after offset `u64::MAX` are ignored.
    ///
    /// ```
    /// use meshlens_wire::Data;
    ///
    /// let tags = Data::new("test", &[0; 40]).span(24, 4, 4, "tags")?;
    /// let fetched = [7; 16];
    /// let data = Data::part("test", &fetched, tags.offset(), 40);
    /// assert_eq!(data.bind(tags)?, fetched);
    /// let error = data.take(20, 4, "header").unwrap_err();
    /// assert_eq!(error.to_string(), "test: needs bytes before the available ones, which begin at 0x18, at 0x14");
    /// # Ok::<(), meshlens_wire::Error>(())
    /// ```
    pub const fn part(format: &'static str, bytes: &'a [u8], start: u64, file_len: u64) -> Self {
        let (bytes, end): (&[u8], u64) = match start.checked_add(bytes.len() as u64) {
            Some(end) => (bytes, end),
            None => (&[], start),
        };
        let file_len = if end > file_len { end } else { file_len };
        Data { format, bytes, start, pieces: None, file_len, is_chunk: false }
    }

    /// Pieces of a file. Reading bytes that do not all lie in one piece is [`ErrorKind::Incomplete`]; the
    /// error has the [offset](Error::offset) of the first byte that is needed.
    pub fn of_pieces(format: &'static str, pieces: &'a dyn Pieces) -> Self {
        let file_len = pieces.file_len();
        let first = pieces.piece_before(0).filter(|piece| piece.offset == 0);
        let bytes = first.map_or(&[][..], |piece| piece.bytes);
        if bytes.len() as u64 >= file_len {
            return Data::prefix(format, bytes, file_len);
        }
        Data { format, bytes, start: 0, pieces: Some(pieces), file_len, is_chunk: false }
    }

    /// The same file restricted to a chunk that ends at absolute `end`: reading bytes after it is
    /// [`ErrorKind::OutOfChunk`]. An `end` after the end of the file, or of the surrounding chunk, has no effect.
    #[must_use]
    pub fn within(self, end: u64) -> Self {
        if end > self.file_len {
            return self;
        }
        Data { is_chunk: true, ..self.ending_at(end) }
    }

    /// The same file, truncated at absolute `end`. An `end` after the end of the file, or of the surrounding chunk, has
    /// no effect.
    #[must_use]
    pub fn ending_at(self, end: u64) -> Self {
        if end > self.file_len {
            return self;
        }
        // If the file ends before the first available byte, none of the available bytes belong to it.
        let here = usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let bytes = self.bytes.get(..here).unwrap_or(self.bytes);
        Data { bytes, file_len: end, ..self }
    }

    /// The name of the format in errors.
    pub const fn format(&self) -> &'static str {
        self.format
    }

    /// The available bytes. They begin at absolute offset [`start`](Self::start). If the file is in
    /// [pieces](Self::of_pieces), these are only the bytes of the piece at offset 0.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The absolute offset of the first available byte; 0 if this is not a [`part`](Self::part) of a file.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// The absolute end of the available bytes.
    pub const fn available(&self) -> u64 {
        // Checked when the part was made, so this does not saturate.
        self.start.saturating_add(self.bytes.len() as u64)
    }

    /// The available bytes from absolute `offset` on, up to the first gap; empty if byte `offset` is missing.
    pub fn rest(&self, offset: u64) -> &'a [u8] {
        let Piece { offset: start, bytes } =
            self.piece_before(offset).unwrap_or(Piece { offset: self.start, bytes: self.bytes });
        let skip = offset.checked_sub(start).and_then(|skip| usize::try_from(skip).ok());
        let rest = skip.and_then(|skip| bytes.get(skip..)).unwrap_or(&[]);
        // A piece may continue after the end of the chunk.
        let room = usize::try_from(self.file_len.saturating_sub(offset)).unwrap_or(usize::MAX);
        rest.get(..room).unwrap_or(rest)
    }

    /// The last of several pieces that begins at or before `offset`.
    fn piece_before(&self, offset: u64) -> Option<Piece<'a>> {
        self.pieces?.piece_before(offset)
    }

    /// The absolute end of the last available bytes at or before `offset`.
    pub(crate) fn available_at(&self, offset: u64) -> u64 {
        self.piece_before(offset).map_or(self.available(), |piece| piece.end()).min(self.file_len)
    }

    /// The error for missing bytes of the file, from `offset` up to `needed`.
    pub fn incomplete(&self, offset: u64, needed: u64) -> Error {
        if offset < self.start {
            return self.error(offset, ErrorKind::BeforeStart { start: self.start });
        }
        self.error(offset, ErrorKind::Incomplete { needed, available: self.available_at(offset) })
    }

    /// The length of the whole file; for a chunk, its absolute [end](Self::within).
    pub const fn file_len(&self) -> u64 {
        self.file_len
    }

    /// An error of this format.
    pub const fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        Error::new(self.format, offset, kind)
    }

    /// The error for `count` elements of `size` bytes at `offset` that end after the file or the chunk.
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
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] or [`ErrorKind::OutOfChunk`] if they end after the file or the chunk;
    /// [`ErrorKind::Incomplete`] or [`ErrorKind::BeforeStart`] if they are missing.
    pub fn take(&self, offset: u64, size: u64, what: &'static str) -> Result<&'a [u8]> {
        crate::steps::count(1);
        let end = offset
            .checked_add(size)
            .filter(|end| *end <= self.file_len)
            .ok_or_else(|| self.out_of_bounds(offset, what, 1, size))?;
        let bytes = usize::try_from(size).ok().and_then(|size| self.rest(offset).get(..size));
        bytes.ok_or_else(|| self.incomplete(offset, end))
    }

    /// The record at `offset`.
    ///
    /// # Errors
    ///
    /// Same as [`take`](Self::take).
    pub fn record<T: Record>(&self, offset: u64, what: &'static str) -> Result<T> {
        self.take(offset, T::SIZE as u64, what).map(T::read)
    }

    /// The table of `count` elements at `offset`, `stride` bytes from one to the next, after a check that it lies
    /// inside the file. Its bytes do not have to be available.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] or [`ErrorKind::OutOfChunk`] if it ends after the file or the chunk.
    pub fn span(&self, offset: u64, count: u64, stride: u32, what: &'static str) -> Result<Span> {
        let size = extent(count, stride.into(), stride.into());
        match size.and_then(|size| offset.checked_add(size)) {
            Some(end) if end <= self.file_len => Ok(Span { offset, count, stride }),
            _ => Err(self.out_of_bounds(offset, what, count, u64::from(stride))),
        }
    }

    /// Like [`span`](Self::span), for a [`SmallSpan`].
    ///
    /// # Errors
    ///
    /// Same as [`span`](Self::span).
    pub fn small_span(&self, offset: u64, count: u32, stride: u32, what: &'static str) -> Result<SmallSpan> {
        self.span(offset, count.into(), stride, what)?;
        Ok(SmallSpan { offset, count, stride })
    }

    /// The bytes of a table.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] or [`ErrorKind::BeforeStart`] if bytes of the table are missing;
    /// [`ErrorKind::OutOfBounds`] if the table belongs to a longer file.
    pub fn bind(&self, span: Span) -> Result<&'a [u8]> {
        self.take(span.offset(), span.size(), "table")
    }

    /// The bytes of one field of each record of a table, `skip` bytes into the record and `size` bytes long: from the
    /// first byte of the first field to the last byte of the last one. Only these bytes have to be available.
    ///
    /// # Errors
    ///
    /// A field that does not lie inside its record; missing bytes, as in [`bind`](Self::bind).
    pub fn bind_field(&self, span: Span, skip: u64, size: u64, what: &'static str) -> Result<&'a [u8]> {
        if span.is_empty() {
            return Ok(&[]);
        }
        let stride = u64::from(span.stride());
        if skip.checked_add(size).is_none_or(|end| end > stride) {
            // A sum that saturates is shown as the largest number.
            let expected = Expected::AtLeast(i64::try_from(skip.saturating_add(size)).unwrap_or(i64::MAX));
            let kind = ErrorKind::Value { what, expected, found: stride.cast_signed() };
            return Err(self.error(span.offset(), kind));
        }
        let fields = span.offset().checked_add(skip).zip(extent(span.count(), stride, size));
        let (offset, len) =
            fields.ok_or_else(|| self.out_of_bounds(span.offset(), what, span.count(), stride))?;
        self.take(offset, len, "table")
    }

    /// The error for an output, or an array that belongs to another one, that has `found` instead of `expected`
    /// elements. `offset` is the offset of the array.
    pub const fn length_error(
        &self,
        offset: u64,
        what: &'static str,
        expected: usize,
        found: usize,
    ) -> Error {
        self.error(offset, ErrorKind::Length { what, expected: expected as u64, found: found as u64 })
    }

    /// The error for an index that is not less than `count`.
    pub fn index_error(&self, offset: u64, what: &'static str, index: usize, count: usize) -> Error {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        self.error(offset, ErrorKind::Index { what, index, count: count as u64 })
    }

    /// Checks that the file is not a pointer of Git LFS, if its first bytes are available.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::GitLfsPointer`].
    pub fn refuse_git_lfs_pointer(&self) -> Result<()> {
        if is_git_lfs_pointer(self.rest(0)) {
            return Err(self.error(0, ErrorKind::GitLfsPointer));
        }
        Ok(())
    }

    /// Checks the identifying bytes at `offset`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Magic`] if they are different; otherwise the same as [`take`](Self::take).
    pub fn magic(&self, offset: u64, magic: &[u8], expected: &'static str) -> Result<()> {
        let found = self.take(offset, magic.len() as u64, expected)?;
        if found == magic {
            return Ok(());
        }
        Err(self.error(offset, ErrorKind::Magic { expected, found: Magic::new(found) }))
    }
}
