//! Index buffers: indices converted, reversed in winding and checked, in one pass.

use bytemuck::Pod;
use meshlens_wire::{Error, ErrorKind, Expected, Result};

use crate::encoding::{I32, IndexU8, IndexU16, U8, U16, U32};
use crate::lens::to_i64;
use crate::simd::index_copy::{self, Largest};
use crate::simd::{Loop, run_loop};
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
        self.count_steps();
        let largest = match self.packed() {
            Some(bytes) => run_loop(level, Largest::<E::Stored>::new(bytes)),
            None => run_loop(level, StridedLargest(*self)),
        };
        (!self.is_empty()).then_some(largest)
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
        self.check_largest(self.max_index(), count as u64, what)
    }

    /// The error for the first index that is not below `count`, if the largest is not.
    fn check_largest(&self, largest: Option<u32>, count: u64, what: &'static str) -> Result<()> {
        if largest.is_none_or(|largest| u64::from(largest) < count) {
            return Ok(());
        }
        let size = size_of::<E::Stored>();
        for (number, element) in self.as_bytes().chunks(self.stride().max(1)).enumerate() {
            for (component, stored) in element.chunks_exact(size).take(E::COUNT).enumerate() {
                let index = E::Stored::read(stored).to_u32();
                if u64::from(index) < count {
                    continue;
                }
                let index = if E::SIGNED { index.cast_signed().into() } else { index.into() };
                let skip =
                    number.saturating_mul(self.stride()).saturating_add(component.saturating_mul(size));
                let offset = self.byte_range().start.saturating_add(skip as u64);
                return Err(Error::new(self.source(), offset, ErrorKind::Index { what, index, count }));
            }
        }
        Ok(())
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
        match layout.format {
            IndexFormat::Uint16 => self.write_indices::<u16>(layout, out),
            IndexFormat::Uint32 => self.write_indices::<u32>(layout, out),
        }
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
        self.write_indices::<T>(layout, bytemuck::cast_slice_mut(out))
    }

    fn write_indices<T: Index>(&self, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        let count = self.len().saturating_mul(E::COUNT);
        let error = |kind| Err(Error::new(self.source(), self.byte_range().start, kind));
        let size = size_of::<T>();
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
        let largest = match self.packed() {
            Some(bytes) => index_copy::copy::<E::Stored, T>(level, bytes, out, layout.is_flipped),
            None => self.copy_strided::<T>(level, out, layout.is_flipped),
        };
        let largest = (!self.is_empty()).then_some(largest);
        if size < size_of::<E::Stored>() {
            let most = u64::from(T::from_u32(u32::MAX).to_u32());
            self.check_largest(
                largest,
                most.saturating_add(1),
                layout.below.map_or("index", |(_, what)| what),
            )?;
        }
        if let Some((count, what)) = layout.below {
            self.check_largest(largest, count as u64, what)?;
        }
        Ok(largest)
    }

    /// Like [`index_copy::copy`], for elements with gaps between them. They are gathered a block at a time.
    fn copy_strided<T: Index>(&self, level: Level, out: &mut [u8], is_flipped: bool) -> u32 {
        /// A multiple of 3, so that a block has whole triangles with any number of indices to the element.
        const ELEMENTS: usize = 96;
        let size = E::COUNT.saturating_mul(size_of::<E::Stored>());
        let mut gathered = [0u8; ELEMENTS * 16];
        let mut largest = 0;
        let blocks = self.as_bytes().chunks(self.stride().saturating_mul(ELEMENTS).max(1));
        let outputs = out.chunks_mut(ELEMENTS.saturating_mul(E::COUNT).saturating_mul(size_of::<T>()).max(1));
        for (block, out) in blocks.zip(outputs) {
            let mut len: usize = 0;
            for (slot, element) in gathered.chunks_exact_mut(size).zip(block.chunks(self.stride().max(1))) {
                if let Some(element) = element.get(..size) {
                    slot.copy_from_slice(element);
                    len = len.saturating_add(size);
                }
            }
            let stored = gathered.get(..len).unwrap_or_default();
            largest = largest.max(index_copy::copy::<E::Stored, T>(level, stored, out, is_flipped));
        }
        largest
    }

    /// The stored indices, if there are no gaps between elements.
    fn packed(&self) -> Option<&[u8]> {
        (self.stride() == E::SIZE).then_some(self.as_bytes())
    }

    fn count_steps(&self) {
        #[cfg(feature = "steps")]
        meshlens_wire::steps::count(self.len() as u64);
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
    let largest = run_loop(Level::current(), Largest::<u32>::new(bytemuck::cast_slice(indices)));
    (!indices.is_empty()).then_some(largest)
}

/// The largest index of elements with gaps between them.
struct StridedLargest<'a, E>(Lens<'a, E>);

impl<E: Indices> Loop for StridedLargest<'_, E> {
    type Result = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let mut largest = E::Stored::from_u32(0);
        for element in self.0.as_bytes().chunks(self.0.stride().max(1)) {
            // Bytes past the last index of the last element count as 0.
            for stored in element.get(..E::SIZE).unwrap_or_default().chunks_exact(size_of::<E::Stored>()) {
                largest = largest.max(E::Stored::read(stored));
            }
        }
        largest.to_u32()
    }
}
