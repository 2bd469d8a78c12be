//! Directions as a latitude and a longitude, one byte or two bytes each: the normals of Ultimate 3D models.
//!
//! Only Ultimate 3D stores normals this way (Ultimate 3D: CompressedNormal). The encodings are in this crate because
//! their kernels are; the format crate re-exports them under its own names.

use core::f64::consts::{FRAC_PI_2, PI};

use zerocopy::little_endian::I16;

use super::{Encode, Encoding};
use crate::angles::{Angles, Steps};
use crate::simd::direction_table::angles::LATITUDE_LONGITUDE;
use crate::simd::direction_table::{DirectionTable, Factors, Sines};
use crate::simd::directions16::Directions16;

/// A latitude and a longitude of one signed byte each. A quarter turn of latitude is 31.75, a half turn of longitude is
/// 127.
///
/// `x = cos(latitude) sin(longitude)`, `y = -sin(latitude)`, `z = cos(latitude) cos(longitude)`; the length is 1. Every
/// code is valid. Latitudes beyond 31 are past a pole and are never written. [`encode`](Encode::encode) rounds to the
/// nearest code and clamps the latitude to 31: the error of a normal is at most 2.13 degrees, or at most 1.6 degrees if
/// the normal is not near a pole. The value need not have length 1; zero becomes +Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatitudeLongitude8;

/// Signed bytes like [`LatitudeLongitude8`], except that a quarter turn of latitude is 127.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatitudeLongitude8Full;

/// A latitude and a longitude of a signed 16-bit integer each. A quarter turn of latitude and a half turn of longitude
/// are 32767.
///
/// The formula is the same as for [`LatitudeLongitude8`]. Whole arrays may differ from single elements in the last
/// bits, within the bounds that [`Level`](crate::Level) states. [`encode`](Encode::encode) rounds to the nearest code:
/// the error of a normal is at most 0.0031 degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatitudeLongitude16;

/// The scales that the format's documents give, and their inverses.
mod scale {
    pub(super) const LATITUDE_8: f64 = 0.0494739;
    pub(super) const LONGITUDE_8: f64 = 0.02473695;
    pub(super) const TO_LATITUDE_16: f64 = 20860.12008;
    pub(super) const TO_LONGITUDE_16: f64 = 10430.06004;
}

/// Latitudes plus a quarter turn: the sine is the cosine of the latitude, and the cosine is its negated sine.
static AHEAD_8_STEPS: Steps = Steps::new(FRAC_PI_2, scale::LATITUDE_8, true);
static AHEAD_8: Angles = AHEAD_8_STEPS.angles();
static AHEAD_8_FULL_STEPS: Steps = Steps::new(FRAC_PI_2, FRAC_PI_2 / 127.0, true);
static AHEAD_8_FULL: Angles = AHEAD_8_FULL_STEPS.angles();
static LONGITUDE_8_STEPS: Steps = Steps::new(0.0, scale::LONGITUDE_8, true);
static LONGITUDE_8: Angles = LONGITUDE_8_STEPS.angles();

static AHEADS_8: Sines = Sines::new(&AHEAD_8);
static AHEADS_8_FULL: Sines = Sines::new(&AHEAD_8_FULL);
static LONGITUDES_8: Factors = Factors::of_longitudes(&LONGITUDE_8);

/// The scales in the format's documents are these fractions of a quarter turn, to every digit that is given.
static DIRECTIONS_16: Directions16 = Directions16::new([32767.0, 16383.5]);

#[inline]
fn direction((sin_ahead, cos_ahead): (f32, f32), (sin_lon, cos_lon): (f32, f32)) -> [f32; 3] {
    [sin_lon * sin_ahead, cos_ahead, cos_lon * sin_ahead]
}

impl Encoding for LatitudeLongitude8 {
    type Raw = [u8; 2];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, [latitude, longitude]: [u8; 2]) -> [f32; 3] {
        direction(AHEAD_8.get(latitude), LONGITUDE_8.get(longitude))
    }

    kernel!(
        &const {
            DirectionTable::<2, LATITUDE_LONGITUDE>::new(
                &AHEADS_8,
                &LONGITUDES_8,
                [&AHEAD_8_STEPS, &LONGITUDE_8_STEPS],
            )
        }
    );
}

impl Encoding for LatitudeLongitude8Full {
    type Raw = [u8; 2];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, [latitude, longitude]: [u8; 2]) -> [f32; 3] {
        direction(AHEAD_8_FULL.get(latitude), LONGITUDE_8.get(longitude))
    }

    kernel!(
        &const {
            DirectionTable::<2, LATITUDE_LONGITUDE>::new(
                &AHEADS_8_FULL,
                &LONGITUDES_8,
                [&AHEAD_8_FULL_STEPS, &LONGITUDE_8_STEPS],
            )
        }
    );
}

impl Encoding for LatitudeLongitude16 {
    type Raw = [I16; 2];
    type Value = [f32; 3];
    // Both values are within 2e-7 of the exact one.
    const TOLERANCE: f32 = 4e-7;

    #[inline]
    fn decode(&self, [latitude, longitude]: [I16; 2]) -> [f32; 3] {
        DIRECTIONS_16.get([latitude.get(), longitude.get()])
    }

    kernel!(&DIRECTIONS_16);
}

/// The latitude and the longitude in radians; zeros for a value without a direction.
fn angles(value: [f32; 3]) -> (f64, f64) {
    let [x, y, z] = value.map(f64::from);
    let across = libm::sqrt(x * x + z * z);
    if !(across + y.abs() > 0.0 && across.is_finite() && y.is_finite()) {
        return (0.0, 0.0);
    }
    // Equal to -asin(y) for a value of length 1, but precise near the poles.
    (-libm::atan2(y, across), libm::atan2(x, z))
}

/// Rounds to the nearest integer and clamps to `-end` and `end`.
fn nearest(value: f64, end: f64) -> i16 {
    libm::round(value).clamp(-end, end) as i16
}

impl Encode for LatitudeLongitude8 {
    fn encode(&self, value: [f32; 3]) -> [u8; 2] {
        let (latitude, longitude) = angles(value);
        [nearest(latitude * (63.5 / PI), 31.0) as u8, nearest(longitude * (127.0 / PI), 127.0) as u8]
    }
}

impl Encode for LatitudeLongitude8Full {
    fn encode(&self, value: [f32; 3]) -> [u8; 2] {
        let (latitude, longitude) = angles(value);
        [nearest(latitude * (254.0 / PI), 127.0) as u8, nearest(longitude * (127.0 / PI), 127.0) as u8]
    }
}

impl Encode for LatitudeLongitude16 {
    fn encode(&self, value: [f32; 3]) -> [I16; 2] {
        let (latitude, longitude) = angles(value);
        let latitude = nearest(latitude * scale::TO_LATITUDE_16, 32767.0);
        [I16::new(latitude), I16::new(nearest(longitude * scale::TO_LONGITUDE_16, 32767.0))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::testing::{degrees_between, sphere};

    fn close(found: [f32; 3], expected: [f32; 3]) {
        let far = found.iter().zip(expected).any(|(found, expected)| (found - expected).abs() > 1e-6);
        assert!(!far, "expected {expected:?}, found {found:?}");
    }

    #[test]
    fn bytes_decode_as_computed_by_hand() {
        let cases = [
            ((0, 0), [0.0, 0.0, 1.0]),
            ((0, 127), [0.0, 0.0, -1.0]),
            ((0, 63), [0.999924, 0.0, 0.012368]),
            ((31, 0), [0.0, -0.999312, 0.037097]),
            ((-31, 64), [0.037094, 0.999312, -0.000459]),
            ((16, -32), [-0.499962, -0.711466, 0.493816]),
            ((127, 0), [0.0, 0.0, 1.0]),
        ];
        for ((latitude, longitude), expected) in cases {
            close(LatitudeLongitude8.decode([latitude as u8, longitude as u8]), expected);
        }
        close(LatitudeLongitude8Full.decode([127, 0]), [0.0, -1.0, 0.0]);
        close(LatitudeLongitude8Full.decode([0, 127]), [0.0, 0.0, -1.0]);
    }

    #[test]
    fn shorts_decode_as_computed_by_hand() {
        let cases = [
            ((0, 0), [0.0, 0.0, 1.0]),
            ((0, 16384), [1.0, 0.0, -0.000048]),
            ((32767, 0), [0.0, -1.0, 0.0]),
            ((-32767, 0), [0.0, 1.0, 0.0]),
            ((0, 32767), [0.0, 0.0, -1.0]),
            ((10000, -20000), [-0.834474, -0.461232, -0.301526]),
        ];
        for ((latitude, longitude), expected) in cases {
            close(LatitudeLongitude16.decode([I16::new(latitude), I16::new(longitude)]), expected);
        }
    }

    #[test]
    fn every_byte_code_that_is_written_survives_decode_and_encode() {
        let mut survivors = 0;
        for latitude in -31..=31i8 {
            for longitude in -127..=127i8 {
                let raw = [latitude as u8, longitude as u8];
                assert_eq!(LatitudeLongitude8.encode(LatitudeLongitude8.decode(raw)), raw);
                survivors += 1;
            }
        }
        assert_eq!(survivors, 16_065);
        for latitude in -126..=126i8 {
            for longitude in -127..=127i8 {
                let raw = [latitude as u8, longitude as u8];
                assert_eq!(LatitudeLongitude8Full.encode(LatitudeLongitude8Full.decode(raw)), raw);
            }
        }
    }

    #[test]
    fn every_latitude_and_every_longitude_survives_as_shorts() {
        let check = |latitude: i16, longitude: i16| {
            let raw = [latitude, longitude].map(I16::new);
            assert_eq!(LatitudeLongitude16.encode(LatitudeLongitude16.decode(raw)), raw);
        };
        for code in -32766..=32766 {
            for other in [-32766, -12345, -1, 0, 1, 16384, 32766] {
                check(code, other);
                check(other, code);
            }
        }
    }

    #[test]
    fn every_code_decodes_to_the_formula_with_length_one() {
        let check = |found: [f32; 3], lat: f64, lon: f64| {
            let expected = [lat.cos() * lon.sin(), -lat.sin(), lat.cos() * lon.cos()];
            for (found, expected) in found.iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() <= 3e-7, "{found} {expected}");
            }
        };
        for latitude in 0..=255u8 {
            for longitude in 0..=255u8 {
                let (lat, lon) = (f64::from(latitude as i8), f64::from(longitude as i8));
                check(LatitudeLongitude8.decode([latitude, longitude]), lat * 0.0494739, lon * 0.02473695);
            }
        }
        for code in i16::MIN..=i16::MAX {
            let (lat, lon) = (f64::from(code), f64::from(code.wrapping_mul(7)));
            let raw = [code, code.wrapping_mul(7)].map(I16::new);
            check(LatitudeLongitude16.decode(raw), lat * 0.0000479383625, lon * 0.000095876725);
        }
    }

    #[test]
    fn the_worst_error_is_what_the_documentation_says() {
        let (mut bytes, mut away, mut full, mut shorts) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for direction in sphere(100_000).chain([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]) {
            let error = degrees_between(direction, LatitudeLongitude8.quantize(direction));
            bytes = bytes.max(error);
            if direction[1].abs() < 0.999 {
                away = away.max(error);
            }
            full = full.max(degrees_between(direction, LatitudeLongitude8Full.quantize(direction)));
            shorts = shorts.max(degrees_between(direction, LatitudeLongitude16.quantize(direction)));
        }
        assert!(bytes > 2.1 && bytes < 2.13, "{bytes}");
        assert!(away > 1.5 && away < 1.6, "{away}");
        assert!(full < 0.8, "{full}");
        assert!(shorts > 0.003 && shorts < 0.0031, "{shorts}");
    }

    #[test]
    fn any_length_and_values_without_a_direction() {
        for value in [[0.0; 3], [f32::NAN, 1.0, 0.0], [f32::INFINITY, 1.0, 0.0]] {
            assert_eq!(LatitudeLongitude8.encode(value), [0, 0]);
            assert_eq!(LatitudeLongitude16.encode(value), [I16::new(0); 2]);
        }
        assert_eq!(LatitudeLongitude16.encode([0.0, -250.0, 0.0]), [32767, 0].map(I16::new));
        assert_eq!(LatitudeLongitude8.encode([3.0, 0.0, 0.0]), [0, 64]);
        assert_eq!(LatitudeLongitude8.encode([0.0, 1e-20, 0.0]), [-31i8 as u8, 0]);
    }
}
