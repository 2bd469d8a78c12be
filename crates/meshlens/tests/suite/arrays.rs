//! `Document::arrays`: the arrays of small files, which can be checked by hand.

use meshlens::lens::{Array, Semantic};
use meshlens::{Document, Format, md3, unreal};

/// Semantic, mesh, set, frame, count, stride, first byte, and whether another array covers the same bytes.
type Row = (Semantic, usize, usize, usize, usize, usize, u64, bool);

fn rows(document: &Document<'_>) -> Vec<Row> {
    let row = |array: Array<'_>| {
        let Array { semantic, mesh, set, frame, is_part, lens, .. } = array;
        (semantic, mesh, set, frame, lens.len(), lens.stride(), lens.byte_range().start, is_part)
    };
    document.arrays().map(row).collect()
}

#[test]
fn md3_lists_its_arrays() {
    use md3::write::{Frame, Model, Surface};
    let mut file = Model::new("flag").unwrap();
    let mut surface = Surface::new("flag").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for name in ["one", "two"] {
        file.frames.push(Frame::named(name).unwrap());
        surface
            .add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])
            .unwrap();
    }
    file.surfaces.push(surface);
    let bytes = file.write().unwrap();
    let document = Document::parse(&bytes).unwrap();
    // A header of 108 bytes, two frames of 56 bytes, and the surface header of 108 bytes; then triangles of 12 bytes,
    // texture coordinates of 8 bytes, and vertices of 8 bytes, in which the normal follows the 6 bytes of the position.
    let start = 108 + 2 * 56 + 108;
    let (texcoords, vertices) = (start + 12, start + 12 + 3 * 8);
    let expected = [
        (Semantic::Triangles, 0, 0, 0, 1, 12, start, false),
        (Semantic::Texcoord, 0, 0, 0, 3, 8, texcoords, false),
        (Semantic::PositionNormal, 0, 0, 0, 3, 8, vertices, false),
        (Semantic::Position, 0, 0, 0, 3, 8, vertices, true),
        (Semantic::Normal, 0, 0, 0, 3, 8, vertices + 6, true),
        (Semantic::PositionNormal, 0, 0, 1, 3, 8, vertices + 24, false),
        (Semantic::Position, 0, 0, 1, 3, 8, vertices + 24, true),
        (Semantic::Normal, 0, 0, 1, 3, 8, vertices + 30, true),
    ];
    assert_eq!(rows(&document), expected);
}

#[test]
fn unreal_lists_the_arrays_of_both_files() {
    let mut file = unreal::write::Model::new(unreal::VertexEncoding::Packed, 3);
    file.triangles.push(unreal::Triangle { vertices: [0, 1, 2], ..Default::default() });
    file.add_integer_frame(&[[0, 0, 0], [8, 0, 0], [0, 8, 0]]).unwrap();
    let files = file.write().unwrap();
    let document = Document::parse_pair(&files.geometry, &files.frames).unwrap();
    // The geometry file has a header of 48 bytes and records of 16 bytes: three vertex indices in 6 bytes, type and
    // color in 1 byte each, three texture coordinates in 2 bytes each, texture and flags. The frames file has a header
    // of 4 bytes.
    let expected = [
        (Semantic::Triangles, 0, 0, 0, 1, 16, 48, false),
        (Semantic::Texcoord, 0, 0, 0, 1, 16, 48 + 8, false),
        (Semantic::Texcoord, 0, 1, 0, 1, 16, 48 + 10, false),
        (Semantic::Texcoord, 0, 2, 0, 1, 16, 48 + 12, false),
        (Semantic::TriangleType, 0, 0, 0, 1, 16, 48 + 6, false),
        (Semantic::Materials, 0, 0, 0, 1, 16, 48 + 14, false),
        (Semantic::Position, 0, 0, 0, 3, 4, 4, false),
    ];
    let mut found = rows(&document);
    let mut expected = expected.to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let half = Document::parse_unpaired(unreal::FileKind::Geometry, &files.geometry).unwrap();
    assert!(rows(&half).iter().all(|row| row.0 != Semantic::Position));
}

#[test]
fn formats_are_found_by_name_content_and_extension() {
    assert_eq!(
        Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>(),
        ["md3", "u3d", "unreal", "unigine"]
    );
    for format in Format::ALL {
        assert_eq!(format.name().parse::<Format>().unwrap(), *format);
    }
    assert!("obj".parse::<Format>().is_err());
    assert_eq!(Format::detect(b"IDP3rest"), Some(Format::Md3));
    assert_eq!(Format::from_extension("ANIM"), Some(Format::Unigine));
}
