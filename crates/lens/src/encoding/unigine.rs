//! UNIGINE: rotations and tangent spaces as quaternions of 16-bit integers, and compressed normals.

use zerocopy::little_endian::{I16, U16};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{Encode, Encoding};
use crate::TangentFrame;
use crate::simd::frames::Frames;
use crate::simd::integers::{Integers, kind, mode};

/// One, as quaternions store it.
const ONE: f32 = 32767.0;
/// The least `w` of a tangent space: what writers put in place of one so near zero that its sign would be lost.
const LEAST_W: f32 = 0.001;

/// Writers cut off the fraction. A float cast saturates and takes NaN to zero.
fn truncate(value: f32) -> I16 {
    I16::new((value * ONE).clamp(-ONE, ONE) as i16)
}

/// A rotation: `i16` x, y, z, w in 1/32767 (UNIGINE: MESH File Format, "Rotation quaternion").
///
/// [`encode`](Encode::encode) cuts off the fraction, as the engine's tools do, so that a decoded quaternion is a
/// little shorter than 1. Both q and -q mean the same rotation; neither direction changes which of them it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnigineRotation;

impl Encoding for UnigineRotation {
    type Raw = [I16; 4];
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: [I16; 4]) -> [f32; 4] {
        raw.map(|component| f32::from(component.get()) / ONE)
    }

    kernel!(&const { Integers::<4, { kind::I16 }, 8, { mode::SHARE }>::shares() });
}

impl Encode for UnigineRotation {
    #[inline]
    fn encode(&self, value: [f32; 4]) -> [I16; 4] {
        value.map(truncate)
    }
}

/// A tangent space: `i16` x, y, z, w in 1/32767 (UNIGINE: MESH File Format, "For each tangent").
///
/// The quaternion R turns Z into the normal and X into the tangent; the binormal is Y turned by R, times the **sign
/// of w**. So q and -q differ, and w is never 0: [`encode`](Encode::encode) moves a w that is closer to 0 than 0.001
/// to that, keeps its sign (+0 counts as positive), and shortens x, y, z to match; then it cuts off the fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnigineTangent;

impl Encoding for UnigineTangent {
    type Raw = [I16; 4];
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: [I16; 4]) -> [f32; 4] {
        UnigineRotation.decode(raw)
    }

    kernel!(&const { Integers::<4, { kind::I16 }, 8, { mode::SHARE }>::shares() });
}

impl Encode for UnigineTangent {
    fn encode(&self, value: [f32; 4]) -> [I16; 4] {
        let [x, y, z, w] = value;
        if w.abs() >= LEAST_W || w.is_nan() {
            let [x, y, z, w] = value.map(truncate);
            // Only NaN comes out as zero.
            return [x, y, z, if w == 0 { truncate(LEAST_W) } else { w }];
        }
        let shorten = libm::sqrtf(1.0 - LEAST_W * LEAST_W);
        let [x, y, z] = [x, y, z].map(|component| truncate(component * shorten));
        [x, y, z, truncate(LEAST_W.copysign(w))]
    }
}

/// The same bytes as [`UnigineTangent`], decoded to the three directions of the tangent space in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnigineTangentFrame;

impl Encoding for UnigineTangentFrame {
    type Raw = [I16; 4];
    type Value = TangentFrame;

    #[inline]
    fn decode(&self, raw: [I16; 4]) -> TangentFrame {
        TangentFrame::from_quaternion(UnigineTangent.decode(raw))
    }

    kernel!(&Frames);
}

/// A tangent space of ms10 as it lies: 7 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Ms10Tangent {
    /// The quaternion's x, y and z in 1/32767.
    pub xyz: [I16; 3],
    /// The binormal's sign, 127 or -127.
    pub sign: i8,
}

/// A tangent space of ms10: `i16` x, y, z in 1/32767, with `w = sqrt(1 - x² - y² - z²)`, never negative; the
/// binormal's sign is a byte of its own, behind them.
///
/// [`encode`](Encode::encode) takes the sign from w, as [`UnigineTangent`] does, and turns q to -q where it has to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnigineTangentMs10;

impl Encoding for UnigineTangentMs10 {
    type Raw = Ms10Tangent;
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: Ms10Tangent) -> [f32; 4] {
        let [x, y, z] = raw.xyz.map(|component| f32::from(component.get()) / ONE);
        let square = 1.0 - x * x - y * y - z * z;
        [x, y, z, if square > 0.0 { libm::sqrtf(square) } else { 0.0 }]
    }
}

impl Encode for UnigineTangentMs10 {
    fn encode(&self, [x, y, z, w]: [f32; 4]) -> Ms10Tangent {
        let sign = 1f32.copysign(w);
        let xyz = [x, y, z].map(|component| truncate(component * sign));
        Ms10Tangent { xyz, sign: if sign > 0.0 { 127 } else { -127 } }
    }
}

/// A normal as three `u16`, -1 to 1 over 0 to 65535 (UNIGINE: Compression of Normals).
///
/// No field of the mesh and animation files is stored so; the document describes it all the same.
/// [`encode`](Encode::encode) cuts off the fraction, as the document says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnigineNormal;

impl Encoding for UnigineNormal {
    type Raw = [U16; 3];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: [U16; 3]) -> [f32; 3] {
        raw.map(|axis| f32::from(axis.get()) / 65535.0 * 2.0 - 1.0)
    }

    kernel!(&const { Integers::<3, { kind::U16 }, 6, { mode::RANGE }>::ranged([-1.0; 3], [2.0; 3]) });
}

impl Encode for UnigineNormal {
    #[inline]
    fn encode(&self, value: [f32; 3]) -> [U16; 3] {
        value.map(|axis| U16::new(((axis * 0.5 + 0.5) * 65535.0) as u16))
    }
}

/// A share of 65535 (UNIGINE: MESH File Format, "Bone weight").
///
/// [`encode`](Encode::encode) cuts off the fraction, as the engine's tools do: four weights of a vertex add up to
/// 65533 or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnigineWeight;

impl Encoding for UnigineWeight {
    type Raw = U16;
    type Value = f32;

    #[inline]
    fn decode(&self, raw: U16) -> f32 {
        f32::from(raw.get()) / 65535.0
    }

    kernel!(&const { Integers::<1, { kind::U16 }, 2, { mode::SHARE }>::shares() });
}

impl Encode for UnigineWeight {
    #[inline]
    fn encode(&self, value: f32) -> U16 {
        U16::new((value * 65535.0) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(values: [i16; 4]) -> [I16; 4] {
        values.map(I16::new)
    }

    #[test]
    fn every_rotation_code_is_its_share_of_32767() {
        for code in i16::MIN..=i16::MAX {
            let [x, ..] = UnigineRotation.decode(raw([code, 0, 0, 0]));
            assert!((f64::from(x) - f64::from(code) / 32767.0).abs() <= 6e-8, "{code}");
        }
        assert_eq!(UnigineRotation.decode(raw([32767, -32767, 0, 16383]))[..3], [1.0, -1.0, 0.0]);
    }

    #[test]
    fn rotations_are_cut_off_and_stop_at_the_ends() {
        // Half the square root of 2 is 23169.77 steps.
        let half = core::f32::consts::FRAC_1_SQRT_2;
        assert_eq!(UnigineRotation.encode([half, -half, 0.5, -0.5]), raw([23169, -23169, 16383, -16383]));
        assert_eq!(UnigineRotation.encode([2.0, -2.0, f32::NAN, -0.0]), raw([32767, -32767, 0, 0]));
        for code in -32767..=i16::MAX {
            let [again, ..] = UnigineRotation.quantize([f32::from(code) / ONE, 0.0, 0.0, 0.0]);
            assert!((again - f32::from(code) / ONE).abs() <= 1.0 / ONE);
        }
    }

    #[test]
    fn w_of_a_tangent_space_is_never_zero() {
        assert_eq!(UnigineTangent.encode([0.0, 0.0, 0.0, 1.0]), raw([0, 0, 0, 32767]));
        assert_eq!(UnigineTangent.encode([1.0, 0.0, 0.0, 0.0]), raw([32766, 0, 0, 32]));
        assert_eq!(UnigineTangent.encode([0.0, 1.0, 0.0, -0.0]), raw([0, 32766, 0, -32]));
        assert_eq!(UnigineTangent.encode([0.0, 0.0, -1.0, -1e-9]), raw([0, 0, -32766, -32]));
        for step in -2000i16..=2000 {
            let w = f32::from(step) / 1_000_000.0;
            let [.., stored] = UnigineTangent.encode([0.6, 0.8, 0.0, w]);
            assert!(stored != 0 && (stored.get() > 0) == (w >= 0.0), "{w}: {stored}");
        }
        for odd in [[f32::NAN; 4], [f32::INFINITY; 4]] {
            assert!(UnigineTangent.encode(odd)[3] != 0);
        }
    }

    #[test]
    fn ms10_leaves_w_to_the_reader_and_stores_the_sign() {
        let stored = Ms10Tangent { xyz: [16383, 0, -16383].map(I16::new), sign: -127 };
        let [x, y, z, w] = UnigineTangentMs10.decode(stored);
        assert_eq!((x, y, z), (16383.0 / 32767.0, 0.0, -16383.0 / 32767.0));
        assert!((w - 0.70713).abs() < 1e-5, "{w}");
        assert_eq!(UnigineTangentMs10.encode([-0.5, 0.0, 0.5, -0.70713]), stored);
        let full = Ms10Tangent { xyz: [i16::MIN; 3].map(I16::new), sign: 0 };
        assert_eq!(UnigineTangentMs10.decode(full)[3], 0.0, "no root of a negative number");
        assert_eq!(size_of::<Ms10Tangent>(), 7);
    }

    #[test]
    fn every_normal_code_comes_back_or_falls_one_short() {
        for code in 0..=u16::MAX {
            let [x, ..] = UnigineNormal.decode([code, 0, 0].map(U16::new));
            assert!((f64::from(x) - (f64::from(code) / 65535.0 * 2.0 - 1.0)).abs() <= 1.2e-7);
            let [again, ..] = UnigineNormal.encode([x, 0.0, 0.0]);
            assert!(again == code || again.get() + 1 == code, "{code} becomes {again}");
        }
        assert_eq!(UnigineNormal.encode([1.0, -1.0, 0.0]), [65535, 0, 32767].map(U16::new));
        assert_eq!(UnigineNormal.encode([9.0, -9.0, f32::NAN]), [65535, 0, 0].map(U16::new));
    }

    #[test]
    fn every_weight_code_comes_back_or_falls_one_short() {
        for code in 0..=u16::MAX {
            let weight = UnigineWeight.decode(U16::new(code));
            let again = UnigineWeight.encode(weight);
            assert!(again == code || again.get() + 1 == code, "{code} becomes {again}");
        }
        assert_eq!(UnigineWeight.decode(U16::new(65535)), 1.0);
        assert_eq!(UnigineWeight.encode(1.5), 65535);
    }
}
