//! Quake 3 MD3 (MD3: Vertex): positions in 1/64 units and normals as two angles of one byte each.

use core::f64::consts::{FRAC_PI_2, TAU};

use zerocopy::little_endian::I16;

use super::angles::{Angles, sine};
use super::{Encode, Encoding};

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
static ENGINE: Angles = table(256.0, false, 0.0);
/// Zenith codes stand for what was cut off to them: half a step more, 255 to the full turn.
static INVERSE_ZENITH: Angles = table(255.0, false, 0.5);
/// Azimuth codes are signed, and were cut off toward zero.
static INVERSE_AZIMUTH: Angles = table(255.0, true, 0.5);

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs at compile time only")]
const fn table(turn: f64, signed: bool, half: f64) -> Angles {
    let mut table = Angles { sine: [0.0; 256], cosine: [0.0; 256] };
    let mut code = 0;
    while code < 256 {
        let steps = if !signed {
            code as f64 + half
        } else {
            match code as u8 as i8 {
                0 => 0.0,
                steps if steps > 0 => steps as f64 + half,
                steps => steps as f64 - half,
            }
        };
        let angle = steps * (TAU / turn);
        table.sine[code] = sine(angle) as f32;
        table.cosine[code] = sine(angle + FRAC_PI_2) as f32;
        code += 1;
    }
    table
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
                    assert!((f64::from(*got) - want).abs() <= 1.2e-7, "{zenith} {azimuth}: {got} {want}");
                    length += f64::from(*got) * f64::from(*got);
                }
                assert!((length.sqrt() - 1.0).abs() <= 2e-7);
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
