//! Normalized integers: unorm (0 to 1), snorm (-1 to 1), and unorm mapped to other ranges.

use zerocopy::little_endian as le;

use super::rounding::{self, NEAREST};
use super::{Encode, Encoding};
use crate::VertexFormat;
use crate::simd::integers::{Integers, kind, mode};
use crate::stored::StoredKind;

/// `D` bytes, two to four, divided by 255: 0 to 1. Used for colors, texture coordinates and weights.
///
/// Each quotient is rounded once. [`encode`](Encode::encode) clamps to 0 and 1 and rounds as specified by `ROUNDING`, a
/// constant of [`rounding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unorm8<const D: usize, const ROUNDING: u8 = NEAREST>;

/// `D` unsigned 16-bit integers, one to four, divided by 65535: 0 to 1.
///
/// Each quotient is rounded once. [`encode`](Encode::encode) clamps to 0 and 1 and rounds as specified by `ROUNDING`, a
/// constant of [`rounding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unorm16<const D: usize, const ROUNDING: u8 = NEAREST>;

/// `D` signed 16-bit integers, two to four, divided by 32767: -1 to 1. The integer -32768 becomes slightly less than
/// -1.
///
/// Each quotient is rounded once. [`encode`](Encode::encode) clamps to -1 and 1 and rounds as specified by `ROUNDING`, a
/// constant of [`rounding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snorm16<const D: usize, const ROUNDING: u8 = NEAREST>;

/// `D` unsigned 16-bit integers, two to four, mapped to -1 to 1: `unorm * 2 - 1`. No integer decodes to exactly 0.
///
/// [`encode`](Encode::encode) clamps to -1 and 1 and rounds as specified by `ROUNDING`, a constant of [`rounding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BiasedUnorm16<const D: usize, const ROUNDING: u8 = NEAREST>;

/// `D` unsigned 16-bit integers, two to four, mapped to a range for each component: `min + size * unorm`. Quotient,
/// product and sum are each rounded.
///
/// [`encode`](Encode::encode) rounds to the nearest integer and clamps to the range. A component whose range is empty
/// or not finite becomes 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranged16<const D: usize> {
    /// The value of the integer 0.
    pub min: [f32; D],
    /// The value of the integer 65535, minus `min`.
    pub size: [f32; D],
}

/// Scales a normalized value to an integer, before the cast, which converts NaN to zero.
#[inline]
fn scale<const ROUNDING: u8>(value: f32, least: f32, largest: f32) -> f32 {
    rounding::round::<ROUNDING>(value.clamp(least, 1.0) * largest)
}

macro_rules! normalized {
    ($($count:literal)*) => {$(
        impl<const ROUNDING: u8> Encoding for Unorm8<$count, ROUNDING> {
            type Raw = [u8; $count];
            type Value = [f32; $count];
            const STORED: StoredKind = match $count {
                2 => StoredKind::As(VertexFormat::Unorm8x2),
                4 => StoredKind::As(VertexFormat::Unorm8x4),
                _ => StoredKind::Other,
            };

            #[inline]
            fn decode(&self, raw: [u8; $count]) -> [f32; $count] {
                raw.map(|value| f32::from(value) / 255.0)
            }

            kernel!(&const { Integers::<$count, { kind::U8 }, $count, { mode::NORM }>::normalized() });
        }

        impl<const ROUNDING: u8> Encode for Unorm8<$count, ROUNDING> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [u8; $count] {
                value.map(|value| scale::<ROUNDING>(value, 0.0, 255.0) as u8)
            }
        }

        impl<const ROUNDING: u8> Encoding for Unorm16<$count, ROUNDING> {
            type Raw = [le::U16; $count];
            type Value = [f32; $count];
            const STORED: StoredKind = match $count {
                2 => StoredKind::As(VertexFormat::Unorm16x2),
                4 => StoredKind::As(VertexFormat::Unorm16x4),
                _ => StoredKind::Other,
            };

            #[inline]
            fn decode(&self, raw: [le::U16; $count]) -> [f32; $count] {
                raw.map(|value| f32::from(value.get()) / 65535.0)
            }

            kernel!(&const { Integers::<$count, { kind::U16 }, { 2 * $count }, { mode::NORM }>::normalized() });
        }

        impl<const ROUNDING: u8> Encode for Unorm16<$count, ROUNDING> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [le::U16; $count] {
                value.map(|value| le::U16::new(scale::<ROUNDING>(value, 0.0, 65535.0) as u16))
            }
        }

        impl<const ROUNDING: u8> Encoding for Snorm16<$count, ROUNDING> {
            type Raw = [le::I16; $count];
            type Value = [f32; $count];

            #[inline]
            fn decode(&self, raw: [le::I16; $count]) -> [f32; $count] {
                raw.map(|value| f32::from(value.get()) / 32767.0)
            }

            kernel!(&const { Integers::<$count, { kind::I16 }, { 2 * $count }, { mode::NORM }>::normalized() });
        }

        impl<const ROUNDING: u8> Encode for Snorm16<$count, ROUNDING> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [le::I16; $count] {
                value.map(|value| le::I16::new(scale::<ROUNDING>(value, -1.0, 32767.0) as i16))
            }
        }

        impl<const ROUNDING: u8> Encoding for BiasedUnorm16<$count, ROUNDING> {
            type Raw = [le::U16; $count];
            type Value = [f32; $count];

            #[inline]
            fn decode(&self, raw: [le::U16; $count]) -> [f32; $count] {
                raw.map(|value| f32::from(value.get()) / 65535.0 * 2.0 - 1.0)
            }

            kernel!(
                &const { Integers::<$count, { kind::U16 }, { 2 * $count }, { mode::BIAS }>::normalized() }
            );
        }

        impl<const ROUNDING: u8> Encode for BiasedUnorm16<$count, ROUNDING> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [le::U16; $count] {
                value.map(|value| le::U16::new(scale::<ROUNDING>(value * 0.5 + 0.5, 0.0, 65535.0) as u16))
            }
        }

        impl Encoding for Ranged16<$count> {
            type Raw = [le::U16; $count];
            type Value = [f32; $count];

            #[inline]
            fn decode(&self, raw: [le::U16; $count]) -> [f32; $count] {
                let mut value = Unorm16::<$count>.decode(raw);
                for ((value, min), size) in value.iter_mut().zip(self.min).zip(self.size) {
                    *value = min + size * *value;
                }
                value
            }

            kernel!(encoding => &Integers::<$count, { kind::U16 }, { 2 * $count }, { mode::RANGE }>::ranged(encoding.min, encoding.size));
        }

        impl Encode for Ranged16<$count> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [le::U16; $count] {
                let mut unorm = value;
                for ((unorm, min), size) in unorm.iter_mut().zip(self.min).zip(self.size) {
                    *unorm = if size > 0.0 && size.is_finite() { (*unorm - min) / size } else { 0.0 };
                }
                Unorm16::<$count>.encode(unorm)
            }
        }
    )*};
}

normalized!(2 3 4);

impl<const ROUNDING: u8> Encoding for Unorm16<1, ROUNDING> {
    type Raw = le::U16;
    type Value = f32;

    #[inline]
    fn decode(&self, raw: le::U16) -> f32 {
        f32::from(raw.get()) / 65535.0
    }

    kernel!(&const { Integers::<1, { kind::U16 }, 2, { mode::NORM }>::normalized() });
}

impl<const ROUNDING: u8> Encode for Unorm16<1, ROUNDING> {
    #[inline]
    fn encode(&self, value: f32) -> le::U16 {
        le::U16::new(scale::<ROUNDING>(value, 0.0, 65535.0) as u16)
    }
}
