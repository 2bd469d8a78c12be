//! The extension of `StandardMaterial` that decodes vertex frames.

use bevy::asset::uuid::Uuid;
use bevy::asset::{Asset, Handle};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::reflect::Reflect;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, SpecializedMeshPipelineError};
use bevy::render::storage::ShaderBuffer;
use bevy::shader::{Shader, ShaderRef};

use super::shader::FALLBACK;

/// The extension of a `StandardMaterial` that reads the vertex frames of one mesh.
#[derive(Asset, AsBindGroup, Clone, Debug, Reflect)]
#[bind_group_data(FrameKey)]
pub struct FrameExtension {
    #[storage(100, read_only, visibility(vertex))]
    pub(super) frames: Handle<ShaderBuffer>,
    #[storage(101, read_only, visibility(vertex))]
    pub(super) instances: Handle<ShaderBuffer>,
    /// The shader that decodes the encodings of the mesh.
    pub(super) shader: Uuid,
}

/// The part of a [`FrameExtension`] that selects the pipeline: the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct FrameKey {
    shader: Uuid,
}

impl From<&FrameExtension> for FrameKey {
    fn from(extension: &FrameExtension) -> Self {
        FrameKey { shader: extension.shader }
    }
}

impl MaterialExtension for FrameExtension {
    // A placeholder for the shader of the mesh. Bevy only binds the material in the prepass if it has its own shader.
    fn vertex_shader() -> ShaderRef {
        ShaderRef::Handle(FALLBACK)
    }

    fn prepass_vertex_shader() -> ShaderRef {
        ShaderRef::Handle(FALLBACK)
    }

    fn deferred_vertex_shader() -> ShaderRef {
        ShaderRef::Handle(FALLBACK)
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        key: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        descriptor.vertex.shader = Handle::<Shader>::Uuid(key.bind_group_data.shader, Default::default());
        Ok(())
    }
}
