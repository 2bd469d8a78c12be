//! The arrays that documents list, and the spans that contain them.

use meshlens_fixtures::corpus;
use meshlens_unigine::{
    Anim, Geometry, GeometryPlace, Mesh, ParseOptions, Parts, Version, encoding,
    lens::{Array, Semantic},
    wire::{Limits, Span},
};

fn file(name: &str) -> Vec<u8> {
    corpus::with_extension(&[name]).remove(0).1
}

/// Semantic, mesh, frame, set, count, stride and offset of an array.
type Row = (Semantic, usize, usize, usize, usize, usize, u64);

fn row(array: &Array<'_>) -> Row {
    let Array { semantic, mesh, frame, set, lens, .. } = array;
    (*semantic, *mesh, *frame, *set, lens.len(), lens.stride(), lens.byte_range().start)
}

fn rows<'a>(arrays: impl Iterator<Item = Array<'a>>) -> Vec<Row> {
    arrays.map(|array| row(&array)).collect()
}

/// The offset of the data of the first surface: after the magic, the bounds, three counts (bones, animations, surfaces),
/// the header of the surface and the second magic. The header is a name, bounds, a count and the names of morph targets.
const fn first_surface(name: u64, target_names: u64) -> u64 {
    4 + 40 + 3 + name + 40 + 1 + target_names + 4
}

#[test]
fn every_array_of_a_mesh_is_listed_in_file_order() {
    use Semantic::{Color, Indices, PointIndices, Position, TangentFrame, Texcoord};
    // 12 positions and 20 tangent frames of three targets: "", "tall" and "flat".
    let bytes = file("morph.mesh");
    let start = first_surface(1 + 6, 2 + 6 + 6);
    assert_eq!(start, 113);
    let mesh = Mesh::parse(&bytes).unwrap();
    let expected = [
        // A count precedes each array: one byte, or two bytes from 64 on.
        (Position, 0, 0, 0, 12, 12, 114),
        (TangentFrame, 0, 0, 0, 20, 8, 114 + 144 + 1),
        (Position, 0, 1, 0, 12, 12, 259 + 160 + 1),
        (TangentFrame, 0, 1, 0, 20, 8, 420 + 144 + 1),
        (Position, 0, 2, 0, 12, 12, 565 + 160 + 1),
        (TangentFrame, 0, 2, 0, 20, 8, 726 + 144 + 1),
        // The count of weights is 0.
        (Texcoord, 0, 0, 0, 20, 8, 871 + 160 + 1 + 1),
        (Texcoord, 0, 0, 1, 20, 8, 1033 + 160 + 1),
        (Color, 0, 0, 0, 20, 4, 1194 + 160 + 1),
        (PointIndices, 0, 0, 0, 72, 1, 1355 + 80 + 2),
        (Indices, 0, 0, 0, 72, 1, 1437 + 72 + 2),
    ];
    assert_eq!(rows(mesh.arrays()), expected);
    assert_eq!(1511 + 72 + 4, bytes.len(), "the last magic follows");
    let colors = mesh.arrays().find(|array| array.semantic == Color).unwrap();
    assert_eq!(colors.lens.get(0), Some([1.0f32, 128.0 / 255.0, 0.0, 1.0]));
    assert!(mesh.arrays().all(|array| !array.is_part));
}

#[test]
fn the_signs_of_ms10_are_part_of_its_tangent_frames() {
    use Semantic::{BitangentSign, Indices, PointIndices, Position, TangentFrame, Texcoord};
    let bytes = file("box_ms10.mesh");
    let mesh = Mesh::parse(&bytes).unwrap();
    let start = first_surface(1 + 4, 2) + 1;
    let tangents = start + 8 * 12 + 1;
    let texcoords = tangents + 24 * 7 + 1 + 1;
    // There is no second set and no colors.
    let indices = texcoords + 24 * 8 + 1 + 1 + 1;
    let expected = [
        (Position, 0, 0, 0, 8, 12, start),
        (TangentFrame, 0, 0, 0, 24, 7, tangents),
        (BitangentSign, 0, 0, 0, 24, 7, tangents + 6),
        (Texcoord, 0, 0, 0, 24, 8, texcoords),
        (PointIndices, 0, 0, 0, 36, 1, indices),
        (Indices, 0, 0, 0, 36, 1, indices + 36 + 1),
    ];
    assert_eq!(rows(mesh.arrays()), expected);
    let signs = mesh.arrays().find(|array| array.is_part).unwrap();
    assert_eq!(signs.semantic, BitangentSign);
    assert_eq!([0, 1, 2].map(|vertex| signs.lens.get::<i8>(vertex).unwrap()), [127, -127, 127]);
}

#[test]
fn packed_arrays_are_listed_after_unpacking() {
    use Semantic::{Indices, PointIndices, Position, TangentFrame, Texcoord};
    let bytes = file("blocks_packed.mesh");
    let mesh = Mesh::parse(&bytes).unwrap();
    assert_eq!(rows(mesh.arrays()), [], "nothing lies in the file");
    let mut buffer = Vec::new();
    let surface = mesh.surface(1).unwrap();
    let geometry: Geometry<'_> = surface.geometry(&mut buffer).unwrap();
    // Offsets are offsets in the buffer. The header has the number of vertices. Each vertex has a count and 1 to 4
    // bones.
    let weights = 12 + 4 * (1 + 2 + 3 + 4) * 3;
    let texcoords = 144 + 1 + 48 * 8 + 1 + weights + 1;
    let expected = [
        (Position, 1, 0, 0, 12, 12, 0),
        (TangentFrame, 1, 0, 0, 48, 8, 144 + 1),
        (Texcoord, 1, 0, 0, 48, 8, texcoords),
        (PointIndices, 1, 0, 0, 72, 1, texcoords + 48 * 8 + 1 + 1),
        (Indices, 1, 0, 0, 72, 1, texcoords + 48 * 8 + 1 + 1 + 72),
    ];
    assert_eq!(rows(geometry.arrays()), expected);
    let unpacked: Vec<[f32; 3]> = geometry.positions().iter().collect();

    // The same mesh with raw blocks lists the same arrays, which are in the file.
    let raw = file("blocks_raw.mesh");
    let raw = Mesh::parse(&raw).unwrap();
    let listed: Vec<Array<'_>> = raw.arrays().filter(|array| array.mesh == 1).collect();
    let block = raw.surface(1).unwrap().geometry_block().unwrap().byte_range().start;
    let moved: Vec<Row> =
        expected.iter().map(|(a, b, c, d, e, f, at)| (*a, *b, *c, *d, *e, *f, at + block)).collect();
    assert_eq!(listed.iter().map(row).collect::<Vec<_>>(), moved);
    let positions = listed[0].lens.downcast::<encoding::F32<3>>().unwrap();
    assert!(positions.iter().eq(unpacked));
}

#[test]
fn parts_are_located_without_the_document() {
    let bytes = file("box_ms10.mesh");
    let parts = Parts::locate(&bytes, bytes.len() as u64, &ParseOptions::default()).unwrap();
    let span = |span: Span| (span.offset(), span.count(), span.stride());
    assert_eq!((parts.version(), parts.bounds().map(span)), (Version::Ms10, Some((4, 1, 40))));
    assert_eq!(span(parts.skeleton().transforms()), (99, 0, 40));
    assert_eq!(
        (span(parts.animations().data()), parts.animations().names().map(span)),
        ((99, 0, 1), Some((46, 0, 1)))
    );
    let [surface] = parts.surfaces() else { panic!("one surface") };
    assert_eq!((surface.offset(), span(surface.bounds()), surface.target_count()), (47, (52, 1, 40), 1));
    let GeometryPlace::InFile(geometry) = surface.geometry() else { panic!("ms10 packs nothing") };
    assert_eq!(span(geometry.positions()), (100, 8, 12));
    assert_eq!(span(geometry.tangents()), (197, 24, 7));
    assert_eq!(span(geometry.weights()), (366, 0, 1));
    assert_eq!(geometry.texcoords().map(span), [(367, 24, 8), (560, 0, 8)]);
    assert_eq!(span(geometry.colors()), (561, 0, 4));
    assert_eq!(span(geometry.coordinate_indices()), (562, 36, 1));
    assert_eq!(span(geometry.triangle_indices()), (599, 36, 1));
    assert_eq!((geometry.byte_range(), parts.end()), (99..635, 639));

    let bytes = file("blocks_packed.mesh");
    let parts = Parts::locate(&bytes, bytes.len() as u64, &ParseOptions::default()).unwrap();
    let blocks = parts.blocks().unwrap();
    // The table of offsets, 8 bytes each, comes before the last magic.
    assert_eq!(span(blocks.offsets()), (bytes.len() as u64 - 4 - 16, 2, 8));
    let first = blocks.geometry()[0];
    assert_eq!(first.content().offset(), first.offset() + 16, "after the two sizes");
    // Both lists have 36 indices of one byte each, after 485 bytes.
    assert_eq!((first.unpacked_len(), first.is_packed()), (485 + 72, true));
    assert!(
        matches!(parts.surfaces()[0].geometry(), GeometryPlace::Packed(packed) if packed.block().offset() == first.offset())
    );

    // Parts of one kind cannot be bound to a document of the other kind.
    assert_eq!(Mesh::bind(&parts, &bytes).unwrap().surface_count(), 2);
    assert_eq!(Anim::bind(&parts, &bytes).map(|_| ()).unwrap_err().code(), "MAGIC");
    let tight = Limits { count: 1, ..Limits::DEFAULT };
    let error = Parts::locate(&bytes, bytes.len() as u64, &tight.into()).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "LIMIT");
}
