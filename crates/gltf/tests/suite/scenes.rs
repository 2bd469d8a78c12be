//! Documents: transforms of textures, instances, and content that a model does not keep.

use std::f32::consts::PI;

use meshlens::Model;
use meshlens_gltf::Skins;
use serde_json::json;

use crate::small::{Small, messages};

/// A triangle with two sets of texture coordinates and a material.
fn textured(texture: serde_json::Value) -> Small {
    let mut file = Small::new(json!({
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{}] }],
        "images": [{ "uri": "a.png" }],
        "textures": [{ "source": 0 }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": texture } }],
        "extensionsRequired": ["KHR_texture_transform"],
    }));
    let positions = file.vectors(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let first = file.vectors(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let second = file.vectors(&[[0.25, 0.5], [0.5, 0.5], [0.25, 0.75]]);
    file.json["meshes"][0]["primitives"][0] = json!({
        "attributes": { "POSITION": positions, "TEXCOORD_0": first, "TEXCOORD_1": second },
        "material": 0,
    });
    file
}

fn texcoords(model: &Model<'_>, set: usize) -> Vec<[f32; 2]> {
    let mut texcoords = Vec::new();
    model.meshes[0].texcoords_into(set, &mut texcoords).unwrap();
    texcoords.iter().map(|uv| uv.map(|value| (value * 1000.0).round() / 1000.0)).collect()
}

#[test]
fn the_set_of_the_base_color_comes_first() {
    for texture in [
        json!({ "index": 0, "texCoord": 1 }),
        json!({ "index": 0, "extensions": { "KHR_texture_transform": { "texCoord": 1 } } }),
    ] {
        let (model, _) = textured(texture).import(Skins::Keep).unwrap();
        assert_eq!(texcoords(&model, 0), [[0.25, 0.5], [0.5, 0.5], [0.25, 0.75]]);
        assert_eq!(texcoords(&model, 1), [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    }
}

#[test]
fn texture_transforms_are_applied() {
    let with = |transform| json!({ "index": 0, "extensions": { "KHR_texture_transform": transform } });
    // The example of the extension: the lower left quadrant of the image, rotated clockwise by 90 degrees.
    let quadrant = json!({ "offset": [0, 1], "rotation": PI / 2.0, "scale": [0.5, 0.5] });
    let (model, _) = textured(with(quadrant)).import(Skins::Keep).unwrap();
    assert_eq!(texcoords(&model, 0), [[0.0, 1.0], [0.0, 0.5], [0.5, 1.0]]);
    assert_eq!(texcoords(&model, 1), [[0.25, 0.5], [0.5, 0.5], [0.25, 0.75]], "other sets stay");
    let upside_down = json!({ "offset": [0, 1], "scale": [1, -1] });
    let (model, _) = textured(with(upside_down)).import(Skins::Keep).unwrap();
    assert_eq!(texcoords(&model, 0), [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]);
}

#[test]
fn instances_become_nodes() {
    let mut file = textured(json!({ "index": 0 }));
    let translations = file.vectors(&[[0.0; 3], [5.0, 0.0, 0.0], [0.0, 0.0, 7.0]]);
    let turned = [0.0, 0.0, 1.0, 0.0];
    let rotations = file.vectors(&[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], turned]);
    let scales = file.vectors(&[[1.0; 3], [2.0; 3], [1.0; 3]]);
    file.json["nodes"][0]["translation"] = json!([0, 100, 0]);
    file.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] =
        json!({ "TRANSLATION": translations, "ROTATION": rotations, "SCALE": scales, "_ID": 0 });
    file.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    file.json["scenes"] = json!([{ "nodes": [0] }]);
    let (model, _) = file.import(Skins::Keep).unwrap();
    let second_corner = |mesh: usize| {
        let positions = model.meshes[mesh].positions(0).unwrap();
        positions.iter().nth(1).unwrap().map(f32::round)
    };
    assert_eq!(model.meshes.len(), 3);
    assert_eq!(second_corner(0), [1.0, 100.0, 0.0]);
    assert_eq!(second_corner(1), [7.0, 100.0, 0.0]);
    assert_eq!(second_corner(2), [-1.0, 100.0, 7.0]);
    // An accessor without a view can describe any number of instances.
    file.json["accessors"][translations] =
        json!({ "componentType": 5126, "type": "VEC3", "count": 1_000_000_000 });
    file.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] =
        json!({ "TRANSLATION": translations });
    let error = file.import(Skins::Keep).err().unwrap();
    assert!(error.contains("1000000000 instances of node 0 need "), "{error}");
}

#[test]
fn instances_that_joints_or_weights_move_are_listed() {
    let mut file = textured(json!({ "index": 0 }));
    let translations = file.vectors(&[[0.0; 3], [5.0, 0.0, 0.0], [0.0, 0.0, 7.0]]);
    file.json["nodes"] = json!([{
        "name": "grass",
        "mesh": 0,
        "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": translations } } },
    }, { "name": "root" }]);
    let plain = file.json.clone();
    assert_eq!(messages(&file.import(Skins::Bake).unwrap().1), []);

    let moved = file.vectors(&[[0.0; 3], [0.0; 3], [0.0, 1.0, 0.0]]);
    let (times, weights) = (file.scalars(&[0.0, 1.0]), file.scalars(&[0.0, 1.0]));
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": moved }]);
    file.json["animations"] = json!([{
        "samplers": [{ "input": times, "output": weights }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
    }]);
    let (model, losses) = file.import(Skins::Bake).unwrap();
    assert_eq!(model.meshes.len(), 3);
    let lost = ("INSTANCE_TRACK_LOST", "node grass: 1 tracks of morph targets of its instances");
    assert!(messages(&losses).contains(&lost), "{losses:?}");

    file.json = plain;
    file.json["nodes"][0]["skin"] = json!(0);
    file.json["skins"] = json!([{ "joints": [1] }]);
    for skins in [Skins::Keep, Skins::Bake] {
        let (model, losses) = file.import(skins).unwrap();
        assert_eq!(model.meshes.len(), 1);
        let lost = ("INSTANCE_LOST", "node grass: 3 instances of a mesh that joints move");
        assert!(messages(&losses).contains(&lost), "{losses:?}");
    }
}

#[test]
fn content_that_no_model_keeps_is_listed() {
    let mut file = textured(json!({ "index": 0 }));
    let own = file.scalars(&[0.0, 1.0, 2.0]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["_TEMPERATURE"] = json!(own);
    file.json["nodes"] = json!([{ "mesh": 0 }, { "mesh": 0 }]);
    file.json["scenes"] = json!([{ "nodes": [0] }, { "nodes": [1] }]);
    file.json["images"] = json!([]);
    file.json["textures"] = json!([{}]);
    file.json["extensions"] = json!({
        "KHR_lights_punctual": { "lights": [{ "type": "point" }, { "type": "spot" }] },
        "KHR_materials_variants": { "variants": [{ "name": "red" }, { "name": "blue" }] },
    });
    for skins in [Skins::Keep, Skins::Bake] {
        let (model, losses) = file.import(skins).unwrap();
        assert_eq!(model.meshes.len(), 1);
        let expected = [
            ("SCENE_LOST", "1 other scenes; 1 nodes with meshes are not in the default one"),
            ("VARIANT_LOST", "2 variants of materials that no mesh has"),
            ("LIGHT_LOST", "2 lights"),
            ("ATTRIBUTE_LOST", "the vertex attribute _TEMPERATURE"),
        ];
        assert_eq!(messages(&losses), expected);
    }
}

#[test]
fn a_scale_of_a_normal_texture_is_listed() {
    let lost = ("NORMAL_SCALE_LOST", "1 materials whose normals are scaled");
    for (scale, expected) in [(1.0, &[][..]), (0.5, &[lost][..])] {
        let mut file = textured(json!({ "index": 0 }));
        file.json["materials"][0]["normalTexture"] = json!({ "index": 0, "scale": scale });
        let (model, losses) = file.import(Skins::Keep).unwrap();
        assert!(model.materials[0].normal_map.is_some());
        assert_eq!(messages(&losses), expected);
    }
}

#[test]
fn a_document_with_only_points_and_lines_is_an_error() {
    for mode in 0..4 {
        let mut file = textured(json!({ "index": 0 }));
        file.json["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        for skins in [Skins::Keep, Skins::Bake] {
            let error = file.import(skins).err().unwrap();
            assert_eq!(
                error,
                "gltf: expected triangles, found 1 primitives of points or lines and no others"
            );
        }
        // Next to triangles, points and lines are a loss.
        let first = file.json["meshes"][0]["primitives"][0].clone();
        let mut second = first.clone();
        second["mode"] = json!(4);
        file.json["meshes"][0]["primitives"] = json!([first, second]);
        let (model, losses) = file.import(Skins::Bake).unwrap();
        assert_eq!(model.meshes.len(), 1);
        assert!(messages(&losses).iter().any(|(code, _)| *code == "PRIMITIVE_LOST"));
    }
}

#[test]
fn a_list_a_strip_and_a_fan_may_be_empty() {
    for mode in 4..7 {
        let mut file = textured(json!({ "index": 0 }));
        let indices = file.indices(&[0, 1, 2]);
        file.json["accessors"][indices]["count"] = json!(0);
        let primitive = &mut file.json["meshes"][0]["primitives"][0];
        (primitive["mode"], primitive["indices"]) = (json!(mode), json!(indices));
        for skins in [Skins::Keep, Skins::Bake] {
            let (model, losses) = file.import(skins).unwrap();
            let triangles: Vec<usize> = model.meshes.iter().map(|mesh| mesh.triangle_count()).collect();
            assert_eq!((triangles, messages(&losses)), (vec![0], vec![]), "mode {mode}");
        }
    }
}
