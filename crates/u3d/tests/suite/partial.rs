//! Partially loaded models.

use meshlens_u3d::lens::Semantic;
use meshlens_u3d::wire::{Error, ErrorKind, Partial, Piece, PieceList, Result, Span};
use meshlens_u3d::{U3d, Version, write};

/// A model with a skinned mesh, a material with a texture, a bone with a key of each kind, and an action.
fn file(version: Version) -> Vec<u8> {
    let mut mesh = write::Mesh::new("mesh");
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    mesh.set_vertices(&points, &[[0.0, 0.0, 1.0]; 3], version).unwrap();
    mesh.triangles = Some((vec![[0, 1, 2]], vec![0]));
    mesh.texcoord_dimensions[0] = 2;
    mesh.texcoords.get_or_insert_default()[0] = vec![0.0; 6];
    (mesh.skin_weight_count, mesh.skin_weights, mesh.skin_bones) = (1, vec![1.0; 3], vec![[0; 4]; 3]);
    let mut model = write::Model::new(version);
    (model.frames, model.skin_weights, model.texcoord_dimensions[0]) = (1, 1, 2);
    model.meshes.push(mesh);
    model.materials.push(write::Material::new("skin"));
    let mut bone = write::Bone::new("root", None);
    bone.meshes.push((0, [[0.0; 4]; 4]));
    bone.scaling_keys.push((0, [1.0; 3]));
    bone.translation_keys.push((0, [0.0; 3]));
    bone.rotation_keys.push((0, [0.0, 0.0, 0.0, 1.0]));
    model.bones.push(bone);
    if !version.is_v1() {
        model.actions = Some(vec![write::Action { name: b"walk".to_vec(), first: 0, last: 0 }]);
    }
    model.write().unwrap()
}

fn error<T>(result: Result<T>) -> Option<Error> {
    result.err()
}

/// Whether an error names a part, and the range of bytes that it requires.
fn missing(error: &Error) -> (bool, u64, u64) {
    let ErrorKind::Incomplete { needed, .. } = *error.kind() else { panic!("{error}") };
    let named = ["mesh 0: ", "material 0: ", "bone 0: "];
    let is_named = named.iter().any(|name| error.to_string().starts_with(&format!("u3d: {name}")));
    (is_named, error.offset(), needed)
}

/// The missing part of each getter, and the bytes that it reads.
fn getters(u3d: &U3d<'_, Partial>) -> Vec<(Option<Error>, bool, Span)> {
    let (mesh, bone) = (u3d.mesh(0).unwrap(), u3d.bone(0).unwrap());
    let (of_mesh, of_bone) = (mesh.parts(), &u3d.parts().bones()[0]);
    let material = Span::of_bytes(u3d.parts().materials()[0].byte_range());
    vec![
        (error(mesh.name()), false, of_mesh.name()),
        (error(mesh.positions()), true, of_mesh.positions()),
        (error(mesh.normals()), true, of_mesh.normals()),
        (error(mesh.texcoords(0)), true, of_mesh.texcoords(0).unwrap()),
        (error(mesh.skin_weights()), true, of_mesh.skin_weights()),
        (error(mesh.weights(0)), true, of_mesh.skin_weights()),
        (error(mesh.skin_bones()), true, of_mesh.skin_bones()),
        (error(mesh.triangles().unwrap()), false, of_mesh.triangles()),
        (error(mesh.checked_triangles()), true, of_mesh.triangles()),
        (error(mesh.triangle_materials()), true, of_mesh.triangle_materials()),
        (error(mesh.compute_bounds()), true, of_mesh.positions()),
        (error(u3d.material(0).unwrap()), true, material),
        (error(u3d.materials().next().unwrap()), true, material),
        (error(bone.name()), false, of_bone.name()),
        (error(bone.meshes()), false, of_bone.meshes()),
        (error(bone.mesh_to_bone(0)), false, of_bone.matrices()),
        (error(u3d.skeleton()), true, Span::of_bytes(of_bone.byte_range())),
    ]
}

#[test]
fn errors_of_getters_have_the_missing_bytes() {
    for version in [Version::V1, Version::V2_0_0] {
        let bytes = file(version);
        let whole = U3d::parse(&bytes).unwrap();
        let nothing = PieceList::empty(bytes.len() as u64);
        let u3d = U3d::bind_pieces(whole.parts(), &nothing).unwrap();
        for (number, (found, is_named, span)) in getters(&u3d).into_iter().enumerate() {
            let found = found.unwrap_or_else(|| panic!("{version}: getter {number} misses nothing"));
            let range = span.byte_range();
            assert_eq!(missing(&found), (is_named, range.start, range.end), "{version}: getter {number}");
        }
        let keys = [u3d.bone(0).unwrap().scaling_keys().err(), u3d.bone(0).unwrap().translation_keys().err()];
        let found: Vec<u64> = keys.into_iter().flatten().map(|error| error.offset()).collect();
        let bone = &u3d.parts().bones()[0];
        assert_eq!(found, [bone.scaling_keys().offset(), bone.translation_keys().offset()]);

        // Every item of an iterator has this error.
        assert_eq!(u3d.arrays().filter_map(error).count(), whole.arrays().count());
        assert_eq!(u3d.actions().filter_map(error).count(), whole.action_count());
        assert_eq!(u3d.complete().unwrap_err().code(), "INCOMPLETE");
    }
}

#[test]
fn loaded_parts_equal_those_of_the_whole_file() {
    let bytes = file(Version::V2_0_0);
    let whole = U3d::parse(&bytes).unwrap();
    let range = whole.parts().meshes()[0].positions().byte_range();
    let pieces = [Piece { offset: range.start, bytes: &bytes[range.start as usize..range.end as usize] }];
    let pieces = PieceList::new(&pieces, bytes.len() as u64).unwrap();
    let u3d = U3d::bind_pieces(whole.parts(), &pieces).unwrap();
    assert_eq!(u3d.mesh(0).unwrap().positions().unwrap().get(1), Some([1.0, 0.0, 0.0]));
    let listed: Vec<Semantic> = u3d.arrays().flatten().map(|array| array.semantic).collect();
    assert_eq!(listed, [Semantic::Position]);

    let all = [Piece { offset: 0, bytes: &bytes }];
    let all = PieceList::new(&all, bytes.len() as u64).unwrap();
    let u3d = U3d::bind_pieces(whole.parts(), &all).unwrap();
    assert!(getters(&u3d).into_iter().all(|(error, ..)| error.is_none()));
    assert_eq!(u3d.actions().next().unwrap().unwrap().name, "walk");
    assert_eq!(u3d.complete().unwrap().mesh(0).unwrap().name(), "mesh");
}
