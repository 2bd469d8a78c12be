//! Vertex animation on the GPU: a buffer contains the stored frames of a mesh, and the vertex shader decodes them.
//!
//! The instance data of each entity are the offsets of two frames and a weight, 16 bytes. Entities with the same mesh
//! are drawn together, even if they show different frames.

mod animated;
mod frames;
mod material;
mod shader;

use std::collections::HashMap;

use bevy::app::{App, Plugin, PostUpdate};
use bevy::asset::{AssetEvent, AssetId, Assets};
use bevy::ecs::prelude::*;
use bevy::log::error;
use bevy::pbr::{ExtendedMaterial, MaterialPlugin, MeshMaterial3d, StandardMaterial};
use bevy::render::gpu_component_array_buffer::{GpuComponentArray, GpuComponentArrayBufferPlugin};
use bevy::render::renderer::RenderDevice;
use bevy::render::storage::ShaderBuffer;
use bevy::shader::Shader;

use crate::{
    LoadError, MeshlensModel, MeshlensNode, MeshlensSubmesh, MeshlensSystems, VertexAnimationMode,
    VertexFrames, follow,
};
pub use animated::GpuAnimated;
use frames::FrameBuffer;
pub use material::{FrameExtension, FrameKey};

/// The material of a mesh whose vertex frames are decoded by the shader. It is lit like a `StandardMaterial`.
pub type FrameMaterial = ExtendedMaterial<StandardMaterial, FrameExtension>;

/// The number of storage buffers that a vertex shader needs: the buffers of Bevy, the frames and the instances.
const STORAGE_BUFFERS: u32 = 8;

/// An entity whose frames are decoded by the CPU, because the device does not support it.
#[derive(Component)]
struct OnCpu;

/// Decodes vertex frames on the GPU. [`MeshlensPlugin`](crate::MeshlensPlugin) adds it if there is a renderer.
pub(crate) struct GpuAnimationPlugin;

impl Plugin for GpuAnimationPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins((
            MaterialPlugin::<FrameMaterial>::default(),
            GpuComponentArrayBufferPlugin::<GpuAnimated>::default(),
        ))
        .add_systems(
            PostUpdate,
            (show_on_gpu, follow_frames).chain().in_set(MeshlensSystems).before(follow::write_meshes),
        );
    }
}

/// A model, a node and a mesh.
type MeshKey = (AssetId<MeshlensModel>, usize, usize);

/// The buffers and shaders that were made, by model, node and mesh, and the materials, also by submesh.
#[derive(Default)]
struct Known {
    meshes: HashMap<MeshKey, Option<KnownMesh>>,
    materials: HashMap<(MeshKey, AssetId<StandardMaterial>), AssetId<FrameMaterial>>,
}

#[derive(Clone)]
struct KnownMesh {
    extension: FrameExtension,
    shown: GpuAnimated,
}

/// The queried data of a new entity.
type NewMesh =
    (Entity, &'static MeshlensSubmesh, &'static MeshMaterial3d<StandardMaterial>, &'static ChildOf);

type New<'w, 's> = Query<'w, 's, NewMesh, (Without<GpuAnimated>, Without<OnCpu>)>;

/// Replaces the materials of new entities that have frames.
#[expect(clippy::too_many_arguments, reason = "parameters of a system")]
fn show_on_gpu(
    mut commands: Commands,
    models: Res<Assets<MeshlensModel>>,
    standard: Res<Assets<StandardMaterial>>,
    mut materials: ResMut<Assets<FrameMaterial>>,
    mut buffers: ResMut<Assets<ShaderBuffer>>,
    mut shaders: ResMut<Assets<Shader>>,
    instances: Res<GpuComponentArray<GpuAnimated>>,
    device: Option<Res<RenderDevice>>,
    mut changed: MessageReader<AssetEvent<MeshlensModel>>,
    mut known: Local<Known>,
    new: New,
    nodes: Query<(&MeshlensNode, &VertexFrames)>,
) {
    for id in changed.read().filter_map(follow::outdated) {
        known.meshes.retain(|(model, ..), _| *model != id);
        known.materials.retain(|((model, ..), _), _| *model != id);
    }
    for (entity, submesh, material, parent) in &new {
        let Ok((of, frames)) = nodes.get(parent.parent()) else { continue };
        let Some(model) = models.get(&of.model) else { continue };
        let is_wanted =
            model.settings().vertex_animation == VertexAnimationMode::Auto && submesh.frame_count > 1;
        let device = device.as_deref().filter(|device| {
            is_wanted && device.limits().max_storage_buffers_per_shader_stage >= STORAGE_BUFFERS
        });
        let Some(device) = device else {
            commands.entity(entity).insert(OnCpu);
            continue;
        };
        let key = (of.model.id(), of.node, submesh.mesh);
        let mesh = known.meshes.entry(key).or_insert_with(|| {
            let made = upload(model, of.node, submesh.mesh, device, &mut buffers, &mut shaders, &instances);
            made.map_err(|failed| error!("{failed}")).ok()
        });
        let Some(KnownMesh { extension, shown }) = mesh.clone() else {
            commands.entity(entity).insert(OnCpu);
            continue;
        };
        let key = (key, material.id());
        let found = known.materials.get(&key).and_then(|id| materials.get_strong_handle(*id));
        let handle = found.unwrap_or_else(|| {
            let base = standard.get(material.id()).cloned().unwrap_or_default();
            let handle = materials.add(FrameMaterial { base, extension });
            known.materials.insert(key, handle.id());
            handle
        });
        let mut shown = shown;
        shown.show(*frames);
        commands
            .entity(entity)
            .remove::<MeshMaterial3d<StandardMaterial>>()
            .insert((MeshMaterial3d(handle), shown));
    }
}

/// Makes the buffer of a mesh and the shader that decodes it.
fn upload(
    model: &MeshlensModel,
    node: usize,
    mesh: usize,
    device: &RenderDevice,
    buffers: &mut Assets<ShaderBuffer>,
    shaders: &mut Assets<Shader>,
    instances: &GpuComponentArray<GpuAnimated>,
) -> Result<KnownMesh, LoadError> {
    let failed = |error| LoadError::Mesh { file: model.file(node), node, mesh, error: Box::new(error) };
    let out_of_range =
        || failed(meshlens::Error::of_call("scene", meshlens::wire::ErrorKind::Missing { what: "node" }));
    let view = model.node_view(node).ok_or_else(out_of_range)?;
    let of = view.mesh(node, mesh).map_err(failed)?;
    let matrix = of.matrix(&view.scene().rest_pose()).map_err(failed)?;
    let made = FrameBuffer::new(&of, matrix).map_err(failed)?;
    let limits = device.limits();
    let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    let size = made.words.len() as u64 * 4;
    if size > limit {
        let remedy = "the CPU shows its frames; use a device with larger storage buffers, or fewer frames";
        let (file, offset, what) = (model.file(node), crate::parts::offset(&of), "bytes of vertex frames");
        return Err(LoadError::Limit { file, offset, what, limit, found: size, remedy });
    }
    let shader = shader::add(&made.tables, shaders);
    let count = of.mesh().frame_count() as u32;
    let frame_size = made.frame_size;
    let buffer = ShaderBuffer::new(made.words, bevy::asset::RenderAssetUsages::RENDER_WORLD);
    let frames = buffers.add(ShaderBuffer { label: "vertex frames".into(), ..buffer });
    let extension = FrameExtension { frames, instances: instances.buffer.clone(), shader };
    let shown = GpuAnimated { frames: [0; 2], weight: 0.0, size: frame_size, count };
    Ok(KnownMesh { extension, shown })
}

/// Copies the frames of nodes to their entities on the GPU.
fn follow_frames(
    nodes: Query<(&VertexFrames, &Children), Changed<VertexFrames>>,
    mut shown: Query<&mut GpuAnimated>,
) {
    for (frames, children) in &nodes {
        for child in children {
            if let Ok(mut shown) = shown.get_mut(*child) {
                shown.show(*frames);
            }
        }
    }
}
