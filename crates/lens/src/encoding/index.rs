//! Indices of 8 and 16 bits that decode to 32 bits: arrays of indices of any width decode to the same type.

use zerocopy::little_endian as le;

use super::{Encoding, Internal, decode_each};
use crate::Level;
use crate::index_array::IndexArray;
use crate::window::Window;

/// `D` indices of one byte each, decoded to `u32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexU8<const D: usize>;

/// `D` indices of 16 bits each, decoded to `u32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexU16<const D: usize>;

macro_rules! indices {
    ($($name:ident $count:literal $raw:ty, $value:ty, $decode:expr;)*) => {$(
        impl Encoding for $name<$count> {
            type Raw = $raw;
            type Value = $value;

            #[inline]
            fn decode(&self, raw: $raw) -> $value {
                $decode(raw)
            }

            fn decode_run(&self, window: Window<'_>, level: Level, out: &mut [$value], _: Internal) {
                // Widening requires an output with the same length as the array.
                let len = window.len.min(out.len());
                let (Some(window), Some(out)) = (window.slice(0..len, Self::SIZE), out.get_mut(..len)) else {
                    return;
                };
                let size = Self::SIZE / $count;
                let indices = IndexArray { window, components: $count, size, is_signed: false };
                if indices.widen(level, bytemuck::cast_slice_mut(out)).is_err() {
                    decode_each(*self, window, out);
                }
            }
        }
    )*};
}

indices! {
    IndexU8 1 u8, u32, u32::from;
    IndexU8 2 [u8; 2], [u32; 2], |raw: [u8; 2]| raw.map(u32::from);
    IndexU8 3 [u8; 3], [u32; 3], |raw: [u8; 3]| raw.map(u32::from);
    IndexU8 4 [u8; 4], [u32; 4], |raw: [u8; 4]| raw.map(u32::from);
    IndexU16 1 le::U16, u32, |raw: le::U16| raw.get().into();
    IndexU16 2 [le::U16; 2], [u32; 2], |raw: [le::U16; 2]| raw.map(|index| index.get().into());
    IndexU16 3 [le::U16; 3], [u32; 3], |raw: [le::U16; 3]| raw.map(|index| index.get().into());
    IndexU16 4 [le::U16; 4], [u32; 4], |raw: [le::U16; 4]| raw.map(|index| index.get().into());
}
