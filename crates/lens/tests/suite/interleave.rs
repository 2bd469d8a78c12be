//! Compares vertex buffers with buffers that are filled one value at a time.

use meshlens_lens::encoding::{F32, Scaled, Snorm16, Unorm8, ZenithAzimuth8};
use meshlens_lens::{
    Lens, Lerp, Level, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved,
    lerp_directions_into, lerp_into,
};

use crate::noise;

const POSITION: Scaled<i16, 3, 64> = Scaled::new();

fn snorm16(value: f32) -> i16 {
    (value.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16
}

/// Lengths near multiples of the size of a block.
const LENGTHS: [usize; 12] = [0, 1, 2, 15, 16, 17, 63, 127, 128, 129, 300, 1025];

#[test]
fn every_layout_equals_one_value_at_a_time() {
    for count in LENGTHS {
        let vertices = noise(8 * count);
        let (shorts, bytes) = (noise(8 * count), noise(4 * count));
        let positions = Lens::new(POSITION, &vertices, 0, 8, count).unwrap();
        let normals = Lens::new(ZenithAzimuth8, vertices.get(6..).unwrap_or_default(), 6, 8, count).unwrap();
        let rotations = Lens::new(Snorm16::<4>, &shorts, 0, 8, count).unwrap();
        let colors = Lens::new(Unorm8::<4>, &bytes, 0, 4, count).unwrap();
        const STRIDE: usize = 44;
        let attributes = [
            VertexAttribute::new(&normals, 12, VertexFormat::Snorm16x4),
            VertexAttribute::new(&positions, 0, VertexFormat::Float32x3),
            VertexAttribute::new(&colors, 40, VertexFormat::Unorm8x4),
            VertexAttribute::new(&rotations, 24, VertexFormat::Float32x4),
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
                let layout = VertexBufferLayout::new(STRIDE).with_level(level);
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

/// A single attribute as bytes.
fn stored(elements: &dyn meshlens_lens::AttributeSource, target: VertexFormat) -> Vec<u8> {
    let mut out = vec![0; elements.count() * target.size()];
    let attribute = VertexAttribute::new(elements, 0, target);
    decode_interleaved(&[attribute], VertexBufferLayout::new(target.size()), &mut out).unwrap();
    out
}

#[test]
fn every_target() {
    let floats: Vec<u8> = [0.5f32, -1.0, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let one = Lens::new(F32::<3>, &floats, 0, 12, 1).unwrap();
    let pair = Lens::new(F32::<2>, &floats, 0, 8, 1).unwrap();
    let ne16 = |values: &[u16]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
    assert_eq!(stored(&one, VertexFormat::Float32x4)[12..], 1f32.to_ne_bytes());
    assert_eq!(stored(&one, VertexFormat::Float16x4), ne16(&[0x3800, 0xbc00, 0x4000, 0x3c00]));
    assert_eq!(stored(&pair, VertexFormat::Float16x2), ne16(&[0x3800, 0xbc00]));
    assert_eq!(stored(&one, VertexFormat::Snorm16x4), ne16(&[16384, -32767i16 as u16, 32767, 32767]));
    assert_eq!(stored(&pair, VertexFormat::Snorm16x2), ne16(&[16384, -32767i16 as u16]));
    assert_eq!(stored(&one, VertexFormat::Snorm8x4), [64, 129, 127, 127]);
    assert_eq!(stored(&pair, VertexFormat::Unorm16x2), ne16(&[32768, 0]));
    assert_eq!(stored(&one, VertexFormat::Unorm16x4), ne16(&[32768, 0, 65535, 65535]));
    assert_eq!(stored(&one, VertexFormat::Unorm8x4), [128, 0, 255, 255]);
    // (0.5, -1, 2) / 3.5 on the octahedron.
    assert_eq!(stored(&one, VertexFormat::Octahedral16x2), ne16(&[4681, -9362i16 as u16]));
    assert_eq!(stored(&one, VertexFormat::Octahedral8x4), [18, (-36i8) as u8, 0, 0]);
    assert_eq!(stored(&pair, VertexFormat::Float32x3)[8..], [0; 4]);
}

#[test]
fn two_frames_blend_into_any_layout() {
    for count in LENGTHS {
        let frames = noise(16 * count);
        let normal = |frame: usize| {
            let bytes = frames.get(frame + 6..).unwrap_or_default();
            Lens::new(ZenithAzimuth8, bytes, 0, 16, count).unwrap()
        };
        let position = |frame: usize| {
            Lens::new(POSITION, frames.get(frame..).unwrap_or_default(), 0, 16, count).unwrap()
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
            let attributes = [
                VertexAttribute::new(&positions, 0, VertexFormat::Float32x3),
                VertexAttribute::new(&normals, 12, VertexFormat::Float32x3),
            ];
            let mut buffer = vec![0; 24 * count];
            decode_interleaved(&attributes, VertexBufferLayout::new(24), &mut buffer).unwrap();
            for (vertex, bytes) in buffer.chunks_exact(24).enumerate() {
                assert_eq!(&bytes[..12], bytemuck::bytes_of(&blended[vertex]));
                assert_eq!(&bytes[12..], bytemuck::bytes_of(&directions[vertex]));
            }
        }
    }
}

#[test]
fn values_that_do_not_fit_are_errors_without_output() {
    let vertices = noise(80);
    let positions = Lens::new(POSITION, &vertices, 0, 8, 10).unwrap();
    let nine = Lens::new(POSITION, &vertices, 0, 8, 9).unwrap();
    let rotations = Lens::new(Snorm16::<4>, &vertices, 0, 8, 10).unwrap();
    let mut out = [0xeeu8; 240];
    let mut error = |attributes: &[VertexAttribute<'_>], stride: usize, len: usize| {
        let error =
            decode_interleaved(attributes, VertexBufferLayout::new(stride), &mut out[..len]).unwrap_err();
        let streamed =
            decode_interleaved(attributes, VertexBufferLayout::new(stride).non_temporal(), &mut out[..len]);
        assert_eq!(streamed, Err(error));
        assert!(out.iter().all(|byte| *byte == 0xee));
        error
    };
    let at = |offset| VertexAttribute::new(&positions, offset, VertexFormat::Float32x3);
    let mut says = |attributes: &[VertexAttribute<'_>], stride: usize, len: usize, wanted: &str| {
        assert_eq!(error(attributes, stride, len).to_string(), format!("vertex buffer: {wanted}"));
    };
    says(&[at(0)], 24, 239, "bytes of the output: expected 240, found 239");
    says(&[at(0)], 12, 240, "bytes of the output: expected 120, found 240");
    says(&[], 12, 240, "bytes of the output: expected 0, found 240");
    let most = usize::MAX;
    says(&[at(0)], most & !3, 240, &format!("bytes of the output: expected {most}, found 240"));
    let end = "attribute 0: end of the attribute in its vertex: expected at most 24, found";
    says(&[at(16)], 24, 240, &format!("{end} 28"));
    says(&[at(most & !3)], 24, 240, &format!("{end} {}", i64::try_from(most).unwrap_or(i64::MAX)));
    says(&[at(2)], 24, 240, "attribute 0: offset: expected a multiple of 4, found 2");
    says(&[at(0)], 14, 140, "attribute 0: stride: expected a multiple of 4, found 14");
    says(&[at(0), at(8)], 24, 240, "attribute 1: offset: expected bytes of no other attribute, found 8");
    let short = VertexAttribute::new(&nine, 12, VertexFormat::Float32x3);
    says(&[at(0), short], 24, 240, "attribute 1: elements of the array: expected 10, found 9");
    let wide = VertexAttribute::new(&rotations, 0, VertexFormat::Float32x3);
    says(&[wide], 24, 240, "attribute 0: float components of the array: expected at most 3, found 4");
    let square = VertexAttribute::new(&rotations, 0, VertexFormat::Octahedral16x2);
    says(&[square], 24, 240, "attribute 0: float components of the array: expected 3, found 4");
    let integers = VertexAttribute::new(&positions, 0, VertexFormat::Sint16x4);
    says(&[integers], 24, 240, "attribute 0: an integer format for an array of floats is not supported");
    let error = Lerp::new(positions, nine, 0.5).unwrap_err();
    assert_eq!(error.to_string(), "array: elements of the second array: expected 10, found 9 at 0x0");
}

#[test]
fn vertices_with_long_strides_are_written_with_ordinary_stores() {
    let vertices = noise(24);
    let positions = Lens::new(POSITION, &vertices, 0, 8, 3).unwrap();
    let mut out = vec![7u8; 3 * 4096];
    let attribute = VertexAttribute::new(&positions, 4092 - 12, VertexFormat::Float32x3);
    decode_interleaved(&[attribute], VertexBufferLayout::new(4096).non_temporal(), &mut out).unwrap();
    assert_eq!(&out[4080..4092], bytemuck::bytes_of(&positions.get(0).unwrap()));
    assert_eq!(out[4092], 7);
    let mut out = vec![7u8; 3 * 2048];
    let attribute = VertexAttribute::new(&positions, 0, VertexFormat::Float32x3);
    decode_interleaved(&[attribute], VertexBufferLayout::new(2048).non_temporal(), &mut out).unwrap();
    assert_eq!(&out[4096..4108], bytemuck::bytes_of(&positions.get(2).unwrap()));
    assert_eq!(out[4108], 0);
}

/// A source whose elements have no components, or a different number of components with each call.
struct Odd(std::cell::Cell<usize>);

impl meshlens_lens::AttributeSource for Odd {
    fn count(&self) -> usize {
        2
    }

    fn components(&self) -> usize {
        self.0.replace(0)
    }

    fn decode_part(&self, _: Level, _: usize, out: &mut [f32]) {
        out.fill(1.0);
    }
}

#[test]
fn a_source_without_components_is_refused() {
    let mut out = [0xee; 32];
    let odd = Odd(std::cell::Cell::new(0));
    let error = decode_interleaved(
        &[VertexAttribute::new(&odd, 0, VertexFormat::Float32x4)],
        VertexBufferLayout::new(16),
        &mut out,
    )
    .unwrap_err();
    assert_eq!(error.code(), "VALUE");
    assert_eq!(out, [0xee; 32]);
    // If the number of components of a source changes after the check, values are unspecified, but there is no panic.
    let odd = Odd(std::cell::Cell::new(3));
    decode_interleaved(
        &[VertexAttribute::new(&odd, 0, VertexFormat::Float32x4)],
        VertexBufferLayout::new(16),
        &mut out,
    )
    .unwrap();
}
