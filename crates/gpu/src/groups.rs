//! The layouts of the bind groups of the renderer's shaders.

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, Device,
    SamplerBindingType, ShaderStages, TextureSampleType, TextureViewDimension,
};

use crate::layout::Binding;
use crate::shader::{Joints, MeshLayout};

/// Group 0: the scene.
pub(crate) fn scene_layout(device: &Device) -> BindGroupLayout {
    one_entry(device, "scene", ShaderStages::VERTEX_FRAGMENT, uniform(false))
}

/// Group 1: the color, texture and sampler of a material.
pub(crate) fn material_layout(device: &Device) -> BindGroupLayout {
    let entry =
        |binding, ty| BindGroupLayoutEntry { binding, visibility: ShaderStages::FRAGMENT, ty, count: None };
    let texture = BindingType::Texture {
        sample_type: TextureSampleType::Float { filterable: true },
        view_dimension: TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = BindingType::Sampler(SamplerBindingType::Filtering);
    let mut entries = [entry(0, uniform(false)), entry(1, texture), entry(2, sampler)];
    // Vertices have the texture coordinates of the set of their material.
    entries[0].visibility = ShaderStages::VERTEX_FRAGMENT;
    layout(device, "material", &entries)
}

/// Group 2: the numbers of a mesh, and its tables that are texels.
pub(crate) fn mesh_layout(device: &Device, mesh: &MeshLayout) -> BindGroupLayout {
    let entry =
        |binding, ty| BindGroupLayoutEntry { binding, visibility: ShaderStages::VERTEX, ty, count: None };
    let texels = BindingType::Texture {
        sample_type: TextureSampleType::Uint,
        view_dimension: TextureViewDimension::D2,
        multisampled: false,
    };
    let mut entries = Vec::new();
    if mesh.needs_counts() {
        entries.push(entry(0, uniform(false)));
    }
    for (index, table) in (1..).zip(&mesh.tables) {
        if matches!(table.binding, Binding::Texels(_)) {
            entries.push(entry(index, texels));
        }
    }
    layout(device, "mesh", &entries)
}

/// Group 3: the matrices of the joints. A uniform buffer has one block for each instance.
pub(crate) fn joints_layout(device: &Device, joints: Joints) -> BindGroupLayout {
    let ty = match joints {
        Joints::Storage => BindingType::Buffer {
            ty: BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        Joints::Uniform(_) => uniform(true),
    };
    one_entry(device, "joints", ShaderStages::VERTEX, ty)
}

/// The type of a uniform buffer.
const fn uniform(has_dynamic_offset: bool) -> BindingType {
    BindingType::Buffer { ty: BufferBindingType::Uniform, has_dynamic_offset, min_binding_size: None }
}

fn layout(device: &Device, label: &str, entries: &[BindGroupLayoutEntry]) -> BindGroupLayout {
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some(label), entries })
}

fn one_entry(device: &Device, label: &str, visibility: ShaderStages, ty: BindingType) -> BindGroupLayout {
    layout(device, label, &[BindGroupLayoutEntry { binding: 0, visibility, ty, count: None }])
}
