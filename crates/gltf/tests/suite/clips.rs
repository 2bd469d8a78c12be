//! Clips with the same name. Within a model, each becomes a separate animation. In different models, they become one
//! animation.

use std::collections::BTreeSet;

use meshlens::Model;
use meshlens::model::{Clip, export};
use meshlens::scene::{Node, Scene};
use meshlens::unigine::Anim;
use meshlens::unreal::{Script, Unreal};
use meshlens_gltf::{Export, Frames, Options};
use meshlens_testkit::corpus;
use serde_json::Value;

use super::one_node;
use super::rigs::{figure, imported};

/// Writes a scene as one file. Returns the names of its animations and the losses. No animation may have two channels for
/// one property of a node. The file is kept for the validator if `MESHLENS_GLTF_OUT` names a folder.
fn written(name: &str, scene: &Scene<'_>, options: &Options<'_>) -> (Vec<String>, Vec<String>) {
    let made = Export::plan(scene, options).unwrap();
    let mut glb = Vec::new();
    made.write_glb(&mut glb).unwrap();
    if let Some(folder) = std::env::var_os("MESHLENS_GLTF_OUT") {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.glb")), &glb).unwrap();
    }
    let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&glb[20..20 + len]).unwrap();
    let animations = json["animations"].as_array().map_or(&[][..], Vec::as_slice);
    for animation in animations {
        let channels = animation["channels"].as_array().unwrap();
        let targets: BTreeSet<String> =
            channels.iter().map(|channel| channel["target"].to_string()).collect();
        assert_eq!(targets.len(), channels.len(), "{name}: {animation}");
    }
    let names = animations.iter().map(|animation| animation["name"].as_str().unwrap().to_owned()).collect();
    let losses = made.losses().findings().filter(|loss| loss.code == "CLIP_RENAMED");
    (names, losses.map(|loss| loss.message.clone()).collect())
}

fn alone(name: &str, model: &Model<'_>) -> (Vec<String>, Vec<String>) {
    written(name, &one_node(name, model), &Options::default())
}

fn file(name: &str) -> Vec<u8> {
    corpus::with_extension(&[name]).remove(0).1
}

#[test]
fn clips_of_one_name_are_two_animations() {
    for name in ["animated.md3", "v2_animated.u3d", "v1_animated.u3d", "v2_skinned.u3d", "morph.mesh"] {
        let bytes = file(name);
        let mut model = Model::parse(&bytes).unwrap();
        let clip = model.clips.first().cloned().unwrap_or(Clip::new("", 0, model.frame_count(), 10.0));
        // Engines and `find_clip` ignore case.
        model.clips =
            ["Take 001", "take 001", "rest"].map(|name| Clip { name: name.into(), ..clip.clone() }).into();
        let (names, losses) = alone(name, &model);
        assert_eq!(names, ["Take 001", "take 001_2", "rest"], "{name}");
        assert_eq!(losses, ["clip take 001: it is written as take 001_2"], "{name}");
    }
    let files = ["ring_d.3d", "ring_a.3d"].map(file);
    let unreal = Unreal::parse(&files[0], &files[1]).unwrap();
    let mut model = Model::new(unreal.into()).unwrap();
    model.clips = vec![Clip::new("All", 0, 2, 10.0), Clip::new("All", 1, 2, 10.0)];
    assert_eq!(alone("ring", &model).0, ["All", "All_2"]);
}

#[test]
fn anim_files_of_one_name_are_two_animations() {
    // Exporters keep the name of a take, and in FBX the first take of each file is named "Take 001".
    let (mesh, anim) = (file("skinned_ms11.mesh"), file("wave_an10.anim"));
    let anim = Anim::parse(&anim).unwrap();
    let mut model = Model::parse(&mesh).unwrap();
    for _ in 0..2 {
        model.add_anim(&anim, "file");
    }
    // The mesh has a clip with the name that both files state.
    let all: Vec<_> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(all, ["wave", "turn", "wave", "wave"]);
    let (names, losses) = alone("anims", &model);
    assert_eq!(names, ["wave", "turn", "wave_2", "wave_3"]);
    assert_eq!(losses, ["clip wave: it is written as wave_2", "clip wave: it is written as wave_3"]);

    // The second is found by its new name, and the first by its own.
    for (name, renamed) in [("wave", 0), ("wave_2", 1)] {
        let options = Options { frames: Frames::Clip(name), ..Options::default() };
        let (names, losses) = written("one", &one_node("one", &model), &options);
        assert_eq!((names.as_slice(), losses.len()), (&[name.to_owned()][..], renamed));
    }
}

#[test]
fn animations_of_one_name_survive_every_format() {
    let mut document = figure();
    document["animations"][0]["name"] = "Take 001".into();
    let same = document["animations"][0].clone();
    document["animations"].as_array_mut().unwrap().push(same);
    let (model, _) = imported(document.to_string().as_bytes());
    assert_eq!(model.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["Take 001"; 2]);
    let wanted = ["Take 001", "Take 001_2"];
    assert_eq!(alone("gltf", &model).0, wanted);
    let renamed =
        |losses: &meshlens::Report| losses.findings().filter(|loss| loss.code == "CLIP_RENAMED").count();

    let (bytes, losses) = export::to_u3d(&model, 1.0).unwrap();
    assert_eq!(renamed(&losses), 1);
    assert_eq!(alone("through_u3d", &Model::parse(&bytes).unwrap()).0, wanted);

    let (bytes, losses) = export::to_unigine(&model, 1.0).unwrap();
    assert_eq!(renamed(&losses), 1);
    assert_eq!(alone("through_unigine", &Model::parse(&bytes).unwrap()).0, wanted);

    let made = export::to_md3_measured(&model, "figure", 1.0).unwrap();
    assert_eq!(renamed(&made.losses), 1);
    let mut back = Model::parse(&made.bytes).unwrap();
    back.clips.clone_from(&made.clips);
    assert_eq!(alone("through_md3", &back).0, wanted);

    let (made, losses) = export::to_unreal(&model, "figure", 1.0).unwrap();
    // The first clip has a space in its name, which scripts do not allow.
    assert_eq!(renamed(&losses), 3);
    let unreal = Unreal::parse(&made.files.geometry, &made.files.frames).unwrap();
    let mut back = Model::new(unreal.into()).unwrap();
    let script = Script::parse(made.script.as_bytes()).unwrap();
    assert!(back.set_script(&unreal, &script, "figure").unwrap().is_empty());
    assert_eq!(alone("through_unreal", &back).0, ["Take_001", "Take_001_2"]);
}

#[test]
fn clips_of_several_models_are_one_animation() {
    let bytes = file("animated.md3");
    let with = |names: &[&str]| {
        let mut model = Model::parse(&bytes).unwrap();
        model.clips = names.iter().map(|name| Clip::new(*name, 0, 2, 10.0)).collect();
        model
    };
    let both = |lower: &[&str], upper: &[&str]| Scene {
        nodes: vec![Node::new("lower", with(lower)), Node::new("upper", with(upper))],
    };
    let scene = both(&["walk", "walk"], &["walk", "walk"]);
    assert_eq!(written("models", &scene, &Options::default()).0, ["walk", "walk_2"]);
    // A generated name differs from the clip names of other models.
    let scene = both(&["walk", "walk"], &["walk_2", "walk"]);
    assert_eq!(written("made", &scene, &Options::default()).0, ["walk", "walk_3", "walk_2"]);
}
