//! Values that glTF does not allow: NaN and infinity, and channels with too few or too many values.

use meshlens::Model;
use meshlens::model::{Joint, PlainFrame, PlainMesh, Space, Transform, export};
use meshlens::scene::Scene;
use meshlens_gltf::{Export, Options, Skins};
use serde_json::json;

use crate::small::{Small, messages};

const ODD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

/// A triangle with a value that is not finite in each attribute and in each track.
fn odd(odd: f32) -> Small {
    let mut file = Small::new(json!({
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": {} }] }],
    }));
    let positions = file.vectors(&[[odd, 1.0, odd], [4.0, 0.0, 0.0], [0.0, 4.0, odd]]);
    let normals = file.vectors(&[[0.0, 0.0, 1.0], [0.0, odd, 1.0], [0.0, 0.0, 1.0]]);
    let texcoords = file.vectors(&[[0.5, 0.5], [odd, 0.0], [1.0, odd]]);
    let target = file.vectors(&[[0.0, odd, 0.0], [1.0, 0.0, 0.0], [0.0; 3]]);
    file.json["meshes"][0]["primitives"][0] = json!({
        "attributes": { "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": texcoords },
        "targets": [{ "POSITION": target }],
    });
    let times = file.scalars(&[0.0, 1.0]);
    let translations = file.vectors(&[[0.0; 3], [odd, 0.0, 2.0]]);
    let rotations = file.vectors(&[[odd, odd, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]);
    let weights = file.scalars(&[0.0, odd]);
    file.json["animations"] = json!([{
        "samplers": [
            { "input": times, "output": translations },
            { "input": times, "output": rotations },
            { "input": times, "output": weights },
        ],
        "channels": [
            { "sampler": 0, "target": { "node": 0, "path": "translation" } },
            { "sampler": 1, "target": { "node": 0, "path": "rotation" } },
            { "sampler": 2, "target": { "node": 0, "path": "weights" } },
        ],
    }]);
    file
}

#[test]
fn each_kind_that_is_not_finite_is_listed() {
    for value in ODD {
        let (model, losses) = odd(value).import(Skins::Bake).unwrap();
        let listed: Vec<_> =
            messages(&losses).into_iter().filter(|(code, _)| *code == "VALUE_NOT_FINITE").collect();
        let expected = [
            "1 keys of rotations that are not finite; they became 0",
            "1 keys of translations that are not finite; they became 0",
            "1 keys of weights that are not finite; they became 0",
            "1 normals that are not finite; they became 0",
            "2 positions that are not finite; they became 0",
            "1 positions of morph targets that are not finite; they became 0",
            "2 texture coordinates that are not finite; they became 0",
        ];
        assert_eq!(listed, expected.map(|message| ("VALUE_NOT_FINITE", message)));
        let positions = model.meshes[0].positions(0).unwrap();
        assert_eq!(positions.iter().collect::<Vec<_>>(), [[0.0, 1.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
        // No values are left to replace.
        let (_, losses) = export::to_md3(&model, "odd", 1.0).unwrap();
        assert!(messages(&losses).iter().all(|(code, _)| *code != "VALUE_NOT_FINITE"));
    }
}

#[test]
fn values_that_an_export_replaces_are_counted() {
    let positions = vec![[0.0; 3], [8.0, 0.0, 0.0], [0.0, 0.0, 8.0]];
    let mesh = PlainMesh {
        triangles: vec![[0, 1, 2]],
        colors: vec![vec![[f32::NAN, 0.5, 2.0, 1.0]; 3]],
        joints: vec![[0; 4]; 3],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 3],
        frames: vec![PlainFrame { positions, ..PlainFrame::default() }],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(mesh.into_mesh("odd").unwrap());
    model.meshes[0].skin = Some([[[f32::NAN; 4]; 4]].into());
    let rest = Transform { translation: [1e30, 0.0, 0.0], ..Transform::IDENTITY };
    model.joints.push(Joint { name: "root".into(), parent: None, rest });
    let scene = Scene::from(model);
    let export = Export::plan(&scene, &Options { scale: 1e30, ..Options::default() }).unwrap();
    // A component of three colors, the matrix and the joint.
    let replaced = export.losses().findings().find(|finding| finding.code == "VALUE_REPLACED");
    assert_eq!(replaced.map(|finding| finding.count), Some(5), "{:?}", export.losses());
    let mut json = Vec::new();
    export.write_glb(&mut json).unwrap();
    assert!(!json.windows(4).any(|text| text == b"null"));
}

/// 1e39 is a number in JSON, and infinite as a float.
#[test]
fn numbers_of_the_document_fit_32_bits() {
    let mut file = odd(0.0);
    file.json["nodes"][0]["translation"] = json!([0, 1e39, 0]);
    let error = file.import(Skins::Bake).unwrap_err();
    let expected = "gltf: /nodes/0/translation/1: expected a number of 32 bits, found 1e39 at line 1 column ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn keys_and_values_are_counted() {
    let with = |keys: usize, interpolation: &str, values: usize| {
        let mut file = odd(0.0);
        let times: Vec<f32> = (0..keys).map(|key| key as f32).collect();
        let input = file.scalars(&times);
        let output = file.vectors(&vec![[0.0f32; 3]; values]);
        file.json["animations"][0]["samplers"][0] =
            json!({ "input": input, "output": output, "interpolation": interpolation });
        file.import(Skins::Bake).map(|_| ())
    };
    assert_eq!(with(3, "LINEAR", 3), Ok(()));
    assert_eq!(with(3, "CUBICSPLINE", 9), Ok(()));
    for (keys, interpolation, values, expected) in
        [(3, "LINEAR", 2, "3 values, 1"), (2, "STEP", 3, "2 values, 1"), (3, "CUBICSPLINE", 3, "9 values, 3")]
    {
        let error = with(keys, interpolation, values).unwrap_err();
        let expected = format!("expected {expected} for each of {keys} keys, found {values}");
        assert!(error.contains(&expected), "{error}");
    }
    // One weight for each key and morph target.
    let mut file = odd(0.0);
    let targets = file.json["meshes"][0]["primitives"][0]["targets"].clone();
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([targets[0], targets[0]]);
    let error = file.import(Skins::Bake).unwrap_err();
    assert!(error.contains("expected 4 values, 2 for each of 2 keys, found 2"), "{error}");
}
