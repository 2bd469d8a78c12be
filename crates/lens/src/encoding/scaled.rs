//! Integers that are multiples of a fraction: fixed-point positions.

use core::fmt;
use core::marker::PhantomData;

use zerocopy::little_endian as le;

use super::rounding::{self, NEAREST};
use super::{Encode, Encoding};
use crate::simd::integers::{Integers, kind, mode};
use crate::stored::StoredKind;

/// `D` integers of type `T`, two to four, in units of `1 / DIVISOR`. `DIVISOR` is a power of two, and `T` is `u8`,
/// `u16` or `i16`.
///
/// Decoding is exact. [`encode`](Encode::encode) clamps to the range of `T` and rounds as specified by `ROUNDING`, a constant
/// of [`rounding`].
///
/// ```
/// use meshlens_lens::encoding::Scaled;
/// use meshlens_lens::{Encode, Encoding};
///
/// let position = Scaled::<i16, 3, 64>::new();
/// assert_eq!(position.decode([64, -32, 1].map(Into::into)), [1.0, -0.5, 0.015625]);
/// assert_eq!(position.quantize([0.01, 511.99, -600.0]), [0.015625, 511.984375, -512.0]);
/// ```
pub struct Scaled<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8 = NEAREST>(
    PhantomData<fn() -> T>,
);

impl<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8> Scaled<T, D, DIVISOR, ROUNDING> {
    /// The factor of a stored integer.
    pub(super) const SCALE: f32 = {
        assert!(DIVISOR.is_power_of_two(), "only a power of two keeps products exact");
        1.0 / DIVISOR as f32
    };

    /// Returns the encoding, which has no run-time parameters.
    pub const fn new() -> Self {
        Scaled(PhantomData)
    }
}

// Derived implementations would require the same traits of `T`.
impl<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8> Clone for Scaled<T, D, DIVISOR, ROUNDING> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8> Copy for Scaled<T, D, DIVISOR, ROUNDING> {}

impl<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8> Default for Scaled<T, D, DIVISOR, ROUNDING> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8> PartialEq
    for Scaled<T, D, DIVISOR, ROUNDING>
{
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8> Eq for Scaled<T, D, DIVISOR, ROUNDING> {}

impl<T, const D: usize, const DIVISOR: u32, const ROUNDING: u8> fmt::Debug
    for Scaled<T, D, DIVISOR, ROUNDING>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scaled").field("components", &D).field("divisor", &DIVISOR).finish()
    }
}

macro_rules! scaled {
    ($($integer:ty, $raw:ty, $kind:ident, $count:literal, $size:literal $(or $stride:literal)?;)*) => {$(
        impl<const DIVISOR: u32, const ROUNDING: u8> Encoding for Scaled<$integer, $count, DIVISOR, ROUNDING> {
            type Raw = [$raw; $count];
            type Value = [f32; $count];
            const STORED: StoredKind = match (kind::$kind, $count) {
                (kind::I16, 3) => StoredKind::Position16(Self::SCALE),
                _ => StoredKind::Other,
            };

            #[inline]
            fn decode(&self, raw: [$raw; $count]) -> [f32; $count] {
                raw.map(|stored| f32::from(<$integer>::from(stored)) * Self::SCALE)
            }

            kernel!(
                &const { Integers::<$count, { kind::$kind }, $size, { mode::SCALE }>::scaled(Self::SCALE) }
                $(, or $stride &const { Integers::<$count, { kind::$kind }, $stride, { mode::SCALE }>::scaled(Self::SCALE) })?
            );
        }

        impl<const DIVISOR: u32, const ROUNDING: u8> Encode for Scaled<$integer, $count, DIVISOR, ROUNDING> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [$raw; $count] {
                // A float cast saturates and converts NaN to zero.
                value.map(|value| (rounding::round::<ROUNDING>(value * DIVISOR as f32) as $integer).into())
            }
        }
    )*};
}

scaled! {
    u8, u8, U8, 2, 2;
    u8, u8, U8, 3, 3;
    u8, u8, U8, 4, 4;
    u16, le::U16, U16, 2, 4;
    u16, le::U16, U16, 3, 6;
    u16, le::U16, U16, 4, 8;
    i16, le::I16, I16, 2, 4;
    // Records of eight bytes are common: a position and two other bytes.
    i16, le::I16, I16, 3, 6 or 8;
    i16, le::I16, I16, 4, 8;
}
