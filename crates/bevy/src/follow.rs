//! The systems that follow the vertex frames of a node: for its tags, and for the meshes that the CPU writes.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::asset::{AssetEvent, AssetId, Assets, Handle};
use bevy::ecs::prelude::*;
use bevy::mesh::morph::MorphWeights;
use bevy::mesh::{Mesh, Mesh3d};
use bevy::transform::components::Transform;
use meshlens::model::{Blend, Topology};
use meshlens::scene::{Pose, Socket};

use crate::parts::Vertices;
use crate::{
    FrameBlend, GpuAnimated, MeshlensModel, MeshlensNode, MeshlensSubmesh, MeshlensTag, VertexFrames,
};

/// The pose of a node that shows vertex frames.
fn pose(model: &MeshlensModel, node: usize, frames: VertexFrames) -> Option<Pose> {
    let mut pose = model.scene().rest_pose();
    pose.node_mut(node)?.frames = frames.shown.into();
    Some(pose)
}

/// Moves the entities of tags, and the entities attached to them, with the frames of their nodes.
pub(crate) fn follow_tags(
    models: Res<Assets<MeshlensModel>>,
    nodes: Query<(&MeshlensNode, &VertexFrames, &Children), Changed<VertexFrames>>,
    mut tags: Query<(&MeshlensTag, &mut Transform)>,
) {
    for (of, frames, children) in &nodes {
        let Some(model) = models.get(&of.model) else { continue };
        let Some(pose) = pose(model, of.node, *frames) else { continue };
        for child in children {
            if let Ok((tag, mut transform)) = tags.get_mut(*child)
                && let Some(at) = model.socket(of.node, Socket::Tag(tag.tag), &pose)
            {
                *transform = at;
            }
        }
    }
}

/// Sets the weights of morph targets, one for each frame.
pub(crate) fn follow_morphs(mut nodes: Query<(&VertexFrames, &mut MorphWeights), Changed<VertexFrames>>) {
    for (frames, mut weights) in &mut nodes {
        let Blend { a, b, weight } = frames.shown.into();
        let weights = weights.weights_mut();
        let Some(last) = weights.len().checked_sub(1) else { continue };
        weights.fill(0.0);
        // The frame at rest is a morph target, too, so that the weights add up to 1.
        weights[a.min(last)] += 1.0 - weight;
        weights[b.min(last)] += weight;
    }
}

/// A mesh that the CPU writes: a copy of the loaded mesh for one entity.
#[derive(Component)]
pub struct CpuAnimated {
    mesh: Handle<Mesh>,
}

/// The triangles of meshes whose stored triangles cannot be drawn directly.
#[derive(Default)]
pub(crate) struct Topologies(HashMap<(AssetId<MeshlensModel>, usize, usize), Arc<Topology>>);

/// The model that is outdated, because its file changed or it is no longer used.
pub(crate) fn outdated(event: &AssetEvent<MeshlensModel>) -> Option<AssetId<MeshlensModel>> {
    match event {
        AssetEvent::Modified { id } | AssetEvent::Removed { id } | AssetEvent::Unused { id } => Some(*id),
        AssetEvent::Added { .. } | AssetEvent::LoadedWithDependencies { .. } => None,
    }
}

/// The queried data of a submesh.
type Submesh = (Entity, &'static MeshlensSubmesh, &'static mut Mesh3d, Option<&'static CpuAnimated>);

type Submeshes<'w, 's> = Query<'w, 's, Submesh, Without<GpuAnimated>>;

/// Nodes whose frames changed.
type Moved<'w, 's> = Query<
    'w,
    's,
    (&'static MeshlensNode, &'static VertexFrames, &'static Children),
    (Changed<VertexFrames>, Without<MorphWeights>),
>;

/// Writes the vertices of nodes whose frames changed, unless the GPU animates them.
pub(crate) fn write_meshes(
    mut commands: Commands,
    models: Res<Assets<MeshlensModel>>,
    mut meshes: ResMut<Assets<Mesh>>,
    nodes: Moved,
    mut submeshes: Submeshes,
    mut changed: MessageReader<AssetEvent<MeshlensModel>>,
    mut known: Local<Topologies>,
) {
    for id in changed.read().filter_map(outdated) {
        known.0.retain(|(model, ..), _| *model != id);
    }
    for (of, frames, children) in &nodes {
        let Some(model) = models.get(&of.model) else { continue };
        for child in children {
            let Ok((entity, submesh, mut mesh, own)) = submeshes.get_mut(*child) else { continue };
            let rest =
                model.scene().nodes.get(of.node).map(|of| FrameBlend::from(Blend::from(of.rest_frame)));
            if submesh.frame_count < 2 || own.is_none() && rest == Some(frames.shown) {
                continue;
            }
            let key = (of.model.id(), of.node, submesh.mesh);
            let Some(vertices) = decode(model, key, *frames, &mut known) else { continue };
            let handle = match own {
                Some(own) => own.mesh.clone(),
                None => {
                    let Some(copy) = meshes.get(&mesh.0).cloned() else { continue };
                    let handle = meshes.add(copy);
                    mesh.0 = handle.clone();
                    commands.entity(entity).insert(CpuAnimated { mesh: handle.clone() });
                    handle
                }
            };
            let Some(mut written) = meshes.get_mut(&handle) else { continue };
            written.insert_attribute(Mesh::ATTRIBUTE_POSITION, vertices.positions);
            if !vertices.normals.is_empty() {
                written.insert_attribute(Mesh::ATTRIBUTE_NORMAL, vertices.normals);
            }
        }
    }
}

fn decode(
    model: &MeshlensModel,
    key: (AssetId<MeshlensModel>, usize, usize),
    frames: VertexFrames,
    known: &mut Topologies,
) -> Option<Vertices> {
    let (_, node, mesh) = key;
    let view = model.node_view(node)?;
    let mesh = match known.0.get(&key) {
        Some(topology) => view.mesh_with(node, mesh, topology.clone()).ok()?,
        None => {
            let made = view.mesh(node, mesh).ok()?;
            known.0.insert(key, made.topology().clone());
            made
        }
    };
    Vertices::of_frames(&view, &mesh, node, frames.shown.into()).ok()
}
