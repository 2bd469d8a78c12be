//! Checks every encoding with arbitrary bytes and values: all ways of reading return the same values, and decoding
//! inverts encoding.

use core::fmt::Debug;

use meshlens_lens::encoding::*;
use meshlens_lens::{Encode, Lens};
use meshlens_md3::encoding::*;
use meshlens_u3d::encoding::*;
use meshlens_unigine::encoding::*;
use meshlens_unreal::encoding::*;

/// Checks every encoding on `bytes`. The first byte determines the stride.
pub fn encodings(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let gap = usize::from(first % 13);
    // Rounded numbers are restored exactly. Angles and truncated numbers are restored within one or two steps. The
    // square root of ms10 amplifies errors.
    const ANGLE: f32 = 0.05;
    const CUT: f32 = 2.5 / 32767.0;
    macro_rules! each {
        ($($encoding:expr => $slack:expr),* $(,)?) => {
            $(one($encoding, bytes, gap, $slack);)*
        };
    }
    each! {
        U8::<1> => 0.0, I8::<2> => 0.0, U16::<3> => 0.0, I16::<4> => 0.0, U32::<1> => 0.0, I32::<3> => 0.0,
        F32::<1> => 0.0, F32::<2> => 0.0, F32::<3> => 0.0, F32::<4> => 0.0,
        Md3Position => 0.0, Md3Normal => 1e-6, Md3NormalInverse => ANGLE,
        U3dNormal8 => ANGLE, U3dNormal8Full => ANGLE, U3dNormal16 => 0.001,
        UnigineRotation => CUT, UnigineTangent => 0.002, UnigineTangentMs10 => 0.02,
        UnigineNormal => CUT, UnigineWeight => CUT,
        UnrealPacked => 0.0, UnrealPackedInteger => 0.0, UnrealPackedUnits => 0.0,
        UnrealWide => 0.0, UnrealWideInteger => 0.0, UnrealTexcoord => 0.0,
    }
}

fn one<E: Encode + Debug + 'static>(encoding: E, bytes: &[u8], gap: usize, slack: f32) {
    let stride = E::SIZE + gap;
    let len = (bytes.len() + gap) / stride;
    let lens = Lens::new(encoding, bytes, 0, stride, len).expect("so many elements lie in the bytes");
    super::lens(lens, bytes);
    for value in lens {
        settles(encoding, value, slack);
    }
    // Arbitrary bits are encoded to a value that the encoding can represent.
    for bits in bytes.chunks_exact(size_of::<E::Value>()) {
        let value = bytemuck::pod_read_unaligned::<E::Value>(bits);
        let kept = encoding.quantize(value);
        settles(encoding, kept, slack);
    }
}

/// Encoding and decoding a decoded value restores it, with an error of at most `slack` in each component.
fn settles<E: Encode + Debug>(encoding: E, value: E::Value, slack: f32) {
    let again = encoding.quantize(value);
    #[allow(clippy::eq_op, reason = "a NaN does not equal itself")]
    if again == value || value != value {
        return;
    }
    let near = slack > 0.0 && {
        let [value, again] = [bytemuck::bytes_of(&value), bytemuck::bytes_of(&again)];
        let [value, again] = [value, again].map(bytemuck::cast_slice::<u8, f32>);
        value.iter().zip(again).all(|(value, again)| (value - again).abs() <= slack)
    };
    assert!(near, "{encoding:?}: {value:?} becomes {again:?}");
}
