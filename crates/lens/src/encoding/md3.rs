//! Quake 3 MD3 (MD3: Vertex): positions in 1/64 units and normals as two angles of one byte each.

use core::f64::consts::TAU;

use zerocopy::little_endian::I16;

use super::angles::{Angles, Steps};
use super::{Encode, Encoding};
use crate::PositionNormal;
use crate::simd::integers::{Integers, kind, mode};
use crate::simd::product::{Factors, Order, Product};
use crate::simd::vertex::Vertex;

/// Model units to stored integers, and back.
const POSITION_SCALE: f32 = 64.0;

/// `i16` x, y, z in 1/64 of a model unit (MD3: Vertex.COORD).
///
/// Exact: a stored integer times 1/64 is a float without rounding. [`encode`](Encode::encode) rounds to the nearest
/// stored integer, halves away from zero, and stops at -512 and 511.984375.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md3Position;

impl Encoding for Md3Position {
    type Raw = [I16; 3];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: [I16; 3]) -> [f32; 3] {
        raw.map(|axis| f32::from(axis.get()) * (1.0 / POSITION_SCALE))
    }

    kernel!(
        &const { Integers::<3, { kind::I16 }, 6, { mode::SCALE }>::scaled(1.0 / POSITION_SCALE) },
        or 8 &const { Integers::<3, { kind::I16 }, 8, { mode::SCALE }>::scaled(1.0 / POSITION_SCALE) }
    );
}

impl Encode for Md3Position {
    #[inline]
    fn encode(&self, value: [f32; 3]) -> [I16; 3] {
        // A float cast saturates and takes NaN to zero.
        value.map(|axis| I16::new(libm::roundf(axis * POSITION_SCALE) as i16))
    }
}

/// A normal as zenith and azimuth, one byte each, 256 to the full turn (MD3: Vertex.NORMAL).
///
/// `x = cos(azimuth) sin(zenith)`, `y = sin(azimuth) sin(zenith)`, `z = cos(zenith)`. This is the decoding engines
/// and editors use. [`encode`](Encode::encode) is that of id's tools, which divide the turn by 255 and cut off the
/// fraction, so a normal that went through both is off by up to three degrees; [`Md3NormalInverse`] undoes that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md3Normal;

/// The same two bytes, decoded as the exact inverse of id's encoder: each angle in the middle of those that
/// the encoder would have stored so, 255 to the full turn, with (0, 0) as +Z and (128, 0) as -Z.
///
/// Three times as accurate as [`Md3Normal`] on files written by id's tools and their descendants, and slightly
/// different from what engines show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md3NormalInverse;

/// Engines: 256 to the full turn.
static ENGINE_STEPS: Steps = Steps::new(0.0, TAU / 256.0, false);
static ENGINE: Angles = ENGINE_STEPS.angles();
/// Zenith codes stand for what was cut off to them: half a step more, 255 to the full turn.
static INVERSE_ZENITH_STEPS: Steps = Steps::outward(TAU / 255.0, false);
static INVERSE_ZENITH: Angles = INVERSE_ZENITH_STEPS.angles();
/// Azimuth codes are signed, and were cut off toward zero.
static INVERSE_AZIMUTH_STEPS: Steps = Steps::outward(TAU / 255.0, true);
static INVERSE_AZIMUTH: Angles = {
    let mut angles = INVERSE_AZIMUTH_STEPS.angles();
    (angles.sine[0], angles.cosine[0]) = (0.0, 1.0);
    angles
};

/// `x` and `y` have the zenith's sine, `z` its cosine. At the poles, whose second code is 0, the first one's is exact.
static ENGINE_ZENITH_FACTORS: Factors = zenith_factors(&ENGINE);
static INVERSE_ZENITH_FACTORS: Factors = zenith_factors(&INVERSE_ZENITH);
/// `x` has the azimuth's cosine, `y` its sine.
static ENGINE_AZIMUTH_FACTORS: Factors = azimuth_factors(&ENGINE);
static INVERSE_AZIMUTH_FACTORS: Factors = azimuth_factors(&INVERSE_AZIMUTH);

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs at compile time only")]
const fn zenith_factors(angles: &Angles) -> Factors {
    let mut factors = [[0.0; 4]; 512];
    let mut code = 0;
    while code < 256 {
        let (sine, cosine) = (angles.sine[code], angles.cosine[code]);
        factors[code] = [sine, sine, cosine, 0.0];
        factors[256 + code] = factors[code];
        code += 1;
    }
    factors[256] = [0.0, 0.0, 1.0, 0.0];
    factors[256 + 128] = [0.0, 0.0, -1.0, 0.0];
    Factors(factors)
}

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs at compile time only")]
const fn azimuth_factors(angles: &Angles) -> Factors {
    let mut factors = [[0.0; 4]; 512];
    let mut code = 0;
    while code < 256 {
        factors[code] = [angles.cosine[code], angles.sine[code], 1.0, 0.0];
        code += 1;
    }
    Factors(factors)
}

const fn engine<const STRIDE: usize>() -> Product<STRIDE, false> {
    Product {
        first: &ENGINE_ZENITH_FACTORS,
        second: &ENGINE_AZIMUTH_FACTORS,
        steps: [&ENGINE_STEPS; 2],
        order: Order::ZenithAzimuth,
    }
}

const fn inverse<const STRIDE: usize>() -> Product<STRIDE, true> {
    Product {
        first: &INVERSE_ZENITH_FACTORS,
        second: &INVERSE_AZIMUTH_FACTORS,
        steps: [&INVERSE_ZENITH_STEPS, &INVERSE_AZIMUTH_STEPS],
        order: Order::ZenithAzimuth,
    }
}

#[inline]
fn direction((sin_zenith, cos_zenith): (f32, f32), (sin_azimuth, cos_azimuth): (f32, f32)) -> [f32; 3] {
    [cos_azimuth * sin_zenith, sin_azimuth * sin_zenith, cos_zenith]
}

impl Encoding for Md3Normal {
    type Raw = [u8; 2];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, [zenith, azimuth]: [u8; 2]) -> [f32; 3] {
        direction(ENGINE.get(zenith), ENGINE.get(azimuth))
    }

    kernel!(&engine::<2>(), or 8 &engine::<8>());
}

impl Encoding for Md3NormalInverse {
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

/// A whole vertex (MD3: Vertex), decoded in one pass: a position as [`Md3Position`] and a normal as [`Md3Normal`] have
/// them. Faster than either array after the other, and what an interleaved vertex buffer wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md3Vertex;

impl Encoding for Md3Vertex {
    type Raw = [u8; 8];
    type Value = PositionNormal;

    #[inline]
    fn decode(&self, [x0, x1, y0, y1, z0, z1, zenith, azimuth]: [u8; 8]) -> PositionNormal {
        PositionNormal {
            position: Md3Position.decode([[x0, x1], [y0, y1], [z0, z1]].map(I16::from_bytes)),
            normal: Md3Normal.decode([zenith, azimuth]),
        }
    }

    kernel!(&const { Vertex { scale: 1.0 / POSITION_SCALE, normal: engine::<8>() } });
}

impl Encode for Md3Vertex {
    fn encode(&self, value: PositionNormal) -> [u8; 8] {
        let [x, y, z] = Md3Position.encode(value.position).map(I16::to_bytes);
        let [zenith, azimuth] = Md3Normal.encode(value.normal);
        [x[0], x[1], y[0], y[1], z[0], z[1], zenith, azimuth]
    }
}

/// As id's tools do (MD3: Encoding): the poles are named, every other angle is cut off toward zero at 255 to the
/// full turn, and its low byte is kept.
fn encode_normal([x, y, z]: [f32; 3]) -> [u8; 2] {
    let length = libm::sqrtf(x * x + y * y + z * z);
    if !(length > 0.0 && length.is_finite()) {
        return [0, 0];
    }
    if x == 0.0 && y == 0.0 {
        return if z > 0.0 { [0, 0] } else { [128, 0] };
    }
    let to_code = |radians: f32| (f64::from(radians) * (255.0 / TAU)) as i32 as u8;
    [to_code(libm::acosf(z / length)), to_code(libm::atan2f(y, x))]
}

impl Encode for Md3Normal {
    fn encode(&self, value: [f32; 3]) -> [u8; 2] {
        encode_normal(value)
    }
}

impl Encode for Md3NormalInverse {
    fn encode(&self, value: [f32; 3]) -> [u8; 2] {
        encode_normal(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::testing::{degrees_between, sphere};

    #[test]
    fn every_position_survives_decode_and_encode() {
        for code in i16::MIN..=i16::MAX {
            let raw = [code, !code, code.wrapping_mul(3)].map(I16::new);
            assert_eq!(Md3Position.encode(Md3Position.decode(raw)), raw);
        }
    }

    #[test]
    fn positions_round_to_nearest_and_stop_at_the_ends() {
        let encode = |x: f32| Md3Position.encode([x, 0.0, 0.0])[0].get();
        assert_eq!((encode(1.0), encode(-0.5), encode(0.0117)), (64, -32, 1));
        assert_eq!((encode(1e9), encode(-1e9), encode(f32::NAN)), (i16::MAX, i16::MIN, 0));
        assert_eq!(Md3Position.quantize([0.01, 511.99, -512.5]), [1.0 / 64.0, 511.0 + 63.0 / 64.0, -512.0]);
    }

    #[test]
    fn every_normal_is_the_formula_of_the_document() {
        for zenith in 0..=255u8 {
            for azimuth in 0..=255u8 {
                let got = Md3Normal.decode([zenith, azimuth]);
                let (zen, az) = (f64::from(zenith) * TAU / 256.0, f64::from(azimuth) * TAU / 256.0);
                let want = [libm::cos(az) * libm::sin(zen), libm::sin(az) * libm::sin(zen), libm::cos(zen)];
                let mut length = 0.0;
                for (got, want) in got.iter().zip(want) {
                    assert!((f64::from(*got) - want).abs() <= 2e-7, "{zenith} {azimuth}: {got} {want}");
                    length += f64::from(*got) * f64::from(*got);
                }
                assert!((length.sqrt() - 1.0).abs() <= 3e-7);
            }
        }
    }

    #[test]
    fn the_axes_are_exact() {
        assert_eq!(Md3Normal.decode([0, 0]), [0.0, 0.0, 1.0]);
        assert_eq!(Md3Normal.decode([128, 0]), [0.0, 0.0, -1.0]);
        assert_eq!(Md3Normal.decode([64, 0]), [1.0, 0.0, 0.0]);
        assert_eq!(Md3Normal.decode([64, 64]), [0.0, 1.0, 0.0]);
        assert_eq!(Md3NormalInverse.decode([0, 0]), [0.0, 0.0, 1.0]);
        assert_eq!(Md3NormalInverse.decode([128, 0]), [0.0, 0.0, -1.0]);
    }

    #[test]
    fn codes_are_cut_off_at_255_to_the_turn() {
        // acos(0) = 90 degrees = 63.75 -> 63; atan2(1, 0) the same; atan2(-1, 0) = -63.75 -> -63 = 193.
        assert_eq!(Md3Normal.encode([1.0, 0.0, 0.0]), [63, 0]);
        assert_eq!(Md3Normal.encode([0.0, 1.0, 0.0]), [63, 63]);
        assert_eq!(Md3Normal.encode([0.0, -2.0, 0.0]), [63, 193]);
        assert_eq!(Md3Normal.encode([0.0, 0.0, 5.0]), [0, 0]);
        assert_eq!(Md3Normal.encode([0.0, 0.0, -5.0]), [128, 0]);
        assert_eq!(Md3Normal.encode([0.0, 0.0, 0.0]), [0, 0]);
        assert_eq!(Md3Normal.encode([f32::NAN, 1.0, 0.0]), [0, 0]);
    }

    #[test]
    fn the_inverse_is_the_more_accurate_one_for_what_the_encoder_writes() {
        let (mut engine, mut inverse, mut worst) = (0.0, 0.0, 0.0f64);
        for direction in sphere(20_000) {
            engine += degrees_between(direction, Md3Normal.quantize(direction)) / 20_000.0;
            let error = degrees_between(direction, Md3NormalInverse.quantize(direction));
            inverse += error / 20_000.0;
            worst = worst.max(error);
        }
        assert!(inverse * 2.0 < engine, "mean {inverse} against {engine} degrees");
        // Half a step of zenith and half a (pole-to-pole shrinking) step of azimuth, twice that around azimuth 0.
        assert!(worst < 1.6, "{worst}");
    }

    #[test]
    fn the_inverse_gives_back_every_code_the_encoder_can_write() {
        for zenith in 0..128u8 {
            for azimuth in 0..=255u8 {
                // The last half step of either angle ends at 180 degrees, where the code after it begins.
                if zenith == 127 || !(-126..=126).contains(&(azimuth as i8)) {
                    continue;
                }
                let raw = [zenith, azimuth];
                let again = Md3NormalInverse.encode(Md3NormalInverse.decode(raw));
                assert_eq!(again, raw);
            }
        }
    }
}
