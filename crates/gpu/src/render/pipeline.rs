//! Pipelines, which are created at their first use.

use std::collections::HashMap;
use std::sync::Arc;

use meshlens::model::TextureAlpha;
use wgpu::{BindGroupLayout, Device};

use crate::groups;
use crate::model::GpuMesh;
use crate::shader::{BufferSlot, Joints, MeshLayout};

/// The number of bytes of the matrix of a joint: three rows of four floats.
pub(super) const JOINT_SIZE: u64 = 48;

/// The format of the depth buffer.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// The key of a pipeline of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) target: wgpu::TextureFormat,
    pub(super) samples: u32,
    pub(super) front: wgpu::FrontFace,
    pub(super) cull: Option<wgpu::Face>,
    /// The blend mode, if a surface is blended.
    pub(super) blended: Option<TextureAlpha>,
    /// Whether edges are drawn instead of surfaces.
    pub(super) edges: bool,
    /// Whether surfaces are drawn farther away than edges by a small bias.
    pub(super) behind: bool,
}

/// A shader and its pipelines.
#[derive(Debug)]
struct Shader {
    module: wgpu::ShaderModule,
    variants: HashMap<Variant, wgpu::RenderPipeline>,
}

/// The cached shaders and pipelines. Meshes with the same bindings share them.
#[derive(Debug, Default)]
pub(super) struct Pipelines {
    numbers: HashMap<Arc<str>, usize>,
    shaders: Vec<Shader>,
}

/// Converts a format to the format of wgpu.
pub(crate) const fn vertex_format(format: meshlens::lens::VertexFormat) -> wgpu::VertexFormat {
    use meshlens::lens::VertexFormat as Stored;
    use wgpu::VertexFormat as F;
    // Formats that have the same name in wgpu.
    macro_rules! convert {
        ($($same:ident)*) => {
            match format {
                $(Stored::$same => F::$same,)*
                Stored::Octahedral16x2 => F::Snorm16x2,
                Stored::Octahedral8x4 => F::Snorm8x4,
                // `Stored::Sint32x4`. Plans do not use formats that a later version of lens adds.
                _ => F::Sint32x4,
            }
        };
    }
    convert! {
        Float32 Float32x2 Float32x3 Float32x4 Float16x2 Float16x4 Snorm16x2 Snorm16x4 Snorm8x2 Snorm8x4
        Unorm16x2 Unorm16x4 Unorm8x2 Unorm8x4 Uint8x2 Uint8x4 Uint16x2 Uint16x4 Uint32 Uint32x2 Uint32x3 Uint32x4
        Sint8x2 Sint8x4 Sint16x2 Sint16x4 Sint32 Sint32x2 Sint32x3
    }
}

impl Pipelines {
    /// Adds the shader of a mesh, if it is new, and returns its number.
    pub(super) fn add(&mut self, device: &Device, mesh: &GpuMesh) -> usize {
        if let Some(number) = self.numbers.get(&mesh.shader) {
            return *number;
        }
        let number = self.shaders.len();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("mesh"),
            source: wgpu::ShaderSource::Wgsl((*mesh.shader).into()),
        });
        self.shaders.push(Shader { module, variants: HashMap::new() });
        self.numbers.insert(Arc::clone(&mesh.shader), number);
        number
    }

    /// The pipeline of a mesh whose shader has this number.
    pub(super) fn get(
        &mut self,
        device: &Device,
        mesh: &GpuMesh,
        shader: usize,
        variant: Variant,
    ) -> Option<&wgpu::RenderPipeline> {
        let Shader { module, variants } = self.shaders.get_mut(shader)?;
        let made = || make(device, module, &mesh.layout, mesh.joints, variant);
        Some(variants.entry(variant).or_insert_with(made))
    }
}

/// The factors of a blend mode. The alpha of the picture increases by the effect of a color on the color below it.
const fn blend_state(mode: TextureAlpha) -> wgpu::BlendState {
    use wgpu::BlendFactor::{Dst, One, OneMinusSrc, Src, Zero};
    let (src_factor, dst_factor) = match mode {
        TextureAlpha::Stored | TextureAlpha::FirstColor => return wgpu::BlendState::ALPHA_BLENDING,
        TextureAlpha::Add | TextureAlpha::AddAlpha => (One, One),
        TextureAlpha::Multiply => (Dst, Zero),
        TextureAlpha::Multiply2x => (Dst, Src),
        TextureAlpha::MultiplyInverse => (Zero, OneMinusSrc),
    };
    let color = wgpu::BlendComponent { src_factor, dst_factor, operation: wgpu::BlendOperation::Add };
    wgpu::BlendState { color, alpha: wgpu::BlendState::ALPHA_BLENDING.alpha }
}

/// The layout of the bind groups of a mesh.
fn pipeline_layout(device: &Device, mesh: &MeshLayout, joints: Joints) -> wgpu::PipelineLayout {
    let groups = [
        groups::scene_layout(device),
        groups::material_layout(device),
        groups::mesh_layout(device, mesh),
        groups::joints_layout(device, joints),
    ];
    let used = if mesh.is_skinned() { 4 } else { 3 };
    let groups: Vec<Option<&BindGroupLayout>> = groups.iter().take(used).map(Some).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("mesh"),
        bind_group_layouts: &groups,
        immediate_size: 0,
    })
}

fn vertex_attributes(slot: &BufferSlot) -> Vec<wgpu::VertexAttribute> {
    let attribute = |(shader_location, format, offset): &(u32, _, usize)| wgpu::VertexAttribute {
        format: vertex_format(*format),
        offset: *offset as u64,
        shader_location: *shader_location,
    };
    slot.attributes.iter().map(attribute).collect()
}

fn make(
    device: &Device,
    module: &wgpu::ShaderModule,
    mesh: &MeshLayout,
    joints: Joints,
    variant: Variant,
) -> wgpu::RenderPipeline {
    use wgpu::PrimitiveTopology::{LineList, TriangleList};
    use wgpu::{DepthBiasState, VertexStepMode};

    let slots = mesh.buffers();
    let attributes: Vec<_> = slots.iter().map(vertex_attributes).collect();
    let buffer = |(slot, attributes): (&BufferSlot, _)| {
        let step_mode = if slot.table.is_none() { VertexStepMode::Instance } else { VertexStepMode::Vertex };
        Some(wgpu::VertexBufferLayout { array_stride: slot.stride as u64, step_mode, attributes })
    };
    let buffers: Vec<_> = slots.iter().zip(attributes.iter().map(Vec::as_slice)).map(buffer).collect();
    let bias = DepthBiasState { constant: 2, slope_scale: 1.0, clamp: 0.0 };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("mesh"),
        layout: Some(&pipeline_layout(device, mesh, joints)),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vertex_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &buffers,
        },
        primitive: wgpu::PrimitiveState {
            topology: if variant.edges { LineList } else { TriangleList },
            front_face: variant.front,
            cull_mode: variant.cull,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(variant.blended.is_none()),
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            stencil: wgpu::StencilState::default(),
            bias: if variant.behind { bias } else { DepthBiasState::default() },
        }),
        multisample: wgpu::MultisampleState { count: variant.samples, ..wgpu::MultisampleState::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fragment_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: variant.target,
                blend: variant.blended.map(blend_state),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
