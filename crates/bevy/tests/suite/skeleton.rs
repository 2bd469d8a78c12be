//! Clips move joints as the scene of the file says, and settings are read from `.meta` files.

use std::fs;

use bevy::animation::graph::AnimationNodeIndex;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;
use bevy_meshlens::{MeshlensModel, MeshlensNode, MeshlensRoot, MeshlensScene, MeshlensSubmesh};

use crate::app::{app, load, spawn, workspace};

/// Compares the matrix of each joint of a file at a time of a clip.
fn check(path: &str, time: f32) {
    let mut app = app(&workspace().join("corpus"));
    let scene = load(&mut app, path).expect("a file");
    let root = spawn(&mut app, &scene);
    let (name, index, _) = app.world().get::<MeshlensRoot>(root).expect("a root").clips[0].clone();
    let mut player = app.world_mut().get_mut::<AnimationPlayer>(root).expect("a player");
    player.play(AnimationNodeIndex::new(index as usize)).seek_to(time).pause();
    for _ in 0..3 {
        app.update();
    }
    let mut skins = app.world_mut().query::<(&SkinnedMesh, &MeshlensSubmesh, &ChildOf)>();
    let mut checked = 0;
    for (skin, submesh, parent) in skins.iter(app.world()) {
        let of = app.world().get::<MeshlensNode>(parent.parent()).expect("a node");
        let model = app.world().resource::<Assets<MeshlensModel>>().get(&of.model).expect("a model");
        let view = model.node_view(of.node).expect("a node");
        let pose = view.scene().pose(&[(&name, time)]).expect("a clip");
        let expected = view.mesh(0, submesh.mesh).expect("a mesh").skin(&pose).expect("matrices");
        let rest =
            view.mesh(0, submesh.mesh).expect("a mesh").skin(&view.scene().rest_pose()).expect("matrices");
        assert!(expected != rest, "{path}: nothing moves");
        let binds = app.world().resource::<Assets<SkinnedMeshInverseBindposes>>();
        let binds = binds.get(&skin.inverse_bindposes).expect("matrices");
        assert_eq!(binds.len(), skin.joints.len());
        for ((joint, bind), expected) in skin.joints.iter().zip(&**binds).zip(&expected) {
            let joint = app.world().get::<GlobalTransform>(*joint).expect("a joint").to_matrix();
            let found = joint * *bind;
            let expected = Mat4::from_cols_array_2d(expected);
            assert!(found.abs_diff_eq(expected, 1e-3), "{path}: {found} is not {expected}");
            checked += 1;
        }
    }
    assert!(checked > 0, "{path} has no joints");
}

#[test]
fn the_joints_of_unigine_move_as_the_clip_says() {
    check("gallery/walker.mesh", 0.13);
}

#[test]
fn the_joints_of_ultimate_3d_move_as_the_clip_says() {
    check("gallery/walker.u3d", 0.13);
}

#[test]
fn settings_are_read_from_a_meta_file() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(workspace().join("corpus/gallery/crate.md3"), folder.path().join("crate.md3")).expect("a copy");
    let meta = "(meta_format_version: \"1.0\", asset: Load(loader: \"bevy_meshlens::loader::MeshlensLoader\", \
                settings: (scale: 2.0, clips: Frames)))";
    fs::write(folder.path().join("crate.md3.meta"), meta).expect("a file");
    let mut app = app(folder.path());
    let scene = load(&mut app, "crate.md3").expect("a model");
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    let model = app.world().resource::<Assets<MeshlensModel>>().get(&of.model).expect("a model");
    assert_eq!(model.settings().scale, 2.0);
    assert_eq!(of.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["frames"]);
}
