//! Index buffers: indices converted, reversed in winding and checked, in one pass.

use bytemuck::Pod;
use meshlens_wire::{Error, ErrorKind, Expected, Result};

use crate::encoding::{I32, IndexU8, IndexU16, U8, U16, U32};
use crate::lens::to_i64;
use crate::simd::index_copy;
use crate::{AnyLens, Encoding, IndexBufferLayout, IndexFormat, Lens, Level};

/// Encodings of indices, with one to four indices to the element. 32-bit indices are compared as unsigned numbers: a
/// negative index is larger than any valid one.
pub trait Indices: Encoding {
    /// The unsigned integer type of one index.
    type Stored: Index;
    /// The number of indices in an element.
    const COUNT: usize;
    /// Whether errors show indices as signed numbers.
    const SIGNED: bool = false;
}

/// An unsigned integer type of indices: `u8`, `u16` or `u32`.
pub trait Index: Pod + Ord + sealed::Sealed {
    /// Keeps the lowest bits of `index`.
    fn from_u32(index: u32) -> Self;
    /// Extends the index to 32 bits.
    fn to_u32(self) -> u32;
    /// Reads an index from little-endian bytes.
    #[doc(hidden)]
    fn read(bytes: &[u8]) -> Self;
    /// Writes the index in native byte order.
    #[doc(hidden)]
    fn write(self, bytes: &mut [u8]);
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! index {
    ($($integer:ident)*) => {$(
        impl sealed::Sealed for $integer {}

        impl Index for $integer {
            #[inline]
            fn from_u32(index: u32) -> Self {
                index as $integer
            }

            #[inline]
            fn to_u32(self) -> u32 {
                u32::from(self)
            }

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(0, |bytes| $integer::from_le_bytes(*bytes))
            }

            #[inline]
            fn write(self, bytes: &mut [u8]) {
                if let Some(bytes) = bytes.first_chunk_mut() {
                    *bytes = self.to_ne_bytes();
                }
            }
        }
    )*};
}

index!(u8 u16 u32);

macro_rules! indices {
    ($($encoding:ident $stored:ident $signed:literal: $($count:literal)*;)*) => {$($(
        impl Indices for $encoding<$count> {
            type Stored = $stored;
            const COUNT: usize = $count;
            const SIGNED: bool = $signed;
        }
    )*)*};
}

indices! {
    U8 u8 false: 1 2 3 4;
    U16 u16 false: 1 2 3 4;
    U32 u32 false: 1 2 3 4;
    I32 u32 true: 1 2 3 4;
    IndexU8 u8 false: 1 2 3 4;
    IndexU16 u16 false: 1 2 3 4;
}

impl<E: Indices> Lens<'_, E> {
    /// The largest index, or `None` if there are no elements. O(indices).
    pub fn max_index(&self) -> Option<u32> {
        self.max_index_with(Level::current())
    }

    pub(crate) fn max_index_with(&self, level: Level) -> Option<u32> {
        self.erased().max_index(level)
    }

    /// Checks that every index is below `count`. O(indices).
    ///
    /// ```
    /// use meshlens_lens::{Lens, encoding::U16};
    ///
    /// let triangles = Lens::new(U16::<3>, &[0, 0, 1, 0, 2, 0], 100, 6, 1)?;
    /// assert!(triangles.check_below(3, "vertex").is_ok());
    /// let error = triangles.check_below(2, "vertex").unwrap_err();
    /// assert_eq!(error.to_string(), "array: vertex 2; there are 2 (0 to 1) at 0x68");
    /// # Ok::<(), meshlens_lens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for the first index that is not below `count`, at its absolute offset. The error calls the
    /// index `what`.
    pub fn check_below(&self, count: usize, what: &'static str) -> Result<()> {
        let indices = self.erased();
        indices.check_largest(indices.max_index(Level::current()), count as u64, what)
    }

    /// Writes an index buffer in native byte order, in one pass: converts, reverses and checks indices as `layout`
    /// says. Returns the largest index, or `None` if there are no elements. O(indices).
    ///
    /// ```
    /// use meshlens_lens::{IndexBufferLayout, IndexFormat, Lens, encoding::I32};
    ///
    /// let bytes = [0, 1, 2, 2, 1, 3].map(i32::to_le_bytes);
    /// let triangles = Lens::new(I32::<3>, bytes.as_flattened(), 0, 12, 2)?;
    /// let layout = IndexBufferLayout::new(IndexFormat::Uint16).flipped();
    /// let mut out = [0; 12];
    /// assert_eq!(triangles.indices_into(layout.below(4, "vertex"), &mut out)?, Some(3));
    /// assert_eq!(out.as_chunks().0, [0u16, 2, 1, 2, 3, 1].map(u16::to_ne_bytes));
    /// assert!(triangles.indices_into(layout.below(3, "vertex"), &mut out).is_err());
    /// # Ok::<(), meshlens_lens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have room for exactly all indices, and [`ErrorKind::Value`] if the
    /// winding is to be reversed and the number of indices is not a multiple of 3; `out` is then unchanged.
    /// [`ErrorKind::Index`], with its absolute offset, for the first index that does not fit in the format or is not
    /// below the layout's count; the content of `out` is then unspecified.
    pub fn indices_into(&self, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        let size = match layout.format {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        };
        self.erased().write(size, layout, out)
    }

    /// Like [`indices_into`](Self::indices_into), to a slice of integers and in the stored order.
    ///
    /// ```
    /// use meshlens_lens::{Lens, encoding::U16};
    ///
    /// let triangles = Lens::new(U16::<3>, &[0, 0, 1, 0, 2, 0], 0, 6, 1)?;
    /// let mut out = [0u32; 3];
    /// assert_eq!(triangles.widen_into(&mut out)?, Some(2));
    /// assert_eq!(out, [0, 1, 2]);
    /// # Ok::<(), meshlens_lens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`indices_into`](Self::indices_into).
    pub fn widen_into<T: Index>(&self, out: &mut [T]) -> Result<Option<u32>> {
        self.widen_into_with(Level::current(), out)
    }

    pub(crate) fn widen_into_with<T: Index>(&self, level: Level, out: &mut [T]) -> Result<Option<u32>> {
        let layout = IndexBufferLayout::new(IndexFormat::Uint32).with_level(level);
        self.erased().write(size_of::<T>(), layout, bytemuck::cast_slice_mut(out))
    }

    fn erased(&self) -> Stored<'_> {
        Stored {
            bytes: self.as_bytes(),
            source: self.source(),
            offset: self.byte_range().start,
            len: self.len(),
            stride: self.stride(),
            components: E::COUNT,
            size: size_of::<E::Stored>(),
            is_signed: E::SIGNED,
        }
    }
}

impl AnyLens<'_> {
    /// Writes an index buffer, like [`Lens::indices_into`].
    ///
    /// # Errors
    ///
    /// Same as [`Lens::indices_into`], and [`ErrorKind::Unsupported`] if elements are not indices.
    pub fn indices_into(&self, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        (self.indices()?.write)(*self, layout, out)
    }
}

/// The largest of `indices`, or `None` if there are none.
pub(crate) fn largest(indices: &[u32]) -> Option<u32> {
    if cfg!(target_endian = "big") {
        return indices.iter().copied().max();
    }
    let largest = index_copy::largest(Level::current(), 4, bytemuck::cast_slice(indices));
    (!indices.is_empty()).then_some(largest)
}

/// A lens of indices whose encoding is data, so that the code that copies indices is compiled once, in this crate.
struct Stored<'a> {
    bytes: &'a [u8],
    source: &'static str,
    offset: u64,
    len: usize,
    stride: usize,
    /// The number of indices in an element.
    components: usize,
    /// The size of an index in bytes: 1, 2 or 4.
    size: usize,
    is_signed: bool,
}

impl Stored<'_> {
    fn max_index(&self, level: Level) -> Option<u32> {
        self.count_steps();
        let mut most = 0;
        if self.is_packed() {
            most = index_copy::largest(level, self.size, self.bytes);
        } else {
            self.gather(|_, stored| most = most.max(index_copy::largest(level, self.size, stored)));
        }
        (self.len > 0).then_some(most)
    }

    /// The error for the first index that is not below `count`, if the largest is not.
    fn check_largest(&self, largest: Option<u32>, count: u64, what: &'static str) -> Result<()> {
        if largest.is_none_or(|largest| u64::from(largest) < count) {
            return Ok(());
        }
        for (number, element) in self.bytes.chunks(self.stride.max(1)).enumerate() {
            for (component, stored) in element.chunks_exact(self.size).take(self.components).enumerate() {
                let index = read(stored);
                if u64::from(index) < count {
                    continue;
                }
                let index = if self.is_signed { index.cast_signed().into() } else { index.into() };
                let skip =
                    number.saturating_mul(self.stride).saturating_add(component.saturating_mul(self.size));
                let offset = self.offset.saturating_add(skip as u64);
                return Err(Error::new(self.source, offset, ErrorKind::Index { what, index, count }));
            }
        }
        Ok(())
    }

    /// Writes indices of `size` bytes. See [`Lens::indices_into`].
    fn write(&self, size: usize, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        let count = self.len.saturating_mul(self.components);
        let error = |kind| Err(Error::new(self.source, self.offset, kind));
        if out.len() != count.saturating_mul(size) {
            let found = out.len().checked_div(size).unwrap_or_default() as u64;
            return error(ErrorKind::Length { what: "indices of the output", expected: count as u64, found });
        }
        if layout.is_flipped && !count.is_multiple_of(3) {
            let (what, expected) = ("indices of triangles", Expected::MultipleOf(3));
            return error(ErrorKind::Value { what, expected, found: to_i64(count) });
        }
        self.count_steps();
        let level = layout.level.unwrap_or_else(Level::current);
        let sizes = (self.size, size);
        let mut largest = 0;
        if self.is_packed() {
            largest = index_copy::copy(level, sizes, self.bytes, out, layout.is_flipped);
        } else {
            let bytes_per_element = self.components.saturating_mul(size);
            self.gather(|first, stored| {
                let rest = out.get_mut(first.saturating_mul(bytes_per_element)..).unwrap_or_default();
                largest = largest.max(index_copy::copy(level, sizes, stored, rest, layout.is_flipped));
            });
        }
        let largest = (self.len > 0).then_some(largest);
        if size < self.size {
            let limit = if size == 1 { 1 << 8 } else { 1 << 16 };
            self.check_largest(largest, limit, layout.below.map_or("index", |(_, what)| what))?;
        }
        if let Some((count, what)) = layout.below {
            self.check_largest(largest, count as u64, what)?;
        }
        Ok(largest)
    }

    /// Calls `each` with the packed indices of elements that have gaps between them, a block at a time, and the number of
    /// the first element of the block.
    fn gather(&self, mut each: impl FnMut(usize, &[u8])) {
        /// A multiple of 3, so that a block has whole triangles with any number of indices to the element.
        const ELEMENTS: usize = 96;
        let size = self.components.saturating_mul(self.size);
        // An element has at most 4 indices.
        let mut gathered = [0u8; ELEMENTS * 16];
        let blocks = self.bytes.chunks(self.stride.saturating_mul(ELEMENTS).max(1));
        for (number, block) in blocks.enumerate() {
            let mut len: usize = 0;
            let elements = block.chunks(self.stride.max(1));
            for (slot, element) in gathered.chunks_exact_mut(size.max(1)).zip(elements) {
                if let Some(element) = element.get(..size) {
                    slot.copy_from_slice(element);
                    len = len.saturating_add(size);
                }
            }
            each(number.saturating_mul(ELEMENTS), gathered.get(..len).unwrap_or_default());
        }
    }

    /// Whether there are no gaps between elements.
    fn is_packed(&self) -> bool {
        self.stride == self.components.saturating_mul(self.size)
    }

    fn count_steps(&self) {
        #[cfg(feature = "steps")]
        meshlens_wire::steps::count(self.len as u64);
    }
}

/// Reads a little-endian index of at most 4 bytes.
fn read(stored: &[u8]) -> u32 {
    let mut index = [0; 4];
    for (byte, stored) in index.iter_mut().zip(stored) {
        *byte = *stored;
    }
    u32::from_le_bytes(index)
}
