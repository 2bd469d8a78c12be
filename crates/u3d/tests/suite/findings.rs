//! Every irregularity has its code.

use meshlens_u3d::Version;
use meshlens_u3d::write::{Action, Bone, Lod, Material, Mesh, Model, Texture};

use crate::common::{codes, model, triangle};

const V1: Version = Version::V1;
const V2: Version = Version::V2_0_0;
const BOTH: &[Version] = &[V1, V2];

type Change = fn(&mut Model);

fn expect(versions: &[Version], cases: &[(&[&str], Change)]) {
    for version in versions {
        for (expected, change) in cases {
            let mut model = model(*version);
            change(&mut model);
            let bytes = model.write().unwrap_or_else(|error| panic!("{expected:?}: {error}"));
            assert_eq!(codes(&bytes), *expected, "{version}");
        }
    }
}

/// The identity matrix.
const IDENTITY: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// A model with one bone to which the mesh is appended.
fn boned(model: &mut Model) -> &mut Bone {
    let mut bone = Bone::new("bone", None);
    bone.meshes.push((0, IDENTITY));
    model.bones.push(bone);
    &mut model.bones[0]
}

fn skinned(model: &mut Model) {
    boned(model);
    let mesh = &mut model.meshes[0];
    mesh.skin_weight_count = 1;
    mesh.skin_weights = vec![0.5; 3];
    mesh.skin_bones = vec![[0, 0, 200, 200]; 3];
    if !model.version.is_v1() {
        model.skin_weights = 1;
    }
}

#[test]
fn findings_of_the_header() {
    expect(
        BOTH,
        &[
            (&["FRAME_COUNT_ZERO", "MESH_COUNT_PRODUCT", "FRAME_OUT_OF_RANGE"], |model| model.frames = 0),
            (&["MESH_COUNT_PRODUCT"], |model| model.frames = 2),
            (&["MESH_COUNT_PRODUCT"], |model| model.meshes_per_frame = 2),
            (&["MATERIAL_COUNT_ZERO", "MATERIAL_OUT_OF_RANGE"], |model| model.materials.clear()),
            (&["TWEENING_WITH_BONES"], |model| {
                model.vertex_tweening = true;
                boned(model);
            }),
            (
                &["SKIN_WITHOUT_BONES", "BONE_OUT_OF_RANGE", "BONE_OUT_OF_RANGE", "BONE_OUT_OF_RANGE"],
                |model| {
                    skinned(model);
                    model.bones.clear();
                },
            ),
            (&["SKIN_MESH_COUNT"], |model| {
                skinned(model);
                let mut mesh = model.meshes[0].clone();
                (mesh.mesh_in_frame, model.meshes_per_frame) = (1, 2);
                model.meshes.push(mesh);
            }),
            (&["LOD_DISTANCE_ORDER"], |model| {
                let lods = [(1.0, 0.0), (0.5, 90.0), (0.25, 30.0)];
                model.lods = lods.map(|(fraction, distance)| Lod { fraction, distance }).into();
                for (lod, (fraction, _)) in (1u32..).zip(&lods[1..]) {
                    let mut mesh = model.meshes[0].clone();
                    (mesh.lod_index, mesh.lod_fraction) = (lod, *fraction);
                    model.meshes.push(mesh);
                }
            }),
        ],
    );
    expect(
        &[V1],
        &[(&["LOD_LEVEL_RANGE"], |model| {
            model.lods.push(Lod { fraction: 1.5, distance: 10.0 });
            let mut mesh = model.meshes[0].clone();
            mesh.lod_fraction = 1.5;
            model.meshes.push(mesh);
        })],
    );
    expect(&[V2], &[(&["LOD_DISTANCE_NAN"], |model| model.lods[0].distance = f32::NAN)]);
}

#[test]
fn findings_of_chunks() {
    let two = |model: &mut Model, identifier: &str| model.unknown.push((identifier.into(), Vec::new()));
    for (identifier, code) in [
        ("$U3DC_MINE", "CHUNK_CUSTOM"),
        ("$U3D_FUTURE", "CHUNK_UNKNOWN"),
        ("$U3D_MODEL_HEADER", "MODEL_HEADER_DUPLICATE"),
        ("$U3D_TEXTURE", "CHUNK_MISPLACED"),
        ("$U3D_SHADER_PACK", "CHUNK_MISPLACED"),
        ("$U3D_SHADOW_GEOMETRY", "CHUNK_MISPLACED"),
        ("$U3D_FILE_HEADER", "CHUNK_MISPLACED"),
    ] {
        let mut model = model(V2);
        two(&mut model, identifier);
        assert_eq!(codes(&model.write().unwrap()), [code], "{identifier}");
    }
    expect(
        &[V2],
        &[
            (&["CHUNK_EXTRA_BYTES"], |model| model.extra = vec![1]),
            (&["CHUNK_EXTRA_BYTES"], |model| model.meshes[0].extra = vec![1]),
            (&["CHUNK_EXTRA_BYTES"], |model| model.materials[0].extra = vec![1]),
            (&["CHUNK_EXTRA_BYTES"], |model| boned(model).extra = vec![1]),
            (&["VERSION_NEWER", "CHUNK_NEWER_BYTES"], |model| {
                model.version = Version::V2 { minor: 0, sub_minor: 1 };
                model.extra = vec![1];
            }),
            (&["ACTION_RANGE_DUPLICATE"], |model| {
                model.actions = Some(Vec::new());
                model.unknown.push((b"$U3D_ACTION_RANGE".to_vec(), vec![0; 4]));
            }),
            (&["ACTION_BACKWARDS", "ACTION_FRAME_RANGE"], |model| {
                model.actions = Some(vec![Action { name: b"back".to_vec(), first: 1, last: 0 }]);
            }),
        ],
    );
    // One chunk of each kind less, or more, than the header states.
    let bytes = model(V2).write().unwrap();
    let u3d = meshlens_u3d::U3d::parse(&bytes).unwrap();
    let material = u3d.material(0).unwrap().offset() as usize;
    assert_eq!(codes(&bytes[..material]), ["MATERIAL_COUNT"]);
    let twice = [&bytes[..], &bytes[material..]].concat();
    assert_eq!(codes(&twice), ["MATERIAL_COUNT", "MATERIAL_INDEX", "MATERIAL_REPEATED"]);
    let mut v1 = model(V1).write().unwrap();
    v1.push(0);
    assert_eq!(codes(&v1), ["TRAILING_BYTES"]);
}

#[test]
fn findings_of_meshes() {
    expect(
        BOTH,
        &[
            (&["FRAME_OUT_OF_RANGE"], |model| model.meshes[0].frame = 1),
            (&["FRAME_WITH_BONES"], |model| {
                boned(model);
                (model.frames, model.meshes[0].frame) = (2, 1);
            }),
            (&["NORMAL_SCALAR_NOT_FINITE"], |model| model.meshes[0].normal_scalar = f32::INFINITY),
            (&["NORMAL_SCALAR"], |model| model.meshes[0].normal_scalar = 0.5),
            (&["TANGENT_SETS"], |model| model.meshes[0].has_tangents = true),
            (&["POSITION_NOT_FINITE"], |model| model.meshes[0].positions[1][2] = f32::NAN),
            (&["TEXCOORD_NOT_FINITE"], |model| {
                model.meshes[0].texcoords.as_mut().unwrap()[0][3] = f32::NAN;
            }),
            (&["TRIANGLE_DEGENERATE"], |model| {
                model.meshes[0].set_triangles(&[[0, 1, 2], [0, 1, 0]], &[0; 2]).unwrap()
            }),
            (&["MATERIAL_OUT_OF_RANGE"], |model| model.meshes[0].set_triangles(&[[0, 1, 2]], &[1]).unwrap()),
            (&["NAME_NOT_ASCII"], |model| model.meshes[0].name = vec![0xe4]),
            (&["WEIGHT_RANGE"], |model| {
                skinned(model);
                model.meshes[0].skin_weights[1] = 1.5;
            }),
            (&["BONE_MESH_COUNT"], |model| {
                skinned(model);
                model.bones[0].meshes.clear();
            }),
        ],
    );
}

#[test]
fn findings_of_meshes_in_one_version() {
    expect(
        &[V1],
        &[
            (&["MESH_EMPTY"], |model| model.meshes[0].set_triangles(&[], &[]).unwrap()),
            (&["MESH_COUNT_PRODUCT", "MESH_OUT_OF_RANGE"], |model| model.meshes.push(triangle(V1))),
            (&["LOD_UNKNOWN"], |model| model.meshes[0].lod_fraction = 0.75),
            (&["NORMAL_CODE"], |model| model.meshes[0].normals[0] = [32, 0]),
            (&["MAX_BONE"], |model| {
                skinned(model);
                model.meshes[0].max_bone = 1;
            }),
            (&["SKIN_WEIGHT_COUNT"], |model| {
                skinned(model);
                model.meshes[0].skin_weight_count = 2;
                model.meshes[0].skin_weights = vec![0.25; 6];
                model.meshes[0].skin_bones = vec![[0; 4]; 3];
            }),
            (&["TEXCOORDS_WITHOUT_BUFFER", "TEXCOORDS_NOT_BORROWED"], |model| {
                model.meshes[0].texcoords = None;
            }),
        ],
    );
    expect(
        &[V2],
        &[
            (&["MESH_EMPTY"], |model| model.meshes[0].set_triangles(&[], &[]).unwrap()),
            (&["MESH_OUT_OF_RANGE"], |model| model.meshes[0].mesh_in_frame = 1),
            (&["LOD_OUT_OF_RANGE"], |model| model.meshes[0].lod_index = 1),
            (&["NORMAL_CODE"], |model| model.meshes[0].normals[0] = [0, i16::MIN]),
            (&["MESH_COUNT_PRODUCT", "MESH_DUPLICATE"], |model| model.meshes.push(triangle(V2))),
            (&["NORMALS_LEGACY"], |model| {
                model.meshes[0].legacy_normals = true;
                model.meshes[0].normals = vec![[0; 2]; 3];
            }),
        ],
    );
}

#[test]
fn findings_of_mesh_frames() {
    fn add_frame(model: &mut Model, change: impl FnOnce(Mesh) -> Mesh) {
        let mut mesh = triangle(model.version);
        mesh.frame = model.frames;
        model.frames += 1;
        model.meshes.push(change(mesh));
    }
    expect(
        BOTH,
        &[
            (&["TRIANGLES_BORROWED_COUNT"], |model| {
                let version = model.version;
                add_frame(model, |mesh| mesh.borrowing(2, version));
            }),
            (&["TRIANGLES_NOT_BORROWED"], |model| {
                model.meshes[0].triangles = None;
                model.meshes[0].borrowed_triangles = 1;
            }),
            (&["TRIANGLES_NOT_BORROWED", "BORROWED_WITH_BONES"], |model| {
                boned(model);
                model.meshes[0].triangles = None;
                model.meshes[0].borrowed_triangles = 1;
            }),
            (&["TWEENING_SIZE"], |model| {
                model.vertex_tweening = true;
                add_frame(model, |mut mesh| {
                    mesh.set_triangles(&[[0, 1, 2]; 2], &[0; 2]).unwrap();
                    mesh
                });
            }),
        ],
    );
}

#[test]
fn findings_of_materials() {
    expect(
        BOTH,
        &[
            (&["MATERIAL_NOT_FINITE"], |model| model.materials[0].emissive[2] = f32::NAN),
            (&["TEXTURE_PATH_EMPTY"], |model| model.materials[0].textures[0] = Some(Texture::new(""))),
            (&["TEXTURE_PATH_ABSOLUTE"], |model| {
                model.materials[0].textures[0] = Some(Texture::new("c:/a.bmp"))
            }),
            (&["TEXTURE_EXTENSION"], |model| model.materials[0].textures[0] = Some(Texture::new("a.gif"))),
        ],
    );
    expect(
        &[V1],
        &[
            (&["MATERIAL_OPAQUE"], |model| model.materials[0].opaque = Some(vec![1, 2, 3])),
            (&["TEXTURE_COUNT"], |model| model.materials[0].texture_count = 9),
        ],
    );
    expect(
        &[V2],
        &[
            (&["CUBE_NORMAL_MAP"], |model| {
                let files = vec![b"a.png".to_vec(); 6];
                model.materials[0].textures[0] =
                    Some(Texture { files, is_normal_map: true, ..Texture::default() });
            }),
            (&["TEXTURE_NOT_FINITE"], |model| {
                model.materials[0].textures[0] =
                    Some(Texture { height_scalar: f32::NAN, ..Texture::new("a.png") });
            }),
        ],
    );
}

#[test]
fn findings_of_bones() {
    expect(
        BOTH,
        &[
            (&["PARENT_OUT_OF_RANGE"], |model| boned(model).parent = Some(1)),
            (&["PARENT_CYCLE"], |model| boned(model).parent = Some(0)),
            (&["BONE_FRAME_NAN"], |model| boned(model).bone_frame = f32::NAN),
            (&["BONE_MESH_OUT_OF_RANGE"], |model| boned(model).meshes[0].0 = 1),
            (&["MATRIX_NOT_FINITE"], |model| boned(model).meshes[0].1[3][0] = f32::NAN),
            (&["MATRIX_NOT_AFFINE"], |model| boned(model).meshes[0].1[0][3] = 1.0),
            (&["KEYS_UNSORTED", "KEY_FRAME_RANGE"], |model| {
                boned(model).translation_keys = vec![(1, [0.0; 3]), (0, [0.0; 3])];
            }),
            (&["KEY_NOT_FINITE"], |model| boned(model).scaling_keys = vec![(0, [f32::NAN; 3])]),
            (&["ROTATION_NOT_UNIT"], |model| {
                boned(model).rotation_keys = vec![(0, [0.5; 4].map(|v| v * 1.1))]
            }),
        ],
    );
    // The bone comes before its mesh: the chunk of the mesh is moved to the end.
    let mut model = model(V2);
    boned(&mut model);
    let bytes = model.write().unwrap();
    let u3d = meshlens_u3d::U3d::parse(&bytes).unwrap();
    let sections: Vec<_> = u3d.sections().filter(|section| section.depth == 0).collect();
    let (mesh, rest) = (sections[2], sections[3].offset as usize);
    assert_eq!(mesh.identifier, "$U3D_MESH");
    let start = mesh.offset as usize;
    let moved = [&bytes[..start], &bytes[rest..], &bytes[start..rest]].concat();
    assert_eq!(codes(&moved), ["BONE_BEFORE_MESH"]);
}

#[test]
fn findings_of_booleans_and_numbers() {
    let patched = |version: Version, at: fn(&[u8]) -> usize, value: u8| {
        let mut model = model(version);
        boned(&mut model);
        let mut bytes = model.write().unwrap();
        let at = at(&bytes);
        bytes[at] = value;
        codes(&bytes)
    };
    fn after(bytes: &[u8], what: &[u8]) -> usize {
        bytes.windows(what.len()).position(|window| window == what).unwrap() + what.len()
    }
    let neither = ["BOOLEAN_NEITHER"];
    assert_eq!(patched(V1, |_| 52, 2)[..1], ["TWEENING_WITH_BONES"]);
    assert_eq!(patched(V1, |bytes| after(bytes, b"triangle\0") + 10, 2), ["TANGENT_SETS", "BOOLEAN_NEITHER"]);
    assert_eq!(patched(V2, |bytes| after(bytes, b"triangle\0") + 4, 2), ["TANGENT_SETS", "BOOLEAN_NEITHER"]);
    assert_eq!(patched(V1, |bytes| after(bytes, b"bone\0") + 6, 4), neither);
    assert_eq!(patched(V2, |bytes| after(bytes, b"bone\0") + 8, 4), neither);
    assert_eq!(patched(V2, |bytes| after(bytes, b"$U3D_MATERIAL\0") + 4, 1), ["MATERIAL_INDEX"]);
    assert_eq!(patched(V2, |bytes| after(bytes, b"$U3D_BONE\0") + 4, 1), ["BONE_INDEX"]);
}

#[test]
fn a_material_that_repeats_the_one_before_is_joined_with_it() {
    for version in [V1, V2] {
        let mut model = model(version);
        let (white, black) = (Material::new("white"), Material::new("black"));
        model.materials = vec![white.clone(), white.clone(), black.clone(), white.clone()];
        let triangles = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]];
        model.meshes[0].set_triangles(&triangles, &[2, 1, 3, 0]).unwrap();
        assert_eq!(codes(&model.write().unwrap()), ["MATERIAL_REPEATED"], "{version}");
        model.mend();
        // The last one is not next to its like: another one is drawn between them.
        assert_eq!(model.materials, [white.clone(), black, white]);
        // The triangles are in the order of their materials.
        let sorted = vec![[0, 2, 1], [1, 2, 0], [0, 1, 2], [2, 0, 1]];
        assert_eq!(model.meshes[0].triangles, Some((sorted, vec![0, 0, 1, 2])));
        assert_eq!(codes(&model.write().unwrap()), [""; 0]);
    }
}

#[test]
fn vertices_without_triangles_are_removed_if_there_is_one_frame() {
    for version in [V1, V2] {
        let mut model = model(version);
        let mesh = &mut model.meshes[0];
        let before = mesh.clone();
        mesh.positions.insert(0, [9.0; 3]);
        mesh.normals.insert(0, [0; 2]);
        mesh.texcoords.as_mut().unwrap()[0].splice(0..0, [7.0, 7.0]);
        mesh.set_triangles(&[[1, 2, 3]], &[0]).unwrap();
        let bytes = model.write().unwrap();
        assert_eq!(codes(&bytes), ["VERTEX_UNUSED"], "{version}");
        let mut mended = model.clone();
        mended.mend();
        assert_eq!(mended.meshes[0], before);
        // Meshes of other frames borrow triangles.
        model.frames = 2;
        let second = Mesh { frame: 1, ..model.meshes[0].clone() };
        model.meshes.push(second);
        assert!(!codes(&model.write().unwrap()).contains(&"VERTEX_UNUSED"));
    }
}
