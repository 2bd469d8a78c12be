//! Scaled integers.

use meshlens_lens::encoding::*;
use rounding::TOWARD_ZERO;
use zerocopy::little_endian::I16;

const POSITION: Scaled<i16, 3, 64> = Scaled::new();
const WHOLE: Scaled<i16, 3, 1, TOWARD_ZERO> = Scaled::new();

#[test]
fn every_code_survives_decode_and_encode() {
    for code in i16::MIN..=i16::MAX {
        let raw = [code, !code, code.wrapping_mul(3)].map(I16::new);
        assert_eq!(POSITION.encode(POSITION.decode(raw)), raw);
        assert_eq!(WHOLE.encode(WHOLE.decode(raw)), raw);
        assert_eq!(WHOLE.decode(raw), raw.map(|axis| f32::from(axis.get())));
    }
}

#[test]
fn positions_round_to_nearest_and_are_clamped() {
    let encode = |x: f32| POSITION.encode([x, 0.0, 0.0])[0].get();
    assert_eq!((encode(1.0), encode(-0.5), encode(0.0117)), (64, -32, 1));
    assert_eq!((encode(1e9), encode(-1e9), encode(f32::NAN)), (i16::MAX, i16::MIN, 0));
    assert_eq!(POSITION.quantize([0.01, 511.99, -512.5]), [1.0 / 64.0, 511.0 + 63.0 / 64.0, -512.0]);
}

#[test]
fn truncation_goes_toward_zero_and_is_clamped() {
    assert_eq!(WHOLE.quantize([1.9, -1.9, 0.5]), [1.0, -1.0, 0.0]);
    assert_eq!(WHOLE.quantize([1e9, -1e9, f32::NAN]), [32767.0, -32768.0, 0.0]);
}

#[test]
fn bytes_and_unsigned_integers_have_their_own_ranges() {
    let bytes = Scaled::<u8, 2, 4>::new();
    assert_eq!(bytes.decode([3, 255]), [0.75, 63.75]);
    assert_eq!(bytes.encode([-1.0, 64.0]), [0, 255]);
    let integers = Scaled::<u16, 4, 2>::new();
    assert_eq!(integers.quantize([0.3, 0.2, -5.0, 1e6]), [0.5, 0.0, 0.0, 32767.5]);
}
