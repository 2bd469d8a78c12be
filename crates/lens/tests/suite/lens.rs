//! The lens with every length, tail and stride, in buffers of the exact size.

use meshlens_lens::encoding::{F32, Scaled, U8, U16, U32, ZenithAzimuth8};
use meshlens_lens::{
    AttributeSource, Encode, Encoding, Lens, Level, Transformed, lerp_directions_into, lerp_into,
};
use meshlens_wire::{Data, Span};

const POSITION: Scaled<i16, 3, 64> = Scaled::new();

/// `count` MD3 vertices with positions (i, -i, 2i) / 64 and normal codes (i, i + 1).
fn vertices(count: usize) -> Vec<u8> {
    (0..count as i16)
        .flat_map(|i| {
            let mut bytes: Vec<u8> = [i, -i, 2 * i].iter().flat_map(|axis| axis.to_le_bytes()).collect();
            bytes.extend([i as u8, i as u8 + 1]);
            bytes
        })
        .collect()
}

#[test]
fn all_decoding_methods_agree_at_every_length() {
    for len in 0..=67 {
        let bytes = vertices(len);
        // The last element ends two bytes before the end of the buffer, so the window has its exact size.
        let window = &bytes[..bytes.len().saturating_sub(2)];
        let lens = Lens::new(POSITION, window, 100, 8, len).unwrap();
        let want: Vec<[f32; 3]> =
            (0..len).map(|i| [i as f32 / 64.0, -(i as i32) as f32 / 64.0, i as f32 / 32.0]).collect();

        let mut decoded = vec![[f32::NAN; 3]; len];
        lens.decode_into(&mut decoded).unwrap();
        assert_eq!(decoded, want);
        assert_eq!(lens.iter().collect::<Vec<_>>(), want);
        assert_eq!(lens.iter().rev().collect::<Vec<_>>(), want.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!((0..len).map(|i| lens.get(i).unwrap()).collect::<Vec<_>>(), want);
        assert_eq!(lens.get(len), None);
        assert_eq!(lens.get(usize::MAX), None);

        let mut batched = Vec::new();
        for batch in lens.batches::<16>() {
            assert!(batch.len == 16 || batched.len() + batch.len == len);
            for lane in 0..batch.len {
                batched.push([batch.x[lane], batch.y[lane], batch.z[lane]]);
            }
            assert!((batch.len..16).all(|lane| batch.x[lane] == 0.0));
        }
        assert_eq!(batched, want);
        assert_eq!(lens.batches::<16>().len(), len.div_ceil(16));

        let mut strided = vec![0xeeu8; 4 + 20 * len];
        lens.decode_strided(&mut strided, 4, 20).unwrap();
        for (i, want) in want.iter().enumerate() {
            let at = 4 + 20 * i;
            assert_eq!(&strided[at..at + 12], bytemuck_bytes(want));
            assert!(strided[at + 12..at + 20].iter().all(|byte| *byte == 0xee));
        }
        assert_eq!(lens.byte_range(), 100..100 + window.len() as u64);
        assert_eq!(lens.as_bytes(), window);
    }
}

fn bytemuck_bytes(value: &[f32; 3]) -> Vec<u8> {
    value.iter().flat_map(|axis| axis.to_ne_bytes()).collect()
}

#[test]
fn a_window_one_byte_short_is_refused() {
    let bytes = vertices(3);
    assert!(Lens::new(POSITION, &bytes[..22], 0, 8, 3).is_ok());
    assert!(Lens::new(POSITION, &bytes[..21], 0, 8, 3).is_err());
    assert!(Lens::new(ZenithAzimuth8, &bytes[6..], 6, 8, 3).is_ok());
    assert!(Lens::new(ZenithAzimuth8, &bytes[7..], 7, 8, 3).is_err());
    assert!(Lens::new(POSITION, &bytes, 0, 5, 2).is_err(), "elements would overlap");
    assert!(Lens::new(POSITION, &bytes, 0, usize::MAX, usize::MAX).is_err());
    assert!(Lens::new(POSITION, &[], 0, 8, 0).is_ok());
}

#[test]
fn a_field_of_records_lies_inside_them() {
    let bytes = vertices(3);
    let data = Data::new("test", &bytes);
    let span = data.span(0, 3, 8, "vertices").unwrap();
    let normals = Lens::bind(data, span, 6, ZenithAzimuth8).unwrap();
    assert_eq!((normals.len(), normals.byte_range()), (3, 6..24));
    assert_eq!(normals.get_raw(2), Some([2, 3]));
    let error = Lens::bind(data, span, 7, ZenithAzimuth8).unwrap_err();
    assert_eq!(error.to_string(), "test: bytes of a record: expected at least 9, found 8 at 0x0");
    assert!(Lens::bind(data, span, usize::MAX, ZenithAzimuth8).is_err());
    let prefix = Data::prefix("test", &bytes[..20], 24);
    assert_eq!(Lens::bind(prefix, span, 0, POSITION).unwrap_err().code(), "INCOMPLETE");
    assert!(Lens::bind(data, Span::default(), 0, POSITION).unwrap().is_empty());
    let error = normals.decode_into(&mut []).unwrap_err();
    assert_eq!(error.to_string(), "test: elements of the output: expected 3, found 0 at 0x6");
}

#[test]
fn slices_keep_their_offset_in_the_file() {
    let bytes = vertices(10);
    let lens = Lens::new(ZenithAzimuth8, &bytes[6..], 1006, 8, 10).unwrap();
    let part = lens.slice(2..5).unwrap();
    assert_eq!((part.len(), part.byte_range()), (3, 1022..1040));
    assert_eq!(part.get_raw(0), Some([2, 3]));
    assert_eq!(part.get_raw(3), None);
    assert_eq!(part.iter().collect::<Vec<_>>(), lens.iter().skip(2).take(3).collect::<Vec<_>>());
    assert!(lens.slice(10..10).unwrap().is_empty());
    assert!(lens.slice(9..11).is_none() && lens.split_at(11).is_none());
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = 5..4;
    assert!(lens.slice(backwards).is_none());
}

#[test]
fn outputs_that_do_not_fit_are_errors_and_unchanged() {
    let bytes = vertices(4);
    let lens = Lens::new(POSITION, &bytes, 0, 8, 4).unwrap();
    let mut short = [[7.0; 3]; 3];
    let error = lens.decode_into(&mut short).unwrap_err();
    assert_eq!(error.to_string(), "array: elements of the output: expected 4, found 3 at 0x0");
    assert_eq!(short, [[7.0; 3]; 3]);

    let mut out = [7u8; 4 * 16];
    let error = lens.decode_strided(&mut out, 0, 11).unwrap_err();
    assert_eq!(error.to_string(), "array: stride: expected at least 12, found 11 at 0x0");
    assert!(lens.decode_strided(&mut out, 4, 16).is_ok(), "12 of the last 16 bytes are enough");
    out = [7; 64];
    let too_far = lens.decode_strided(&mut out, 5, 16).unwrap_err();
    assert_eq!(too_far.to_string(), "array: bytes of the output: expected at least 65, found 64 at 0x0");
    assert!(lens.decode_strided(&mut out, usize::MAX, 16).is_err());
    assert!(lens.decode_strided(&mut out, 0, usize::MAX).is_err());
    assert_eq!(out, [7; 64]);
}

#[test]
fn only_aligned_packed_arrays_are_borrowed() {
    let floats = [1.0f32, 2.0, 3.0, 4.0];
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let mut shifted = vec![0u8; bytes.len() + 8];
    let start = shifted.as_ptr().align_offset(4);
    shifted[start..start + 16].copy_from_slice(&bytes);
    let aligned = Lens::new(F32::<2>, &shifted[start..start + 16], 0, 8, 2).unwrap();
    let borrowed = cfg!(target_endian = "little").then_some(&[[1.0, 2.0], [3.0, 4.0]][..]);
    assert_eq!(aligned.as_values(), borrowed, "a file has the byte order of little-endian machines");

    shifted.copy_within(start..start + 16, start + 1);
    let unaligned = Lens::new(F32::<2>, &shifted[start + 1..start + 17], 0, 8, 2).unwrap();
    assert_eq!(unaligned.as_values(), None);
    assert_eq!(unaligned.iter().collect::<Vec<_>>(), [[1.0, 2.0], [3.0, 4.0]]);

    let strided = Lens::new(U8::<1>, &bytes, 0, 4, 4).unwrap();
    assert_eq!(strided.as_values(), None);
}

#[test]
fn plain_numbers_are_little_endian_both_ways() {
    let lens = Lens::new(U16::<3>, &[1, 2, 3, 4, 5, 0xff], 0, 6, 1).unwrap();
    assert_eq!(lens.get(0), Some([0x0201, 0x0403, 0xff05]));
    assert_eq!(U32::<1>.decode(U32::<1>.encode(0x8000_0001)), 0x8000_0001);
    assert_eq!(F32::<4>.quantize([0.1, -0.0, f32::INFINITY, 1e-40]), [0.1, -0.0, f32::INFINITY, 1e-40]);
}

#[test]
fn blending_is_exact_at_both_ends_and_checked() {
    let a = Lens::new(U8AsFloat, &[0, 100, 7], 0, 1, 3).unwrap();
    let b = Lens::new(U8AsFloat, &[10, 50, 7], 0, 1, 3).unwrap();
    let mut out = [[0.0; 2]; 3];
    lerp_into(a, b, 0.0, &mut out).unwrap();
    assert_eq!(out, [[0.0, 0.0], [100.0, -100.0], [7.0, -7.0]]);
    lerp_into(a, b, 1.0, &mut out).unwrap();
    assert_eq!(out, [[10.0, -10.0], [50.0, -50.0], [7.0, -7.0]]);
    lerp_into(a, b, 0.25, &mut out).unwrap();
    assert_eq!(out, [[2.5, -2.5], [87.5, -87.5], [7.0, -7.0]]);
    assert_eq!(lerp_into(a, b, 0.5, &mut out[..2]).unwrap_err().code(), "LENGTH");
    let shorter = b.slice(0..2).unwrap();
    let error = lerp_into(a, shorter, 0.5, &mut out).unwrap_err();
    assert_eq!(error.to_string(), "array: elements of the second array: expected 3, found 2 at 0x0");
}

#[test]
fn blended_directions_have_length_one() {
    // +Z and +X, then +Z and -Z, which cancel out in the middle.
    let a = Lens::new(ZenithAzimuth8, &[0, 0, 0, 0], 0, 2, 2).unwrap();
    let b = Lens::new(ZenithAzimuth8, &[64, 0, 128, 0], 0, 2, 2).unwrap();
    let mut out = [[0.0; 3]; 2];
    lerp_directions_into(a, b, 0.5, &mut out).unwrap();
    let half = core::f32::consts::FRAC_1_SQRT_2;
    assert!((out[0][0] - half).abs() < 1e-6 && out[0][1] == 0.0 && (out[0][2] - half).abs() < 1e-6);
    assert_eq!(out[1], [0.0, 0.0, 0.0]);
}

#[test]
fn transformed_directions_have_length_one_or_are_unchanged() {
    // The square of the smallest normal number's root is that number; those of shorter vectors have few bits.
    let shortest = f32::MIN_POSITIVE.sqrt();
    let directions =
        [[shortest, 0.0, 0.0], [shortest * 0.999, 0.0, 0.0], [0.0, 1e-22, 0.0], [0.0, 0.0, 1e30]];
    let bytes = directions.map(|direction| direction.map(f32::to_le_bytes));
    let source = Lens::new(F32::<3>, bytes.as_flattened().as_flattened(), 0, 12, 4).unwrap();
    let turned =
        Transformed::directions(source, [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], 1.0).unwrap();
    for level in Level::all() {
        let mut out = [[0.0; 3]; 4];
        turned.decode_part(level, 0, out.as_flattened_mut());
        // The square of the last one is infinite.
        assert_eq!(out, [[0.0, 1.0, 0.0], directions[1], directions[2], directions[3]], "{level:?}");
    }
}

/// One byte, decoded to its value and the negative value.
#[derive(Clone, Copy)]
struct U8AsFloat;

impl Encoding for U8AsFloat {
    type Raw = u8;
    type Value = [f32; 2];
    fn decode(&self, raw: u8) -> [f32; 2] {
        [f32::from(raw), -f32::from(raw)]
    }
}
