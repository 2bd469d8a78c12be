//! Integers as shares of the largest they can be: weights, colours, texture coordinates, ranges.

use zerocopy::little_endian as le;

use super::{Encode, Encoding};
use crate::simd::integers::{Integers, kind, mode};

/// `D` bytes, two to four, as shares of 255, from 0 to 1: colours, texture coordinates, weights.
///
/// Each quotient is rounded once. [`encode`](Encode::encode) rounds to the nearest byte and stops at 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unorm8<const D: usize>;

/// `D` unsigned 16-bit integers as shares of 65535, from 0 to 1.
///
/// Each quotient is rounded once. [`encode`](Encode::encode) rounds to the nearest integer and stops at 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unorm16<const D: usize>;

/// `D` unsigned 16-bit integers that spread over a range of its own for each component: `min + size * share`, where
/// the share is that of [`Unorm16`]. Quotient, product and sum are each rounded.
///
/// [`encode`](Encode::encode) rounds to the nearest integer and stops at the ends of the range; a component whose
/// range has no size, or is not finite, becomes 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranged16<const D: usize> {
    /// What 0 stands for.
    pub min: [f32; D],
    /// What 65535 stands for, less `min`.
    pub size: [f32; D],
}

/// The nearest of `largest + 1` integers from 0 on. A float cast saturates and takes NaN to zero.
fn nearest(share: f32, largest: f32) -> f32 {
    libm::roundf(share.clamp(0.0, 1.0) * largest)
}

macro_rules! shares {
    ($($count:literal)*) => {$(
        impl Encoding for Unorm8<$count> {
            type Raw = [u8; $count];
            type Value = [f32; $count];

            #[inline]
            fn decode(&self, raw: [u8; $count]) -> [f32; $count] {
                raw.map(|value| f32::from(value) / 255.0)
            }

            kernel!(&const { Integers::<$count, { kind::U8 }, $count, { mode::SHARE }>::shares() });
        }

        impl Encode for Unorm8<$count> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [u8; $count] {
                value.map(|value| nearest(value, 255.0) as u8)
            }
        }

        impl Encoding for Unorm16<$count> {
            type Raw = [le::U16; $count];
            type Value = [f32; $count];

            #[inline]
            fn decode(&self, raw: [le::U16; $count]) -> [f32; $count] {
                raw.map(|value| f32::from(value.get()) / 65535.0)
            }

            kernel!(&const { Integers::<$count, { kind::U16 }, { 2 * $count }, { mode::SHARE }>::shares() });
        }

        impl Encode for Unorm16<$count> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [le::U16; $count] {
                value.map(|value| le::U16::new(nearest(value, 65535.0) as u16))
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

            kernel!(self => &Integers::<$count, { kind::U16 }, { 2 * $count }, { mode::RANGE }>::ranged(self.min, self.size));
        }

        impl Encode for Ranged16<$count> {
            #[inline]
            fn encode(&self, value: [f32; $count]) -> [le::U16; $count] {
                let mut share = value;
                for ((share, min), size) in share.iter_mut().zip(self.min).zip(self.size) {
                    *share = if size > 0.0 && size.is_finite() { (*share - min) / size } else { 0.0 };
                }
                Unorm16::<$count>.encode(share)
            }
        }
    )*};
}

shares!(2 3 4);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_every_short_survives() {
        for code in 0..=255u8 {
            assert_eq!(Unorm8::<2>.encode(Unorm8::<2>.decode([code, 255 - code])), [code, 255 - code]);
        }
        for code in 0..=u16::MAX {
            assert_eq!(
                Unorm16::<2>.encode(Unorm16::<2>.decode([code; 2].map(le::U16::new))),
                [code; 2].map(le::U16::new)
            );
        }
        assert_eq!(Unorm8::<3>.decode([0, 51, 255]), [0.0, 0.2, 1.0]);
        assert_eq!(Unorm8::<3>.encode([-1.0, 2.0, f32::NAN]), [0, 255, 0]);
    }

    #[test]
    fn a_range_has_its_ends() {
        let range = Ranged16 { min: [-1.0, 10.0], size: [2.0, 0.0] };
        let raw = |a, b| [a, b].map(le::U16::new);
        assert_eq!(range.decode(raw(0, 0)), [-1.0, 10.0]);
        assert_eq!(range.decode(raw(65535, 65535)), [1.0, 10.0]);
        assert_eq!(range.decode(raw(13107, 7))[0], -1.0 + 2.0 * 0.2);
        for code in 0..=u16::MAX {
            assert_eq!(range.encode(range.decode(raw(code, code))), raw(code, 0));
        }
        assert_eq!(range.encode([9.0, 9.0]), raw(65535, 0));
    }
}
