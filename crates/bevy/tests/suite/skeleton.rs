//! Clips move joints like in the scene of the file.

use bevy::animation::graph::AnimationNodeIndex;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;
use bevy_meshlens::{MeshlensModel, MeshlensNode, MeshlensRoot, MeshlensSubmesh};

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
        let mesh = view.mesh(of.node, submesh.mesh).expect("a mesh");
        let [expected, rest] = [pose, view.scene().rest_pose()]
            .map(|pose| mesh.skin(&pose).expect("matrices").collect::<Vec<_>>());
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
fn joints_of_unigine_move_like_their_clip() {
    check("gallery/walker.mesh", 0.13);
}

#[test]
fn joints_of_ultimate_3d_move_like_their_clip() {
    check("gallery/walker.u3d", 0.13);
}
