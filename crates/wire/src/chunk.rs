//! Chunks: identifier, size and body, one after another. A chunk may contain chunks.
//!
//! [`Chunks`] reads only headers. A body is a [`Span`], whose bytes are bound when they are needed.

use core::iter::FusedIterator;

use nom::bytes::complete::{tag, take_till};
use nom::number::complete::le_u32;
use nom::sequence::terminated;
use nom::{IResult, Parser};

use crate::text::consumed;
use crate::{Data, Error, ErrorKind, Expected, Limits, Name, Result, Span};

/// The largest number of bytes of a chunk header. It bounds the search for the end of an identifier.
const MAX_CHUNK_HEADER: usize = 260;
/// The size in errors for a longer header.
const TOO_LONG: i64 = MAX_CHUNK_HEADER as i64 + 1;

/// The kind of a chunk, and the numbers of bytes of its header and its body.
struct Header<'a> {
    identifier: Name<'a>,
    size: u64,
    body_size: u64,
}

/// Reads a header, a NUL-terminated identifier and the size of the body as a little-endian `u32`; `None` if it ends
/// after `bytes`.
fn header(bytes: &[u8]) -> Option<Header<'_>> {
    let identifier = terminated(take_till(|byte| byte == 0), tag(&b"\0"[..]));
    let outcome: IResult<&[u8], (&[u8], u32)> = (identifier, le_u32).parse(bytes);
    let (rest, (identifier, body_size)) = outcome.ok()?;
    Some(Header {
        identifier: Name::new(identifier),
        size: consumed(bytes, rest),
        body_size: body_size.into(),
    })
}

/// A chunk: its kind, its location in the file, and its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    identifier: Name<'a>,
    offset: u64,
    body: Span,
    depth: u32,
}

impl<'a> Chunk<'a> {
    /// The kind of the chunk.
    pub const fn identifier(&self) -> Name<'a> {
        self.identifier
    }

    /// The absolute offset of the header.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes after the header, which lie inside the file and inside the chunk around this one.
    pub const fn body(&self) -> Span {
        self.body
    }

    /// The absolute end of the body, where the next chunk begins.
    pub const fn end(&self) -> u64 {
        self.body.byte_range().end
    }

    /// The number of chunks around this one.
    pub const fn depth(&self) -> u32 {
        self.depth
    }
}

/// Iterates over the chunks of a file, or of a chunk.
///
/// Reads only headers. If a header or a body ends after the file, or after the chunk around it, the iterator returns one error
/// with its offset, and then ends.
///
/// ```
/// use meshlens_wire::{Chunks, Data, Limits};
///
/// let file = b"$FLAG\0\x02\0\0\0xy$MESH\0\x09\0\0\0cut";
/// let mut chunks = Chunks::new(Data::new("test", file), 0, &Limits::DEFAULT);
/// let flag = chunks.next().ok_or("no chunk")??;
/// assert_eq!((flag.identifier().as_bytes(), flag.body().byte_range()), (&b"$FLAG"[..], 10..12));
/// let error = chunks.next().and_then(|chunk| chunk.err()).ok_or("no error")?;
/// assert_eq!(error.to_string(), "test: chunk body of 9 bytes at 0x16 end past the file (0x19)");
/// assert!(chunks.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Chunks<'a> {
    data: Data<'a>,
    offset: u64,
    depth: u32,
    max_depth: u32,
    is_over: bool,
}

impl<'a> Chunks<'a> {
    /// The chunks from absolute `offset` to the end of the file. Each has a header: its identifier with a NUL after it,
    /// of at most 256 bytes, and the size of its body as a little-endian `u32`.
    pub const fn new(data: Data<'a>, offset: u64, limits: &Limits) -> Self {
        Chunks { data, offset, depth: 0, max_depth: limits.depth, is_over: false }
    }

    /// The chunks inside `chunk`, the first at absolute `offset`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if the chunks are deeper than the limit; [`ErrorKind::OutOfChunk`] if the offset does not lie in the
    /// body.
    pub fn inside(&self, chunk: &Chunk<'a>, offset: u64) -> Result<Self> {
        let data = self.data;
        let depth = chunk.depth.checked_add(1).filter(|depth| *depth <= self.max_depth);
        let depth = depth.ok_or_else(|| {
            let (limit, found) = (self.max_depth.into(), u64::from(chunk.depth).saturating_add(1));
            data.error(offset, ErrorKind::Limit { what: "depth of chunks", limit, found })
        })?;
        if offset < chunk.body.offset() || offset > chunk.end() {
            return Err(data.within(chunk.end()).out_of_bounds(offset, "chunk", 1, 0));
        }
        Ok(Chunks { data: data.within(chunk.end()), offset, depth, is_over: false, ..*self })
    }

    /// The absolute offset of the next header.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn read(&self) -> Result<Chunk<'a>> {
        // The next chunk begins at most at the end of the file.
        let room = self.data.file_len().saturating_sub(self.offset);
        let wanted = usize::try_from(room).unwrap_or(usize::MAX).min(MAX_CHUNK_HEADER);
        let rest = self.data.rest(self.offset);
        let window = rest.get(..wanted).unwrap_or(rest);
        let Some(header) = header(window) else {
            return Err(self.cut_short(window.len(), wanted));
        };
        let start = self.offset.checked_add(header.size);
        let start =
            start.ok_or_else(|| self.data.out_of_bounds(self.offset, "chunk header", 1, header.size))?;
        // An error names the body, not its bytes one by one.
        let body = self.data.span(start, header.body_size, 1, "chunk body");
        let body = body.map_err(|_| self.data.out_of_bounds(start, "chunk body", 1, header.body_size))?;
        Ok(Chunk { identifier: header.identifier, offset: self.offset, body, depth: self.depth })
    }

    /// The error for a window of `here` of `wanted` bytes that has no whole header: the header needs more bytes than
    /// are available, than the file has, or than a header may have.
    fn cut_short(&self, here: usize, wanted: usize) -> Error {
        if here < wanted {
            // The window ends inside the file, before the end of the wanted bytes.
            let end = self.offset.saturating_add(here as u64);
            let needed = end.saturating_add(1);
            let available = if here > 0 { end } else { end.min(self.data.available_at(end)) };
            return self.data.error(self.offset, ErrorKind::Incomplete { needed, available });
        }
        if wanted == MAX_CHUNK_HEADER {
            let expected = Expected::AtMost(MAX_CHUNK_HEADER as i64);
            let found = TOO_LONG;
            return self
                .data
                .error(self.offset, ErrorKind::Value { what: "bytes of a chunk header", expected, found });
        }
        // A header needs at least one byte more than there are.
        self.data.out_of_bounds(self.offset, "chunk header", 1, (wanted as u64).saturating_add(1))
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over || self.offset >= self.data.file_len() {
            self.is_over = true;
            return None;
        }
        let chunk = self.read();
        match &chunk {
            Ok(chunk) => self.offset = chunk.end(),
            Err(_) => self.is_over = true,
        }
        Some(chunk)
    }
}

impl FusedIterator for Chunks<'_> {}
