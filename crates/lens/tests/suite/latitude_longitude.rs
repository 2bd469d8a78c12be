//! Angles of latitude and longitude.

use meshlens_lens::encoding::*;
use zerocopy::little_endian::I16;

use crate::directions::{degrees_between, sphere};

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
fn byte_codes_survive_decode_and_encode() {
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
fn the_largest_error_agrees_with_the_documentation() {
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
fn vectors_of_any_length_or_without_a_direction_are_encoded() {
    for value in [[0.0; 3], [f32::NAN, 1.0, 0.0], [f32::INFINITY, 1.0, 0.0]] {
        assert_eq!(LatitudeLongitude8.encode(value), [0, 0]);
        assert_eq!(LatitudeLongitude16.encode(value), [I16::new(0); 2]);
    }
    assert_eq!(LatitudeLongitude16.encode([0.0, -250.0, 0.0]), [32767, 0].map(I16::new));
    assert_eq!(LatitudeLongitude8.encode([3.0, 0.0, 0.0]), [0, 64]);
    assert_eq!(LatitudeLongitude8.encode([0.0, 1e-20, 0.0]), [-31i8 as u8, 0]);
}
