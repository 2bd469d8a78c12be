//! A checked reader of headers, from front to back. Only this module uses parsers of nom.

use nom::number::complete as number;
use nom::{IResult, Parser};

use crate::{Data, Error, ErrorKind, Expected, Name, Record, Result, SmallSpan, Span};

/// Reads values one after another, and tracks the absolute offset of the next one. A failed read does not move the
/// cursor.
///
/// ```
/// use meshlens_wire::Cursor;
///
/// let mut cursor = Cursor::new("unreal", &[2, 0, 0xb8, 0x0b]);
/// assert_eq!(cursor.u16("frames")?, 2);
/// assert_eq!(cursor.u16("frame size")?, 3000);
/// assert_eq!(cursor.u8("vertex").unwrap_err().to_string(), "unreal: vertex of 1 bytes at 0x4 end past the file (0x4)");
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    data: Data<'a>,
    rest: &'a [u8],
    /// The absolute end of `rest`.
    end: u64,
}

macro_rules! numbers {
    ($($name:ident: $type:ty = $parser:ident),* $(,)?) => {$(
        #[doc = concat!("The next little-endian `", stringify!($type), "`.")]
        ///
        /// # Errors
        ///
        /// Same as [`Data::take`].
        pub fn $name(&mut self, what: &'static str) -> Result<$type> {
            self.run(what, size_of::<$type>() as u64, number::$parser::<&'a [u8], nom::error::Error<&'a [u8]>>)
        }
    )*};
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of a whole file.
    pub const fn new(format: &'static str, bytes: &'a [u8]) -> Self {
        Cursor { data: Data::new(format, bytes), rest: bytes, end: bytes.len() as u64 }
    }

    /// A cursor at an absolute offset of `data`. The bytes from there on do not have to be available, but reading
    /// missing bytes is an error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] or [`ErrorKind::OutOfChunk`] if the offset is after the end of the file or the chunk.
    pub fn at(data: Data<'a>, offset: u64) -> Result<Self> {
        if offset > data.file_len() {
            return Err(data.out_of_bounds(offset, "offset", 1, 0));
        }
        let rest = data.rest(offset);
        // The rest ends inside the file.
        Ok(Cursor { data, rest, end: offset.saturating_add(rest.len() as u64) })
    }

    /// The file that this cursor reads.
    pub const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The absolute offset of the next byte.
    pub const fn offset(&self) -> u64 {
        // The rest ends there.
        self.end.saturating_sub(self.rest.len() as u64)
    }

    /// The number of bytes from this offset to the end of the file or the chunk, including missing bytes.
    pub const fn remaining(&self) -> u64 {
        self.data.file_len().saturating_sub(self.offset())
    }

    /// The available bytes from this offset on, up to the first gap.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// An error of this format at this offset.
    pub const fn error(&self, kind: ErrorKind) -> Error {
        self.data.error(self.offset(), kind)
    }

    fn run<O, P>(&mut self, what: &'static str, size: u64, mut parser: P) -> Result<O>
    where
        P: Parser<&'a [u8], Output = O, Error = nom::error::Error<&'a [u8]>>,
    {
        crate::steps::count(1);
        let outcome: IResult<&'a [u8], O> = parser.parse(self.rest);
        match outcome {
            Ok((rest, value)) => {
                self.rest = rest;
                Ok(value)
            }
            // Parsers of fixed size fail only if there are too few bytes.
            Err(_) => Err(self.short(what, 1, size)),
        }
    }

    pub(crate) fn short(&self, what: &'static str, count: u64, size: u64) -> Error {
        let needed = count.checked_mul(size).and_then(|size| self.offset().checked_add(size));
        match needed {
            Some(needed) if needed <= self.data.file_len() => self.data.incomplete(self.offset(), needed),
            _ => self.data.out_of_bounds(self.offset(), what, count, size),
        }
    }

    numbers! {
        u8: u8 = le_u8, i8: i8 = le_i8,
        u16: u16 = le_u16, i16: i16 = le_i16,
        u32: u32 = le_u32, i32: i32 = le_i32,
        u64: u64 = le_u64, i64: i64 = le_i64,
        f32: f32 = le_f32,
    }

    /// The next little-endian `i32` as a count or an offset. The errors have the offset of the field.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] if it is negative; otherwise the same as [`Data::take`].
    pub fn count_i32(&mut self, what: &'static str) -> Result<u32> {
        let mut ahead = *self;
        let value = ahead.i32(what)?;
        let count = u32::try_from(value).map_err(|_| {
            self.error(ErrorKind::Value { what, expected: Expected::AtLeast(0), found: i64::from(value) })
        })?;
        *self = ahead;
        Ok(count)
    }

    /// The next `size` bytes.
    ///
    /// # Errors
    ///
    /// Same as [`Data::take`].
    pub fn take(&mut self, size: u64, what: &'static str) -> Result<&'a [u8]> {
        let Ok(count) = usize::try_from(size) else { return Err(self.short(what, 1, size)) };
        self.run(what, size, nom::bytes::complete::take(count))
    }

    /// The next record.
    ///
    /// # Errors
    ///
    /// Same as [`Data::take`].
    pub fn record<T: Record>(&mut self, what: &'static str) -> Result<T> {
        self.take(T::SIZE as u64, what).map(T::read)
    }

    /// Skips `count` elements of `stride` bytes, which do not have to be available.
    ///
    /// # Errors
    ///
    /// Same as [`Data::span`].
    pub fn span(&mut self, count: u64, stride: u32, what: &'static str) -> Result<Span> {
        let span = self.data.span(self.offset(), count, stride, what)?;
        match usize::try_from(span.size()).ok().and_then(|size| self.rest.get(size..)) {
            Some(rest) => self.rest = rest,
            None => *self = Cursor::at(self.data, span.byte_range().end)?,
        }
        Ok(span)
    }

    /// Like [`span`](Self::span), for a [`SmallSpan`].
    ///
    /// # Errors
    ///
    /// Same as [`Data::span`].
    pub fn small_span(&mut self, count: u32, stride: u32, what: &'static str) -> Result<SmallSpan> {
        let span = self.data.small_span(self.offset(), count, stride, what)?;
        self.span(count.into(), stride, what)?;
        Ok(span)
    }

    /// The next NUL-terminated text, without its NUL. Skips the NUL.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unterminated`] if there is no NUL before the end of the file or the chunk;
    /// [`ErrorKind::Incomplete`] if there is none in the available bytes.
    pub fn nul_terminated(&mut self, what: &'static str) -> Result<Name<'a>> {
        let outcome: IResult<&'a [u8], &'a [u8]> =
            nom::bytes::complete::take_till(|byte| byte == 0)(self.rest);
        crate::steps::count(outcome.as_ref().map_or(1, |(_, text)| (text.len() as u64).saturating_add(1)));
        if let Ok((rest, text)) = outcome
            && let Some(rest) = rest.get(1..)
        {
            self.rest = rest;
            return Ok(Name::new(text));
        }
        if self.data.file_len() > self.end {
            return Err(self.short(what, 1, (self.rest.len() as u64).saturating_add(1)));
        }
        Err(self.error(ErrorKind::Unterminated { what }))
    }
}
