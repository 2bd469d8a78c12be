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

/// `D` signed 16-bit integers, two to four, divided by 32767: -1 to 1. The integer -32768 gives slightly less than -1.
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

/// The integer of a normalized value, before the cast, which converts NaN to zero.
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

#[cfg(test)]
mod tests {
    use super::*;
    use rounding::TOWARD_ZERO;
    use zerocopy::little_endian::{I16, U16};

    const QUATERNION: Snorm16<4, TOWARD_ZERO> = Snorm16;

    #[test]
    fn every_code_survives_decode_and_encode() {
        for code in 0..=255u8 {
            assert_eq!(Unorm8::<2>.encode(Unorm8::<2>.decode([code, 255 - code])), [code, 255 - code]);
        }
        for code in 0..=u16::MAX {
            let raw = [code, !code].map(U16::new);
            assert_eq!(Unorm16::<2>.encode(Unorm16::<2>.decode(raw)), raw);
            assert_eq!(Unorm16::<1>.encode(Unorm16::<1>.decode(raw[0])), raw[0]);
            assert_eq!(BiasedUnorm16::<2>.encode(BiasedUnorm16::<2>.decode(raw)), raw);
        }
        for code in -32767..=i16::MAX {
            let raw = [code, -code].map(I16::new);
            assert_eq!(Snorm16::<2>.encode(Snorm16::<2>.decode(raw)), raw);
        }
        assert_eq!(Unorm8::<3>.decode([0, 51, 255]), [0.0, 0.2, 1.0]);
        assert_eq!(Unorm8::<3>.encode([-1.0, 2.0, f32::NAN]), [0, 255, 0]);
    }

    #[test]
    fn a_range_has_its_ends() {
        let range = Ranged16 { min: [-1.0, 10.0], size: [2.0, 0.0] };
        let raw = |a, b| [a, b].map(U16::new);
        assert_eq!(range.decode(raw(0, 0)), [-1.0, 10.0]);
        assert_eq!(range.decode(raw(65535, 65535)), [1.0, 10.0]);
        assert_eq!(range.decode(raw(13107, 7))[0], -1.0 + 2.0 * 0.2);
        for code in 0..=u16::MAX {
            assert_eq!(range.encode(range.decode(raw(code, code))), raw(code, 0));
        }
        assert_eq!(range.encode([9.0, 9.0]), raw(65535, 0));
    }

    #[test]
    fn every_snorm_is_its_quotient() {
        for code in i16::MIN..=i16::MAX {
            let [x, ..] = QUATERNION.decode([code, 0, 0, 0].map(I16::new));
            assert!((f64::from(x) - f64::from(code) / 32767.0).abs() <= 6e-8, "{code}");
        }
        assert_eq!(QUATERNION.decode([32767, -32767, 0, 16383].map(I16::new))[..3], [1.0, -1.0, 0.0]);
    }

    #[test]
    fn snorms_are_truncated_and_clamped() {
        let raw = |values: [i16; 4]| values.map(I16::new);
        // Half the square root of 2 is 23169.77 steps.
        let half = core::f32::consts::FRAC_1_SQRT_2;
        assert_eq!(QUATERNION.encode([half, -half, 0.5, -0.5]), raw([23169, -23169, 16383, -16383]));
        assert_eq!(QUATERNION.encode([2.0, -2.0, f32::NAN, -0.0]), raw([32767, -32767, 0, 0]));
        assert_eq!(Snorm16::<4>.encode([half, -half, 0.5, -0.5]), raw([23170, -23170, 16384, -16384]));
        for code in -32767..=i16::MAX {
            let [again, ..] = QUATERNION.quantize([f32::from(code) / 32767.0, 0.0, 0.0, 0.0]);
            assert!((again - f32::from(code) / 32767.0).abs() <= 1.0 / 32767.0);
        }
    }

    #[test]
    fn truncated_codes_come_back_or_fall_one_short() {
        let (normal, weight) = (BiasedUnorm16::<3, TOWARD_ZERO>, Unorm16::<1, TOWARD_ZERO>);
        for code in 0..=u16::MAX {
            let [x, ..] = normal.decode([code, 0, 0].map(U16::new));
            assert!((f64::from(x) - (f64::from(code) / 65535.0 * 2.0 - 1.0)).abs() <= 1.2e-7);
            let [again, ..] = normal.encode([x, 0.0, 0.0]);
            assert!(again == code || again.get() + 1 == code, "{code} becomes {again}");
            let again = weight.encode(weight.decode(U16::new(code)));
            assert!(again == code || again.get() + 1 == code, "{code} becomes {again}");
        }
        assert_eq!(normal.encode([1.0, -1.0, 0.0]), [65535, 0, 32767].map(U16::new));
        assert_eq!(normal.encode([9.0, -9.0, f32::NAN]), [65535, 0, 0].map(U16::new));
        assert_eq!(weight.decode(U16::new(65535)), 1.0);
        assert_eq!(weight.encode(1.5), 65535);
    }
}
