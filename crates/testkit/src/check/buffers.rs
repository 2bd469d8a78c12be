//! Vertex buffers, blends and indices: every instruction-set level has the same results as the scalar level.

use arbitrary::{Result, Unstructured};
use meshlens_lens::encoding::*;
use meshlens_lens::{
    AttributeSource, Lens, Lerp, Level, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved,
};
use meshlens_md3::encoding::*;
use meshlens_u3d::encoding::*;
use meshlens_unigine::encoding::*;
use meshlens_unreal::encoding::*;

const FORMATS: [VertexFormat; 14] = [
    VertexFormat::Float32,
    VertexFormat::Float32x2,
    VertexFormat::Float32x3,
    VertexFormat::Float32x4,
    VertexFormat::Float16x2,
    VertexFormat::Float16x4,
    VertexFormat::Snorm16x2,
    VertexFormat::Snorm16x4,
    VertexFormat::Snorm8x4,
    VertexFormat::Unorm16x2,
    VertexFormat::Unorm16x4,
    VertexFormat::Unorm8x4,
    VertexFormat::Octahedral16x2,
    VertexFormat::Octahedral8x4,
];

/// Checks a vertex buffer whose layout is chosen by the first bytes; the rest are the arrays.
pub fn vertex_buffers(bytes: &[u8]) {
    // A layout needs a minimum number of bytes.
    let _ = buffers(Unstructured::new(bytes));
}

/// The source of an attribute, and its offset in the vertex.
struct Choice<'a> {
    elements: Box<dyn AttributeSource + 'a>,
    offset: usize,
    target: VertexFormat,
}

fn buffers(mut u: Unstructured<'_>) -> Result<()> {
    let attributes = u.int_in_range(1..=4)?;
    // Sometimes attributes overlap or end past the stride, which must be refused.
    let stride = u.int_in_range(4..=64)? + if u.ratio(1, 64)? { 2100 } else { 0 };
    let plan: Vec<(u8, u8, usize, usize, f32)> = (0..attributes)
        .map(|_| {
            let offset = u.int_in_range(0..=stride)?;
            Ok((u.arbitrary()?, u.arbitrary()?, offset, u.int_in_range(0..=9)?, u.arbitrary()?))
        })
        .collect::<Result<_>>()?;
    let bytes = u.take_rest();
    let count = bytes.len() / 32;
    let choices: Vec<Choice<'_>> = plan
        .iter()
        .map(|(encoding, target, offset, gap, t)| {
            let elements = elements(*encoding, bytes, *gap, count, *t);
            Choice { elements, offset: *offset, target: FORMATS[usize::from(*target) % FORMATS.len()] }
        })
        .collect();
    let attributes: Vec<VertexAttribute<'_>> =
        choices.iter().map(|c| VertexAttribute::new(&*c.elements, c.offset, c.target)).collect();
    let places: Vec<Filled> = choices.iter().map(|choice| Filled::new(choice, count)).collect();
    filled(&attributes, &places, stride, count);
    for bytes in [bytes, bytes.get(1..).unwrap_or_default()] {
        indices(bytes);
    }
    Ok(())
}

/// Makes arrays of every encoding whose levels are bit-identical. The 16-bit normals of Ultimate 3D are not;
/// `encodings` checks them.
fn elements<'a>(
    encoding: u8,
    bytes: &'a [u8],
    gap: usize,
    count: usize,
    t: f32,
) -> Box<dyn AttributeSource + 'a> {
    macro_rules! choose {
        ($($number:literal $encoding:expr;)*) => {
            match encoding % 32 {
                $($number => plain($encoding, bytes, gap, count),)*
                20 | 21 => {
                    let (a, b) = (lens(F32::<3>, bytes, gap, count), lens(F32::<3>, bytes, 0, count));
                    Box::new(Lerp::new(a, b, t).expect("of one length"))
                }
                22 | 23 => {
                    let (a, b) = (lens(Md3Position, bytes, gap, count), lens(Md3Position, bytes, 1, count));
                    Box::new(Lerp::new(a, b, t).expect("of one length"))
                }
                24 | 25 => {
                    let (a, b) = (lens(Md3Normal, bytes, gap, count), lens(Md3Normal, bytes, 2, count));
                    Box::new(Lerp::directions(a, b, t).expect("of one length"))
                }
                _ => plain(F32::<3>, bytes, gap, count),
            }
        };
    }
    choose! {
        0 F32::<1>; 1 F32::<2>; 2 F32::<3>; 3 F32::<4>; 4 Md3Position; 5 Md3Normal; 6 Md3NormalInverse;
        7 U3dNormal8; 8 U3dNormal8Full; 9 UnigineTangentMs10; 10 UnigineRotation; 11 UnigineNormal; 12 UnigineWeight;
        13 UnrealPacked; 14 UnrealPackedUnits; 15 UnrealWide; 16 UnrealTexcoord; 17 Unorm8::<4>; 18 Unorm8::<3>;
    }
}

fn lens<E: meshlens_lens::Encoding>(encoding: E, bytes: &[u8], gap: usize, count: usize) -> Lens<'_, E> {
    Lens::new(encoding, bytes, 0, E::SIZE + gap, count).expect("32 bytes are more than any element")
}

fn plain<'a, E>(encoding: E, bytes: &'a [u8], gap: usize, count: usize) -> Box<dyn AttributeSource + 'a>
where
    E: meshlens_lens::Encoding<Value: meshlens_lens::FloatValue> + 'a,
{
    Box::new(lens(encoding, bytes, gap, count))
}

/// The location of an attribute, and whether a component of each vertex is NaN or infinite.
struct Filled {
    offset: usize,
    size: usize,
    is_odd: Vec<bool>,
}

impl Filled {
    fn new(choice: &Choice<'_>, count: usize) -> Filled {
        let components = choice.elements.components();
        let mut values = vec![0.0; count * components];
        choice.elements.decode_part(Level::SCALAR, 0, &mut values);
        let is_odd = values.chunks(components).map(|value| value.iter().any(|v| !v.is_finite())).collect();
        Filled { offset: choice.offset, size: choice.target.size(), is_odd }
    }
}

/// Overwrites results computed from NaNs and infinities: their sign and payload bits are unspecified.
fn blank_odd(buffer: &mut [u8], filled: &[Filled], stride: usize) {
    for Filled { offset, size, is_odd } in filled {
        for (vertex, _) in buffer.chunks_mut(stride).zip(is_odd).filter(|(_, is_odd)| **is_odd) {
            if let Some(bytes) = vertex.get_mut(*offset..*offset + size) {
                bytes.fill(0);
            }
        }
    }
}

fn filled(attributes: &[VertexAttribute<'_>], places: &[Filled], stride: usize, count: usize) {
    let layout = VertexBufferLayout::new(stride);
    let mut wanted = vec![0xee; count * stride];
    let scalar = layout.with_level(Level::SCALAR);
    if let Err(found) = decode_interleaved(attributes, scalar, &mut wanted) {
        assert!(wanted.iter().all(|byte| *byte == 0xee), "something was written: {found}");
        return assert!(decode_interleaved(attributes, layout.non_temporal(), &mut wanted).is_err());
    }
    let mut streamed = vec![0xee; count * stride];
    decode_interleaved(attributes, scalar.non_temporal(), &mut streamed).expect("the same attributes");
    blank_odd(&mut wanted, places, stride);
    blank_odd(&mut streamed, places, stride);
    let mut out = vec![0; count * stride];
    for level in Level::all() {
        for (layout, wanted) in [(layout, &wanted), (layout.non_temporal(), &streamed)] {
            out.fill(0xee);
            decode_interleaved(attributes, layout.with_level(level), &mut out).expect("the same attributes");
            blank_odd(&mut out, places, stride);
            assert!(out == *wanted, "{level} differs from the scalar kernel");
        }
    }
    out.push(0);
    assert!(decode_interleaved(attributes, layout, &mut out).is_err());
}

/// Widens indices and finds the largest.
fn indices(bytes: &[u8]) {
    macro_rules! each {
        ($($encoding:expr, $size:literal;)*) => {$(
            for gap in [0, 1] {
                let count = (bytes.len() + gap) / ($size + gap);
                let lens = Lens::new($encoding, bytes, 0, $size + gap, count).expect("so many lie in the bytes");
                let mut wide = vec![0u32; count];
                let largest = lens.widen_into(&mut wide).expect("one number per index");
                assert_eq!((largest, lens.max_index()), (wide.iter().max().copied(), largest));
                assert!(lens.iter().map(u32::from).eq(wide));
                assert!(lens.widen_into(&mut vec![0u16; count + 1]).is_err());
            }
        )*};
    }
    each! { U8::<1>, 1; U16::<1>, 2; U32::<1>, 4; }
}
