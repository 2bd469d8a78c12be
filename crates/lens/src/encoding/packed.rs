//! Three signed bit fields in one 32-bit integer, as integers and as fixed-point numbers.

use core::marker::PhantomData;

use zerocopy::little_endian::U32;

use super::{Encode, Encoding};
use crate::simd::packed::{Fields, Packed as Kernel};

/// Three signed integers of `X`, `Y` and `Z` bits in one 32-bit integer, starting at its lowest bit.
///
/// [`encode`](Encode::encode) clamps each to its range.
///
/// ```
/// use meshlens_lens::encoding::PackedInteger;
/// use meshlens_lens::{Encode, Encoding};
///
/// let packed = PackedInteger::<11, 11, 10>;
/// assert_eq!(packed.decode((5 | 0x7ff << 11 | 3 << 22).into()), [5, -1, 3]);
/// assert_eq!(packed.quantize([5000, -5000, 600]), [1023, -1024, 511]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedInteger<const X: u32, const Y: u32, const Z: u32>;

/// Three signed fixed-point numbers of `X`, `Y` and `Z` bits in one 32-bit integer, starting at its lowest bit. The
/// lowest `X_FRACTION`, `Y_FRACTION` and `Z_FRACTION` bits of each are after the binary point.
///
/// Decoding is exact. [`encode`](Encode::encode) truncates toward zero to the bits of the fraction, and clamps to the
/// range of each field.
///
/// ```
/// use meshlens_lens::encoding::Packed;
/// use meshlens_lens::{Encode, Encoding};
///
/// // Units of 1/8, 1/8 and 1/4.
/// let packed = Packed::<11, 11, 10, 3, 3, 2>;
/// assert_eq!(packed.quantize([1.5, -2.3, 3.9]), [1.5, -2.25, 3.75]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed<
    const X: u32,
    const Y: u32,
    const Z: u32,
    const X_FRACTION: u32 = 0,
    const Y_FRACTION: u32 = 0,
    const Z_FRACTION: u32 = 0,
>;

impl<const X: u32, const Y: u32, const Z: u32> PackedInteger<X, Y, Z> {
    /// The width of each field, and the number of bits above it in the integer.
    #[allow(clippy::arithmetic_side_effects, reason = "runs at compile time only")]
    const FIELDS: [(u32, u32); 3] = {
        assert!(X >= 1 && X <= 16 && Y >= 1 && Y <= 16 && Z >= 1 && Z <= 16 && X + Y + Z <= 32);
        [(X, 32 - X), (Y, 32 - X - Y), (Z, 32 - X - Y - Z)]
    };

    #[inline]
    fn unpack(raw: U32) -> [i16; 3] {
        // Shifting each field to the top and back extends its sign; all fit in 16 bits.
        Self::FIELDS.map(|(bits, above)| ((raw.get() << above) as i32 >> 32u32.wrapping_sub(bits)) as i16)
    }

    #[inline]
    fn pack(value: [i16; 3]) -> U32 {
        let [x, y, z] = Self::FIELDS;
        let field = |value: i16, (bits, above): (u32, u32)| {
            let unused = 32u32.wrapping_sub(bits);
            let value = i32::from(value).clamp(i32::MIN >> unused, i32::MAX >> unused);
            // Shifts to the top, which drops the bits outside the field, and then down to the field's place.
            ((value as u32) << unused) >> above
        };
        let [value_x, value_y, value_z] = value;
        U32::new(field(value_x, x) | field(value_y, y) | field(value_z, z))
    }
}

impl<const X: u32, const Y: u32, const Z: u32> Encoding for PackedInteger<X, Y, Z> {
    type Raw = U32;
    type Value = [i16; 3];

    #[inline]
    fn decode(&self, raw: U32) -> [i16; 3] {
        Self::unpack(raw)
    }
}

impl<const X: u32, const Y: u32, const Z: u32> Encode for PackedInteger<X, Y, Z> {
    #[inline]
    fn encode(&self, value: [i16; 3]) -> U32 {
        Self::pack(value)
    }
}

impl<const X: u32, const Y: u32, const Z: u32, const XF: u32, const YF: u32, const ZF: u32>
    Packed<X, Y, Z, XF, YF, ZF>
{
    /// The divisor of each field's integer.
    const DIVISOR: [f32; 3] = {
        assert!(XF < 16 && YF < 16 && ZF < 16);
        [(1u32 << XF) as f32, (1u32 << YF) as f32, (1u32 << ZF) as f32]
    };

    /// The factor of each field's integer.
    pub(super) const SCALE: [f32; 3] = {
        let [x, y, z] = Self::DIVISOR;
        [1.0 / x, 1.0 / y, 1.0 / z]
    };
}

impl<const X: u32, const Y: u32, const Z: u32, const XF: u32, const YF: u32, const ZF: u32> Encoding
    for Packed<X, Y, Z, XF, YF, ZF>
{
    type Raw = U32;
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: U32) -> [f32; 3] {
        let ([x, y, z], [scale_x, scale_y, scale_z]) =
            (PackedInteger::<X, Y, Z>::unpack(raw).map(f32::from), Self::SCALE);
        [x * scale_x, y * scale_y, z * scale_z]
    }

    kernel!(&Kernel(PhantomData::<Self>));
}

impl<const X: u32, const Y: u32, const Z: u32, const XF: u32, const YF: u32, const ZF: u32> Fields
    for Packed<X, Y, Z, XF, YF, ZF>
{
    const WIDTHS: [(u32, u32); 3] = [(X, XF), (Y, YF), (Z, ZF)];
}

impl<const X: u32, const Y: u32, const Z: u32, const XF: u32, const YF: u32, const ZF: u32> Encode
    for Packed<X, Y, Z, XF, YF, ZF>
{
    #[inline]
    fn encode(&self, [x, y, z]: [f32; 3]) -> U32 {
        let [by_x, by_y, by_z] = Self::DIVISOR;
        // A float cast truncates, saturates, and converts NaN to zero.
        PackedInteger::<X, Y, Z>::pack([x * by_x, y * by_y, z * by_z].map(|axis| axis as i16))
    }
}
