//! The lens itself: a proven window of bytes, an element count, a stride and an encoding.

use core::iter::FusedIterator;
use core::ops::Range;

use zerocopy::FromBytes;

use crate::batch::Batches;
use crate::encoding::{Encoding, Native};
use crate::{Error, Level, Result};

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
    offset: u64,
    stride: usize,
    len: usize,
}

/// Bytes from the start of the first element to the end of the last, or `None` on overflow.
fn extent(len: usize, stride: usize, size: usize) -> Option<usize> {
    match len.checked_sub(1) {
        None => Some(0),
        Some(last) => last.checked_mul(stride)?.checked_add(size),
    }
}

impl<'a, E: Encoding> Lens<'a, E> {
    /// A lens onto `len` elements, the first at `bytes[0]`, which lies at absolute `offset` of the file, and each
    /// `stride` bytes after the one before. `None` when they do not all lie inside `bytes`, or when the stride is
    /// smaller than an element.
    pub fn new(encoding: E, bytes: &'a [u8], offset: u64, stride: usize, len: usize) -> Option<Self> {
        if stride < E::SIZE {
            return None;
        }
        let bytes = bytes.get(..extent(len, stride, E::SIZE)?)?;
        Some(Lens { encoding, bytes, offset, stride, len })
    }

    /// A lens onto one field of `len` records, `skip` bytes into each; the first record lies at `records[0]` and at
    /// absolute `offset` of the file. Empty where the fields do not all lie inside `records`.
    pub fn field(
        encoding: E,
        records: &'a [u8],
        offset: u64,
        stride: usize,
        len: usize,
        skip: usize,
    ) -> Self {
        let fields = records.get(skip..);
        let offset = offset.saturating_add(skip as u64);
        fields
            .and_then(|fields| Lens::new(encoding, fields, offset, stride, len))
            .unwrap_or(Lens::empty(encoding))
    }

    /// A lens onto nothing, which lies nowhere.
    pub const fn empty(encoding: E) -> Self {
        Lens { encoding, bytes: &[], offset: 0, stride: E::SIZE, len: 0 }
    }

    /// Number of elements.
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
        meshlens_steps::count(1);
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

    /// Decodes every element into `out`, whose length must be that of the lens.
    ///
    /// With AVX2 or more, outputs of 64 MiB and more are written past the cache, as `memcpy` does with such, where
    /// memory is what limits a kernel.
    pub fn decode_into(&self, out: &mut [E::Value]) -> Result<()> {
        self.decode_into_with(Level::current(), out)
    }

    /// As [`decode_into`](Self::decode_into), with the instructions of `level` whatever the
    /// [current](Level::current) ones are.
    pub fn decode_into_with(&self, level: Level, out: &mut [E::Value]) -> Result<()> {
        if out.len() != self.len {
            return Err(Error::Length { expected: self.len, found: out.len() });
        }
        #[cfg(feature = "steps")]
        meshlens_steps::count(self.len as u64);
        self.encoding.decode_run_at(level, self.bytes, self.stride, out);
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
    pub fn decode_strided(&self, out: &mut [u8], offset: usize, stride: usize) -> Result<()> {
        let size = size_of::<E::Value>();
        if stride < size {
            return Err(Error::Stride { stride, size });
        }
        let error = Error::Extent { count: self.len, size, offset, stride, len: out.len() };
        let end = extent(self.len, stride, size).and_then(|size| offset.checked_add(size)).ok_or(error)?;
        let out = out.get_mut(offset..end).ok_or(error)?;
        for (slot, value) in out.chunks_mut(stride).zip(self.iter()) {
            if let Some(slot) = slot.get_mut(..size) {
                slot.copy_from_slice(bytemuck::bytes_of(&value));
            }
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
