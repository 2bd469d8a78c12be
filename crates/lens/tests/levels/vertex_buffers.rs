//! Compares vertex buffers at every level with the scalar level: random layouts of random attributes, for every length
//! and several alignments, between inaccessible pages, with both kinds of stores.

use std::sync::LazyLock;

use meshlens_lens::encoding::*;
use meshlens_lens::{
    AnyLens, AttributeSource, FrameVectors, Gathered, Influences, Lens, Lerp, Level, Skin, Skinned, Swizzled,
    Transformed, ValueLens, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved,
};

use crate::{POSITION, noise};

/// Pseudorandom numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

const FLOATS: [VertexFormat; 14] = [
    VertexFormat::Float32x3,
    VertexFormat::Float32x4,
    VertexFormat::Float16x4,
    VertexFormat::Snorm16x4,
    VertexFormat::Snorm8x4,
    VertexFormat::Unorm16x4,
    VertexFormat::Unorm8x4,
    VertexFormat::Octahedral16x2,
    VertexFormat::Octahedral8x4,
    VertexFormat::Float32x2,
    VertexFormat::Float16x2,
    VertexFormat::Snorm16x2,
    VertexFormat::Unorm8x2,
    VertexFormat::Unorm16x2,
];

const COLUMNS: [[f32; 3]; 3] = [[0.6, 0.8, 0.1], [-0.8, 0.6, 0.3], [0.1, -0.2, 1.7]];
const MATRIX: [[f32; 3]; 4] = [COLUMNS[0], COLUMNS[1], COLUMNS[2], [3.5, -8.25, 0.125]];

const fn joint([x, y, z, w]: [[f32; 3]; 4]) -> [[f32; 4]; 4] {
    [[x[0], x[1], x[2], 0.0], [y[0], y[1], y[2], 0.0], [z[0], z[1], z[2], 0.0], [w[0], w[1], w[2], 1.0]]
}

/// Points that several joints move; with `gaps`, also points that a single joint and no joint moves, and joints that have no
/// matrix.
fn influences(gaps: bool) -> Influences {
    let weights = |point: usize| match point % 8 {
        1 if gaps => [1.0, 0.0, 0.0, 0.0],
        3 if gaps => [0.0; 4],
        5 if gaps => [0.0, 0.0, 1.0, -1.0],
        7 if gaps => [f32::NAN, 0.5, 0.0, 0.0],
        _ => [0.5, 0.25, 0.25, 0.0],
    };
    let joints = if gaps { [0, 1, 2, 0] } else { [0, 1, 1, 0] };
    Influences::new(vec![joints; 500], (0..500).map(weights).collect())
}

const MATRICES: &[[[f32; 4]; 4]] =
    &[joint(MATRIX), joint([COLUMNS[1], COLUMNS[2], COLUMNS[0], [1.0, 2.0, 4.0]])];

/// [`influences`] without and with gaps.
static INFLUENCES: LazyLock<[Influences; 2]> = LazyLock::new(|| [influences(false), influences(true)]);

/// Sources of attributes of every kind, over the same bytes.
fn sources<'a>(bytes: &'a [u8], floats: &'a [u8], order: &'a [u32]) -> Vec<Box<dyn AttributeSource + 'a>> {
    let len = order.len();
    let positions = Lens::new(POSITION, bytes, 0, 8, len).expect("positions");
    let normals = Lens::new(ZenithAzimuth8, bytes.get(6..).unwrap_or_default(), 6, 8, len).expect("normals");
    let shorts = Lens::new(Snorm16::<4>, bytes, 0, 8, len).expect("quaternions");
    let colors = Lens::new(Unorm8::<4>, bytes, 0, 8, len).expect("colors");
    let texcoords = Lens::new(F32::<2>, floats, 0, 8, len).expect("texture coordinates");
    let packed = Lens::new(Packed::<11, 11, 10>, bytes, 0, 4, len).expect("packed positions");
    let frames: ValueLens<'_, _> = Lens::new(TangentFrame16, bytes, 0, 8, len).expect("frames").into();
    let joints = AnyLens::from(Lens::new(U8::<4>, bytes, 0, 4, len).expect("joints"));
    let wide = AnyLens::from(Lens::new(I16::<4>, bytes, 0, 8, len).expect("integers"));
    let normals_inverse = Lens::new(TruncatedZenithAzimuth8, bytes, 0, 2, len).expect("normals");
    let turned = Swizzled::new(positions, [1, 2, 0, 3], [1.0, -1.0, 0.5, 1.0]);
    let blended = Lerp::new(positions, packed_as_positions(bytes, len), 0.25).expect("as many");
    let directions = Lerp::directions(normals, normals, 0.25).expect("as many");
    let tangents = FrameVectors::tangents(frames);
    let [plain, skin] = INFLUENCES.each_ref().map(|influences| Skin { influences, matrices: MATRICES });
    vec![
        Box::new(positions),
        Box::new(normals),
        Box::new(normals_inverse),
        Box::new(shorts),
        Box::new(colors),
        Box::new(texcoords),
        Box::new(AnyLens::from(packed)),
        Box::new(turned),
        Box::new(Swizzled::new(directions, [2, 1, 0, 3], [-1.0, 1.0, 1.0, 1.0])),
        Box::new(blended),
        Box::new(directions),
        Box::new(Transformed::positions(blended, MATRIX).expect("three floats")),
        Box::new(Transformed::directions(directions, COLUMNS, 1.0).expect("three floats")),
        Box::new(Transformed::directions(tangents, COLUMNS, -1.0).expect("four floats")),
        Box::new(Skinned::positions(positions, skin, None).expect("three floats")),
        Box::new(Skinned::positions(blended, plain, Some(order)).expect("three floats")),
        Box::new(Skinned::directions(tangents, skin, Some(order)).expect("four floats")),
        Box::new(
            Transformed::directions(
                Skinned::directions(directions, plain, None).expect("three"),
                COLUMNS,
                1.0,
            )
            .expect("three floats"),
        ),
        Box::new(FrameVectors::normals(frames)),
        Box::new(tangents),
        Box::new(Lerp::tangents(tangents, tangents, 0.5).expect("as many")),
        Box::new(Gathered::new(positions, order).expect("in range")),
        Box::new(Gathered::new(AnyLens::from(normals), order).expect("in range")),
        Box::new(Gathered::new(tangents, order).expect("in range")),
        Box::new(
            Lerp::directions(
                Gathered::new(normals, order).expect("in range"),
                Gathered::new(normals, order).expect("in range"),
                0.75,
            )
            .expect("as many"),
        ),
        Box::new(Gathered::new(texcoords, order).expect("in range")),
        Box::new(joints),
        Box::new(wide),
        Box::new(Gathered::new(joints, order).expect("in range")),
    ]
}

fn packed_as_positions(bytes: &[u8], len: usize) -> Lens<'_, Scaled<i16, 3, 64>> {
    // The second frame begins two bytes after the first.
    Lens::new(POSITION, bytes.get(2..).unwrap_or_default(), 0, 8, len).expect("positions")
}

/// The formats that are valid for a source.
fn formats(source: &dyn AttributeSource) -> Vec<VertexFormat> {
    match source.integers() {
        Some(integers) if integers.component == meshlens_lens::ComponentType::U8 => {
            vec![VertexFormat::Uint8x4, VertexFormat::Uint16x4, VertexFormat::Uint32x4]
        }
        Some(_) => vec![VertexFormat::Sint8x4, VertexFormat::Sint16x4, VertexFormat::Sint32x4],
        None => {
            let components = source.components();
            let is_direction =
                |format| matches!(format, VertexFormat::Octahedral16x2 | VertexFormat::Octahedral8x4);
            let fits = |format: &VertexFormat| {
                components <= format.components() && (components == 3 || !is_direction(*format))
            };
            FLOATS.into_iter().filter(fits).collect()
        }
    }
}

/// A random layout: attributes, and the stride.
fn layout<'a>(
    sources: &'a [Box<dyn AttributeSource + 'a>],
    random: &mut Random,
) -> (Vec<VertexAttribute<'a>>, usize) {
    let mut end = 0;
    let mut attributes = Vec::new();
    let mut align = 1;
    let most = if random.below(8) == 0 { 11 } else { 4 };
    for _ in 0..=random.below(most) {
        let source = &*sources[random.below(sources.len())];
        let formats = formats(source);
        let format = formats[random.below(formats.len())];
        // Usually without a gap.
        let gap = if random.below(3) == 0 { random.below(9) } else { 0 };
        let offset = (end + gap).next_multiple_of(format.align());
        attributes.push(VertexAttribute::new(source, offset, format));
        end = offset + format.size();
        align = align.max(format.align());
    }
    let gap = if random.below(3) == 0 { random.below(20) } else { 0 };
    // Attributes may come in any order.
    for at in (1..attributes.len()).rev() {
        attributes.swap(at, random.below(at + 1));
    }
    (attributes, (end + gap).next_multiple_of(align))
}

/// Memory whose floats are not NaN.
fn small_floats(len: usize) -> Vec<u8> {
    noise(len).chunks(4).flat_map(|bytes| (f32::from(bytes[0]) / 64.0 - 1.0).to_le_bytes()).collect()
}

#[test]
fn random_layouts_are_the_same_at_every_level() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let lengths = (0..=130usize).chain([255, 256, 257, 300, 511, 600]);
    for len in lengths {
        let bytes = noise(8 * len + 8);
        let floats = small_floats(8 * len);
        let order: Vec<u32> = (0..len).map(|_| random.below(len) as u32).collect();
        let sources = sources(&bytes, &floats, &order);
        for _ in 0..4 {
            let (attributes, stride) = layout(&sources, &mut random);
            let decode = |layout: VertexBufferLayout, out: &mut [u8]| {
                out.fill(0xee);
                decode_interleaved(&attributes, layout, out).expect("a layout that fits");
            };
            let scalar = VertexBufferLayout::new(stride).with_level(Level::SCALAR);
            let (mut wanted, mut streamed) = (vec![0; stride * len], vec![0; stride * len]);
            decode(scalar, &mut wanted);
            decode(scalar.non_temporal(), &mut streamed);
            for level in Level::all() {
                let layout = VertexBufferLayout::new(stride).with_level(level);
                for (layout, wanted) in [(layout, &wanted), (layout.non_temporal(), &streamed)] {
                    let shift = random.below(64);
                    let mut buffer = vec![0xaau8; shift + wanted.len() + 64];
                    decode(layout, &mut buffer[shift..shift + wanted.len()]);
                    let at = buffer[shift..].iter().zip(wanted).position(|(found, wanted)| found != wanted);
                    assert_eq!(at, None, "{level}: {len} vertices of {stride} bytes, {layout:?}");
                    let around = buffer[..shift].iter().chain(&buffer[shift + wanted.len()..]);
                    assert!(around.into_iter().all(|byte| *byte == 0xaa), "{level} wrote past the buffer");
                }
            }
        }
    }
}

/// Compares the buffer with the stored form of single values.
#[test]
fn vertices_equal_single_values_and_gaps_are_kept() {
    for len in [1, 63, 64, 255, 256, 257, 1000] {
        let bytes = noise(8 * len + 8);
        let positions = Lens::new(POSITION, &bytes, 0, 8, len).expect("they lie inside");
        let colors = Lens::new(Unorm8::<4>, &bytes, 0, 8, len).expect("they lie inside");
        let attributes = [
            VertexAttribute::new(&positions, 4, VertexFormat::Float32x3),
            VertexAttribute::new(&colors, 20, VertexFormat::Unorm8x4),
        ];
        for level in Level::all() {
            let mut out = noise(28 * len);
            let before = out.clone();
            let layout = VertexBufferLayout::new(28).with_level(level);
            decode_interleaved(&attributes, layout, &mut out).expect("a layout that fits");
            for (vertex, (out, before)) in out.chunks(28).zip(before.chunks(28)).enumerate() {
                let position = positions.get(vertex).expect("there are as many").map(f32::to_ne_bytes);
                assert_eq!(out[4..16], *position.as_flattened(), "{level}: vertex {vertex}");
                assert_eq!(out[20..24], bytes[8 * vertex..8 * vertex + 4], "{level}: vertex {vertex}");
                for gap in [0..4, 16..20, 24..28] {
                    assert_eq!(out[gap.clone()], before[gap], "{level}: vertex {vertex}");
                }
            }
        }
    }
}

/// Checks buffers between inaccessible pages. An access outside the memory ends the test program.
#[test]
#[cfg(unix)]
fn vertex_buffers_stay_inside_their_memory() {
    const LONGEST: usize = 520;
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut input = [0, 0].map(|_| crate::guard::Guarded::new(8 * LONGEST + 8));
    let mut output = crate::guard::Guarded::new(200 * LONGEST);
    let lengths = [0, 1, 2, 7, 15, 16, 17, 63, 64, 65, 127, 128, 129, 131, 255, 256, 257, 300, 511, 512, 513];
    for len in lengths {
        for at_end in [true, false] {
            let [first, second] = &mut input;
            // The positions of the second frame end with the memory. The positions of the first frame and the normals
            // end before it.
            let size = if len == 0 { 0 } else { 8 * len };
            let (first, second) = (first.bytes(size, at_end), second.bytes(8 * len, at_end));
            first.copy_from_slice(&noise(size));
            second.copy_from_slice(&small_floats(8 * len));
            let (first, second) = (&*first, &*second);
            let order: Vec<u32> = (0..len).map(|_| random.below(len) as u32).collect();
            let sources = sources(first, second, &order);
            for _ in 0..12 {
                let (attributes, stride) = layout(&sources, &mut random);
                let stride = stride.min(200);
                let fits = |out: &mut [u8], layout| decode_interleaved(&attributes, layout, out).is_ok();
                for level in Level::all() {
                    let layout = VertexBufferLayout::new(stride).with_level(level);
                    for layout in [layout, layout.non_temporal()] {
                        let out = output.bytes(stride * len, at_end);
                        let done = fits(out, layout);
                        assert!(done || stride == 200, "{level}: {len} vertices of {stride} bytes");
                    }
                }
            }
        }
    }
}
