//! Tangent frames.

use meshlens_unigine::encoding::{UnigineTangentFrame, UnigineTangentFrameMs10};
use meshlens_unigine::lens::{Lens, TangentFrame};

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

#[test]
fn the_quaternion_rotates_the_axes_and_w_has_the_sign_of_the_binormal() {
    let frame = TangentFrame::from_quaternion([0.0, 0.0, 0.0, 1.0]);
    assert_eq!(frame.normal, [0.0, 0.0, 1.0]);
    assert_eq!((frame.tangent, frame.binormal), ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
    let mirrored = TangentFrame::from_quaternion([-0.0, -0.0, -0.0, -1.0]);
    assert_eq!((mirrored.normal, mirrored.tangent), (frame.normal, frame.tangent));
    assert_eq!(mirrored.binormal, [-0.0, -1.0, -0.0]);
    // A rotation of 90 degrees around X: Z is mapped to -Y, Y to Z.
    let turned = TangentFrame::from_quaternion([HALF, 0.0, 0.0, HALF]);
    let close = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(close(turned.normal, [0.0, -1.0, 0.0]) && close(turned.binormal, [0.0, 0.0, 1.0]));
}

#[test]
fn both_kinds_decode_in_one_pass() {
    let bytes = [0, 0, 0, 0, 0, 0, 0x01, 0x80];
    let ms11 = Lens::new(UnigineTangentFrame, &bytes, 0, 8, 1).unwrap();
    let mut out = [TangentFrame::default(); 1];
    ms11.decode_into(&mut out).unwrap();
    assert_eq!((out[0].normal[2], out[0].binormal[1]), (1.0, -1.0));
    let bytes = [0, 0, 0, 0, 0, 0, 0x81];
    let ms10 = Lens::new(UnigineTangentFrameMs10, &bytes, 0, 7, 1).unwrap();
    let mut again = [TangentFrame::default(); 1];
    ms10.decode_into(&mut again).unwrap();
    assert_eq!(again, out);
}
