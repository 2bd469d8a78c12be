//! Rigs of hand-made documents: tags and rigid meshes on joints, more than four joints for a vertex, joints without
//! keys, files with only animations, and scales at rest.

use std::f32::consts::FRAC_1_SQRT_2;

use super::one_node;
use glam::{Mat4, Quat, Vec3};
use meshlens::model::{Clip, JointAnimation, Model, Transform, world_into};
use meshlens_gltf::{Export, Frames, ImportOptions, Options};

use crate::merged::import;
use meshlens_testkit::real;
use serde_json::{Value, json};

fn read(_: &str, _: usize) -> Option<Vec<u8>> {
    None
}

pub(super) fn imported(bytes: &[u8]) -> (Model<'static>, Vec<String>) {
    let (model, losses) = import(bytes, &ImportOptions::default(), &read).unwrap();
    (model, losses.findings().map(|loss| loss.message.clone()).collect())
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Adds views, accessors and a buffer for arrays: component type, type, count and bytes.
fn arrays(document: &mut Value, arrays: &[(u32, &str, usize, Vec<u8>)]) {
    let (mut bin, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    for (component, kind, count, bytes) in arrays {
        views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len() }));
        accessors.push(json!({
            "bufferView": accessors.len(), "componentType": component, "type": kind, "count": count,
            "min": [0, 0, 0], "max": [0, 0, 0],
        }));
        bin.extend(bytes);
    }
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bin);
    document["bufferViews"] = views.into();
    document["accessors"] = accessors.into();
    document["buffers"] =
        json!([{ "byteLength": bin.len(), "uri": format!("data:application/octet-stream;base64,{data}") }]);
}

/// A body on the joints `root`, `arm` at (0, 2, 0) and `still` at (3, 0, 0), with one corner bound to each joint. The
/// arm has a tag, one unit further up, and a sword, one unit to the right. The arm swings by 90 degrees around Z in a
/// second.
pub(super) fn figure() -> Value {
    let mut document = json!({
        "asset": { "version": "2.0" },
        "nodes": [
            { "name": "root", "children": [1, 4] },
            { "name": "arm", "translation": [0, 2, 0], "children": [2, 3] },
            { "name": "tag_hand", "translation": [0, 1, 0] },
            { "name": "sword", "mesh": 1, "translation": [1, 0, 0] },
            { "name": "still", "translation": [3, 0, 0] },
            { "name": "body", "mesh": 0, "skin": 0 },
        ],
        "meshes": [
            { "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } }] },
            { "primitives": [{ "attributes": { "POSITION": 3 } }] },
        ],
        "skins": [{ "joints": [0, 1, 4], "inverseBindMatrices": 4 }],
        "animations": [{
            "name": "swing",
            "samplers": [{ "input": 5, "output": 6 }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
        }],
    });
    let binds = [[0.0, 0.0, 0.0], [0.0, -2.0, 0.0], [-3.0, 0.0, 0.0]];
    let binds = binds.map(|[x, y, z]| Mat4::from_translation(Vec3::new(x, y, z)).to_cols_array());
    let half = (FRAC_1_SQRT_2, (0.5 + FRAC_1_SQRT_2 / 2.0).sqrt());
    let eighth = (1.0 - half.1 * half.1).sqrt();
    let turns = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, eighth, half.1, 0.0, 0.0, half.0, half.0];
    let joints = [[0u8, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0]];
    let weights = [[1.0, 0.0, 0.0, 0.0]; 3];
    arrays(
        &mut document,
        &[
            (5126, "VEC3", 3, floats(&[0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 3.0, 1.0, 0.0])),
            (5121, "VEC4", 3, joints.concat()),
            (5126, "VEC4", 3, floats(weights.as_flattened())),
            (5126, "VEC3", 3, floats(&[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0])),
            (5126, "MAT4", 3, floats(binds.as_flattened())),
            (5126, "SCALAR", 3, floats(&[0.0, 0.5, 1.0])),
            (5126, "VEC4", 3, floats(&turns)),
        ],
    );
    document
}

/// The transforms of the joints in a frame of the first animation.
fn world(model: &Model<'_>, frame: usize) -> Vec<[[f32; 4]; 4]> {
    let mut pose: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
    model.animations[0].apply(frame, &mut pose);
    let mut world = Vec::new();
    world_into(&model.joints, &pose, &mut world);
    world
}

/// The positions of the vertices of a mesh in a frame of the first animation.
fn vertices(model: &Model<'_>, mesh: usize, frame: usize) -> Vec<[f32; 3]> {
    let (mesh, mut positions) = (&model.meshes[mesh], Vec::new());
    let topology = mesh.topology().unwrap();
    mesh.skin_vertices_into(&topology, 0, &world(model, frame), &mut positions, &mut Vec::new()).unwrap();
    positions
}

fn near(found: &[[f32; 3]], wanted: &[[f32; 3]]) {
    assert_eq!(found.len(), wanted.len());
    for (a, b) in found.iter().zip(wanted) {
        assert!(Vec3::from(*a).abs_diff_eq(Vec3::from(*b), 1e-5), "{found:?} {wanted:?}");
    }
}

#[test]
fn tags_and_rigid_meshes_are_attached_to_joints() {
    let (model, losses) = imported(figure().to_string().as_bytes());
    assert_eq!(losses, [""; 0]);
    let joints: Vec<_> = model.joints.iter().map(|joint| (joint.name.as_str(), joint.parent)).collect();
    assert_eq!(joints, [("root", None), ("arm", Some(0)), ("still", Some(0)), ("tag_hand", Some(1))]);
    assert!(model.tags.is_empty(), "a tag on a joint is a joint");
    let names: Vec<_> = model.meshes.iter().map(|mesh| mesh.name.as_str()).collect();
    assert_eq!(names, ["sword", "body"]);
    let (mut named, mut weights) = (Vec::new(), Vec::new());
    assert!(model.meshes[0].influences_into(&mut named, &mut weights).unwrap());
    assert_eq!((named, weights), (vec![[1, 0, 0, 0]; 3], vec![[1.0, 0.0, 0.0, 0.0]; 3]));
    // Only the arm has keys.
    assert_eq!(
        (&model.animations[0].joints, model.clips[0].count, model.clips[0].rate.get()),
        (&vec![1], 3, 2.0)
    );
    near(&vertices(&model, 0, 0), &[[1.0, 2.0, 0.0], [3.0, 2.0, 0.0], [1.0, 2.0, 1.0]]);
    near(&vertices(&model, 0, 2), &[[0.0, 3.0, 0.0], [0.0, 5.0, 0.0], [0.0, 3.0, 1.0]]);
    // The corner on the arm rotates around it. The corners on the root and on the joint `still` do not move.
    near(&vertices(&model, 1, 0), &[[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [3.0, 1.0, 0.0]]);
    near(&vertices(&model, 1, 2), &[[0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [3.0, 1.0, 0.0]]);
    let hand = |frame| {
        let [.., [x, y, z, _]] = world(&model, frame)[3];
        [x, y, z]
    };
    near(&[hand(0), hand(2)], &[[0.0, 3.0, 0.0], [-1.0, 2.0, 0.0]]);
    assert_eq!(world(&model, 2)[2], world(&model, 0)[2]);
}

#[test]
fn the_four_greatest_of_six_weights_are_kept() {
    let mut document = json!({
        "asset": { "version": "2.0" },
        "nodes": (0..6).map(|joint| json!({ "name": format!("j{joint}") }))
            .chain([json!({ "name": "body", "mesh": 0, "skin": 0 })]).collect::<Vec<_>>(),
        "meshes": [{ "primitives": [{ "attributes": {
            "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2, "JOINTS_1": 3, "WEIGHTS_1": 4,
        } }] }],
        "skins": [{ "joints": [0, 1, 2, 3, 4, 5] }],
    });
    // The third vertex names one joint twice, and so has four joints.
    arrays(
        &mut document,
        &[
            (5126, "VEC3", 3, floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])),
            (5121, "VEC4", 3, [[0u8, 1, 2, 3], [5, 0, 0, 0], [0, 1, 2, 3]].concat()),
            (5126, "VEC4", 3, floats(&[0.13, 0.2, 0.3, 0.05, 1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.2])),
            (5121, "VEC4", 3, [[4u8, 5, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]].concat()),
            (5126, "VEC4", 3, floats(&[0.25, 0.07, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0])),
        ],
    );
    let (model, losses) = imported(document.to_string().as_bytes());
    assert_eq!(losses, ["the weakest joints of 1 vertices that more than four move"]);
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    assert!(model.meshes[0].influences_into(&mut joints, &mut weights).unwrap());
    assert_eq!(joints, [[2, 4, 1, 0], [5, 0, 0, 0], [0, 2, 1, 3]]);
    let wanted =
        [[0.3 / 0.88, 0.25 / 0.88, 0.2 / 0.88, 0.13 / 0.88], [1.0, 0.0, 0.0, 0.0], [0.3, 0.3, 0.2, 0.2]];
    for (found, wanted) in weights.iter().flatten().zip(wanted.iter().flatten()) {
        assert!((found - wanted).abs() < 1e-6, "{weights:?}");
    }
}

#[test]
fn a_file_with_only_animations_has_joints_and_keys() {
    let mut document = figure();
    for member in ["meshes", "skins"] {
        document.as_object_mut().unwrap().remove(member);
    }
    for node in document["nodes"].as_array_mut().unwrap() {
        let node = node.as_object_mut().unwrap();
        node.remove("mesh");
        node.remove("skin");
    }
    document["nodes"][2]["name"] = "hand".into();
    let (model, losses) = imported(document.to_string().as_bytes());
    assert_eq!(losses, [""; 0]);
    assert!(model.meshes.is_empty());
    // The moving joint and its descendants.
    let joints: Vec<_> = model.joints.iter().map(|joint| (joint.name.as_str(), joint.parent)).collect();
    assert_eq!(joints, [("arm", None), ("hand", Some(0)), ("sword", Some(0))]);
    assert_eq!((model.clips.len(), model.clips[0].name.as_str(), model.clips[0].count), (1, "swing", 3));
    let mut keys = Vec::new();
    model.animations[0].frames_into(0..3, &mut keys);
    let wanted = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    assert_eq!((keys[0].rotation, keys[0].translation), ([0.0, 0.0, 0.0, 1.0], [0.0, 2.0, 0.0]));
    assert!(Quat::from_array(keys[2].rotation).abs_diff_eq(wanted, 1e-6));
    assert_eq!(keys[2].translation, [0.0, 2.0, 0.0]);
}

#[test]
fn scales_at_rest_come_back() {
    let (mut model, _) = imported(figure().to_string().as_bytes());
    // The arm and its descendants are twice as large.
    let before: Vec<_> =
        (0..3).map(|frame| (vertices(&model, 0, frame), vertices(&model, 1, frame))).collect();
    let large = |transform: &Transform| Transform { scale: [2.0; 3], ..*transform };
    model.joints[1].rest.scale = [2.0; 3];
    model.joints[3].rest.translation = model.joints[3].rest.translation.map(|axis| axis * 0.5);
    let mut keys = Vec::new();
    model.animations[0].frames_into(0..3, &mut keys);
    model.animations[0] = JointAnimation::new("swing", vec![1], keys.iter().map(large).collect());
    let rest = world(&model, 0);
    let inverse = |matrix| Mat4::from_cols_array_2d(matrix).inverse().to_cols_array_2d();
    let binds: std::sync::Arc<[_]> = rest.iter().map(inverse).collect();
    model.meshes.iter_mut().for_each(|mesh| mesh.skin = Some(binds.clone()));
    let scene = one_node("figure", &model);
    let export = Export::plan(&scene, &Options::default()).unwrap();
    let mut glb = Vec::new();
    export.write_glb(&mut glb).unwrap();
    let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document: Value = serde_json::from_slice(&glb[20..20 + len]).unwrap();
    let node =
        |name: &str| document["nodes"].as_array().unwrap().iter().find(|node| node["name"] == name).unwrap();
    assert_eq!(
        (&node("arm")["scale"], &node("arm")["extras"]),
        (&Value::Null, &json!({ "meshlens": { "scale": 2.0 } }))
    );
    assert_eq!(node("still").get("extras"), None);
    // Half a unit, scaled by 2.
    assert_eq!(node("tag_hand")["translation"], json!([0.0, 1.0, 0.0]));
    let (again, losses) = imported(&glb);
    assert_eq!(losses, [""; 0]);
    assert_eq!(again.joints, model.joints);
    let mut back = Vec::new();
    again.animations[0].frames_into(0..3, &mut back);
    assert!(
        back.iter().zip(&keys).all(|(back, key)| back.scale == [2.0; 3] && back.rotation == key.rotation)
    );
    for (frame, (sword, body)) in before.iter().enumerate() {
        near(&vertices(&again, 0, frame), sword);
        near(&vertices(&again, 1, frame), body);
    }
    // Values that are not scales are ignored.
    for scale in [json!(0), json!(-1), json!("2"), json!(1e60)] {
        let mut edited = figure();
        edited["nodes"][1]["extras"] = json!({ "meshlens": { "scale": scale } });
        assert_eq!(imported(edited.to_string().as_bytes()).0.joints[1].rest.scale, [1.0; 3]);
    }
}

#[test]
fn frames_of_joints_that_no_clip_plays_are_listed() {
    let bytes = std::fs::read(real::workspace_root().join("corpus/u3d/v2_skinned.u3d")).unwrap();
    let mut model = Model::parse(&bytes).unwrap();
    let count = model.animations[0].frame_count();
    assert!(count > 3, "{count}");
    let lost = |model: &Model<'_>, frames: Frames<'_>| -> Vec<String> {
        let options = Options { frames, ..Options::default() };
        let scene = one_node("model", model);
        let export = Export::plan(&scene, &options).unwrap();
        let found = export.losses().findings().filter(|loss| loss.code == "JOINT_FRAME_LOST");
        found.map(|loss| loss.message.clone()).collect()
    };
    let clip =
        |first, count| Clip { animation: Some(0), ..Clip::without_rate(format!("{first}"), first, count) };
    model.clips = vec![clip(0, count)];
    assert_eq!(lost(&model, Frames::All), [""; 0]);
    // Frames 1 and 2. One of them is in two clips.
    model.clips = vec![clip(2, 1), clip(1, 2)];
    assert_eq!(
        lost(&model, Frames::All),
        [format!("animation all: {} of {count} frames, which no clip plays", count - 2)]
    );
    assert_eq!(lost(&model, Frames::Clip("2")), [""; 0], "it was asked for");
    model.clips.clear();
    assert_eq!(
        lost(&model, Frames::All),
        [format!("animation all: {count} of {count} frames, which no clip plays")]
    );
}
