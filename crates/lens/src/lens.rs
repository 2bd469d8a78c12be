//! The lens itself: a proven window of bytes, an element count, a stride and an encoding.

use core::iter::FusedIterator;
use core::ops::Range;

use zerocopy::FromBytes;

use meshlens_wire::{Data, Error, ErrorKind, Expected, Result, Span};

use crate::Level;
use crate::batch::Batches;
use crate::encoding::{Encoding, Internal, Native};

/// A borrowed window onto an array that lies encoded in a file.
///
/// `E` says how one element is encoded and what it decodes to. A lens is `Copy`, reads nothing until asked, and no
/// call on it allocates. The calls that take an output check its length first and write nothing on an error.
///
/// Elements need not be packed: a lens onto MD3 positions has a stride of 8 and elements of 6 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lens<'a, E> {
    encoding: E,
    /// From the first byte of the first element to the last byte of the last one, no further.
    bytes: &'a [u8],
    /// The name of the file's format, for errors.
    source: &'static str,
    offset: u64,
    stride: usize,
    len: usize,
}

/// What errors name as the format of an array that no file has.
pub(crate) const MEMORY: &str = "array";

/// [`meshlens_wire::extent`] in memory.
pub(crate) fn extent(len: usize, stride: usize, size: usize) -> Option<usize> {
    usize::try_from(meshlens_wire::extent(len as u64, stride as u64, size as u64)?).ok()
}

/// Elements that are decoded at a time before they are spread out.
const STRIDED_BLOCK: usize = 64;

pub(crate) fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The error that a stride is smaller than an element.
pub(crate) fn stride_error(source: &'static str, offset: u64, stride: usize, size: usize) -> Error {
    let expected = Expected::AtLeast(to_i64(size));
    Error::new(source, offset, ErrorKind::Value { what: "stride", expected, found: to_i64(stride) })
}

impl<'a, E: Encoding> Lens<'a, E> {
    /// A lens onto a table of a file: one field of each of its records, `skip` bytes into the record.
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
    /// A field that does not lie inside its record; bytes that are not there, as [`Data::bind`].
    pub fn bind(data: Data<'a>, span: Span, skip: usize, encoding: E) -> Result<Self> {
        let bytes = data.bind_field(span, skip as u64, E::SIZE as u64, "bytes of a record")?;
        // Neither saturates: the bytes are there.
        let [stride, len] =
            [u64::from(span.stride()), span.count()].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let offset = span.offset().saturating_add(skip as u64);
        let stride = if len == 0 { stride.max(E::SIZE) } else { stride };
        Ok(Lens { encoding, bytes, source: data.format(), offset, stride, len })
    }

    /// A lens onto `len` elements, the first at `bytes[0]` and each `stride` bytes after the one before. `offset` is
    /// the absolute offset in the file of `bytes[0]`, or 0 for memory that no file has.
    ///
    /// # Errors
    ///
    /// Elements that do not all lie inside `bytes`; a stride smaller than an element.
    pub fn new(encoding: E, bytes: &'a [u8], offset: u64, stride: usize, len: usize) -> Result<Self> {
        if stride < E::SIZE {
            return Err(stride_error(MEMORY, offset, stride, E::SIZE));
        }
        let window = extent(len, stride, E::SIZE).and_then(|size| bytes.get(..size));
        let Some(bytes) = window else {
            let end = offset.saturating_add(bytes.len() as u64);
            let kind =
                ErrorKind::OutOfBounds { what: "elements", count: len as u64, size: stride as u64, end };
            return Err(Error::new(MEMORY, offset, kind));
        };
        Ok(Lens { encoding, bytes, source: MEMORY, offset, stride, len })
    }

    /// A lens onto no elements.
    pub const fn empty(encoding: E) -> Self {
        Lens { encoding, bytes: &[], source: MEMORY, offset: 0, stride: E::SIZE, len: 0 }
    }

    /// A lens of parts that another lens has proven.
    pub(crate) const fn from_parts(
        encoding: E,
        bytes: &'a [u8],
        source: &'static str,
        offset: u64,
        stride: usize,
        len: usize,
    ) -> Self {
        Lens { encoding, bytes, source, offset, stride, len }
    }

    /// The name of the format of the file that the array lies in, as errors give it.
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// The error that something that must be as long as this lens is not.
    pub(crate) const fn length_error(&self, what: &'static str, found: usize) -> Error {
        let kind = ErrorKind::Length { what, expected: self.len as u64, found: found as u64 };
        Error::new(self.source, self.offset, kind)
    }

    /// The number of elements.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes from one element to the next.
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// How an element is encoded.
    pub const fn encoding(&self) -> E {
        self.encoding
    }

    /// Where in the file the window lies, as absolute byte offsets.
    pub const fn byte_range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.bytes.len() as u64)
    }

    /// The window as it lies: from the first byte of the first element to the last byte of the last one, with
    /// whatever lies between elements when the stride is larger than an element.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Element `index` as it lies in the file, or `None` past the end.
    pub fn get_raw(&self, index: usize) -> Option<E::Raw> {
        #[cfg(feature = "steps")]
        meshlens_wire::steps::count(1);
        let start = index.checked_mul(self.stride)?;
        // The window ends with the last element, so an index past the end finds no bytes.
        let (raw, _) = E::Raw::read_from_prefix(self.bytes.get(start..)?).ok()?;
        Some(raw)
    }

    /// Element `index`, decoded, or `None` past the end.
    pub fn get(&self, index: usize) -> Option<E::Value> {
        if index >= self.len {
            return None;
        }
        self.get_raw(index).map(|raw| self.encoding.decode(raw))
    }

    /// Each element, decoded one at a time, from either end.
    pub const fn iter(&self) -> Iter<'a, E> {
        Iter { lens: *self, range: 0..self.len }
    }

    /// The elements of `range`, or `None` where the lens has fewer.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let len = range.end.checked_sub(range.start)?;
        if range.end > self.len {
            return None;
        }
        if len == 0 {
            return Some(Lens { bytes: &[], len, ..*self });
        }
        let start = range.start.checked_mul(self.stride)?;
        let bytes = self.bytes.get(start..)?.get(..extent(len, self.stride, E::SIZE)?)?;
        Some(Lens { bytes, len, offset: self.offset.saturating_add(start as u64), ..*self })
    }

    /// The elements before `index` and those from it on, or `None` past the end.
    pub fn split_at(&self, index: usize) -> Option<(Self, Self)> {
        Some((self.slice(0..index)?, self.slice(index..self.len)?))
    }

    /// The elements as structures of arrays, `N` at a time; the last batch may be shorter.
    pub fn batches<const N: usize>(&self) -> Batches<'a, E, N> {
        Batches::new(*self)
    }

    /// Decodes every element into `out`. O(elements).
    ///
    /// With AVX2 or more, outputs of 64 MiB and more are written past the cache, as `memcpy` does with such, where
    /// memory is what limits a kernel.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] unless `out` has as many values as the lens has elements; nothing is written then.
    pub fn decode_into(&self, out: &mut [E::Value]) -> Result<()> {
        self.decode_into_with(Level::current(), out)
    }

    /// As [`decode_into`](Self::decode_into), with the instructions of `level` whatever the
    /// [current](Level::current) ones are.
    pub fn decode_into_with(&self, level: Level, out: &mut [E::Value]) -> Result<()> {
        if out.len() != self.len {
            return Err(self.length_error("elements of the output", out.len()));
        }
        #[cfg(feature = "steps")]
        meshlens_wire::steps::count(self.len as u64);
        E::decode_run(*self, level, out, Internal);
        Ok(())
    }

    /// Decodes every element into bytes: element `i` goes to `out[offset + i * stride..]` in native byte order,
    /// and the bytes between stay as they are. This is how one attribute of an interleaved vertex buffer is filled.
    ///
    /// ```
    /// use meshlens_lens::{Lens, encoding::U8};
    ///
    /// let lens = Lens::new(U8::<2>, &[1, 2, 3, 4], 0, 2, 2).unwrap();
    /// let mut out = [0xee; 8];
    /// lens.decode_strided(&mut out, 1, 4)?;
    /// assert_eq!(out, [0xee, 1, 2, 0xee, 0xee, 3, 4, 0xee]);
    /// # Ok::<(), meshlens_lens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A stride smaller than a value, or an output that ends before the last value does; nothing is written then.
    pub fn decode_strided(&self, out: &mut [u8], offset: usize, stride: usize) -> Result<()> {
        self.decode_strided_with(Level::current(), out, offset, stride)
    }

    /// As [`decode_strided`](Self::decode_strided), with the instructions of `level`.
    pub fn decode_strided_with(
        &self,
        level: Level,
        out: &mut [u8],
        offset: usize,
        stride: usize,
    ) -> Result<()> {
        let size = size_of::<E::Value>();
        if stride < size {
            return Err(stride_error(self.source, self.offset, stride, size));
        }
        let found = out.len();
        let end = extent(self.len, stride, size).and_then(|size| offset.checked_add(size));
        let Some(mut out) = end.and_then(|end| out.get_mut(offset..end)) else {
            let expected = Expected::AtLeast(to_i64(end.unwrap_or(usize::MAX)));
            let kind = ErrorKind::Value { what: "bytes of the output", expected, found: to_i64(found) };
            return Err(Error::new(self.source, self.offset, kind));
        };
        let mut values = [bytemuck::Zeroable::zeroed(); STRIDED_BLOCK];
        let mut rest = *self;
        while !rest.is_empty() {
            let len = rest.len.min(STRIDED_BLOCK);
            let (Some((head, tail)), Some(values)) = (rest.split_at(len), values.get_mut(..len)) else {
                break;
            };
            E::decode_run(head, level, values, Internal);
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

    /// The elements as a slice of values, borrowed from the file: possible where an element is stored as it is
    /// decoded, elements are packed, the machine is little-endian, and the bytes happen to be aligned.
    pub fn as_values(&self) -> Option<&'a [E::Value]>
    where
        E: Native,
    {
        if cfg!(target_endian = "big") || self.stride != size_of::<E::Value>() {
            return None;
        }
        bytemuck::try_cast_slice(self.bytes).ok()
    }
}

impl<'a, E: Encoding> IntoIterator for Lens<'a, E> {
    type Item = E::Value;
    type IntoIter = Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, E: Encoding> IntoIterator for &Lens<'a, E> {
    type Item = E::Value;
    type IntoIter = Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Decodes one element after another, from either end.
#[derive(Clone, Debug)]
pub struct Iter<'a, E> {
    lens: Lens<'a, E>,
    range: Range<usize>,
}

impl<E: Encoding> Iterator for Iter<'_, E> {
    type Item = E::Value;

    fn next(&mut self) -> Option<E::Value> {
        self.lens.get(self.range.next()?)
    }

    fn nth(&mut self, n: usize) -> Option<E::Value> {
        self.lens.get(self.range.nth(n)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<E: Encoding> DoubleEndedIterator for Iter<'_, E> {
    fn next_back(&mut self) -> Option<E::Value> {
        self.lens.get(self.range.next_back()?)
    }
}

impl<E: Encoding> ExactSizeIterator for Iter<'_, E> {}
impl<E: Encoding> FusedIterator for Iter<'_, E> {}
