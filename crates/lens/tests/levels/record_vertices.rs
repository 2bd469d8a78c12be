//! Compares vertices of records of a position and a normal, which have separate kernels, with the scalar level: every
//! format, one frame and two frames, with and without exchanged components, for every length and alignment, in buffers
//! of the exact size.

use meshlens_fixtures::share::few_or_all;
use meshlens_lens::encoding::*;
use meshlens_lens::{
    AttributeSource, Lens, Lerp, Level, Swizzled, Transformed, VertexAttribute, VertexBufferLayout,
    VertexFormat, decode_interleaved,
};

use crate::{POSITION, noise};

const POSITIONS: [VertexFormat; 3] =
    [VertexFormat::Float32x3, VertexFormat::Float16x4, VertexFormat::Snorm16x4];
const NORMALS: [VertexFormat; 5] = [
    VertexFormat::Float32x3,
    VertexFormat::Octahedral16x2,
    VertexFormat::Octahedral8x4,
    VertexFormat::Snorm8x4,
    VertexFormat::Float16x4,
];

/// The properties of the sources of a case.
#[derive(Clone, Copy, Debug)]
struct Sources {
    /// The weights of the second frame, for positions and for normals.
    blend: Option<[f32; 2]>,
    motion: Motion,
    beside: Beside,
}

/// What a vertex has beside its position and its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beside {
    Nothing,
    /// Texture coordinates that need no conversion, after the normal.
    Floats,
    /// Texture coordinates as half floats, after the normal.
    Halves,
    /// Texture coordinates as half floats, before the position.
    HalvesBefore,
}

/// The conversion of positions and normals.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    None,
    Turned,
    Matrix,
    /// A matrix that turns some directions to 0.
    Flattened,
    /// A rotation, after which no normal is scaled.
    Rotated,
    /// A matrix after which some normals are scaled.
    Stretched,
    /// A matrix whose factors lose bits if positions are not scaled before it.
    Tiny,
    /// A matrix after which some normals are so short that their squares are 0.
    Thin,
}

/// All kinds of sources: one frame, and two frames in which some normals cancel out, with and without exchanged
/// components or a matrix, with and without texture coordinates.
fn every_source() -> impl Iterator<Item = Sources> {
    // The last weight of positions is too small to be multiplied by their scale.
    let blends = [None, Some([0.25, 0.5]), Some([0.0, 1.0]), Some([1.5, -0.5]), Some([1e-39, 0.7])];
    blends.into_iter().flat_map(|blend| {
        use Motion::*;
        [None, Turned, Matrix, Flattened, Rotated, Stretched, Tiny, Thin].into_iter().flat_map(
            move |motion| {
                [Beside::Nothing, Beside::Floats, Beside::Halves, Beside::HalvesBefore]
                    .map(|beside| Sources { blend, motion, beside })
            },
        )
    })
}

/// The records of two frames. Some normals of the second frame are opposite to the normals of the first one.
fn records(len: usize) -> [Vec<u8>; 2] {
    let first = noise(8 * len);
    let mut second: Vec<u8> = first.iter().rev().copied().collect();
    for (a, b) in first.as_chunks::<8>().0.iter().zip(second.as_chunks_mut::<8>().0).step_by(5) {
        (b[6], b[7]) = (a[6].wrapping_add(128), a[7]);
    }
    [first, second]
}

/// Calls `then` with a function that fills `out`, for vertices of `position` and `normal`.
fn with_fill(
    sources: Sources,
    [position, normal]: [VertexFormat; 2],
    frames: [&[u8]; 2],
    texcoords: &[u8],
    then: impl FnOnce(usize, &dyn Fn(VertexBufferLayout, &mut [u8])),
) {
    let len = frames[0].len() / 8;
    let frame = |bytes| {
        let positions = Lens::new(POSITION, bytes, 0, 8, len).expect("positions");
        let codes = bytes.get(6..).unwrap_or_default();
        (positions, Lens::new(ZenithAzimuth8, codes, 6, 8, len).expect("normals"))
    };
    let [(positions, normals), (other_positions, other_normals)] = frames.map(frame);
    let [of_positions, of_normals] = sources.blend.unwrap_or_default();
    let blended = Lerp::new(positions, other_positions, of_positions).expect("as many");
    let directions = Lerp::directions(normals, other_normals, of_normals).expect("as many");
    let (positions, normals): (&dyn AttributeSource, &dyn AttributeSource) =
        if sources.blend.is_some() { (&blended, &directions) } else { (&positions, &normals) };
    let turned_positions = Swizzled::new(positions, [0, 2, 1, 3], [0.5, 2.0, -1.0, 1.0]);
    let turned_normals = Swizzled::new(normals, [2, 0, 1, 3], [-1.0, 1.0, 1.5, 1.0]);
    let matrix = match sources.motion {
        Motion::Rotated => [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0], [3.5, -8.25, 0.125]],
        Motion::Stretched => [[1.0, 0.0, 0.0], [0.0, 1.000_000_7, 0.0], [0.0, 0.0, 1.0], [0.0; 3]],
        Motion::Tiny => [[1e-37, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]],
        Motion::Thin => [[1.0, 0.0, 0.0], [0.0, 1e-25, 0.0], [0.0, 0.0, 1e-25], [0.0; 3]],
        Motion::Flattened => [[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3], [0.0, f32::INFINITY, 1.0]],
        _ => [[0.6, 0.8, 0.1], [-0.8, 0.6, 0.3], [0.1, -0.2, 1.7], [3.5, -8.25, 0.125]],
    };
    let moved_positions = Transformed::positions(positions, matrix).expect("three floats");
    let [x, y, z, _] = matrix;
    let moved_normals = Transformed::directions(normals, [x, y, z], 1.0).expect("three floats");
    let (positions, normals): (&dyn AttributeSource, &dyn AttributeSource) = match sources.motion {
        Motion::None => (positions, normals),
        Motion::Turned => (&turned_positions, &turned_normals),
        _ => (&moved_positions, &moved_normals),
    };
    let texcoords = Lens::new(F32::<2>, texcoords, 0, 8, len).expect("texture coordinates");
    let start = if sources.beside == Beside::HalvesBefore { 4 } else { 0 };
    let end = start + position.size() + normal.size();
    let mut attributes = vec![
        VertexAttribute::new(positions, start, position),
        VertexAttribute::new(normals, start + position.size(), normal),
    ];
    let (place, format) = match sources.beside {
        Beside::Floats => (end, VertexFormat::Float32x2),
        Beside::Halves => (end, VertexFormat::Float16x2),
        _ => (0, VertexFormat::Float16x2),
    };
    if sources.beside != Beside::Nothing {
        attributes.push(VertexAttribute::new(&texcoords, place, format));
    }
    let stride = end.max(place + format.size());
    then(stride, &|layout, out| decode_interleaved(&attributes, layout, out).expect("a layout that fits"));
}

/// Calls `then` with the sources and formats of every case. By default a length has a seventh of the cases, and
/// seven lengths whose numbers follow each other have all of them.
fn every_case(length: usize, mut then: impl FnMut(Sources, [VertexFormat; 2])) {
    let formats = POSITIONS.map(|position| NORMALS.map(|normal| [position, normal]));
    let cases =
        every_source().flat_map(|sources| formats.iter().flatten().map(move |formats| (sources, *formats)));
    let share = few_or_all(7, 1);
    for (sources, formats) in cases.skip(length % share).step_by(share) {
        then(sources, formats);
    }
}

#[test]
fn record_vertices_are_the_same_at_every_level() {
    let some = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 129, 300];
    let every = (0..=19).chain([31, 32, 33, 127, 128, 129, 130, 140, 255, 300]);
    let lengths: Vec<usize> = few_or_all(some.to_vec(), every.collect());
    for (number, len) in lengths.into_iter().enumerate() {
        let [first, second] = records(len);
        let texcoords = noise(8 * len);
        let mut case = number;
        every_case(number, |sources, formats| {
            case += 1;
            with_fill(sources, formats, [&first, &second], &texcoords, |stride, fill| {
                let mut wanted = vec![0xee; stride * len];
                fill(VertexBufferLayout::new(stride).with_level(Level::SCALAR), &mut wanted);
                for level in Level::all() {
                    let layout = VertexBufferLayout::new(stride).with_level(level);
                    for (layout, shift) in [(layout, 4 * (case % 16)), (layout.non_temporal(), case % 64)] {
                        let mut buffer = vec![0xaa; 64 + shift + wanted.len() + 64];
                        let start = buffer.as_ptr().align_offset(64) + shift;
                        fill(layout, &mut buffer[start..start + wanted.len()]);
                        let found = &buffer[start..start + wanted.len()];
                        let at = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
                        assert_eq!(at, None, "{level}: {len} vertices, {formats:?} {sources:?} {layout:?}");
                        let around = buffer[..start].iter().chain(&buffer[start + wanted.len()..]);
                        assert!(
                            around.into_iter().all(|byte| *byte == 0xaa),
                            "{level} wrote past the buffer"
                        );
                    }
                }
            });
        });
    }
}

#[test]
fn directions_of_nearly_unit_length_are_not_scaled() {
    let step = f32::EPSILON;
    let directions =
        [[1.0 + step, 0.0, 0.0], [1.0 - 3.0 * step, 0.0, 0.0], [1.0 + 8.0 * step, 0.0, 0.0], [0.5, 0.0, 0.0]];
    let bytes: Vec<u8> = directions.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    let lens = Lens::new(F32::<3>, &bytes, 0, 12, 4).expect("four directions");
    // A quarter turn around Z.
    let turned = Transformed::directions(lens, [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], 1.0);
    for level in Level::all() {
        let mut found = [0.0; 12];
        turned.expect("three floats").decode_part(level, 0, &mut found);
        let lengths = found.as_chunks::<3>().0.iter().map(|[x, y, z]| (*x, *y, *z)).collect::<Vec<_>>();
        let wanted = [1.0 + step, 1.0 - 3.0 * step, 1.0, 1.0].map(|length| (0.0, length, 0.0));
        assert_eq!(lengths, wanted, "{level}");
    }
}

/// Checks every code of a normal in every format.
#[test]
fn every_normal_is_packed_the_same_at_every_level() {
    let mut records = noise(8 << 16);
    for (codes, record) in records.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        record[6..].copy_from_slice(&(codes as u16).to_le_bytes());
    }
    let reversed: Vec<u8> = records.as_chunks::<8>().0.iter().rev().flatten().copied().collect();
    for blend in [None, Some([0.5, 0.5])] {
        let sources = Sources { blend, motion: Motion::None, beside: Beside::Nothing };
        for normal in NORMALS {
            let formats = [VertexFormat::Float32x3, normal];
            with_fill(sources, formats, [&records, &reversed], &noise(8 << 16), |stride, fill| {
                let mut wanted = vec![0; stride << 16];
                fill(VertexBufferLayout::new(stride).with_level(Level::SCALAR), &mut wanted);
                let mut out = wanted.clone();
                for level in Level::all() {
                    out.fill(0);
                    fill(VertexBufferLayout::new(stride).with_level(level), &mut out);
                    assert!(out == wanted, "{level} {normal:?} {blend:?}");
                }
            });
        }
    }
}

/// Checks buffers between inaccessible pages. An access outside the memory ends the test program.
#[test]
#[cfg(unix)]
fn record_vertices_stay_inside_their_memory() {
    const LONGEST: usize = 150;
    let mut input = [0; 3].map(|_| crate::guard::Guarded::new(8 * LONGEST));
    let mut output = crate::guard::Guarded::new(40 * LONGEST);
    let lengths = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 128, 129, 137, 150];
    for (number, len) in lengths.into_iter().step_by(few_or_all(3, 1)).enumerate() {
        for at_end in [true, false] {
            let [first, second, texcoords] = input.each_mut().map(|memory| memory.bytes(8 * len, at_end));
            let records = records(len);
            first.copy_from_slice(&records[0]);
            second.copy_from_slice(&records[1]);
            texcoords.copy_from_slice(&noise(8 * len));
            let (first, second, texcoords) = (&*first, &*second, &*texcoords);
            every_case(number, |sources, formats| {
                with_fill(sources, formats, [first, second], texcoords, |stride, fill| {
                    let mut wanted = vec![0; stride * len];
                    fill(VertexBufferLayout::new(stride).with_level(Level::SCALAR), &mut wanted);
                    for level in Level::all() {
                        let layout = VertexBufferLayout::new(stride).with_level(level);
                        for layout in [layout, layout.non_temporal()] {
                            let out = output.bytes(stride * len, at_end);
                            fill(layout, out);
                            assert!(out == wanted, "{level}: {len} vertices, {formats:?} {sources:?}");
                        }
                    }
                });
            });
        }
    }
}
