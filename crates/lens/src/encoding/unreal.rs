//! Unreal vertex meshes (Unreal: Appendix C): positions packed into 11, 11 and 10 bits or stored as 16-bit integers,
//! and texture coordinates of one byte each.

use zerocopy::little_endian::{I16, U32};

use super::{Encode, Encoding};
use crate::simd::integers::{Integers, kind, mode};
use crate::simd::unreal::Packed;

/// What Appendix C multiplies X, Y and Z by before it cuts off the fraction.
const UNITS: [f32; 3] = [8.0, 8.0, 4.0];
const INVERSE_UNITS: [f32; 3] = [1.0 / 8.0, 1.0 / 8.0, 1.0 / 4.0];
/// The range of each packed coordinate.
const PACKED_MIN: [i16; 3] = [-1024, -1024, -512];
const PACKED_MAX: [i16; 3] = [1023, 1023, 511];

/// X in bits 0 to 10, Y in 11 to 21, Z in 22 to 31, each in two's complement.
#[inline]
fn unpack(raw: U32) -> [i16; 3] {
    let bits = raw.get();
    // Each coordinate is moved to the top and back, which copies its sign downwards; all fit 16 bits.
    [((bits << 21) as i32 >> 21) as i16, ((bits << 10) as i32 >> 21) as i16, (bits as i32 >> 22) as i16]
}

/// The other way, each coordinate brought into its range first.
#[inline]
fn pack(value: [i16; 3]) -> U32 {
    let [[x, y, z], [min_x, min_y, min_z], [max_x, max_y, max_z]] = [value, PACKED_MIN, PACKED_MAX];
    let bits = |value: i16, mask: u32| i32::from(value) as u32 & mask;
    let (x, y) = (bits(x.clamp(min_x, max_x), 0x7ff), bits(y.clamp(min_y, max_y), 0x7ff));
    U32::new(x | y << 11 | bits(z.clamp(min_z, max_z), 0x3ff) << 22)
}

/// A packed position as the integers that are stored: -1024 to 1023 in X and Y, -512 to 511 in Z.
///
/// [`encode`](Encode::encode) stops at those ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnrealPackedInteger;

/// A packed position as the integers that are stored, in floats. Engines scale these, Z by twice the scale of X and Y.
///
/// Exact. [`encode`](Encode::encode) cuts off the fraction as Appendix C does, and stops at the ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnrealPacked;

/// A packed position in the units of the tools that write it: X / 8, Y / 8, Z / 4.
///
/// Exact. [`encode`](Encode::encode) is the formula of Appendix C, which cuts off the fraction, but stops at -128 and
/// 127.875 (Z: 127.75) where the formula wraps around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnrealPackedUnits;

/// A 16-bit position (x, y, z and a pad, as Deus Ex has them) as the integers that are stored.
///
/// [`encode`](Encode::encode) writes a pad of 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnrealWideInteger;

/// A 16-bit position as the integers that are stored, in floats. Exact; no scale is published.
///
/// [`encode`](Encode::encode) cuts off the fraction as that of packed positions does, stops at -32,768 and 32,767,
/// and writes a pad of 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnrealWide;

/// A texture coordinate (Unreal: Texture Triangle Coordinates): U to the right and V down, one byte each, 255 to the
/// whole texture.
///
/// [`encode`](Encode::encode) rounds to the nearest byte and stops at 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnrealTexcoord;

#[inline]
fn scaled(value: [i16; 3], scale: [f32; 3]) -> [f32; 3] {
    let ([x, y, z], [scale_x, scale_y, scale_z]) = (value.map(f32::from), scale);
    [x * scale_x, y * scale_y, z * scale_z]
}

/// Cuts off fractions. A float cast saturates and takes NaN to zero.
#[inline]
fn cut([x, y, z]: [f32; 3], [scale_x, scale_y, scale_z]: [f32; 3]) -> [i16; 3] {
    [x * scale_x, y * scale_y, z * scale_z].map(|axis| axis as i16)
}

impl Encoding for UnrealPackedInteger {
    type Raw = U32;
    type Value = [i16; 3];

    #[inline]
    fn decode(&self, raw: U32) -> [i16; 3] {
        unpack(raw)
    }
}

impl Encode for UnrealPackedInteger {
    #[inline]
    fn encode(&self, value: [i16; 3]) -> U32 {
        pack(value)
    }
}

impl Encoding for UnrealPacked {
    type Raw = U32;
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: U32) -> [f32; 3] {
        unpack(raw).map(f32::from)
    }

    kernel!(&Packed::<0, 0>);
}

impl Encode for UnrealPacked {
    #[inline]
    fn encode(&self, value: [f32; 3]) -> U32 {
        pack(cut(value, [1.0; 3]))
    }
}

impl Encoding for UnrealPackedUnits {
    type Raw = U32;
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: U32) -> [f32; 3] {
        scaled(unpack(raw), INVERSE_UNITS)
    }

    kernel!(&Packed::<3, 2>);
}

impl Encode for UnrealPackedUnits {
    #[inline]
    fn encode(&self, value: [f32; 3]) -> U32 {
        pack(cut(value, UNITS))
    }
}

impl Encoding for UnrealWideInteger {
    type Raw = [I16; 4];
    type Value = [i16; 3];

    #[inline]
    fn decode(&self, [x, y, z, _]: [I16; 4]) -> [i16; 3] {
        [x.get(), y.get(), z.get()]
    }
}

impl Encode for UnrealWideInteger {
    #[inline]
    fn encode(&self, [x, y, z]: [i16; 3]) -> [I16; 4] {
        [x, y, z, 0].map(I16::new)
    }
}

impl Encoding for UnrealWide {
    type Raw = [I16; 4];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: [I16; 4]) -> [f32; 3] {
        UnrealWideInteger.decode(raw).map(f32::from)
    }

    kernel!(&const { Integers::<3, { kind::I16 }, 8, { mode::SCALE }>::scaled(1.0) });
}

impl Encode for UnrealWide {
    #[inline]
    fn encode(&self, value: [f32; 3]) -> [I16; 4] {
        UnrealWideInteger.encode(cut(value, [1.0; 3]))
    }
}

impl Encoding for UnrealTexcoord {
    type Raw = [u8; 2];
    type Value = [f32; 2];

    #[inline]
    fn decode(&self, raw: [u8; 2]) -> [f32; 2] {
        raw.map(|axis| f32::from(axis) / 255.0)
    }

    kernel!(&const { Integers::<2, { kind::U8 }, 2, { mode::SHARE }>::shares() });
}

impl Encode for UnrealTexcoord {
    #[inline]
    fn encode(&self, value: [f32; 2]) -> [u8; 2] {
        value.map(|axis| libm::roundf(axis * 255.0) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appendix C, bit by bit, without the tricks of `unpack`.
    fn by_the_book(bits: u32) -> [i32; 3] {
        let field = |shift: u32, width: u32| {
            let value = (bits >> shift) as i32 & ((1 << width) - 1);
            if value >= 1 << (width - 1) { value - (1 << width) } else { value }
        };
        [field(0, 11), field(11, 11), field(22, 10)]
    }

    #[test]
    fn every_code_of_every_axis_is_that_of_the_document_and_survives_encoding() {
        for code in 0..2048u32 {
            for bits in [code, code << 11, code << 22, code | !code << 11, code.wrapping_mul(0x9e37_79b9)] {
                let raw = U32::new(bits);
                let want = by_the_book(bits);
                assert_eq!(UnrealPackedInteger.decode(raw).map(i32::from), want, "{bits:#x}");
                assert_eq!(UnrealPacked.decode(raw), want.map(|v| v as f32));
                let [x, y, z] = want.map(|v| v as f32);
                assert_eq!(UnrealPackedUnits.decode(raw), [x / 8.0, y / 8.0, z / 4.0]);
                assert_eq!(UnrealPackedInteger.encode(UnrealPackedInteger.decode(raw)), raw);
                assert_eq!(UnrealPacked.encode(UnrealPacked.decode(raw)), raw);
                assert_eq!(UnrealPackedUnits.encode(UnrealPackedUnits.decode(raw)), raw);
            }
        }
    }

    #[test]
    fn the_formula_of_appendix_c() {
        // (int(1.5 * 8) & 0x7ff) | (int(-2.3 * 8) & 0x7ff) << 11 | (int(3.9 * 4) & 0x3ff) << 22
        let want = 12 | (-18i32 as u32 & 0x7ff) << 11 | 15 << 22;
        assert_eq!(UnrealPackedUnits.encode([1.5, -2.3, 3.9]).get(), want);
        assert_eq!(UnrealPackedUnits.quantize([1.5, -2.3, 3.9]), [1.5, -2.25, 3.75]);
    }

    #[test]
    fn what_does_not_fit_stops_at_the_ends() {
        let (low, high) = ([-1024.0, -1024.0, -512.0], [1023.0, 1023.0, 511.0]);
        assert_eq!(UnrealPacked.quantize([-1e9, -1025.0, -513.0]), low);
        assert_eq!(UnrealPacked.quantize([f32::INFINITY, 1024.0, 512.0]), high);
        assert_eq!(UnrealPacked.quantize([f32::NAN, 0.9, -0.9]), [0.0; 3]);
        assert_eq!(UnrealPackedUnits.quantize([128.0, -1e30, 1e30]), [127.875, -128.0, 127.75]);
        assert_eq!(UnrealPackedInteger.quantize([i16::MIN, i16::MAX, i16::MAX]), [-1024, 1023, 511]);
        assert_eq!(UnrealWide.quantize([1e9, -1e9, f32::NAN]), [32767.0, -32768.0, 0.0]);
    }

    #[test]
    fn every_wide_code_survives_and_pads_are_dropped() {
        for code in i16::MIN..=i16::MAX {
            let value = [code, !code, code.wrapping_mul(3)];
            let raw = UnrealWideInteger.encode(value);
            assert_eq!(raw[3].get(), 0);
            assert_eq!(UnrealWideInteger.decode(raw), value);
            assert_eq!(UnrealWide.decode(raw), value.map(f32::from));
            assert_eq!(UnrealWide.encode(UnrealWide.decode(raw)), raw);
        }
        assert_eq!(UnrealWideInteger.decode([1, 2, 3, 4].map(I16::new)), [1, 2, 3]);
    }

    #[test]
    fn every_texture_coordinate_survives() {
        for code in 0..=255u8 {
            let value = UnrealTexcoord.decode([code, 255 - code]);
            assert_eq!(value[0], f32::from(code) / 255.0);
            assert_eq!(UnrealTexcoord.encode(value), [code, 255 - code]);
        }
        assert_eq!(UnrealTexcoord.encode([-0.5, 1.5]), [0, 255]);
    }
}
