//! Directions that are stored as angles, next to the exact ones.

use meshlens_lens::encoding::*;
use meshlens_lens::{Encoding, Lens, Level};

use meshlens_fixtures::share::few_or_all;

use crate::{agree, noise};

/// The largest difference from the exact components, and the difference between the length and 1.
fn worst(found: [f32; 3], exact: [f64; 3]) -> (f64, f64) {
    let distance = found.iter().zip(exact).map(|(found, exact)| (f64::from(*found) - exact).abs());
    let square: f64 = found.iter().map(|component| f64::from(*component) * f64::from(*component)).sum();
    (distance.fold(0.0, f64::max), (square.sqrt() - 1.0).abs())
}

/// Compares every code of two bytes at every level with the result of `exact`: packed, and after six arbitrary bytes.
fn check_angles<E: Encoding<Value = [f32; 3]>>(name: &str, encoding: E, exact: impl Fn(u8, u8) -> [f64; 3]) {
    let codes: Vec<[u8; 2]> = (0..=u16::MAX).map(u16::to_le_bytes).collect();
    let exact: Vec<[f64; 3]> = codes.iter().map(|[first, second]| exact(*first, *second)).collect();
    let packed = codes.concat();
    let mut records = noise(8 * codes.len());
    for (index, (record, codes)) in records.chunks_exact_mut(8).zip(&codes).enumerate() {
        record[6..].copy_from_slice(codes);
        // Bytes with the value of a pole, at a different offset than the code.
        if index % 16 == 3 {
            record[..6].copy_from_slice(&[0, 0, 0x80, 0, 0, 0]);
        }
    }
    for (bytes, stride) in [(&packed, 2), (&records, 8)] {
        let lens =
            Lens::new(encoding, &bytes[stride - 2..], 0, stride, codes.len()).expect("they lie inside");
        let wanted: Vec<[f32; 3]> = lens.iter().collect();
        for level in Level::all() {
            let mut out = vec![[0f32; 3]; codes.len()];
            lens.decode_into_with(level, &mut out).expect("the output has the right length");
            assert!(agree(&out, &wanted), "{name} {level}, stride {stride}");
            let mut worsts = (0.0f64, 0.0f64);
            for (exact, found) in exact.iter().zip(out) {
                let (distance, length) = worst(found, *exact);
                worsts = (worsts.0.max(distance), worsts.1.max(length));
            }
            println!("{name} {level}: {:.3e} from exact, length {:.3e}", worsts.0, worsts.1);
            assert!(worsts.0 <= 2e-7 && worsts.1 <= 3e-7, "{name} {level}: {worsts:?}");
        }
    }
}

#[test]
fn every_zenith_and_azimuth_is_near_the_exact_one_at_every_level() {
    let direction = |zenith: f64, azimuth: f64| {
        [azimuth.cos() * zenith.sin(), azimuth.sin() * zenith.sin(), zenith.cos()]
    };
    let turn = std::f64::consts::TAU;
    check_angles("engine", ZenithAzimuth8, |zenith, azimuth| {
        direction(f64::from(zenith) * turn / 256.0, f64::from(azimuth) * turn / 256.0)
    });
    check_angles("inverse", TruncatedZenithAzimuth8, |zenith, azimuth| {
        let azimuth = f64::from(azimuth as i8);
        if azimuth == 0.0 && zenith.is_multiple_of(128) {
            return [0.0, 0.0, if zenith == 0 { 1.0 } else { -1.0 }];
        }
        let middle = azimuth + if azimuth == 0.0 { 0.0 } else { 0.5 * azimuth.signum() };
        direction((f64::from(zenith) + 0.5) * turn / 255.0, middle * turn / 255.0)
    });
}

#[test]
fn every_latitude_and_longitude_is_near_the_exact_one_at_every_level() {
    let direction = |latitude: f64, longitude: f64| {
        [latitude.cos() * longitude.sin(), -latitude.sin(), latitude.cos() * longitude.cos()]
    };
    let signed = |code: u8| f64::from(code as i8);
    check_angles("latitude of 31.75", LatitudeLongitude8, |latitude, longitude| {
        direction(signed(latitude) * 0.0494739, signed(longitude) * 0.02473695)
    });
    check_angles("latitude of 127", LatitudeLongitude8Full, |latitude, longitude| {
        direction(signed(latitude) * std::f64::consts::FRAC_PI_2 / 127.0, signed(longitude) * 0.02473695)
    });

    // Every latitude and every longitude, each combined with values of the other angle.
    let others = few_or_all(4, 100);
    let pairs = (0..=u16::MAX).flat_map(|code| {
        (0..others).flat_map(move |at| {
            let other = code.wrapping_mul(40_503).wrapping_add(at * (u16::MAX / others));
            [[code as i16, other as i16], [other as i16, code as i16]]
        })
    });
    let pairs: Vec<[i16; 2]> = pairs.collect();
    let bytes: Vec<u8> = pairs.iter().flatten().flat_map(|code| code.to_le_bytes()).collect();
    let lens = Lens::new(LatitudeLongitude16, &bytes, 0, 4, pairs.len()).expect("they lie inside");
    let mut out = vec![[0f32; 3]; pairs.len()];
    for level in Level::all() {
        lens.decode_into_with(level, &mut out).expect("the output has the right length");
        let mut worsts = (0.0f64, 0.0f64);
        for ([latitude, longitude], found) in pairs.iter().zip(&out) {
            let exact =
                direction(f64::from(*latitude) * 0.0000479383625, f64::from(*longitude) * 0.000095876725);
            let (distance, length) = worst(*found, exact);
            worsts = (worsts.0.max(distance), worsts.1.max(length));
        }
        println!("16 bits {level}: {:.3e} from exact, length {:.3e}", worsts.0, worsts.1);
        assert!(worsts.0 <= 2e-7 && worsts.1 <= 3e-7, "{level}: {worsts:?}");
    }
}
