//! The integer types of indices.

use bytemuck::Pod;

/// An unsigned integer type of indices: `u8`, `u16` or `u32`.
pub trait Index: Pod + Ord + sealed::Sealed {
    /// Converts an index, keeping only its lowest bits.
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
