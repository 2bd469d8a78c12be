//! The lens: a checked window of bytes, an element count, a stride and an encoding.

use core::ops::Range;

use meshlens_wire::{Data, Error, ErrorKind, Expected, Presence, Result, Span};

use crate::Level;
use crate::encoding::{Encoding, Internal, Native, read_prefix};
use crate::window::{Window, extent, to_i64};

/// A borrowed window onto an encoded array in a file.
///
/// `E` is the encoding of one element and determines the decoded type. A lens is `Copy`. It reads bytes only when a
/// method decodes them, and never allocates. Methods that write to an output check its length first and leave it
/// unchanged after an error.
///
/// Elements may have gaps between them: a lens onto MD3 positions has a stride of 8 and elements of 6 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lens<'a, E> {
    encoding: E,
    window: Window<'a>,
}

/// The number of elements that are decoded at a time before they are copied with a stride.
const STRIDED_BLOCK: usize = 64;

impl<'a, E: Encoding> Lens<'a, E> {
    /// Makes a lens onto one field of every record of a table. The field starts `skip` bytes into the record.
    ///
    /// ```
    /// use meshlens_lens::{Lens, encoding::U16};
    /// use meshlens_wire::Data;
    ///
    /// let data = Data::new("test", &[9, 9, 1, 0, 9, 9, 2, 0]);
    /// let records = data.span(0, 2, 4, "records")?;
    /// assert!(Lens::bind(data, records, 2, U16::<1>)?.iter().eq([1, 2]));
    /// assert!(Lens::bind(data, records, 3, U16::<1>).is_err(), "the field ends after its record");
    /// # Ok::<(), meshlens_lens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The field is not inside its record, or bytes of the table are missing, as in [`Data::bind`].
    pub fn bind(data: Data<'a>, span: Span, skip: usize, encoding: E) -> Result<Self> {
        Ok(Lens { encoding, window: Window::bind(data, span, skip, E::SIZE)? })
    }

    /// Like [`bind`](Self::bind), for a getter of a document that is [`Complete`](crate::Complete) or
    /// [`Partial`](crate::Partial): in a complete document, the table and the field have already been checked.
    pub fn bind_in<P: Presence>(data: Data<'a>, span: Span, skip: usize, encoding: E) -> P::Of<Self> {
        P::read(Self::bind(data, span, skip, encoding), || Lens::empty(encoding))
    }

    /// The same elements, decoded in another way.
    pub(crate) const fn with_encoding<F: Encoding<Raw = E::Raw>>(&self, encoding: F) -> Lens<'a, F> {
        Lens { encoding, window: self.window }
    }

    /// Makes a lens onto `len` elements. The first is at `bytes[0]`, and each starts `stride` bytes after the previous
    /// one. `offset` is the absolute offset of `bytes[0]` in its file, or 0 for memory without a file.
    ///
    /// # Errors
    ///
    /// The elements are not all inside `bytes`, or the stride is smaller than an element.
    pub fn new(encoding: E, bytes: &'a [u8], offset: u64, stride: usize, len: usize) -> Result<Self> {
        Ok(Lens { encoding, window: Window::new(bytes, offset, stride, len, E::SIZE)? })
    }

    /// Makes a lens without elements.
    pub const fn empty(encoding: E) -> Self {
        Lens { encoding, window: Window::empty(E::SIZE) }
    }

    /// Makes a lens onto a window whose elements are known to have the size of this encoding.
    pub(crate) const fn of_window(encoding: E, window: Window<'a>) -> Self {
        Lens { encoding, window }
    }

    /// The window, without the encoding.
    pub(crate) const fn window(&self) -> Window<'a> {
        self.window
    }

    /// The name of the file format, as it appears in errors.
    pub const fn source(&self) -> &'static str {
        self.window.source
    }

    /// The error for a length `found` that differs from the length of this lens.
    pub(crate) const fn length_error(&self, what: &'static str, found: usize) -> Error {
        self.window.length_error(what, found)
    }

    /// The number of elements.
    pub const fn len(&self) -> usize {
        self.window.len
    }

    /// Whether there are no elements.
    pub const fn is_empty(&self) -> bool {
        self.window.len == 0
    }

    /// The distance from one element to the next, in bytes.
    pub const fn stride(&self) -> usize {
        self.window.stride
    }

    /// The encoding of the elements.
    pub const fn encoding(&self) -> E {
        self.encoding
    }

    /// The absolute byte range of the window in the file.
    pub const fn byte_range(&self) -> Range<u64> {
        self.window.byte_range()
    }

    /// The encoded bytes, from the first byte of the first element to the last byte of the last one, including any gaps
    /// between elements.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.window.bytes
    }

    /// Element `index`, still encoded, or `None` if the index is out of range.
    pub fn get_raw(&self, index: usize) -> Option<E::Raw> {
        meshlens_wire::steps::count(1);
        let start = index.checked_mul(self.window.stride)?;
        // The window ends with the last element, so there are no bytes for an index out of range.
        read_prefix(self.window.bytes.get(start..)?)
    }

    /// Element `index`, decoded, or `None` if the index is out of range.
    pub fn get(&self, index: usize) -> Option<E::Value> {
        if index >= self.window.len {
            return None;
        }
        self.get_raw(index).map(|raw| self.encoding.decode(raw))
    }

    /// The elements of `range`, or `None` if the range is not inside the lens.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        Some(Lens { window: self.window.slice(range, E::SIZE)?, ..*self })
    }

    /// The elements before `index` and the other elements, or `None` if `index` is greater than the length.
    pub fn split_at(&self, index: usize) -> Option<(Self, Self)> {
        Some((self.slice(0..index)?, self.slice(index..self.window.len)?))
    }

    /// Decodes every element into `out`. O(elements).
    ///
    /// With AVX2 and higher levels, memory-bound kernels write outputs of 64 MiB and more past the cache, like
    /// `memcpy`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have as many values as the lens has elements. `out` is then unchanged.
    pub fn decode_into(&self, out: &mut [E::Value]) -> Result<()> {
        self.decode_into_with(Level::current(), out)
    }

    /// Like [`decode_into`](Self::decode_into), with the instructions of `level` instead of the
    /// [current](Level::current) level.
    pub fn decode_into_with(&self, level: Level, out: &mut [E::Value]) -> Result<()> {
        if out.len() != self.window.len {
            return Err(self.length_error("elements of the output", out.len()));
        }
        meshlens_wire::steps::count(self.window.len as u64);
        self.encoding.decode_run(self.window, level, out, Internal);
        Ok(())
    }

    /// Decodes every element into bytes: element `i` goes to `out[offset + i * stride..]` in native byte order, and the
    /// bytes between elements are unchanged. This fills one attribute of an interleaved vertex buffer.
    ///
    /// ```
    /// use meshlens_lens::{Lens, encoding::U8};
    ///
    /// let lens = Lens::new(U8::<2>, &[1, 2, 3, 4], 0, 2, 2)?;
    /// let mut out = [0xee; 8];
    /// lens.decode_strided(&mut out, 1, 4)?;
    /// assert_eq!(out, [0xee, 1, 2, 0xee, 0xee, 3, 4, 0xee]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The stride is smaller than a value, or `out` ends before the last value. `out` is then unchanged.
    pub fn decode_strided(&self, out: &mut [u8], offset: usize, stride: usize) -> Result<()> {
        self.decode_strided_with(Level::current(), out, offset, stride)
    }

    /// Like [`decode_strided`](Self::decode_strided), with the instructions of `level`.
    pub fn decode_strided_with(
        &self,
        level: Level,
        out: &mut [u8],
        offset: usize,
        stride: usize,
    ) -> Result<()> {
        let size = size_of::<E::Value>();
        if stride < size {
            return Err(self.window.stride_error(stride, size));
        }
        let found = out.len();
        let end = extent(self.window.len, stride, size).and_then(|size| offset.checked_add(size));
        let Some(mut out) = end.and_then(|end| out.get_mut(offset..end)) else {
            let expected = Expected::AtLeast(to_i64(end.unwrap_or(usize::MAX)));
            let kind = ErrorKind::Value { what: "bytes of the output", expected, found: to_i64(found) };
            return Err(self.window.error(kind));
        };
        let mut values = [bytemuck::Zeroable::zeroed(); STRIDED_BLOCK];
        let mut rest = *self;
        while !rest.is_empty() {
            let len = rest.len().min(STRIDED_BLOCK);
            let (Some((head, tail)), Some(values)) = (rest.split_at(len), values.get_mut(..len)) else {
                break;
            };
            head.encoding.decode_run(head.window, level, values, Internal);
            let taken = len.saturating_mul(stride).min(out.len());
            let (slots, after) = core::mem::take(&mut out).split_at_mut(taken);
            for (slot, value) in slots.chunks_mut(stride).zip(values) {
                if let Some(slot) = slot.get_mut(..size) {
                    slot.copy_from_slice(bytemuck::bytes_of(value));
                }
            }
            (rest, out) = (tail, after);
        }
        Ok(())
    }

    /// Borrows the elements from the file as a slice of values. `None` unless the elements are packed, the bytes are
    /// aligned and the machine is little-endian. Available only for encodings whose stored bytes are the value
    /// ([`Native`]).
    pub fn as_values(&self) -> Option<&'a [E::Value]>
    where
        E: Native,
    {
        if cfg!(target_endian = "big") || self.window.stride != size_of::<E::Value>() {
            return None;
        }
        bytemuck::try_cast_slice(self.window.bytes).ok()
    }
}
