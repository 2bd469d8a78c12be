//! Partially loaded meshes.

use meshlens_unreal::lens::Semantic;
use meshlens_unreal::wire::{Error, ErrorKind, Partial, Piece, PieceList, Result};
use meshlens_unreal::write::{Files, Model};
use meshlens_unreal::{ParseOptions, Triangle, Unreal, VertexEncoding};

/// A geometry file with one triangle of 16 bytes at 48, and a frames file with two frames of 12 bytes at 4.
fn files() -> Files {
    let mut model = Model::new(VertexEncoding::Packed, 3);
    model.triangles.push(Triangle { vertices: [0, 1, 2], ..Triangle::default() });
    for x in [0, 8] {
        model.add_integer_frame(&[[x, 0, 0], [0, 1, 0], [0, 0, 1]]).unwrap();
    }
    let files = model.write().unwrap();
    assert_eq!((files.geometry.len(), files.frames.len()), (64, 28));
    files
}

/// The file of an error, and the range of bytes that it requires.
fn missing(error: &Error) -> (&'static str, u64, u64) {
    let ErrorKind::Incomplete { needed, .. } = *error.kind() else { panic!("{error}") };
    (error.format(), error.offset(), needed)
}

/// The bytes that each getter lacks.
fn all_missing(unreal: &Unreal<'_, Partial>) -> Vec<(&'static str, u64, u64)> {
    fn error<T>(result: Result<T>) -> Option<Error> {
        result.err()
    }
    let found = [
        error(unreal.geometry()),
        error(unreal.triangles()),
        error(unreal.checked_triangles()),
        error(unreal.positions(0)),
        error(unreal.vertex_bytes(1)),
        error(unreal.frames().frame_bytes(1)),
        error(unreal.weapon_attachment(1)),
    ];
    found
        .into_iter()
        .flatten()
        .chain(unreal.arrays().filter_map(error))
        .map(|error| missing(&error))
        .collect()
}

#[test]
fn errors_of_getters_have_the_missing_bytes() {
    let files = files();
    let parts = *Unreal::parse(&files.geometry, &files.frames).unwrap().parts();
    let (geometry, frames) = (PieceList::empty(64), PieceList::empty(28));
    let unreal = Unreal::bind_pieces(parts, &geometry, &frames).unwrap();
    let (d, a) = (meshlens_unreal::GEOMETRY, meshlens_unreal::FRAMES);
    let expected = [
        (d, 48, 64),
        (d, 48, 64),
        (d, 48, 64),
        (a, 4, 16),
        (a, 16, 28),
        (a, 16, 28),
        (a, 16, 28),
        // The arrays: triangles, texture coordinates of three corners, texture slots, types, and two frames.
        (d, 48, 54),
        (d, 56, 58),
        (d, 58, 60),
        (d, 60, 62),
        (d, 62, 63),
        (d, 54, 55),
        (a, 4, 16),
        (a, 16, 28),
    ];
    assert_eq!(all_missing(&unreal), expected);
    assert_eq!(missing(&unreal.complete().unwrap_err()), (d, 0, 64));
}

#[test]
fn loaded_parts_equal_those_of_the_whole_files() {
    let files = files();
    let whole = Unreal::parse(&files.geometry, &files.frames).unwrap();
    let geometry = PieceList::empty(64);
    let frames = [Piece { offset: 16, bytes: &files.frames[16..] }];
    let frames = PieceList::new(&frames, 28).unwrap();
    let unreal = Unreal::bind_pieces(*whole.parts(), &geometry, &frames).unwrap();
    assert_eq!(unreal.integer_positions(1).unwrap().get(0), Some([8, 0, 0]));
    assert_eq!(unreal.positions(0).unwrap_err().code(), "INCOMPLETE");
    let listed: Vec<_> = unreal.arrays().flatten().map(|array| (array.semantic, array.frame)).collect();
    assert_eq!(listed, [(Semantic::Position, 1)]);

    let pieces = [[Piece { offset: 0, bytes: &files.geometry }], [Piece { offset: 0, bytes: &files.frames }]];
    let [geometry, frames] =
        [(&pieces[0], 64), (&pieces[1], 28)].map(|(all, len)| PieceList::new(all, len).unwrap());
    let unreal = Unreal::bind_pieces(*whole.parts(), &geometry, &frames).unwrap();
    assert_eq!(all_missing(&unreal), []);
    assert!(unreal.complete().unwrap().geometry().records().eq(whole.geometry().records()));
}

/// Without its last 4 bytes, the file has two of the three vertices of frame 1.
#[test]
fn an_incomplete_frame_needs_the_previous_frame() {
    let files = files();
    let frames = &files.frames[..24];
    let whole = Unreal::parse_with(&files.geometry, frames, &ParseOptions::LENIENT).unwrap();
    assert_eq!(whole.incomplete_frame().unwrap().vertex_count(), 2);
    let geometry = PieceList::empty(64);
    let cut = [Piece { offset: 16, bytes: &frames[16..] }];
    for (loaded, expected) in [(&[][..], (16, 24)), (&cut[..], (4, 16))] {
        let frames = PieceList::new(loaded, 24).unwrap();
        let unreal = Unreal::bind_pieces(*whole.parts(), &geometry, &frames).unwrap();
        let (_, start, end) = missing(&unreal.incomplete_frame().unwrap_err());
        assert_eq!((start, end), expected);
    }
}
