//! Bind groups, and their layouts in the renderer's shaders.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, BufferBindingType, Device, SamplerBindingType,
    ShaderStages, TextureSampleType, TextureViewDimension,
};

use crate::layout::Binding;
use crate::shader::{Joints, MeshLayout};

const UNIFORM: BindingType = buffer(BufferBindingType::Uniform, false);

/// Group 0: the scene.
pub(crate) fn scene_layout(device: &Device) -> BindGroupLayout {
    layout(device, "scene", &[entry(0, ShaderStages::VERTEX_FRAGMENT, UNIFORM)])
}

/// Group 1: the color, texture and sampler of a material.
pub(crate) fn material_layout(device: &Device) -> BindGroupLayout {
    let entries = [
        // Vertices have the texture coordinates of the set of their material.
        entry(0, ShaderStages::VERTEX_FRAGMENT, UNIFORM),
        entry(1, ShaderStages::FRAGMENT, texture(TextureSampleType::Float { filterable: true })),
        entry(2, ShaderStages::FRAGMENT, BindingType::Sampler(SamplerBindingType::Filtering)),
    ];
    layout(device, "material", &entries)
}

/// Group 2: the numbers of a mesh, and its tables that are texels.
pub(crate) fn mesh_layout(device: &Device, mesh: &MeshLayout) -> BindGroupLayout {
    let mut entries = Vec::new();
    if mesh.needs_counts() {
        entries.push(entry(0, ShaderStages::VERTEX, UNIFORM));
    }
    for (index, table) in (1..).zip(&mesh.tables) {
        if matches!(table.binding, Binding::Texels(_)) {
            entries.push(entry(index, ShaderStages::VERTEX, texture(TextureSampleType::Uint)));
        }
    }
    layout(device, "mesh", &entries)
}

/// Group 3: the matrices of the joints. A uniform buffer has one block for each instance.
pub(crate) fn joints_layout(device: &Device, joints: Joints) -> BindGroupLayout {
    let ty = match joints {
        Joints::Storage => buffer(BufferBindingType::Storage { read_only: true }, false),
        Joints::Uniform(_) => buffer(BufferBindingType::Uniform, true),
    };
    layout(device, "joints", &[entry(0, ShaderStages::VERTEX, ty)])
}

const fn buffer(ty: BufferBindingType, has_dynamic_offset: bool) -> BindingType {
    BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None }
}

const fn texture(sample_type: TextureSampleType) -> BindingType {
    BindingType::Texture { sample_type, view_dimension: TextureViewDimension::D2, multisampled: false }
}

const fn entry(binding: u32, visibility: ShaderStages, ty: BindingType) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn layout(device: &Device, label: &str, entries: &[BindGroupLayoutEntry]) -> BindGroupLayout {
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some(label), entries })
}

/// A bind group of resources, each with its binding.
pub(crate) fn bind_group<'r>(
    device: &Device,
    label: &str,
    layout: &BindGroupLayout,
    resources: impl IntoIterator<Item = (u32, BindingResource<'r>)>,
) -> BindGroup {
    let entry = |(binding, resource)| BindGroupEntry { binding, resource };
    let entries: Vec<_> = resources.into_iter().map(entry).collect();
    device.create_bind_group(&BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}
