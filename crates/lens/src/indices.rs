//! Indices: made wider or narrower, with the largest of them found on the way.

use bytemuck::Pod;

use crate::encoding::{I32, U8, U16, U32};
use crate::simd::{Loop, run_loop};
use crate::{Encoding, Error, Lens, Level, Result};

/// Encodings of indices, one to four side by side. Indices of 32 bits are compared without their sign, so that a
/// negative one is larger than any that could be right.
pub trait Indices: Encoding {
    /// One index, as an unsigned integer.
    type Stored: Index;
    /// Indices of an element.
    const COUNT: usize;
}

/// An unsigned integer that indices are stored or wanted in: `u8`, `u16` or `u32`.
pub trait Index: Pod + Ord + sealed::Sealed {
    /// The lowest bits of `index`.
    fn from_u32(index: u32) -> Self;
    /// The index.
    fn to_u32(self) -> u32;
    /// From little-endian bytes of the same size.
    #[doc(hidden)]
    fn read(bytes: &[u8]) -> Self;
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
        }
    )*};
}

index!(u8 u16 u32);

macro_rules! indices {
    ($($encoding:ident $stored:ident: $($count:literal)*;)*) => {$($(
        impl Indices for $encoding<$count> {
            type Stored = $stored;
            const COUNT: usize = $count;
        }
    )*)*};
}

indices! {
    U8 u8: 1 2 3 4;
    U16 u16: 1 2 3 4;
    U32 u32: 1 2 3 4;
    I32 u32: 1 2 3 4;
}

impl<E: Indices> Lens<'_, E> {
    /// The largest index, or `None` where there is none. O(indices).
    pub fn largest(&self) -> Option<u32> {
        let largest = match self.stored() {
            Some(bytes) => run_loop(Level::current(), Largest::<E::Stored>::new(bytes)),
            None => self.fold(|_| {}),
        };
        (!self.is_empty()).then_some(largest)
    }

    /// Writes every index to `out`, one after the other, and gives back the largest, or `None` where there is none.
    ///
    /// An index that is too large for `T` loses its upper bits; the largest tells whether one is.
    ///
    /// # Errors
    ///
    /// [`Error::Length`], unless `out` has room for exactly the indices of all elements.
    ///
    /// ```
    /// use meshlens_lens::{Lens, encoding::U16};
    ///
    /// let triangles = Lens::new(U16::<3>, &[0, 0, 1, 0, 2, 0], 0, 6, 1).unwrap();
    /// let mut out = [0u32; 3];
    /// assert_eq!(triangles.widen_into(&mut out)?, Some(2));
    /// assert_eq!(out, [0, 1, 2]);
    /// # Ok::<(), meshlens_lens::Error>(())
    /// ```
    pub fn widen_into<T: Index>(&self, out: &mut [T]) -> Result<Option<u32>> {
        let expected = self.len().saturating_mul(E::COUNT);
        if out.len() != expected {
            return Err(Error::Length { expected, found: out.len() });
        }
        let largest = match self.stored() {
            Some(bytes) => run_loop(Level::current(), Widen::<E::Stored, T>::new(bytes, out)),
            None => {
                let mut slots = out.iter_mut();
                self.fold(|index| {
                    if let Some(slot) = slots.next() {
                        *slot = T::from_u32(index);
                    }
                })
            }
        };
        Ok((!self.is_empty()).then_some(largest))
    }

    /// The indices as they lie, where nothing lies between them.
    fn stored(&self) -> Option<&[u8]> {
        #[cfg(feature = "steps")]
        meshlens_steps::count(self.len() as u64);
        (self.stride() == E::SIZE).then_some(self.as_bytes())
    }

    /// Calls `each` with every index, and gives back the largest, 0 where there is none.
    fn fold(&self, mut each: impl FnMut(u32)) -> u32 {
        let elements = self.as_bytes().chunks(self.stride().max(1));
        let indices =
            elements.flat_map(|element| element.chunks_exact(size_of::<E::Stored>()).take(E::COUNT));
        indices.map(|bytes| E::Stored::read(bytes).to_u32()).fold(0, |largest, index| {
            each(index);
            largest.max(index)
        })
    }
}

/// The largest of packed indices.
struct Largest<'a, S> {
    bytes: &'a [u8],
    stored: core::marker::PhantomData<S>,
}

impl<'a, S> Largest<'a, S> {
    fn new(bytes: &'a [u8]) -> Self {
        Largest { bytes, stored: core::marker::PhantomData }
    }
}

impl<S: Index> Loop for Largest<'_, S> {
    type Result = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let indices = self.bytes.chunks_exact(size_of::<S>()).map(S::read);
        indices.fold(S::from_u32(0), S::max).to_u32()
    }
}

/// Packed indices to another width, and the largest of them.
struct Widen<'a, 'o, S, T> {
    indices: Largest<'a, S>,
    out: &'o mut [T],
}

impl<'a, 'o, S, T> Widen<'a, 'o, S, T> {
    fn new(bytes: &'a [u8], out: &'o mut [T]) -> Self {
        Widen { indices: Largest::new(bytes), out }
    }
}

impl<S: Index, T: Index> Loop for Widen<'_, '_, S, T> {
    type Result = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let indices = self.indices.bytes.chunks_exact(size_of::<S>()).map(S::read);
        let mut largest = S::from_u32(0);
        for (out, index) in self.out.iter_mut().zip(indices) {
            *out = T::from_u32(index.to_u32());
            largest = largest.max(index);
        }
        largest.to_u32()
    }
}
