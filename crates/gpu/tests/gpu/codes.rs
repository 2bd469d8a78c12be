//! Every code of every encoding, decoded on the GPU and by the scalar decoder.

use meshlens::lens::encoding::*;
use meshlens::lens::{Described, Lens};
use meshlens_gpu::compute::decode_array;

use crate::gpu;

/// The bytes of elements, and the floats to which the scalar decoder decodes them.
fn expected<E: Described>(bytes: &[u8], stride: usize, count: usize) -> Vec<f32> {
    let lens: Lens<E> = Lens::new(E::default(), bytes, 0, stride, count).unwrap();
    let values: Vec<E::Value> = (0..count).map(|index| lens.get(index).unwrap()).collect();
    bytemuck::cast_slice(&values).to_vec()
}

/// Decodes elements on the GPU and on the CPU; a `tolerance` of 0 requires equal floats.
fn compare<E: Described>(bytes: &[u8], stride: usize, tolerance: f32) {
    let count = (bytes.len() + stride - size_of::<E::Raw>()) / stride;
    let found = decode_array(gpu(), E::FORMAT, bytes, stride, count).unwrap();
    let expected = expected::<E>(bytes, stride, count);
    assert_eq!(found.len(), expected.len());
    let floats = found.len() / count;
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let near = if tolerance == 0.0 { found == expected } else { (found - expected).abs() <= tolerance };
        let element = index / floats;
        assert!(
            near,
            "{}, element {element} ({:02x?}), float {}: {found} on the GPU, {expected} on the CPU",
            E::FORMAT,
            &bytes[element * stride..][..size_of::<E::Raw>()],
            index % floats,
        );
    }
}

fn bytes_of_codes(components: usize) -> Vec<u8> {
    // Each component takes every code, and the components differ.
    let mixed = |code: u16, component: usize| match component {
        0 => code,
        1 => !code,
        2 => code.wrapping_mul(40503),
        _ => code.rotate_left(5),
    };
    (0..=u16::MAX)
        .flat_map(|code| (0..components).flat_map(move |component| mixed(code, component).to_le_bytes()))
        .collect()
}

/// All pairs of bytes.
fn byte_pairs() -> Vec<u8> {
    (0..=u16::MAX).flat_map(u16::to_le_bytes).collect()
}

/// The tolerance for functions with trigonometry.
const TRIGONOMETRY: f32 = 1e-6;

#[test]
fn every_pair_of_bytes_equals_the_scalar_decoder() {
    compare::<ZenithAzimuth8>(&byte_pairs(), 2, TRIGONOMETRY);
    compare::<TruncatedZenithAzimuth8>(&byte_pairs(), 2, TRIGONOMETRY);
    compare::<LatitudeLongitude8>(&byte_pairs(), 2, TRIGONOMETRY);
    compare::<LatitudeLongitude8Full>(&byte_pairs(), 2, TRIGONOMETRY);
}

#[test]
fn every_code_of_both_16_bit_angles_equals_the_scalar_decoder() {
    compare::<LatitudeLongitude16>(&bytes_of_codes(2), 4, TRIGONOMETRY);
    // Every code of one angle, with several codes of the other.
    for other in [0u16, 1, 0x4000, 0x7fff, 0x8000, 0xffff] {
        let latitudes: Vec<u8> =
            (0..=u16::MAX).flat_map(|code| [code, other]).flat_map(u16::to_le_bytes).collect();
        compare::<LatitudeLongitude16>(&latitudes, 4, TRIGONOMETRY);
        let longitudes: Vec<u8> =
            (0..=u16::MAX).flat_map(|code| [other, code]).flat_map(u16::to_le_bytes).collect();
        compare::<LatitudeLongitude16>(&longitudes, 4, TRIGONOMETRY);
    }
}

#[test]
fn scaled_integers_are_equal() {
    compare::<Scaled<i16, 3, 64>>(&bytes_of_codes(3), 6, 0.0);
    compare::<Scaled<i16, 3, 64>>(&bytes_of_codes(4), 8, 0.0);
    compare::<Scaled<i16, 3, 1>>(&bytes_of_codes(4), 8, 0.0);
    compare::<Scaled<i16, 2, 1>>(&bytes_of_codes(2), 4, 0.0);
    compare::<Scaled<i16, 4, 2>>(&bytes_of_codes(4), 8, 0.0);
    compare::<Scaled<u16, 3, 64>>(&bytes_of_codes(3), 6, 0.0);
    compare::<Scaled<u8, 2, 4>>(&byte_pairs(), 2, 0.0);
    compare::<Scaled<u8, 3, 1>>(&byte_pairs(), 3, 0.0);
}

#[test]
fn every_code_of_each_packed_axis_is_equal() {
    let codes = (0..2048u32).flat_map(|code| [code, code << 11, code << 22, code | !code << 11]);
    let words: Vec<u8> = codes
        .chain((0..65536).map(|n: u32| n.wrapping_mul(0x9e37_79b9)))
        .flat_map(u32::to_le_bytes)
        .collect();
    compare::<Packed<11, 11, 10>>(&words, 4, 0.0);
    compare::<Packed<11, 11, 10, 3, 3, 2>>(&words, 4, 0.0);
    compare::<Packed<10, 10, 10>>(&words, 4, 0.0);
    compare::<Packed<16, 1, 15>>(&words, 4, 0.0);
}

#[test]
fn normalized_integers_are_within_a_rounding() {
    compare::<Unorm8<2>>(&byte_pairs(), 2, 6e-8);
    compare::<Unorm8<3>>(&byte_pairs(), 3, 6e-8);
    compare::<Unorm8<4>>(&byte_pairs(), 4, 6e-8);
    compare::<Unorm16<1>>(&bytes_of_codes(1), 2, 6e-8);
    compare::<Unorm16<2>>(&bytes_of_codes(2), 4, 6e-8);
    compare::<Unorm16<4>>(&bytes_of_codes(4), 8, 6e-8);
    compare::<Snorm16<3>>(&bytes_of_codes(3), 6, 6e-8);
    compare::<Snorm16<4>>(&bytes_of_codes(4), 8, 6e-8);
    // The shader rounds two more times.
    compare::<BiasedUnorm16<3>>(&bytes_of_codes(3), 6, 2e-7);
}

#[test]
fn quaternions_decode_to_the_tangent_frames_of_the_scalar_decoder() {
    compare::<TangentFrame16>(&bytes_of_codes(4), 8, TRIGONOMETRY);
    // The frames of a zero quaternion and of a quaternion of the largest integers.
    let special: Vec<u8> =
        [[0i16; 4], [i16::MIN; 4], [i16::MAX; 4], [0, 0, 0, 1], [0, 0, 0, -1], [1, 0, 0, 0]]
            .into_iter()
            .flatten()
            .flat_map(i16::to_le_bytes)
            .collect();
    compare::<TangentFrame16>(&special, 8, TRIGONOMETRY);
    compare::<TangentQuaternion16>(&bytes_of_codes(4), 8, 6e-8);

    // Three integers and a sign. Codes are scaled down, so that most sums of squares are below 1 and w is a square
    // root.
    let records = |scale: i16, sign: fn(u16) -> u8| -> Vec<u8> {
        let codes = bytes_of_codes(3);
        let (triples, _) = codes.as_chunks::<6>();
        let record = |(index, triple): (u16, &[u8; 6])| {
            let integers = triple
                .as_chunks::<2>()
                .0
                .iter()
                .flat_map(move |integer| (i16::from_le_bytes(*integer) / scale).to_le_bytes());
            integers.chain([sign(index)]).collect::<Vec<u8>>()
        };
        (0..=u16::MAX).zip(triples).flat_map(record).collect()
    };
    compare::<TangentFrameXyz16>(&records(2, |n| if n % 2 == 0 { 127 } else { 129 }), 7, TRIGONOMETRY);
    compare::<TangentFrameXyz16>(&records(1, |n| n as u8), 7, TRIGONOMETRY);
    compare::<TangentQuaternionXyz16>(&records(2, |_| 127), 7, TRIGONOMETRY);
}

#[test]
fn floats_are_equal_to_the_bit() {
    let floats: Vec<u8> = (0..4096u32)
        .map(|n| f32::from_bits(n.wrapping_mul(0x9e37_79b9)))
        .map(|float| if float.is_normal() { float } else { 1.5 })
        .flat_map(f32::to_le_bytes)
        .collect();
    compare::<F32<3>>(&floats[..4092 * 4], 12, 0.0);
    compare::<F32<2>>(&floats, 8, 0.0);
    compare::<F32<1>>(&floats, 4, 0.0);
    compare::<F32<4>>(&floats, 16, 0.0);
}

#[test]
fn arrays_of_any_size_are_decoded_and_too_few_bytes_are_an_error() {
    let bytes = vec![64, 0, 0, 0, 192, 255];
    let decode = |bytes: &[u8], count| decode_array(gpu(), Scaled::<i16, 3, 64>::FORMAT, bytes, 6, count);
    assert_eq!(decode(&bytes, 1).unwrap(), [1.0, 0.0, -1.0]);
    assert!(decode(&bytes, 0).unwrap().is_empty());
    assert!(decode(&bytes, 2).unwrap_err().to_string().contains("need more than 6 bytes"));
    // 2^64 - 2 elements of 2^32 bytes, and a last element that ends past 2^64.
    let far = |stride, count| decode_array(gpu(), Scaled::<i16, 3, 64>::FORMAT, &bytes, stride, count);
    assert!(far(1 << 32, usize::MAX - 1).unwrap_err().to_string().contains("need more than 6 bytes"));
    assert!(far(usize::MAX - 1, 2).unwrap_err().to_string().contains("need more than 6 bytes"));
    assert_eq!(far(usize::MAX, 1).unwrap(), [1.0, 0.0, -1.0]);
    let short = far(5, 1).unwrap_err().to_string();
    assert_eq!(short, "a stride of 5 bytes is less than the 6 bytes of an element");
    let indices = decode_array(gpu(), U16::<3>::FORMAT, &bytes, 6, 1).unwrap_err();
    assert_eq!(indices.to_string(), "no shader decodes u16x3");
}
