//! Tangent frames as quaternions: two ways in which UNIGINE stores a normal, a tangent and a bitangent as one rotation.
//!
//! Only UNIGINE meshes store frames this way. The encodings are in this crate because their kernels are here. The
//! format crate re-exports them under its own names.
//!
//! The quaternion rotates Z to the normal and X to the tangent. It rotates Y to the bitangent, up to a sign: the sign
//! of w, or a sign that is stored separately.

use zerocopy::little_endian::I16;

use super::rounding::TOWARD_ZERO;
use super::{Encode, Encoding, Snorm16};
use crate::TangentFrame;
use crate::simd::integers::{Integers, kind, mode};
use crate::simd::tangent_frames::{TangentFrames, TangentNormals};

/// Four snorm16 numbers, truncated like by UNIGINE's tools.
const SNORM: Snorm16<4, TOWARD_ZERO> = Snorm16;
/// The smallest magnitude of an encoded `w`, which is the value of the integer 32. Truncating a smaller one would lose
/// its sign.
const LEAST_W: f32 = 32.0 / 32767.0;

/// The quaternion of a tangent frame: snorm16 x, y, z, w (UNIGINE: MESH File Format, "For each tangent").
///
/// The bitangent has the sign of w. Therefore q and -q are different frames, and w must not be 0:
/// [`encode`](Encode::encode) changes a w closer to 0 than 32/32767, about 0.001, to this value or its negative, keeping
/// its sign (+0 counts as positive). It then scales x, y and z so that the length stays 1, and truncates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TangentQuaternion16;

impl Encoding for TangentQuaternion16 {
    type Raw = [I16; 4];
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: [I16; 4]) -> [f32; 4] {
        SNORM.decode(raw)
    }

    kernel!(&const { Integers::<4, { kind::I16 }, 8, { mode::NORM }>::normalized() });
}

impl Encode for TangentQuaternion16 {
    fn encode(&self, value: [f32; 4]) -> [I16; 4] {
        let [x, y, z, w] = value;
        if w.abs() >= LEAST_W || w.is_nan() {
            let [x, y, z, w] = SNORM.encode(value);
            // Only NaN becomes zero.
            let [.., least] = SNORM.encode([LEAST_W; 4]);
            return [x, y, z, if w == 0 { least } else { w }];
        }
        let shorten = libm::sqrtf(1.0 - LEAST_W * LEAST_W);
        SNORM.encode([x * shorten, y * shorten, z * shorten, LEAST_W.copysign(w)])
    }
}

/// The bytes of a [`TangentQuaternion16`], decoded to normal, tangent and bitangent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TangentFrame16;

impl Encoding for TangentFrame16 {
    type Raw = [I16; 4];
    type Value = TangentFrame;

    #[inline]
    fn decode(&self, raw: [I16; 4]) -> TangentFrame {
        // The frame does not depend on the length of the quaternion.
        TangentFrame::from_quaternion(raw.map(|value| f32::from(value.get())))
    }

    kernel!(&TangentFrames);
}

/// The bytes of a [`TangentQuaternion16`], decoded to the normal alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TangentNormal16;

impl Encoding for TangentNormal16 {
    type Raw = [I16; 4];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: [I16; 4]) -> [f32; 3] {
        TangentFrame16.decode(raw).normal
    }

    kernel!(&TangentNormals);
}

/// The quaternion of a tangent frame without w: snorm16 x, y, z and a byte for the sign of the bitangent. `w` is
/// `sqrt(1 - x² - y² - z²)`, never negative.
///
/// [`encode`](Encode::encode) takes the sign from w, like [`TangentQuaternion16`], and negates q if w is negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TangentQuaternionXyz16;

impl TangentQuaternionXyz16 {
    /// The stored x, y and z, and the sign of the bitangent: 127 or -127.
    pub fn parts([x0, x1, y0, y1, z0, z1, sign]: [u8; 7]) -> ([i16; 3], i8) {
        ([[x0, x1], [y0, y1], [z0, z1]].map(i16::from_le_bytes), sign.cast_signed())
    }

    /// The bytes of these [parts](Self::parts).
    pub fn from_parts(xyz: [i16; 3], sign: i8) -> [u8; 7] {
        let [[x0, x1], [y0, y1], [z0, z1]] = xyz.map(i16::to_le_bytes);
        [x0, x1, y0, y1, z0, z1, sign.cast_unsigned()]
    }
}

impl Encoding for TangentQuaternionXyz16 {
    type Raw = [u8; 7];
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: [u8; 7]) -> [f32; 4] {
        let [x, y, z] = Snorm16::<3>.decode(Self::parts(raw).0.map(I16::new));
        let square = 1.0 - x * x - y * y - z * z;
        [x, y, z, if square > 0.0 { libm::sqrtf(square) } else { 0.0 }]
    }
}

impl Encode for TangentQuaternionXyz16 {
    fn encode(&self, [x, y, z, w]: [f32; 4]) -> [u8; 7] {
        let sign = 1f32.copysign(w);
        let xyz = Snorm16::<3, TOWARD_ZERO>.encode([x * sign, y * sign, z * sign]);
        Self::from_parts(xyz.map(I16::get), if sign > 0.0 { 127 } else { -127 })
    }
}

/// The bytes of a [`TangentQuaternionXyz16`], decoded to normal, tangent and bitangent. The last byte is the sign of
/// the bitangent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TangentFrameXyz16;

impl Encoding for TangentFrameXyz16 {
    type Raw = [u8; 7];
    type Value = TangentFrame;

    #[inline]
    fn decode(&self, raw: [u8; 7]) -> TangentFrame {
        let (_, sign) = TangentQuaternionXyz16::parts(raw);
        TangentFrame::with_sign(TangentQuaternionXyz16.decode(raw), if sign < 0 { -1.0 } else { 1.0 })
    }
}
