//! The list of a model's arrays.

use meshlens_fixtures::corpus;
use meshlens_u3d::{U3d, Version, lens::Semantic, write};

use crate::common::{model, triangle};

/// Semantic, mesh, set, frame, level of detail, number of elements, stride and absolute offset.
type Row = (Semantic, usize, usize, usize, usize, usize, usize, u64);

fn rows(bytes: &[u8]) -> Vec<Row> {
    let u3d = U3d::parse(bytes).unwrap();
    let row = |array: meshlens_u3d::lens::Array<'_>| {
        let lens = array.lens;
        let start = lens.byte_range().start;
        assert!(!array.is_part);
        assert_eq!(&bytes[start as usize..][..lens.as_bytes().len()], lens.as_bytes());
        (array.semantic, array.mesh, array.set, array.frame, array.lod, lens.len(), lens.stride(), start)
    };
    u3d.arrays().map(row).collect()
}

#[test]
fn the_arrays_of_a_triangle_are_listed_in_order() {
    use Semantic::*;
    // Version 1.0: the header ends at 53; a mesh has 10 bytes of identifier, the name and its NUL, and 36 bytes of fields.
    let bytes = model(Version::V1).write().unwrap();
    let positions = 53 + 10 + 9 + 36;
    let texcoords = positions + 36 + 6 + 2;
    let triangles = texcoords + 24 + 3;
    assert_eq!(
        rows(&bytes),
        [
            (Triangles, 0, 0, 0, 0, 1, 6, triangles),
            (Materials, 0, 0, 0, 0, 1, 2, triangles + 6),
            (Position, 0, 0, 0, 0, 3, 12, positions),
            (Normal, 0, 0, 0, 0, 3, 2, positions + 36),
            (Texcoord, 0, 0, 0, 0, 3, 8, texcoords),
        ]
    );
    // Version 2.0: 41 bytes of file header; a model header of 22, 62 and 4 bytes for its level of detail; a mesh has 14 bytes
    // of chunk header, 12 bytes of fields, the name and its NUL, and 9 bytes of fields.
    let bytes = model(Version::V2_0_0).write().unwrap();
    let positions = 41 + 22 + 66 + 14 + 12 + 9 + 9;
    let texcoords = positions + 36 + 12;
    let triangles = texcoords + 24 + 5;
    assert_eq!(
        rows(&bytes),
        [
            (Triangles, 0, 0, 0, 0, 1, 6, triangles),
            (Materials, 0, 0, 0, 0, 1, 2, triangles + 6),
            (Position, 0, 0, 0, 0, 3, 12, positions),
            (Normal, 0, 0, 0, 0, 3, 4, positions + 36),
            (Texcoord, 0, 0, 0, 0, 3, 8, texcoords),
        ]
    );
}

#[test]
fn arrays_have_their_frame_level_set_and_skin() {
    let list = |name: &str| {
        let bytes = corpus::with_extension(&[name]).remove(0).1;
        rows(&bytes)
            .into_iter()
            .map(|(semantic, mesh, set, frame, lod, ..)| (semantic, mesh, set, frame, lod))
    };
    use Semantic::*;
    // There are four frames. The last three borrow their triangles, and in version 1.0 also their texture coordinates.
    let positions = |name| list(name).filter(|row| row.0 == Position).collect::<Vec<_>>();
    let frames =
        [(Position, 0, 0, 0, 0), (Position, 1, 0, 1, 0), (Position, 2, 0, 2, 0), (Position, 3, 0, 3, 0)];
    let count = |name, semantic| list(name).filter(|row| row.0 == semantic).count();
    for (name, texcoords) in [("v1_animated.u3d", 1), ("v2_animated.u3d", 4)] {
        assert_eq!(positions(name), frames);
        assert_eq!(
            (count(name, Triangles), count(name, Materials), count(name, Texcoord)),
            (1, 1, texcoords)
        );
    }
    // Two meshes in each of two levels of detail.
    let levels =
        [(Position, 0, 0, 0, 0), (Position, 1, 0, 0, 0), (Position, 2, 0, 0, 1), (Position, 3, 0, 0, 1)];
    assert_eq!(positions("v1_levels.u3d"), levels);
    assert_eq!(positions("v2_levels.u3d"), levels);
    for name in ["v1_skinned.u3d", "v2_skinned.u3d"] {
        let semantics: Vec<Semantic> = list(name).map(|row| row.0).take(8).collect();
        let mesh = [Triangles, Materials, Position, Normal, Joints, Weights, Texcoord];
        assert_eq!(semantics, [&mesh[..], &[TranslationFrames]].concat());
    }
}

#[test]
fn listing_arrays_takes_no_memory_and_sets_keep_their_numbers() {
    let mut model = model(Version::V1);
    let mut mesh = triangle(Version::V1);
    mesh.set_texcoords(0, 0, &[]).unwrap();
    mesh.set_texcoords(3, 1, &[0.5; 3]).unwrap();
    mesh.set_texcoords(7, 4, &[0.25; 12]).unwrap();
    model.meshes = vec![mesh];
    let bytes = model.write().unwrap();
    let u3d = U3d::parse(&bytes).unwrap();
    let sets: Vec<_> = u3d
        .arrays()
        .filter(|array| array.semantic == Semantic::Texcoord)
        .map(|array| (array.set, array.lens.format().components(), array.lens.get_floats(2).unwrap()))
        .collect();
    assert_eq!(sets, [(3, 1, [0.5, 0.0, 0.0, 0.0]), (7, 4, [0.25; 4])]);
    let listed = allocation_counter::measure(|| assert_eq!(u3d.arrays().count(), 6));
    assert_eq!(listed.bytes_total, 0);
}

#[test]
fn shadow_geometry_and_animation_keys_are_arrays_too() {
    for version in [Version::V1, Version::V2_0_0] {
        let mut model = model(version);
        let floats: Vec<u8> = (0..12u16).flat_map(|n| f32::from(n).to_le_bytes()).collect();
        model.meshes[0].shadow = Some(write::Shadow { vertices: floats, triangles: vec![[0, 1, 0]] });
        let mut bone = write::Bone::new("arm", None);
        bone.translation_keys = vec![(3, [1.0, 2.0, 3.0]), (5, [4.0, 5.0, 6.0])];
        bone.rotation_keys = vec![(9, [0.0, 0.0, 0.0, 1.0])];
        model.bones = vec![write::Bone::new("root", None), bone];
        let bytes = model.write().unwrap();
        let u3d = U3d::parse(&bytes).unwrap();
        let find = |semantic| u3d.arrays().find(|array| array.semantic == semantic).unwrap();

        // Two vertices with a position and a normal each: 0 to 5 and 6 to 11.
        assert_eq!(find(Semantic::ShadowPosition).lens.get(1), Some([6f32, 7.0, 8.0]));
        assert_eq!(find(Semantic::ShadowNormal).lens.get(1), Some([9f32, 10.0, 11.0]));
        assert_eq!(find(Semantic::ShadowTriangles).lens.get(0), Some([0u32, 1, 0]));
        let frames = find(Semantic::TranslationFrames);
        assert_eq!((frames.bone, frames.lens.len(), frames.lens.get(1)), (1, 2, Some(5u32)));
        let values = find(Semantic::Translations);
        assert_eq!((values.bone, values.lens.get(0)), (1, Some([1f32, 2.0, 3.0])));
        assert_eq!(find(Semantic::RotationFrames).lens.get(0), Some(9u32));
        assert_eq!(find(Semantic::Rotations).lens.get(0), Some([0f32, 0.0, 0.0, 1.0]));
        assert!(!u3d.arrays().any(|array| array.semantic == Semantic::Scales), "there are no such keys");
    }
}
