//! Frames change vertices and tags like in the scene of the file.

use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use bevy_meshlens::meshlens::lens::VertexFormat;
use bevy_meshlens::meshlens::model::{Blend, Semantic, VertexLayout};
use bevy_meshlens::meshlens::scene::Socket;
use bevy_meshlens::{
    CpuAnimated, FrameBlend, MeshlensModel, MeshlensNode, MeshlensSubmesh, MeshlensTag, VertexFrames,
};

use crate::app::{app, load, spawn, update_until, workspace};

/// The positions of a mesh of a node, written by the view of the file.
fn expected(model: &MeshlensModel, node: usize, mesh: usize, frames: Blend) -> Vec<[f32; 3]> {
    let view = model.node_view(node).expect("a node");
    let mut pose = view.scene().rest_pose();
    pose.node_mut(node).expect("a node").frames = frames;
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let mesh = view.mesh(node, mesh).expect("a mesh");
    let mut buffer = vec![0; mesh.buffer_len(&layout)];
    mesh.fill_vertex_buffer(&pose, &layout, &mut buffer).expect("vertices");
    let floats: Vec<f32> =
        buffer.chunks_exact(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap())).collect();
    floats.chunks_exact(3).map(|position| position.try_into().unwrap()).collect()
}

fn check(path: &str, blend: FrameBlend) {
    let mut app = app(&workspace().join("corpus"));
    let scene = load(&mut app, path).expect("a file");
    spawn(&mut app, &scene);
    let mut nodes = app.world_mut().query::<(&MeshlensNode, &mut VertexFrames)>();
    for (_, mut frames) in nodes.iter_mut(app.world_mut()) {
        frames.shown = blend;
    }
    let mut written = app.world_mut().query_filtered::<(), With<CpuAnimated>>();
    update_until(&mut app, "a mesh is written", |app| written.iter(app.world()).count() > 0);
    let mut entities = app.world_mut().query::<(&MeshlensSubmesh, &Mesh3d, &ChildOf)>();
    let mut checked = 0;
    for (submesh, mesh, parent) in entities.iter(app.world()).filter(|(submesh, ..)| submesh.frame_count > 1)
    {
        let of = app.world().get::<MeshlensNode>(parent.parent()).expect("a node");
        let model = app.world().resource::<Assets<MeshlensModel>>().get(&of.model).expect("a model");
        let mesh = app.world().resource::<Assets<Mesh>>().get(&mesh.0).expect("a mesh");
        let Some(VertexAttributeValues::Float32x3(positions)) = mesh.attribute(Mesh::ATTRIBUTE_POSITION)
        else {
            panic!("no positions");
        };
        assert_eq!(*positions, expected(model, of.node, submesh.mesh, blend.into()), "{path}");
        assert_ne!(*positions, expected(model, of.node, submesh.mesh, 0.into()), "{path}: nothing moves");
        checked += 1;
    }
    assert!(checked > 0, "{path}");
}

#[test]
fn an_md3_shows_blended_frames() {
    check("md3/player/lower.md3", FrameBlend { a: 0, b: 1, weight: 0.25 });
}

#[test]
fn a_welded_unreal_mesh_shows_blended_frames() {
    check("gallery/flag_d.3d", FrameBlend { a: 1, b: 2, weight: 0.5 });
}

#[test]
fn tags_follow_the_frames() {
    let mut app = app(&workspace().join("corpus"));
    let scene = load(&mut app, "md3/player/lower.md3").expect("a file");
    spawn(&mut app, &scene);
    let blend = FrameBlend { a: 0, b: 1, weight: 0.5 };
    let mut nodes = app.world_mut().query::<&mut VertexFrames>();
    nodes.iter_mut(app.world_mut()).for_each(|mut frames| frames.shown = blend);
    app.update();
    let mut tags = app.world_mut().query::<(&MeshlensTag, &Transform, &ChildOf)>();
    let (tag, transform, parent) = tags.iter(app.world()).next().expect("a tag");
    let of = app.world().get::<MeshlensNode>(parent.parent()).expect("a node");
    let model = app.world().resource::<Assets<MeshlensModel>>().get(&of.model).expect("a model");
    let lower = &model.scene().nodes[0].model;
    // X, Y and Z of Quake are Z, X and Y of glTF.
    let [x, y, z] = lower.blend_tag_pose(tag.tag, blend.into()).expect("a pose").origin;
    assert!(transform.translation.abs_diff_eq(Vec3::new(y, z, x), 1e-4), "{transform:?}");
    let pose = model.scene().rest_pose();
    assert_ne!(model.socket(0, Socket::Tag(tag.tag), &pose), Some(*transform), "the tag does not move");
}
