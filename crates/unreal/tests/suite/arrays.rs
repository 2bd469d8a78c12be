//! The list of all arrays of a pair, and of a single file.

use meshlens_fixtures::corpus;
use meshlens_unreal::pairing::{FileKind, UnpairedFile};
use meshlens_unreal::wire::{Piece, PieceList};
use meshlens_unreal::write::Files;
use meshlens_unreal::{
    ParseOptions, Parts, Unreal,
    lens::{Array, Semantic},
};

fn pair(name: &str) -> (Vec<u8>, Vec<u8>) {
    let found = corpus::unreal_pairs().into_iter().find(|(path, ..)| path.contains(name));
    let (_, geometry, frames) = found.expect("a pair of the corpus");
    (geometry, frames)
}

/// The asserted properties of each array: semantic, set, frame, file, count, stride, offset.
type Row = (Semantic, usize, usize, usize, usize, usize, u64);

fn row(array: Array<'_>) -> Row {
    assert_eq!((array.mesh, array.lod, array.is_part), (0, 0, false));
    let Array { semantic, set, frame, file, lens, .. } = array;
    (semantic, set, frame, file, lens.len(), lens.stride(), lens.byte_range().start)
}

/// The fields of the 12 triangles of a box. A triangle has 16 bytes, and the triangles follow a header of 48 bytes.
const GEOMETRY: [Row; 6] = [
    (Semantic::Triangles, 0, 0, 0, 12, 16, 48),
    (Semantic::Texcoord, 0, 0, 0, 12, 16, 48 + 8),
    (Semantic::Texcoord, 1, 0, 0, 12, 16, 48 + 10),
    (Semantic::Texcoord, 2, 0, 0, 12, 16, 48 + 12),
    (Semantic::Materials, 0, 0, 0, 12, 16, 48 + 14),
    (Semantic::TriangleType, 0, 0, 0, 12, 16, 48 + 6),
];

/// Frames follow a header of 4 bytes. Each has 24 vertices (4 for each side of the box) of 4 bytes, followed by 8 other
/// bytes.
#[test]
fn every_array_of_both_files_is_listed_with_its_file() {
    let (geometry, frames) = pair("padded");
    let unreal = Unreal::parse(&geometry, &frames).unwrap();
    let listed: Vec<_> = unreal.arrays().map(row).collect();
    let positions = [0, 1].map(|frame| {
        let offset = 4 + (24 * 4 + 8) * frame as u64;
        (Semantic::Position, 0, frame, Unreal::FRAMES_FILE, 24, 4, offset)
    });
    assert_eq!(listed, [&GEOMETRY[..], &positions].concat());
    assert_eq!(Unreal::GEOMETRY_FILE, 0);

    let wide = pair("wide");
    let unreal = Unreal::parse(&wide.0, &wide.1).unwrap();
    let last = unreal.arrays().map(row).last();
    assert_eq!(last, Some((Semantic::Position, 0, 1, Unreal::FRAMES_FILE, 24, 8, 4 + 24 * 8)));
}

#[test]
fn one_file_of_a_pair_lists_the_arrays_that_need_no_other_file() {
    let (geometry, frames) = pair("padded");
    let geometry = UnpairedFile::parse(FileKind::Geometry, &geometry).unwrap();
    assert_eq!(geometry.arrays().map(row).collect::<Vec<_>>(), GEOMETRY);
    let frames = UnpairedFile::parse(FileKind::Frames, &frames).unwrap();
    assert_eq!(frames.arrays().count(), 0);
}

#[test]
fn both_files_may_be_in_one() {
    let (geometry, frames) = pair("ring");
    let start = 4 + geometry.len();
    let whole = Files { geometry: geometry.clone(), frames: frames.clone() }.packed();
    let options = ParseOptions::default();
    let (both, packed) =
        (Unreal::parse(&geometry, &frames).unwrap(), Unreal::parse_packed(&whole, &options).unwrap());
    assert!(packed.parts().is_packed() && !both.parts().is_packed());
    for (one, of_two) in packed.arrays().zip(both.arrays()) {
        let moved = if of_two.file == Unreal::FRAMES_FILE { start } else { 4 } as u64;
        let range = of_two.lens.byte_range();
        assert_eq!(one.lens.byte_range(), range.start + moved..range.end + moved);
        assert_eq!((one.file, one.lens.as_bytes()), (0, of_two.lens.as_bytes()));
    }
    assert_eq!((packed.arrays().count(), packed.geometry().trailing_bytes()), (both.arrays().count(), 0));
    // The parts are located from the headers alone.
    let piece = |at: usize, len: usize| Piece { offset: at as u64, bytes: &whole[at..at + len] };
    let pieces = [piece(0, 4 + 48), piece(start, 4)];
    let pieces = PieceList::new(&pieces, whole.len() as u64).unwrap();
    assert_eq!(Parts::locate_packed(&pieces, &options).unwrap().frames(), packed.parts().frames());

    let error = |bytes: &[u8]| Unreal::parse_packed(bytes, &options).map(|_| ()).unwrap_err();
    let cut = error(&whole[..whole.len() - 1]);
    assert_eq!((cut.code(), cut.offset()), ("OUT_OF_BOUNDS", start as u64 + 4));
    assert_eq!(error(&geometry).code(), "MAGIC");
}
