//! Meshes with more morph targets than a mesh may have.

use meshlens::Model;
use meshlens_gltf::{Export, Options};

use super::frames::{clips, lift};
use super::one_node;

#[test]
fn meshes_with_too_many_targets_are_shown_in_turn() {
    let bytes = lift();
    let mut model = Model::parse(&bytes).unwrap();
    model.clips = clips();
    let mut glb = Vec::new();
    let scene = one_node("lift", &model);
    let export = Export::plan(&scene, &Options { max_targets: 3, ..Options::default() }).unwrap();
    let messages: Vec<&str> = export.losses().findings().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["lift: 7 morph targets, more than 3: 5 meshes in place of each, shown in turn"]);
    export.write_glb(&mut glb).unwrap();
    let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&glb[20..20 + len]).unwrap();
    // Frames 1 to 3; 3 to 5; then those of the clip that plays from 6 to 2; and the one that no clip shows.
    let meshes: Vec<(&str, &serde_json::Value)> = document["meshes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mesh| (mesh["name"].as_str().unwrap(), &mesh["extras"]["targetNames"]))
        .collect();
    let names = [
        ("plate", serde_json::json!(["frame 1", "frame 2", "x"])),
        ("plate part 2", serde_json::json!(["x", "x", "five"])),
        ("plate part 3", serde_json::json!(["x", "five", "6"])),
        ("plate part 4", serde_json::json!(["frame 2", "x", "x"])),
        ("plate part 5", serde_json::json!(["end"])),
    ];
    assert_eq!(meshes, names.each_ref().map(|(name, targets)| (*name, targets)));
    // At rest, the first mesh is shown.
    let nodes = document["nodes"].as_array().unwrap();
    let node = |name: &str| nodes.iter().position(|node| node["name"] == name).unwrap();
    assert_eq!(nodes[node("plate")].get("scale"), None);
    assert_eq!(nodes[node("plate part 2")]["scale"], serde_json::json!([0.0, 0.0, 0.0]));
    // The clip from frame 1 to 4 changes to the second mesh at frame 3, which both have.
    let bin = &glb[20 + len + 8..];
    let floats = |accessor: &serde_json::Value| -> Vec<f32> {
        let accessor = &document["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let offset = ["byteOffset"].map(|name| {
            view[name].as_u64().unwrap_or_default() + accessor[name].as_u64().unwrap_or_default()
        });
        let size = if accessor["type"] == "VEC3" { 12 } else { 4 };
        let count = accessor["count"].as_u64().unwrap() as usize * size;
        let values = &bin[offset[0] as usize..][..count];
        values.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect()
    };
    let rise = &document["animations"][0];
    let scales = |name: &str| {
        let channels = rise["channels"].as_array().unwrap().iter();
        let mut of = channels.filter(|channel| {
            channel["target"]["path"] == "scale" && channel["target"]["node"] == node(name)
        });
        let sampler = &rise["samplers"][of.next().unwrap()["sampler"].as_u64().unwrap() as usize];
        assert_eq!(sampler["interpolation"], "STEP");
        let times: Vec<f32> = floats(&sampler["input"]).iter().map(|time| (time * 12.0).round()).collect();
        (times, floats(&sampler["output"]).iter().step_by(3).copied().collect::<Vec<f32>>())
    };
    assert_eq!(scales("plate"), (vec![0.0, 2.0, 3.0], vec![1.0, 0.0, 0.0]));
    assert_eq!(scales("plate part 2"), (vec![0.0, 2.0, 3.0], vec![0.0, 1.0, 1.0]));
    assert_eq!(scales("plate part 5").1, [0.0; 3]);
}
