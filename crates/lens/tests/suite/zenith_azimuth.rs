//! Angles of zenith and azimuth.

use std::f64::consts::TAU;

use meshlens_lens::encoding::{Encode as _, Encoding as _, TruncatedZenithAzimuth8, ZenithAzimuth8};

use crate::directions::{degrees_between, sphere};

#[test]
fn every_normal_agrees_with_the_formula_of_the_document() {
    for zenith in 0..=255u8 {
        for azimuth in 0..=255u8 {
            let got = ZenithAzimuth8.decode([zenith, azimuth]);
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
    assert_eq!(ZenithAzimuth8.decode([0, 0]), [0.0, 0.0, 1.0]);
    assert_eq!(ZenithAzimuth8.decode([128, 0]), [0.0, 0.0, -1.0]);
    assert_eq!(ZenithAzimuth8.decode([64, 0]), [1.0, 0.0, 0.0]);
    assert_eq!(ZenithAzimuth8.decode([64, 64]), [0.0, 1.0, 0.0]);
    assert_eq!(TruncatedZenithAzimuth8.decode([0, 0]), [0.0, 0.0, 1.0]);
    assert_eq!(TruncatedZenithAzimuth8.decode([128, 0]), [0.0, 0.0, -1.0]);
}

#[test]
fn the_encoder_of_ids_tools_truncates_255_steps_per_turn() {
    // acos(0) = 90 degrees = 63.75 -> 63; atan2(1, 0) is the same; atan2(-1, 0) = -63.75 -> -63 = 193.
    assert_eq!(TruncatedZenithAzimuth8.encode([1.0, 0.0, 0.0]), [63, 0]);
    assert_eq!(TruncatedZenithAzimuth8.encode([0.0, 1.0, 0.0]), [63, 63]);
    assert_eq!(TruncatedZenithAzimuth8.encode([0.0, -2.0, 0.0]), [63, 193]);
    assert_eq!(TruncatedZenithAzimuth8.encode([0.0, 0.0, 5.0]), [0, 0]);
    assert_eq!(TruncatedZenithAzimuth8.encode([0.0, 0.0, -5.0]), [128, 0]);
    assert_eq!(TruncatedZenithAzimuth8.encode([0.0, 0.0, 0.0]), [0, 0]);
    assert_eq!(TruncatedZenithAzimuth8.encode([f32::NAN, 1.0, 0.0]), [0, 0]);
}

#[test]
fn axes_and_invalid_vectors_are_encoded() {
    assert_eq!(ZenithAzimuth8.encode([1.0, 0.0, 0.0]), [64, 0]);
    assert_eq!(ZenithAzimuth8.encode([0.0, 3e30, 0.0]), [64, 64]);
    assert_eq!(ZenithAzimuth8.encode([-1.0, -0.0, 0.0]), [64, 128]);
    assert_eq!(ZenithAzimuth8.encode([0.0, -2e-38, 0.0]), [64, 192]);
    assert_eq!(ZenithAzimuth8.encode([0.0, 0.0, 5.0]), [0, 0]);
    assert_eq!(ZenithAzimuth8.encode([1e-9, -1e-9, -5.0]), [128, 0]);
    assert_eq!(ZenithAzimuth8.encode([0.0, 0.0, 0.0]), [0, 0]);
    assert_eq!(ZenithAzimuth8.encode([f32::NAN, 1.0, 0.0]), [0, 0]);
    assert_eq!(ZenithAzimuth8.encode([1.0, f32::INFINITY, 0.0]), [0, 0]);
}

#[test]
fn every_code_keeps_its_direction_when_it_is_decoded_and_encoded() {
    for zenith in 0..=255u8 {
        for azimuth in 0..=255u8 {
            let direction = ZenithAzimuth8.decode([zenith, azimuth]);
            let again = ZenithAzimuth8.encode(direction);
            // Two codes have the same direction. The expected one has a zenith of at most half a turn.
            let wanted = match (zenith, azimuth) {
                (0 | 128, _) => [zenith, 0],
                (1..128, _) => [zenith, azimuth],
                _ => [zenith.wrapping_neg(), azimuth.wrapping_add(128)],
            };
            assert_eq!(again, wanted, "{zenith} {azimuth}");
            assert!(degrees_between(direction, ZenithAzimuth8.decode(again)) < 1e-4);
            assert_eq!(ZenithAzimuth8.encode(ZenithAzimuth8.decode(again)), again);
        }
    }
}

#[test]
fn the_encoded_code_is_the_nearest() {
    let all = || (0..=128u8).flat_map(|zenith| (0..=255u8).map(move |azimuth| [zenith, azimuth]));
    let near_poles = [[1e-3f32, 2e-3, 1.0], [0.02, -0.012, 1.0], [-0.013, 0.001, -1.0], [0.0, 0.0123, -1.0]];
    for direction in sphere(150).chain(near_poles) {
        let best = all().map(|code| degrees_between(direction, ZenithAzimuth8.decode(code)));
        let best = best.fold(f64::INFINITY, f64::min);
        let found = degrees_between(direction, ZenithAzimuth8.quantize(direction));
        assert!(found <= best + 1e-4, "{direction:?}: {found}, but {best} is possible");
    }
}

#[test]
fn normals_are_off_by_at_most_half_a_step_of_each_angle() {
    let half_step = 360.0 / 256.0 / 2.0;
    let (mut mean, mut worst) = (0.0, 0.0f64);
    for direction in sphere(50_000) {
        let quantized = ZenithAzimuth8.quantize(direction);
        let zenith = |z: f32| libm::acos(f64::from(z).clamp(-1.0, 1.0)).to_degrees();
        assert!((zenith(direction[2]) - zenith(quantized[2])).abs() <= half_step + 0.01, "{direction:?}");
        let error = degrees_between(direction, quantized);
        (mean, worst) = (mean + error / 50_000.0, worst.max(error));
    }
    // On the equator, both angles are off by half a step, which is the square root of 2 times 0.7031 degrees.
    assert!(worst <= 0.995, "{worst}");
    assert!(mean <= 0.54, "{mean}");
}

#[test]
fn the_inverse_is_more_accurate_for_encoded_normals() {
    let (mut engine, mut inverse, mut worst) = (0.0, 0.0, 0.0f64);
    for direction in sphere(20_000) {
        engine +=
            degrees_between(direction, ZenithAzimuth8.decode(TruncatedZenithAzimuth8.encode(direction)))
                / 20_000.0;
        let error = degrees_between(direction, TruncatedZenithAzimuth8.quantize(direction));
        inverse += error / 20_000.0;
        worst = worst.max(error);
    }
    assert!(inverse * 2.0 < engine, "mean {inverse} against {engine} degrees");
    // Half a step of zenith and half a step of azimuth, which becomes smaller toward the poles, but is twice as large
    // around azimuth 0.
    assert!(worst < 1.6, "{worst}");
}

#[test]
fn the_inverse_restores_every_encoded_code() {
    for zenith in 0..128u8 {
        for azimuth in 0..=255u8 {
            // The last half step of each angle ends at 180 degrees, where the next code begins.
            if zenith == 127 || !(-126..=126).contains(&(azimuth as i8)) {
                continue;
            }
            let raw = [zenith, azimuth];
            let again = TruncatedZenithAzimuth8.encode(TruncatedZenithAzimuth8.decode(raw));
            assert_eq!(again, raw);
        }
    }
}
