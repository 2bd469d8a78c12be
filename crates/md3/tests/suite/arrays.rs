//! The list of all arrays of a model.

use meshlens_fixtures::corpus;
use meshlens_md3::{Md3, lens::Semantic};

/// The file begins with a header of 108 bytes and two frames of 56 bytes, so its first surface is at 220. The tables of
/// a surface follow its header (108 bytes) and its shader (68 bytes): triangles of 12 bytes, texture coordinates of 8
/// bytes, and vertices of 8 bytes for each frame.
#[test]
fn every_array_is_listed_with_its_offset() {
    let files = corpus::with_extension(&["multi_surface.md3"]);
    let [(_, bytes)] = &files[..] else { panic!("{} files", files.len()) };
    let md3 = Md3::parse(bytes).unwrap();

    let mut expected = Vec::new();
    let mut offset = 220u64;
    for (mesh, (triangles, vertices)) in [(48, 35), (36, 72), (12, 24)].into_iter().enumerate() {
        offset += 108 + 68;
        expected.push((Semantic::Triangles, mesh, 0, triangles, 12, offset, false));
        offset += 12 * triangles as u64;
        expected.push((Semantic::Texcoord, mesh, 0, vertices, 8, offset, false));
        offset += 8 * vertices as u64;
        for frame in 0..2 {
            expected.push((Semantic::PositionNormal, mesh, frame, vertices, 8, offset, false));
            expected.push((Semantic::Position, mesh, frame, vertices, 8, offset, true));
            expected.push((Semantic::Normal, mesh, frame, vertices, 8, offset + 6, true));
            offset += 8 * vertices as u64;
        }
    }
    assert_eq!(offset, bytes.len() as u64);

    let listed = md3.arrays().map(|array| {
        assert_eq!((array.set, array.lod), (0, 0));
        let lens = array.lens;
        let offset = lens.byte_range().start;
        (array.semantic, array.mesh, array.frame, lens.len(), lens.stride(), offset, array.is_part)
    });
    assert_eq!(listed.collect::<Vec<_>>(), expected);
}

#[test]
fn all_vertices_are_the_vertices_of_every_frame_in_order() {
    let files = corpus::with_extension(&["animated.md3"]);
    let [(_, bytes)] = &files[..] else { panic!("{} files", files.len()) };
    let md3 = Md3::parse(bytes).unwrap();
    let surface = md3.surface(0).unwrap();
    let mut each = Vec::new();
    for frame in 0..surface.frame_count() {
        each.extend(surface.vertices(frame).unwrap().iter());
    }
    assert!(each.len() > surface.vertex_count());
    assert_eq!(surface.all_vertices().iter().collect::<Vec<_>>(), each);
}
