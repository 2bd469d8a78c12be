//! Directions as a zenith and an azimuth of one byte each, either separate or after a position: the normals of Quake 3
//! MD3 models (MD3: Vertex).
//!
//! Only MD3 stores normals this way. The encodings are in this crate because their kernels are here. The format crate
//! re-exports them under its own names.

use core::f64::consts::TAU;

use zerocopy::little_endian::I16;

use super::{Encode, Encoding, Scaled};
use crate::PositionNormal;
use crate::angles::{Angles, Steps};
use crate::simd::direction_table::angles::{ZENITH_AZIMUTH, ZENITH_AZIMUTH_WITH_POLES};
use crate::simd::direction_table::{DirectionTable, Factors, Rows, Sines};
use crate::simd::position_normal::PositionDirection;
use crate::stored::StoredKind;

/// A zenith and an azimuth of one byte each; a full turn is 256 (MD3: Vertex.NORMAL).
///
/// `x = cos(azimuth) sin(zenith)`, `y = sin(azimuth) sin(zenith)`, `z = cos(zenith)`. Engines and editors decode
/// normals this way.
///
/// [`encode`](Encode::encode) returns the code whose decoded direction is nearest. The error is at most 0.995 degrees,
/// when both angles are off by half a step, and 0.53 on average. Decoding and encoding again changes nothing. Several
/// codes give the same direction; `encode` returns the one whose zenith is at most 128, and at the poles the one whose
/// azimuth is 0. A direction that has length 0 or is not finite becomes (0, 0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZenithAzimuth8;

/// The bytes of a [`ZenithAzimuth8`], decoded as the inverse of an encoder that truncates. A full turn is 255, and each
/// angle is the center of the interval that is truncated to its code. (0, 0) is +Z and (128, 0) is -Z.
///
/// For files written by id's tools and their descendants, this is three times as accurate as [`ZenithAzimuth8`], but
/// differs slightly from the normals in engines. [`encode`](Encode::encode) is the encoder of id's tools (MD3:
/// Encoding): it handles the poles separately, divides the turn by 255 and truncates. Engines decode such normals as
/// [`ZenithAzimuth8`], up to three degrees off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TruncatedZenithAzimuth8;

/// Like in engines, a full turn is 256.
static ENGINE_STEPS: Steps = Steps::new(0.0, TAU / 256.0, false);
static ENGINE: Angles = ENGINE_STEPS.angles();
/// The center of the zeniths that are truncated to each code, half a step after the code. A full turn is 255.
static INVERSE_ZENITH_STEPS: Steps = Steps::with_poles(TAU / 255.0);
static INVERSE_ZENITH: Angles = INVERSE_ZENITH_STEPS.angles();
/// Azimuth codes are signed and truncated toward zero.
static INVERSE_AZIMUTH_STEPS: Steps = Steps::outward(TAU / 255.0);
static INVERSE_AZIMUTH: Angles = {
    let mut angles = INVERSE_AZIMUTH_STEPS.angles();
    (angles.sine[0], angles.cosine[0]) = (0.0, 1.0);
    angles
};

static ENGINE_ZENITHS: Sines = Sines::new(&ENGINE);
static INVERSE_ZENITHS: Sines = Sines::with_poles(&INVERSE_ZENITH);
static ENGINE_AZIMUTHS: Factors = Factors::of_azimuths(&ENGINE);
static INVERSE_AZIMUTHS: Factors = Factors::of_azimuths(&INVERSE_AZIMUTH);

static ENGINE_ROWS: [Rows; 2] = [Rows::of_zeniths(&ENGINE), Rows::of_azimuths(&ENGINE)];

const fn engine<const STRIDE: usize>() -> DirectionTable<STRIDE, ZENITH_AZIMUTH> {
    DirectionTable::new(&ENGINE_ZENITHS, &ENGINE_AZIMUTHS, [&ENGINE_STEPS; 2])
}

const fn inverse<const STRIDE: usize>() -> DirectionTable<STRIDE, ZENITH_AZIMUTH_WITH_POLES> {
    let steps = [&INVERSE_ZENITH_STEPS, &INVERSE_AZIMUTH_STEPS];
    DirectionTable::new(&INVERSE_ZENITHS, &INVERSE_AZIMUTHS, steps)
}

/// The kernel for records of a position, whose integers are multiplied by `scale`, and a [`ZenithAzimuth8`].
pub(crate) const fn position_zenith_azimuth(scale: f32) -> PositionDirection {
    PositionDirection { scale, rows: [&ENGINE_ROWS[0], &ENGINE_ROWS[1]], normal: engine::<8>() }
}

#[inline]
fn direction((sin_zenith, cos_zenith): (f32, f32), (sin_azimuth, cos_azimuth): (f32, f32)) -> [f32; 3] {
    [cos_azimuth * sin_zenith, sin_azimuth * sin_zenith, cos_zenith]
}

impl Encoding for ZenithAzimuth8 {
    type Raw = [u8; 2];
    type Value = [f32; 3];
    const STORED: StoredKind = StoredKind::ZenithAzimuth;

    #[inline]
    fn decode(&self, [zenith, azimuth]: [u8; 2]) -> [f32; 3] {
        direction(ENGINE.get(zenith), ENGINE.get(azimuth))
    }

    kernel!(&engine::<2>(), or 8 &engine::<8>());
}

impl Encoding for TruncatedZenithAzimuth8 {
    type Raw = [u8; 2];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: [u8; 2]) -> [f32; 3] {
        match raw {
            [0, 0] => [0.0, 0.0, 1.0],
            [128, 0] => [0.0, 0.0, -1.0],
            [zenith, azimuth] => direction(INVERSE_ZENITH.get(zenith), INVERSE_AZIMUTH.get(azimuth)),
        }
    }

    kernel!(&inverse::<2>(), or 8 &inverse::<8>());
}

/// Three `i16` in units of `1 / DIVISOR` and a direction of two bytes, decoded in one pass: a position like [`Scaled`]
/// and a normal like [`ZenithAzimuth8`]. For interleaved vertex buffers, this is faster than decoding two arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositionZenithAzimuth8<const DIVISOR: u32>;

impl<const DIVISOR: u32> PositionZenithAzimuth8<DIVISOR> {
    const POSITION: Scaled<i16, 3, DIVISOR> = Scaled::new();
}

impl<const DIVISOR: u32> Encoding for PositionZenithAzimuth8<DIVISOR> {
    type Raw = [u8; 8];
    type Value = PositionNormal;

    #[inline]
    fn decode(&self, [x0, x1, y0, y1, z0, z1, zenith, azimuth]: [u8; 8]) -> PositionNormal {
        PositionNormal {
            position: Self::POSITION.decode([[x0, x1], [y0, y1], [z0, z1]].map(I16::from_bytes)),
            normal: ZenithAzimuth8.decode([zenith, azimuth]),
        }
    }

    kernel!(&const { position_zenith_azimuth(Scaled::<i16, 3, DIVISOR>::SCALE) });
}

impl<const DIVISOR: u32> Encode for PositionZenithAzimuth8<DIVISOR> {
    fn encode(&self, value: PositionNormal) -> [u8; 8] {
        let [x, y, z] = Self::POSITION.encode(value.position).map(I16::to_bytes);
        let [zenith, azimuth] = ZenithAzimuth8.encode(value.normal);
        [x[0], x[1], y[0], y[1], z[0], z[1], zenith, azimuth]
    }
}

impl Encode for ZenithAzimuth8 {
    /// The nearest code. The rings of all zeniths have the same azimuths, so the nearest azimuth is the same on every
    /// ring. The nearest ring is then the zenith of the direction projected onto the plane of that azimuth.
    #[allow(clippy::arithmetic_side_effects, reason = "floats")]
    fn encode(&self, value: [f32; 3]) -> [u8; 2] {
        let [x, y, z] = value.map(f64::from);
        let length = libm::sqrt(x * x + y * y + z * z);
        if !(length > 0.0 && length.is_finite()) {
            return [0, 0];
        }
        let step = TAU / 256.0;
        let azimuth = libm::round(libm::atan2(y, x) / step);
        let (sine, cosine) = libm::sincos(azimuth * step);
        let zenith = libm::round(libm::atan2(x * cosine + y * sine, z) / step);
        // The azimuth is -128 to 128 steps, the zenith 0 to 128.
        match zenith as i32 as u8 {
            pole @ (0 | 128) => [pole, 0],
            zenith => [zenith, azimuth as i32 as u8],
        }
    }
}

impl Encode for TruncatedZenithAzimuth8 {
    fn encode(&self, [x, y, z]: [f32; 3]) -> [u8; 2] {
        let length = libm::sqrtf(x * x + y * y + z * z);
        if !(length > 0.0 && length.is_finite()) {
            return [0, 0];
        }
        if x == 0.0 && y == 0.0 {
            return if z > 0.0 { [0, 0] } else { [128, 0] };
        }
        // Truncates toward zero and keeps the lowest byte.
        let to_code = |radians: f32| (f64::from(radians) * (255.0 / TAU)) as i32 as u8;
        [to_code(libm::acosf(z / length)), to_code(libm::atan2f(y, x))]
    }
}
