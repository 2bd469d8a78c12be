//! Index buffers: indices converted, reversed in winding and checked, in one pass.

use meshlens_wire::Result;

use crate::encoding::{I32, IndexU8, IndexU16, U8, U16, U32};
use crate::index_array::IndexArray;
use crate::simd::index_copy;
use crate::{Encoding, Index, IndexBufferLayout, IndexFormat, Lens, Level};

/// Encodings of indices, with one to four indices in each element. 32-bit indices are compared as unsigned numbers: a
/// negative index is larger than any valid one.
pub trait Indices: Encoding {
    /// The unsigned integer type of one index.
    type Stored: Index;
    /// The number of indices in an element.
    const COUNT: usize;
    /// Whether errors show indices as signed numbers.
    const SIGNED: bool = false;
}

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
    /// [`ErrorKind::Index`](crate::ErrorKind::Index) for the first index that is not below `count`, at its absolute
    /// offset. `what` is the name of an index in the error.
    pub fn check_below(&self, count: usize, what: &'static str) -> Result<()> {
        let indices = self.erased();
        indices.check_largest(indices.max_index(Level::current()), count as u64, what)
    }

    /// Writes an index buffer in native byte order, in one pass: converts, reverses and checks indices as specified by
    /// `layout`. Returns the largest index, or `None` if there are no elements. O(indices).
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
    /// [`ErrorKind::Length`](crate::ErrorKind::Length) if `out` does not have room for exactly all indices, and
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) if the winding must be reversed and the number of indices is not a
    /// multiple of 3; `out` is then unchanged. [`ErrorKind::Index`](crate::ErrorKind::Index), with its absolute offset,
    /// for the first index that does not fit in the format or is not below the layout's count; the content of `out` is
    /// then unspecified.
    pub fn indices_into(&self, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        let size = match layout.format {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        };
        self.erased().write(size, layout, out)
    }

    /// Writes every index to `out`, in the stored order, and returns the largest, or `None` if there are no elements.
    /// Like [`indices_into`](Self::indices_into), but writes integers instead of bytes.
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

    fn erased(&self) -> IndexArray<'_> {
        IndexArray {
            window: self.window(),
            components: E::COUNT,
            size: size_of::<E::Stored>(),
            is_signed: E::SIGNED,
        }
    }
}

impl IndexBufferLayout {
    /// Writes `indices` as an index buffer, in native byte order. Returns the largest index, or `None` if there are
    /// none.
    ///
    /// # Errors
    ///
    /// Same as [`Lens::indices_into`].
    pub fn write(&self, indices: &[u32], out: &mut [u8]) -> Result<Option<u32>> {
        // On a big-endian machine, indices in memory have a different byte order than indices in files.
        if cfg!(target_endian = "big") {
            let little: alloc::vec::Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
            return Lens::new(U32::<1>, &little, 0, 4, indices.len())?.indices_into(*self, out);
        }
        Lens::new(U32::<1>, bytemuck::cast_slice(indices), 0, 4, indices.len())?.indices_into(*self, out)
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
