//! Partially loaded files.

use meshlens_fixtures::corpus;
use meshlens_unigine::wire::{Error, ErrorKind, Partial, Piece, PieceList, Result, Span};
use meshlens_unigine::{File, FileKind, GeometryPlace, Mesh, ParseOptions, Parts, Version, write};

fn error<T>(result: Result<T>) -> Option<Error> {
    result.err()
}

/// Whether an error names surface 0, and the range of bytes that it requires.
fn missing(error: &Error) -> (bool, u64, u64) {
    let ErrorKind::Incomplete { needed, .. } = *error.kind() else { panic!("{error}") };
    (error.to_string().starts_with("unigine: surface 0: "), error.offset(), needed)
}

/// A box with bones: ms11, whose geometry is not packed.
fn bytes() -> Vec<u8> {
    let (_, bytes) = corpus::with_extension(&["box_ms11.mesh"]).remove(0);
    bytes
}

/// The errors of the getters of a mesh, and the bytes that they read.
fn getters(mesh: &Mesh<'_, Partial>) -> Vec<(Option<Error>, bool, Span)> {
    let surface = mesh.surface(0).unwrap();
    let geometry = surface.geometry_in_place().unwrap();
    let GeometryPlace::InFile(parts) = *surface.parts().geometry() else { panic!("packed") };
    vec![
        (error(mesh.bounds()), false, mesh.parts().bounds().unwrap()),
        (error(surface.bounds()), true, surface.parts().bounds()),
        (error(geometry.positions()), true, parts.positions()),
        (error(geometry.tangents()), true, parts.tangents()),
        (error(geometry.tangent_frames()), true, parts.tangents()),
        (error(geometry.texcoords(0)), true, parts.texcoords()[0]),
        (error(geometry.coordinate_indices()), true, parts.coordinate_indices()),
        (error(geometry.triangle_indices()), true, parts.triangle_indices()),
        (error(geometry.checked_indices()), true, parts.coordinate_indices()),
    ]
}

#[test]
fn errors_of_getters_have_the_missing_bytes() {
    let bytes = bytes();
    let whole = Mesh::parse(&bytes).unwrap();
    let nothing = PieceList::empty(bytes.len() as u64);
    let mesh = Mesh::bind_pieces(whole.parts(), &nothing).unwrap();
    for (number, (found, is_named, span)) in getters(&mesh).into_iter().enumerate() {
        let found = found.unwrap_or_else(|| panic!("getter {number} misses nothing"));
        let range = span.byte_range();
        assert_eq!(missing(&found), (is_named, range.start, range.end), "getter {number}");
    }
    let surface = mesh.surface(0).unwrap();
    assert_eq!(surface.name().unwrap_err().offset(), surface.offset());
    let targets: Vec<_> =
        surface.geometry_in_place().unwrap().targets().map(|target| target.is_err()).collect();
    assert_eq!(targets, vec![true; surface.target_count()]);
    assert!(mesh.arrays().count() > 0 && mesh.arrays().all(|array| array.is_err()));
    assert_eq!(missing(&mesh.complete().unwrap_err()), (false, 0, bytes.len() as u64));
}

#[test]
fn loaded_parts_equal_those_of_the_whole_file() {
    let bytes = bytes();
    let whole = Mesh::parse(&bytes).unwrap();
    let all = [Piece { offset: 0, bytes: &bytes }];
    let all = PieceList::new(&all, bytes.len() as u64).unwrap();
    let mesh = Mesh::bind_pieces(whole.parts(), &all).unwrap();
    assert!(getters(&mesh).into_iter().all(|(error, ..)| error.is_none()));
    assert_eq!(mesh.arrays().flatten().count(), whole.arrays().count());
    assert_eq!(mesh.complete().unwrap().surface(0).unwrap().name(), whole.surface(0).unwrap().name());
}

/// The bones and one animation of `frames` frames. The only bone is at x = 3.
fn animated(frames: u32) -> Vec<u8> {
    let mut model = write::Model::new(Version::Ms11);
    let mut bone = write::Bone::new("root", None).unwrap();
    bone.transform.position = [3.0, 0.0, 0.0];
    model.bones.push(bone);
    let poses = vec![bone_pose(); frames as usize];
    model.animations.push(write::Animation::new(Version::Ms11, "still", &[0], 0x7f, &poses).unwrap());
    model.write().unwrap()
}

fn bone_pose() -> meshlens_unigine::Transform {
    meshlens_unigine::Transform { position: [3.0, 0.0, 0.0], ..Default::default() }
}

#[test]
fn bones_and_animations_are_loaded_as_a_whole() {
    fn check<K: FileKind>(file: &File<'_, K, Partial>, expected: Span) {
        let error = file.skeleton().unwrap_err();
        assert_eq!(missing(&error), (false, expected.byte_range().start, expected.byte_range().end));
        assert_eq!(file.animation(0).unwrap_err().code(), "INCOMPLETE");
        assert!(file.animation(1).is_err(), "the bones are looked at first");
    }
    let bytes = animated(2);
    let whole = Mesh::parse(&bytes).unwrap();
    let nothing = PieceList::empty(bytes.len() as u64);
    check(&Mesh::bind_pieces(whole.parts(), &nothing).unwrap(), whole.parts().skeleton().headers());
}

/// The entries of the index of a long animation are poses, the first of which depends on the bind transforms.
#[test]
fn locating_a_long_animation_needs_the_bind_transforms() {
    let bytes = animated(200);
    let whole = Mesh::parse(&bytes).unwrap();
    let transforms = whole.parts().skeleton().transforms().byte_range();
    let (before, after) = (&bytes[..transforms.start as usize], &bytes[transforms.end as usize..]);
    let pieces = [Piece { offset: 0, bytes: before }, Piece { offset: transforms.end, bytes: after }];
    let pieces = PieceList::new(&pieces, bytes.len() as u64).unwrap();
    let error = Parts::locate_pieces(&pieces, &ParseOptions::default()).unwrap_err();
    let ErrorKind::Incomplete { needed, .. } = *error.kind() else { panic!("{error}") };
    assert_eq!((error.offset(), needed), (transforms.start, transforms.end));
}
