//! Normalized integers.

use meshlens_lens::encoding::*;
use rounding::TOWARD_ZERO;
use zerocopy::little_endian::{I16, U16};

const QUATERNION: Snorm16<4, TOWARD_ZERO> = Snorm16;

#[test]
fn every_code_survives_decode_and_encode() {
    for code in 0..=255u8 {
        assert_eq!(Unorm8::<2>.encode(Unorm8::<2>.decode([code, 255 - code])), [code, 255 - code]);
    }
    for code in 0..=u16::MAX {
        let raw = [code, !code].map(U16::new);
        assert_eq!(Unorm16::<2>.encode(Unorm16::<2>.decode(raw)), raw);
        assert_eq!(Unorm16::<1>.encode(Unorm16::<1>.decode(raw[0])), raw[0]);
        assert_eq!(BiasedUnorm16::<2>.encode(BiasedUnorm16::<2>.decode(raw)), raw);
    }
    for code in -32767..=i16::MAX {
        let raw = [code, -code].map(I16::new);
        assert_eq!(Snorm16::<2>.encode(Snorm16::<2>.decode(raw)), raw);
    }
    assert_eq!(Unorm8::<3>.decode([0, 51, 255]), [0.0, 0.2, 1.0]);
    assert_eq!(Unorm8::<3>.encode([-1.0, 2.0, f32::NAN]), [0, 255, 0]);
}

#[test]
fn both_ends_of_a_range_are_exact() {
    let range = Ranged16 { min: [-1.0, 10.0], size: [2.0, 0.0] };
    let raw = |a, b| [a, b].map(U16::new);
    assert_eq!(range.decode(raw(0, 0)), [-1.0, 10.0]);
    assert_eq!(range.decode(raw(65535, 65535)), [1.0, 10.0]);
    assert_eq!(range.decode(raw(13107, 7))[0], -1.0 + 2.0 * 0.2);
    for code in 0..=u16::MAX {
        assert_eq!(range.encode(range.decode(raw(code, code))), raw(code, 0));
    }
    assert_eq!(range.encode([9.0, 9.0]), raw(65535, 0));
}

#[test]
fn every_snorm_decodes_to_its_quotient() {
    for code in i16::MIN..=i16::MAX {
        let [x, ..] = QUATERNION.decode([code, 0, 0, 0].map(I16::new));
        assert!((f64::from(x) - f64::from(code) / 32767.0).abs() <= 6e-8, "{code}");
    }
    assert_eq!(QUATERNION.decode([32767, -32767, 0, 16383].map(I16::new))[..3], [1.0, -1.0, 0.0]);
}

#[test]
fn snorms_are_truncated_and_clamped() {
    let raw = |values: [i16; 4]| values.map(I16::new);
    // Half the square root of 2 is 23169.77 steps.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert_eq!(QUATERNION.encode([half, -half, 0.5, -0.5]), raw([23169, -23169, 16383, -16383]));
    assert_eq!(QUATERNION.encode([2.0, -2.0, f32::NAN, -0.0]), raw([32767, -32767, 0, 0]));
    assert_eq!(Snorm16::<4>.encode([half, -half, 0.5, -0.5]), raw([23170, -23170, 16384, -16384]));
    for code in -32767..=i16::MAX {
        let [again, ..] = QUATERNION.quantize([f32::from(code) / 32767.0, 0.0, 0.0, 0.0]);
        assert!((again - f32::from(code) / 32767.0).abs() <= 1.0 / 32767.0);
    }
}

#[test]
fn truncated_codes_are_restored_within_one_step() {
    let (normal, weight) = (BiasedUnorm16::<3, TOWARD_ZERO>, Unorm16::<1, TOWARD_ZERO>);
    for code in 0..=u16::MAX {
        let [x, ..] = normal.decode([code, 0, 0].map(U16::new));
        assert!((f64::from(x) - (f64::from(code) / 65535.0 * 2.0 - 1.0)).abs() <= 1.2e-7);
        let [again, ..] = normal.encode([x, 0.0, 0.0]);
        assert!(again == code || again.get() + 1 == code, "{code} becomes {again}");
        let again = weight.encode(weight.decode(U16::new(code)));
        assert!(again == code || again.get() + 1 == code, "{code} becomes {again}");
    }
    assert_eq!(normal.encode([1.0, -1.0, 0.0]), [65535, 0, 32767].map(U16::new));
    assert_eq!(normal.encode([9.0, -9.0, f32::NAN]), [65535, 0, 0].map(U16::new));
    assert_eq!(weight.decode(U16::new(65535)), 1.0);
    assert_eq!(weight.encode(1.5), 65535);
}
