//! Windows: the bytes, the offset, the stride and the element count of a lens, independent of its encoding.

use core::ops::Range;

use meshlens_wire::{Data, Error, ErrorKind, Expected, Result, Span};

/// The format name in errors about arrays in memory.
pub(crate) const MEMORY: &str = "array";

/// Like [`meshlens_wire::extent`], for memory.
pub(crate) fn extent(len: usize, stride: usize, size: usize) -> Option<usize> {
    usize::try_from(meshlens_wire::extent(len as u64, stride as u64, size as u64)?).ok()
}

pub(crate) fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Bytes that contain a checked number of elements. The size of an element is stored by the owner of the window.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// From the first byte of the first element to the last byte of the last one.
    pub(crate) bytes: &'a [u8],
    /// The format name in errors.
    pub(crate) source: &'static str,
    /// The absolute offset of the first byte.
    pub(crate) offset: u64,
    /// The distance from one element to the next, in bytes.
    pub(crate) stride: usize,
    /// The number of elements.
    pub(crate) len: usize,
}

impl<'a> Window<'a> {
    /// The field of `size` bytes that starts `skip` bytes into every record of a table.
    pub(crate) fn bind(data: Data<'a>, span: Span, skip: usize, size: usize) -> Result<Self> {
        let bytes = data.bind_field(span, skip as u64, size as u64, "bytes of a record")?;
        // Neither value saturates, because the bytes exist.
        let [stride, len] =
            [u64::from(span.stride()), span.count()].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let offset = span.offset().saturating_add(skip as u64);
        let stride = if len == 0 { stride.max(size) } else { stride };
        Ok(Window { bytes, source: data.format(), offset, stride, len })
    }

    /// `len` elements of `size` bytes in memory. The first is at `bytes[0]`, whose absolute offset is `offset`.
    pub(crate) fn new(bytes: &'a [u8], offset: u64, stride: usize, len: usize, size: usize) -> Result<Self> {
        let window = Window { bytes, source: MEMORY, offset, stride, len };
        if stride < size {
            return Err(window.stride_error(stride, size));
        }
        let Some(bytes) = extent(len, stride, size).and_then(|size| bytes.get(..size)) else {
            let end = offset.saturating_add(bytes.len() as u64);
            let kind =
                ErrorKind::OutOfBounds { what: "elements", count: len as u64, size: stride as u64, end };
            return Err(window.error(kind));
        };
        Ok(Window { bytes, ..window })
    }

    /// A window without elements.
    pub(crate) const fn empty(size: usize) -> Self {
        Window { bytes: &[], source: MEMORY, offset: 0, stride: size, len: 0 }
    }

    /// The absolute byte range.
    pub(crate) const fn byte_range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.bytes.len() as u64)
    }

    /// The elements of `range`, each of `size` bytes, or `None` if the range is not inside the window.
    #[inline]
    pub(crate) fn slice(&self, range: Range<usize>, size: usize) -> Option<Self> {
        let len = range.end.checked_sub(range.start)?;
        if range.end > self.len {
            return None;
        }
        if len == 0 {
            return Some(Window { bytes: &[], len, ..*self });
        }
        let start = range.start.checked_mul(self.stride)?;
        let bytes = self.bytes.get(start..)?.get(..extent(len, self.stride, size)?)?;
        Some(Window { bytes, len, offset: self.offset.saturating_add(start as u64), ..*self })
    }

    /// An error at the first byte.
    pub(crate) const fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.source, self.offset, kind)
    }

    /// The error for a length `found` that differs from the number of elements.
    pub(crate) const fn length_error(&self, what: &'static str, found: usize) -> Error {
        self.error(ErrorKind::Length { what, expected: self.len as u64, found: found as u64 })
    }

    /// The error for a stride that is smaller than an element.
    pub(crate) fn stride_error(&self, stride: usize, size: usize) -> Error {
        let expected = Expected::AtLeast(to_i64(size));
        self.error(ErrorKind::Value { what: "stride", expected, found: to_i64(stride) })
    }
}
