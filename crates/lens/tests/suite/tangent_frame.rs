//! Quaternions of tangent frames.

use meshlens_lens::encoding::*;
use zerocopy::little_endian::I16;

fn raw(values: [i16; 4]) -> [I16; 4] {
    values.map(I16::new)
}

#[test]
fn w_of_a_tangent_frame_is_never_zero() {
    let encode = |value| TangentQuaternion16.encode(value);
    assert_eq!(encode([0.0, 0.0, 0.0, 1.0]), raw([0, 0, 0, 32767]));
    assert_eq!(encode([1.0, 0.0, 0.0, 0.0]), raw([32766, 0, 0, 32]));
    assert_eq!(encode([0.0, 1.0, 0.0, -0.0]), raw([0, 32766, 0, -32]));
    assert_eq!(encode([0.0, 0.0, -1.0, -1e-9]), raw([0, 0, -32766, -32]));
    for step in -2000i16..=2000 {
        let w = f32::from(step) / 1_000_000.0;
        let [.., stored] = encode([0.6, 0.8, 0.0, w]);
        assert!(stored != 0 && (stored.get() > 0) == (w >= 0.0), "{w}: {stored}");
    }
    for odd in [[f32::NAN; 4], [f32::INFINITY; 4]] {
        assert!(encode(odd)[3] != 0);
    }
}

#[test]
fn the_smallest_w_does_not_shorten_a_frame_again() {
    let stored = raw([32766, -20, 0, -32]);
    assert_eq!(TangentQuaternion16.encode(TangentQuaternion16.decode(stored)), stored);
}

#[test]
fn without_w_the_sign_is_stored() {
    let stored = TangentQuaternionXyz16::from_parts([16383, 0, -16383], -127);
    assert_eq!(stored, [0xff, 0x3f, 0, 0, 0x01, 0xc0, 0x81]);
    let [x, y, z, w] = TangentQuaternionXyz16.decode(stored);
    assert_eq!((x, y, z), (16383.0 / 32767.0, 0.0, -16383.0 / 32767.0));
    assert!((w - 0.70713).abs() < 1e-5, "{w}");
    assert_eq!(TangentQuaternionXyz16.encode([-0.5, 0.0, 0.5, -0.70713]), stored);
    let full = TangentQuaternionXyz16::from_parts([i16::MIN; 3], 0);
    assert_eq!(TangentQuaternionXyz16.decode(full)[3], 0.0, "no root of a negative number");
}
