//! Vertex buffers against the same buffers filled one value at a time.

use meshlens_lens::encoding::{F32, Md3Normal, Md3Position, UnigineRotation, Unorm8};
use meshlens_lens::{
    Attribute, Error, Layout, Lens, Lerp, Level, Target, decode_interleaved, lerp_directions_into, lerp_into,
};

/// MD3 vertices of anything.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn snorm16(value: f32) -> i16 {
    (value.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16
}

/// Lengths around the blocks that vertices are put together in.
const LENGTHS: [usize; 12] = [0, 1, 2, 15, 16, 17, 63, 127, 128, 129, 300, 1025];

#[test]
fn every_layout_equals_one_value_at_a_time() {
    for count in LENGTHS {
        let vertices = noise(8 * count);
        let (shorts, bytes) = (noise(8 * count), noise(4 * count));
        let positions = Lens::new(Md3Position, &vertices, 0, 8, count).unwrap();
        let normals = Lens::new(Md3Normal, vertices.get(6..).unwrap_or_default(), 6, 8, count).unwrap();
        let rotations = Lens::new(UnigineRotation, &shorts, 0, 8, count).unwrap();
        let colours = Lens::new(Unorm8::<4>, &bytes, 0, 4, count).unwrap();
        const STRIDE: usize = 44;
        let attributes = [
            Attribute::new(&normals, 12, Target::Snorm16x4),
            Attribute::new(&positions, 0, Target::F32x3),
            Attribute::new(&colours, 40, Target::Unorm8x4),
            Attribute::new(&rotations, 24, Target::F32x4),
        ];
        let mut wanted = vec![0xeeu8; count * STRIDE];
        for (vertex, out) in wanted.chunks_exact_mut(STRIDE).enumerate() {
            let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
            put(0, bytemuck::bytes_of(&positions.get(vertex).unwrap()));
            let [x, y, z] = normals.get(vertex).unwrap().map(snorm16);
            put(12, bytemuck::bytes_of(&[x, y, z, 32767]));
            put(24, bytemuck::bytes_of(&rotations.get(vertex).unwrap()));
            put(40, &bytes[4 * vertex..4 * vertex + 4]);
        }
        for level in Level::all() {
            for alignment in [0, 4, 28, 60] {
                let mut buffer = vec![0xeeu8; 64 + alignment + wanted.len() + 64];
                let start = buffer.as_ptr().align_offset(64) + alignment;
                let out = &mut buffer[start..start + wanted.len()];
                let layout = Layout::new(STRIDE).with_level(level);
                decode_interleaved(&attributes, layout, out).unwrap();
                assert!(out == wanted, "{level}: {count} vertices");
                decode_interleaved(&attributes, layout.non_temporal(), out).unwrap();
                let mut gaps_zero = wanted.clone();
                gaps_zero.chunks_exact_mut(STRIDE).for_each(|vertex| vertex[20..24].fill(0));
                assert!(out == gaps_zero, "{level}: {count} vertices past the cache, at {alignment}");
                let around = buffer[..start].iter().chain(&buffer[start + wanted.len()..]);
                assert!(around.into_iter().all(|byte| *byte == 0xee));
            }
        }
    }
}

/// One attribute alone, as bytes.
fn stored(elements: &dyn meshlens_lens::Elements, target: Target) -> Vec<u8> {
    let mut out = vec![0; elements.count() * target.size()];
    let attribute = Attribute::new(elements, 0, target);
    decode_interleaved(&[attribute], Layout::new(target.size()), &mut out).unwrap();
    out
}

#[test]
fn every_target() {
    let floats: Vec<u8> = [0.5f32, -1.0, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let one = Lens::new(F32::<3>, &floats, 0, 12, 1).unwrap();
    let pair = Lens::new(F32::<2>, &floats, 0, 8, 1).unwrap();
    let ne16 = |values: &[u16]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
    assert_eq!(stored(&one, Target::F32x4)[12..], 1f32.to_ne_bytes());
    assert_eq!(stored(&one, Target::F16x4), ne16(&[0x3800, 0xbc00, 0x4000, 0x3c00]));
    assert_eq!(stored(&pair, Target::F16x2), ne16(&[0x3800, 0xbc00]));
    assert_eq!(stored(&one, Target::Snorm16x4), ne16(&[16384, -32767i16 as u16, 32767, 32767]));
    assert_eq!(stored(&pair, Target::Snorm16x2), ne16(&[16384, -32767i16 as u16]));
    assert_eq!(stored(&one, Target::Snorm8x4), [64, 129, 127, 127]);
    assert_eq!(stored(&pair, Target::Unorm16x2), ne16(&[32768, 0]));
    assert_eq!(stored(&one, Target::Unorm16x4), ne16(&[32768, 0, 65535, 65535]));
    assert_eq!(stored(&one, Target::Unorm8x4), [128, 0, 255, 255]);
    // (0.5, -1, 2) / 3.5 on the octahedron.
    assert_eq!(stored(&one, Target::Octahedral16x2), ne16(&[4681, -9362i16 as u16]));
    assert_eq!(stored(&one, Target::Octahedral8x4), [18, (-36i8) as u8, 0, 0]);
    assert_eq!(stored(&pair, Target::F32x3)[8..], [0; 4]);
}

#[test]
fn two_frames_blend_into_any_layout() {
    for count in LENGTHS {
        let frames = noise(16 * count);
        let normal = |frame: usize| {
            let bytes = frames.get(frame + 6..).unwrap_or_default();
            Lens::new(Md3Normal, bytes, 0, 16, count).unwrap()
        };
        let position = |frame: usize| {
            Lens::new(Md3Position, frames.get(frame..).unwrap_or_default(), 0, 16, count).unwrap()
        };
        for t in [0.0, 0.25, 1.0] {
            let blended: Vec<[f32; 3]> = position(0)
                .iter()
                .zip(position(8))
                .map(|(a, b)| [0, 1, 2].map(|axis| a[axis] * (1.0 - t) + b[axis] * t))
                .collect();
            let mut out = vec![[0.0; 3]; count];
            lerp_into(position(0), position(8), t, &mut out).unwrap();
            assert_eq!(out, blended);
            let mut directions = vec![[0.0; 3]; count];
            lerp_directions_into(normal(0), normal(8), t, &mut directions).unwrap();

            let positions = Lerp::new(position(0), position(8), t).unwrap();
            let normals = Lerp::directions(normal(0), normal(8), t).unwrap();
            let attributes =
                [Attribute::new(&positions, 0, Target::F32x3), Attribute::new(&normals, 12, Target::F32x3)];
            let mut buffer = vec![0; 24 * count];
            decode_interleaved(&attributes, Layout::new(24), &mut buffer).unwrap();
            for (vertex, bytes) in buffer.chunks_exact(24).enumerate() {
                assert_eq!(&bytes[..12], bytemuck::bytes_of(&blended[vertex]));
                assert_eq!(&bytes[12..], bytemuck::bytes_of(&directions[vertex]));
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error_and_nothing_is_written() {
    let vertices = noise(80);
    let positions = Lens::new(Md3Position, &vertices, 0, 8, 10).unwrap();
    let nine = Lens::new(Md3Position, &vertices, 0, 8, 9).unwrap();
    let rotations = Lens::new(UnigineRotation, &vertices, 0, 8, 10).unwrap();
    let mut out = [0xeeu8; 240];
    let mut error = |attributes: &[Attribute<'_>], stride: usize, len: usize| {
        let error = decode_interleaved(attributes, Layout::new(stride), &mut out[..len]).unwrap_err();
        let streamed = decode_interleaved(attributes, Layout::new(stride).non_temporal(), &mut out[..len]);
        assert_eq!(streamed, Err(error));
        assert!(out.iter().all(|byte| *byte == 0xee));
        error
    };
    let at = |offset| Attribute::new(&positions, offset, Target::F32x3);
    assert_eq!(error(&[at(0)], 24, 239), Error::Bytes { expected: 240, found: 239 });
    assert_eq!(error(&[at(0)], 12, 240), Error::Bytes { expected: 120, found: 240 });
    assert_eq!(error(&[], 12, 240), Error::Bytes { expected: 0, found: 240 });
    assert_eq!(error(&[at(0)], usize::MAX & !3, 240), Error::Bytes { expected: usize::MAX, found: 240 });
    assert_eq!(error(&[at(16)], 24, 240), Error::Outside { attribute: 0, end: 28, stride: 24 });
    assert_eq!(
        error(&[at(usize::MAX & !3)], 24, 240),
        Error::Outside { attribute: 0, end: usize::MAX, stride: 24 }
    );
    assert_eq!(error(&[at(2)], 24, 240), Error::Misaligned { attribute: 0, offset: 2, stride: 24, align: 4 });
    assert_eq!(error(&[at(0)], 14, 140), Error::Misaligned { attribute: 0, offset: 0, stride: 14, align: 4 });
    assert_eq!(error(&[at(0), at(8)], 24, 240), Error::Overlap { first: 0, second: 1 });
    let short = Attribute::new(&nine, 12, Target::F32x3);
    assert_eq!(error(&[at(0), short], 24, 240), Error::Lengths { first: 10, second: 9 });
    let wide = Attribute::new(&rotations, 0, Target::F32x3);
    assert_eq!(error(&[wide], 24, 240), Error::Components { target: Target::F32x3, found: 4 });
    let square = Attribute::new(&rotations, 0, Target::Octahedral16x2);
    assert_eq!(error(&[square], 24, 240), Error::Components { target: Target::Octahedral16x2, found: 4 });
    assert!(matches!(Lerp::new(positions, nine, 0.5), Err(Error::Lengths { first: 10, second: 9 })));
    let text = Error::Overlap { first: 0, second: 1 }.to_string();
    assert_eq!(text, "attributes 0 and 1 overlap");
}

#[test]
fn strides_that_are_too_long_to_stage_are_written_the_ordinary_way() {
    let vertices = noise(24);
    let positions = Lens::new(Md3Position, &vertices, 0, 8, 3).unwrap();
    let mut out = vec![7u8; 3 * 4096];
    let attribute = Attribute::new(&positions, 4092 - 12, Target::F32x3);
    decode_interleaved(&[attribute], Layout::new(4096).non_temporal(), &mut out).unwrap();
    assert_eq!(&out[4080..4092], bytemuck::bytes_of(&positions.get(0).unwrap()));
    assert_eq!(out[4092], 7);
    let mut out = vec![7u8; 3 * 2048];
    let attribute = Attribute::new(&positions, 0, Target::F32x3);
    decode_interleaved(&[attribute], Layout::new(2048).non_temporal(), &mut out).unwrap();
    assert_eq!(&out[4096..4108], bytemuck::bytes_of(&positions.get(2).unwrap()));
    assert_eq!(out[4108], 0);
}
