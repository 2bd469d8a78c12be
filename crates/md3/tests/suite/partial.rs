//! Models of which only some bytes are loaded.

use meshlens_md3::lens::Semantic;
use meshlens_md3::wire::{Error, ErrorKind, Partial, Piece, PieceList, Result};
use meshlens_md3::{Md3, write};

/// Frames of 56 bytes at 108, tags of 112 bytes at 220, and a surface at 444: its header (108 bytes), a shader (68
/// bytes) at 552, a triangle (12 bytes) at 620, texture coordinates (24 bytes) at 632, and vertices of two frames (24
/// bytes each) at 656.
fn file() -> Vec<u8> {
    let mut model = write::Model::new("flag").unwrap();
    model.frames = ["wave1", "wave2"].map(|name| write::Frame::named(name).unwrap()).into();
    let tag = write::Tag {
        name: write::name("tag_top").unwrap(),
        origin: [0.0; 3],
        axis: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };
    (model.tags_per_frame, model.tags) = (1, vec![tag; 2]);
    let mut surface = write::Surface::new("flag").unwrap();
    surface.add_shader("flag.tga").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for _ in 0..2 {
        surface.add_frame(&[[0.0; 3]; 3], &[[0.0, 0.0, 1.0]; 3]).unwrap();
    }
    model.surfaces.push(surface);
    let bytes = model.write().unwrap();
    assert_eq!(bytes.len(), 704);
    bytes
}

/// The part and the range of bytes in an error.
fn missing(error: &Error) -> (&'static str, u64, u64) {
    let ErrorKind::Incomplete { needed, .. } = *error.kind() else { panic!("{error}") };
    let place = if error.to_string().starts_with("md3: surface 0: ") { "surface 0" } else { "" };
    (place, error.offset(), needed)
}

/// The missing bytes for each getter.
fn all_missing(md3: &Md3<'_, Partial>) -> Vec<(&'static str, u64, u64)> {
    fn error<T>(result: Result<T>) -> Option<Error> {
        result.err()
    }
    let surface = md3.surface(0).unwrap();
    let found = [
        error(md3.name()),
        error(md3.frame(1).unwrap()),
        error(md3.tag(1, 0).unwrap()),
        error(md3.tag_origins()),
        error(md3.tag_axes(2)),
        error(surface.name()),
        error(surface.flags()),
        error(surface.shader(0).unwrap()),
        error(surface.triangles()),
        error(surface.checked_triangles()),
        error(surface.texcoords()),
        error(surface.positions(0)),
        error(surface.normals(1)),
        error(surface.all_vertices()),
        error(surface.vertex_bytes(1)),
    ];
    let iterated = md3.frames().filter_map(error).chain(md3.tags(0).filter_map(error));
    let iterated = iterated.chain(surface.shaders().filter_map(error)).chain(md3.arrays().filter_map(error));
    found.into_iter().flatten().chain(iterated).map(|error| missing(&error)).collect()
}

#[test]
fn errors_of_getters_have_the_missing_bytes() {
    let bytes = file();
    let whole = Md3::parse(&bytes).unwrap();
    let nothing = PieceList::empty(bytes.len() as u64);
    let md3 = Md3::bind_pieces(whole.parts(), &nothing).unwrap();
    let at = |place: &'static str, start: u64, end: u64| (place, start, end);
    let expected = [
        at("", 8, 72),
        at("", 164, 220),
        at("", 332, 444),
        at("", 284, 408),
        at("", 320, 444),
        at("surface 0", 448, 512),
        at("surface 0", 444, 552),
        at("surface 0", 552, 620),
        at("surface 0", 620, 632),
        at("surface 0", 620, 632),
        at("surface 0", 632, 656),
        at("", 656, 678),
        at("", 686, 704),
        at("surface 0", 656, 704),
        at("", 680, 704),
        // The iterators: frames, tags, shaders and arrays.
        at("", 108, 164),
        at("", 164, 220),
        at("", 220, 332),
        at("surface 0", 552, 620),
        at("", 620, 632),
        at("", 632, 656),
        at("", 656, 680),
        at("", 656, 678),
        at("", 662, 680),
        at("", 680, 704),
        at("", 680, 702),
        at("", 686, 704),
    ];
    assert_eq!(all_missing(&md3), expected);
    assert_eq!(missing(&md3.complete().unwrap_err()), at("", 0, 704));
}

#[test]
fn loaded_parts_equal_those_of_the_whole_file() {
    let bytes = file();
    let whole = Md3::parse(&bytes).unwrap();
    let pieces = [Piece { offset: 620, bytes: &bytes[620..656] }];
    let pieces = PieceList::new(&pieces, bytes.len() as u64).unwrap();
    let md3 = Md3::bind_pieces(whole.parts(), &pieces).unwrap();
    let surface = md3.surface(0).unwrap();
    assert!(surface.triangles().unwrap().iter().eq([[0, 1, 2]]));
    assert!(surface.texcoords().unwrap().iter().eq([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]));
    let listed: Vec<Semantic> = md3.arrays().flatten().map(|array| array.semantic).collect();
    assert_eq!(listed, [Semantic::Triangles, Semantic::Texcoord]);
    assert_eq!(md3.frames().filter(Result::is_ok).count(), 0);

    let all = [Piece { offset: 0, bytes: &bytes }];
    let all = PieceList::new(&all, bytes.len() as u64).unwrap();
    let md3 = Md3::bind_pieces(whole.parts(), &all).unwrap();
    assert_eq!(all_missing(&md3), []);
    assert_eq!(md3.complete().unwrap().name(), "flag");
    assert_eq!(whole.clone().into_partial().name().unwrap(), whole.name());
}
