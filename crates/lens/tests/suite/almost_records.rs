//! Vertices that differ from those of the record kernels in one property: every level gives the same bytes.

use meshlens_lens::encoding::*;
use meshlens_lens::{
    AnyLens, AttributeSource, Lens, Lerp, Level, Swizzled, VertexAttribute, VertexBufferLayout, VertexFormat,
    decode_interleaved,
};

use crate::noise;

/// A source, its offset in the vertex and its format.
type Attribute<'a> = (Box<dyn AttributeSource + 'a>, usize, VertexFormat);

/// The kernel of records takes only a few layouts. The layouts of this test are similar.
#[test]
fn vertices_that_are_almost_records_are_filled_alike() {
    use VertexFormat::{Float16x2, Float16x4, Float32x2, Float32x3, Snorm8x4, Snorm16x4, Unorm8x4};

    const COUNT: usize = 37;
    let (first, second, other) = (noise(16 * COUNT), noise(17 * COUNT), noise(18 * COUNT));
    let scaled = Scaled::<i16, 3, 64>::new();
    let at = |bytes| Lens::new(scaled, bytes, 0, 8, COUNT).unwrap();
    fn to(bytes: &[u8]) -> Lens<'_, ZenithAzimuth8> {
        Lens::new(ZenithAzimuth8, &bytes[6..], 0, 8, COUNT).unwrap()
    }
    let pair = |stride| Lens::new(F32::<2>, &other, 0, stride, COUNT).unwrap();
    let (p, n, q, m) = (at(&first), to(&first), at(&second), to(&second));
    let far = Lens::new(ZenithAzimuth8, &other, 0, 8, COUNT).unwrap();
    let wide = Lens::new(scaled, &first, 0, 16, COUNT).unwrap();
    let of_wide = Lens::new(ZenithAzimuth8, &first[6..], 0, 16, COUNT).unwrap();
    let [any, coarse] =
        [AnyLens::from(p), Lens::new(Scaled::<i16, 3, 1>::new(), &second, 0, 8, COUNT).unwrap().into()];
    let blend = |t| (Lerp::new(p, q, t).unwrap(), Lerp::directions(n, m, t).unwrap());
    let (positions, normals) = blend(0.25);
    let (inexact, _) = blend(1e-39);
    let unlike = Lerp::new(any, coarse, 0.25).unwrap();
    let turn = ([2, 0, 1, 3], [1.0, -1.0, 1.0, 1.0]);
    let fourth = ([0, 1, 3, 3], [1.0; 4]);
    fn boxed<'a>(source: impl AttributeSource + 'a) -> Box<dyn AttributeSource + 'a> {
        Box::new(source)
    }
    let cases: Vec<(usize, Vec<Attribute<'_>>)> = vec![
        (24, vec![(boxed(p), 0, Float32x3), (boxed(p), 12, Float32x3)]),
        (20, vec![(boxed(p), 0, Float32x3), (boxed(pair(8)), 12, Float32x2)]),
        (20, vec![(boxed(n), 0, Float32x3), (boxed(pair(8)), 12, Float32x2)]),
        (24, vec![(boxed(positions), 0, Float32x3), (boxed(n), 12, Float32x3)]),
        (24, vec![(boxed(p), 0, Float32x3), (boxed(normals), 12, Float32x3)]),
        (
            24,
            vec![
                (boxed(Lerp::directions(p, q, 0.25).unwrap()), 0, Float32x3),
                (boxed(normals), 12, Float32x3),
            ],
        ),
        (24, vec![(boxed(positions), 0, Float32x3), (boxed(Lerp::new(n, m, 0.25).unwrap()), 12, Float32x3)]),
        (24, vec![(boxed(inexact), 0, Float32x3), (boxed(normals), 12, Float32x3)]),
        (24, vec![(boxed(unlike), 0, Float32x3), (boxed(normals), 12, Float32x3)]),
        (20, vec![(boxed(p), 0, Snorm16x4), (boxed(n), 8, Float32x3)]),
        (16, vec![(boxed(p), 0, Float32x3), (boxed(n), 12, Unorm8x4)]),
        (24, vec![(boxed(Swizzled::new(p, fourth.0, fourth.1)), 0, Float32x3), (boxed(n), 12, Float32x3)]),
        (24, vec![(boxed(p), 0, Float32x3), (boxed(Swizzled::new(n, turn.0, turn.1)), 12, Float32x3)]),
        (24, vec![(boxed(Swizzled::new(p, turn.0, turn.1)), 0, Float32x3), (boxed(n), 12, Float32x3)]),
        (
            24,
            vec![
                (boxed(Swizzled::new(positions, turn.0, turn.1)), 0, Float32x3),
                (boxed(normals), 12, Float32x3),
            ],
        ),
        (
            24,
            vec![
                (boxed(Lerp::tangents(Numbers4, Numbers4, 0.5).unwrap()), 8, Snorm8x4),
                (boxed(n), 12, Float32x3),
            ],
        ),
        (32, vec![(boxed(p), 0, Float32x3), (boxed(n), 12, Float32x3), (boxed(pair(8)), 24, Float32x2)]),
        (32, vec![(boxed(p), 0, Float32x3), (boxed(n), 12, Float32x3), (boxed(pair(12)), 24, Float32x2)]),
        (28, vec![(boxed(p), 0, Float32x3), (boxed(n), 12, Float32x3), (boxed(pair(8)), 24, Float16x2)]),
        (
            32,
            vec![
                (boxed(p), 0, Float32x3),
                (boxed(n), 12, Float32x3),
                (boxed(Swizzled::new(pair(8), [1, 0, 2, 3], [1.0; 4])), 24, Float32x2),
            ],
        ),
        (
            32,
            vec![
                (boxed(p), 0, Float32x3),
                (boxed(n), 12, Float32x3),
                (boxed(Lerp::new(pair(8), pair(8), 0.25).unwrap()), 24, Float32x2),
            ],
        ),
        (36, vec![(boxed(p), 0, Float32x3), (boxed(n), 12, Float32x3), (boxed(pair(8)), 28, Float32x2)]),
        (28, vec![(boxed(p), 4, Float32x3), (boxed(n), 16, Float32x3)]),
        (28, vec![(boxed(p), 0, Float32x3), (boxed(n), 16, Float32x3)]),
        (28, vec![(boxed(p), 0, Float32x3), (boxed(n), 12, Float32x3)]),
        (20, vec![(boxed(p), 0, Float16x4), (boxed(n), 8, Float32x3)]),
        (24, vec![(boxed(p), 0, Float32x3), (boxed(far), 12, Float32x3)]),
        (24, vec![(boxed(wide), 0, Float32x3), (boxed(of_wide), 12, Float32x3)]),
        (24, vec![(boxed(p), 0, Float32x3), (boxed(of_wide), 12, Float32x3)]),
        (12, vec![(boxed(p), 0, Float32x3)]),
    ];
    for (number, (stride, attributes)) in cases.iter().enumerate() {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(source, offset, format)| VertexAttribute::new(&**source, *offset, *format))
            .collect();
        let fill = |level| {
            let mut out = vec![0; stride * COUNT];
            decode_interleaved(&attributes, VertexBufferLayout::new(*stride).with_level(level), &mut out)
                .unwrap();
            out
        };
        let wanted = fill(Level::SCALAR);
        for level in Level::all() {
            assert!(fill(level) == wanted, "case {number} at {level}");
        }
    }
}

/// Elements of four floats, for blended tangents.
#[derive(Clone, Copy)]
struct Numbers4;

impl AttributeSource for Numbers4 {
    fn count(&self) -> usize {
        37
    }

    fn components(&self) -> usize {
        4
    }

    fn decode_part(&self, _: Level, first: usize, out: &mut [f32]) {
        for (at, element) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *element = [(first + at) as f32, 1.0, 0.0, 1.0];
        }
    }
}
