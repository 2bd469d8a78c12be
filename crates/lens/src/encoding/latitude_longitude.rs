//! Directions as a latitude and a longitude, one byte or two bytes each: the normals of Ultimate 3D models.
//!
//! Only Ultimate 3D stores normals this way (Ultimate 3D: CompressedNormal). The encodings are in this crate because
//! their kernels are here. The format crate re-exports them under its own names.

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

/// A latitude and a longitude, stored as signed 16-bit integers. A quarter turn of latitude and a half turn of
/// longitude are 32767.
///
/// The formula is the same as for [`LatitudeLongitude8`]. Whole arrays may differ from single elements in the last
/// bits, within the bounds in the documentation of [`Level`](crate::Level). [`encode`](Encode::encode) rounds to the
/// nearest code: the error of a normal is at most 0.0031 degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatitudeLongitude16;

/// The scales in the documents of the format, and their inverses.
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

/// The scales in the documents of the format equal these fractions of a quarter turn, in every given digit.
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
    // Both values are within 2e-7 of the exact value.
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
