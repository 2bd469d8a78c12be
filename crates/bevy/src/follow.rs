//! The systems that follow the vertex frames of a node: for its tags, and for the meshes that the CPU writes.

use std::collections::HashMap;
use std::mem::replace;
use std::sync::Arc;

use bevy::asset::{AssetEvent, AssetId, Assets, Handle};
use bevy::ecs::prelude::*;
use bevy::mesh::morph::MorphWeights;
use bevy::mesh::{Mesh, Mesh3d, VertexAttributeValues};
use bevy::transform::components::Transform;
use meshlens::lens::VertexFormat;
use meshlens::model::{Blend, Semantic, Topology, VertexLayout};
use meshlens::scene::{Pose, Socket, ViewMesh};

use crate::{
    FrameBlend, GpuAnimated, MeshlensModel, MeshlensNode, MeshlensSubmesh, MeshlensTag, VertexFrames,
};

/// What the frames of models are written with: kept, so that a frame allocates nothing.
#[derive(Resource, Default)]
pub(crate) struct Kept {
    /// The pose at rest of each model.
    poses: HashMap<AssetId<MeshlensModel>, Pose>,
    /// The triangles of each mesh of a node. Meshes whose vertices have to be welded need them.
    topologies: Topologies,
}

impl Kept {
    /// Calls `then` with a pose in which one node shows vertex frames.
    fn with_frames<R>(
        &mut self,
        model: &MeshlensModel,
        of: &MeshlensNode,
        frames: VertexFrames,
        then: impl FnOnce(&Pose, &mut Topologies) -> R,
    ) -> Option<R> {
        let pose = self.poses.entry(of.model.id()).or_insert_with(|| model.scene().rest_pose());
        let rest = replace(&mut pose.node_mut(of.node)?.frames, frames.shown.into());
        let result = then(pose, &mut self.topologies);
        pose.node_mut(of.node)?.frames = rest;
        Some(result)
    }
}

/// Drops what is kept of models that are outdated.
pub(crate) fn forget_outdated(mut kept: ResMut<Kept>, mut changed: MessageReader<AssetEvent<MeshlensModel>>) {
    for id in changed.read().filter_map(outdated) {
        kept.poses.remove(&id);
        kept.topologies.retain(|(model, ..), _| *model != id);
    }
}

/// Moves the entities of tags, and the entities attached to them, with the frames of their nodes.
pub(crate) fn follow_tags(
    models: Res<Assets<MeshlensModel>>,
    nodes: Query<(&MeshlensNode, &VertexFrames, &Children), Changed<VertexFrames>>,
    mut tags: Query<(&MeshlensTag, &mut Transform)>,
    mut kept: ResMut<Kept>,
) {
    for (of, frames, children) in &nodes {
        let Some(model) = models.get(&of.model) else { continue };
        kept.with_frames(model, of, *frames, |pose, _| {
            for child in children {
                if let Ok((tag, mut transform)) = tags.get_mut(*child)
                    && let Some(at) = model.socket(of.node, Socket::Tag(tag.tag), pose)
                {
                    *transform = at;
                }
            }
        });
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

type Topologies = HashMap<(AssetId<MeshlensModel>, usize, usize), Arc<Topology>>;

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
    mut kept: ResMut<Kept>,
) {
    for (of, frames, children) in &nodes {
        let Some(model) = models.get(&of.model) else { continue };
        for child in children {
            let Ok((entity, submesh, mut mesh, own)) = submeshes.get_mut(*child) else { continue };
            let rest =
                model.scene().nodes.get(of.node).map(|of| FrameBlend::from(Blend::from(of.rest_frame)));
            if submesh.frame_count < 2 || own.is_none() && rest == Some(frames.shown) {
                continue;
            }
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
            kept.with_frames(model, of, *frames, |pose, topologies| {
                let mesh = view_mesh(model, of, submesh.mesh, topologies)?;
                // A mesh that cannot be decoded stays as it is.
                write(&mesh, pose, &mut written).ok()
            });
        }
    }
}

fn view_mesh<'m>(
    model: &'m MeshlensModel,
    of: &MeshlensNode,
    mesh: usize,
    known: &mut Topologies,
) -> Option<ViewMesh<'m, 'm>> {
    let view = model.node_view(of.node)?;
    let key = (of.model.id(), of.node, mesh);
    if let Some(topology) = known.get(&key) {
        return view.mesh_with(of.node, mesh, topology.clone()).ok();
    }
    let made = view.mesh(of.node, mesh).ok()?;
    known.insert(key, made.topology().clone());
    Some(made)
}

/// Writes positions and normals into the arrays of a mesh.
fn write(mesh: &ViewMesh<'_, '_>, pose: &Pose, written: &mut Mesh) -> meshlens::Result<()> {
    for (semantic, attribute) in
        [(Semantic::Position, Mesh::ATTRIBUTE_POSITION), (Semantic::Normal, Mesh::ATTRIBUTE_NORMAL)]
    {
        if mesh.mesh().attribute(semantic, 0, 0)?.is_none() {
            continue;
        }
        if !matches!(written.attribute(attribute), Some(VertexAttributeValues::Float32x3(_))) {
            written.insert_attribute(attribute, Vec::<[f32; 3]>::new());
        }
        if let Some(VertexAttributeValues::Float32x3(values)) = written.attribute_mut(attribute) {
            values.resize(mesh.vertex_count(), [0.0; 3]);
            let layout = VertexLayout::new(12).with(semantic, 0, VertexFormat::Float32x3);
            mesh.fill_vertex_buffer(pose, &layout, bytemuck::cast_slice_mut(values))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use allocation_counter::measure;
    use bevy::asset::RenderAssetUsages;
    use bevy::ecs::message::Messages;
    use bevy::ecs::system::BoxedSystem;
    use bevy::mesh::PrimitiveTopology;
    use meshlens_assets::Assets as Files;

    use super::*;
    use crate::MeshlensSettings;

    fn corpus(path: &str) -> Files {
        let this = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Files::new();
        files
            .mount_folder(this.ancestors().nth(2).expect("the workspace").join("corpus").join(path))
            .expect("a folder");
        files
    }

    /// A world with an entity for the first node of a model, and those of its first mesh and tag.
    fn world(folder: &str, name: &str) -> (World, Entity, Handle<Mesh>) {
        let files = corpus(folder).open(name).expect("a model");
        let frame_count = files.scene().nodes[0].model.meshes[0].frame_count();
        let mut world = World::new();
        world.init_resource::<Messages<AssetEvent<MeshlensModel>>>();
        world.init_resource::<Kept>();
        let (mut models, mut meshes) = (Assets::<MeshlensModel>::default(), Assets::<Mesh>::default());
        let model = models.add(MeshlensModel::new(files, &MeshlensSettings::default()));
        let mesh = meshes.add(Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::MAIN_WORLD));
        world.insert_resource(models);
        world.insert_resource(meshes);
        let node = world.spawn((MeshlensNode { model, node: 0 }, VertexFrames::default())).id();
        let submesh = MeshlensSubmesh { frame_count, ..MeshlensSubmesh::default() };
        world.spawn((submesh, Mesh3d(mesh.clone()), CpuAnimated { mesh: mesh.clone() }, ChildOf(node)));
        world.spawn((MeshlensTag::default(), Transform::default(), ChildOf(node)));
        (world, node, mesh)
    }

    #[test]
    fn frames_after_the_first_allocate_nothing() {
        for (folder, name) in [("md3/player", "lower.md3"), ("gallery", "flag_d.3d")] {
            let (mut world, node, mesh) = world(folder, name);
            let mut systems: Vec<BoxedSystem> = vec![
                Box::new(IntoSystem::into_system(forget_outdated)),
                Box::new(IntoSystem::into_system(follow_tags)),
                Box::new(IntoSystem::into_system(write_meshes)),
            ];
            systems.iter_mut().for_each(|system| drop(system.initialize(&mut world)));
            let mut positions = Vec::new();
            let mut counts = Vec::new();
            for weight in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7] {
                world.get_mut::<VertexFrames>(node).expect("frames").shown =
                    FrameBlend { a: 0, b: 1, weight };
                counts.push(measure(|| {
                    for system in &mut systems {
                        system.run((), &mut world).expect("a system");
                    }
                }));
                let meshes = world.resource::<Assets<Mesh>>();
                let Some(VertexAttributeValues::Float32x3(written)) =
                    meshes.get(&mesh).expect("a mesh").attribute(Mesh::ATTRIBUTE_POSITION)
                else {
                    panic!("no positions");
                };
                assert!(*written != positions, "{name}: nothing moves");
                positions.clone_from(written);
            }
            // Bevy's list of changed assets, which no system of Bevy empties here, grows once.
            let counts: Vec<u64> = counts.iter().map(|count| count.count_total).collect();
            assert!(counts[1..].iter().sum::<u64>() <= 1, "{name}: {counts:?}");
        }
    }
}
