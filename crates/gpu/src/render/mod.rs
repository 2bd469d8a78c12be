//! A simple renderer: draws models of every format with light and textures, into an image or a texture.

pub(crate) mod pipeline;
mod scene;
mod textures;

use glam::Mat4;
use meshlens::model::{Alpha, Winding};
use wgpu::BufferUsages;
use wgpu::util::DeviceExt;

pub use scene::{Draw, Image, Instance, Scene, Shading};
pub use textures::Textures;

use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::model::{GpuMesh, GpuModel};
use crate::shader::Joints;
use crate::upload::Table;
use pipeline::{DEPTH, Pipelines, Variant};
use scene::{InstanceRecord, SceneUniform, rows};

/// The number of bytes of the matrix of a joint: three rows of four floats.
const JOINT_SIZE: u64 = 48;

/// Draws models, and caches pipelines.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    pipelines: Pipelines,
}

/// The target of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The texture.
    pub view: &'a wgpu::TextureView,
    /// Its format.
    pub format: wgpu::TextureFormat,
    /// Its width and height in pixels.
    pub size: [u32; 2],
}

/// A mesh of a draw with its instances, which are consecutive in the buffer of instances.
struct Batch<'a> {
    mesh: &'a GpuMesh,
    draw: &'a Draw<'a>,
    first: usize,
    /// The offset of the joints of each instance, if they are in a uniform buffer.
    joints: Vec<u32>,
}

/// The instances and joints of a picture.
#[derive(Default)]
struct Records {
    instances: Vec<InstanceRecord>,
    joints: Vec<[[f32; 4]; 3]>,
}

impl Renderer {
    /// A renderer for models that are uploaded to this device.
    pub fn new(gpu: &Gpu) -> Self {
        Renderer { gpu: gpu.clone(), pipelines: Pipelines::default() }
    }

    /// Draws a scene into a new image.
    ///
    /// # Errors
    ///
    /// The errors of [`render`](Self::render), and [`Error::Limit`] if the image is too large.
    pub fn render_image(&mut self, scene: &Scene, draws: &[Draw<'_>], size: [u32; 2]) -> Result<Image> {
        let device = self.gpu.device();
        let [width, height] = size;
        let limit = u64::from(self.gpu.limits().texture_size);
        Error::check("a picture", "max_texture_dimension_2d", limit, u64::from(width.max(height)))?;
        if width == 0 || height == 0 {
            return Err(Error::Argument(format!("a picture of {width} x {height} pixels")));
        }
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let texture = attachment(device, size, format, usage);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.render(scene, draws, &Target { view: &view, format, size })?;

        // Rows of a copy are multiples of 256 bytes.
        let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let device = self.gpu.device();
        let readback = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(height),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &readback, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        self.gpu.queue().submit([encoder.finish()]);
        let bytes = self.gpu.read(&readback)?;
        let rows = bytes.chunks_exact(row as usize).filter_map(|bytes| bytes.get(..width as usize * 4));
        Ok(Image { width, height, pixels: rows.flatten().copied().collect() })
    }

    /// Draws a scene into a texture: first opaque parts, then blended parts, in the order of the draws.
    ///
    /// Instances that show the same two frames are drawn together.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if an instance shows a frame that its model does not have; [`Error::Limit`] if joints do not
    /// fit into a uniform buffer; errors of the device.
    pub fn render(&mut self, scene: &Scene, draws: &[Draw<'_>], target: &Target<'_>) -> Result<()> {
        self.gpu.check()?;
        let mut records = Records::default();
        let mut batches = Vec::new();
        for draw in draws {
            for instance in draw.instances {
                draw.model.check_blend(instance.blend)?;
            }
            for mesh in &draw.model.meshes {
                batches.push(self.batch(draw, mesh, &mut records)?);
            }
        }
        let device = self.gpu.device().clone();
        let buffer = |label, contents: &[u8], usage| {
            // Empty buffers are not allowed.
            let contents = if contents.is_empty() { &[0; 64] } else { contents };
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            })
        };
        let instances = buffer("instances", bytemuck::cast_slice(&records.instances), BufferUsages::VERTEX);
        let uniform = buffer("scene", bytemuck::bytes_of(&SceneUniform::new(scene)), BufferUsages::UNIFORM);
        let scene_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("scene"),
            layout: &pipeline::scene_layout(&device),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() }],
        });
        let usage =
            if self.gpu.has_storage_buffers() { BufferUsages::STORAGE } else { BufferUsages::UNIFORM };
        let joints = buffer("joints", bytemuck::cast_slice(&records.joints), usage);
        let depth = attachment(&device, target.size, DEPTH, wgpu::TextureUsages::RENDER_ATTACHMENT);
        let depth = depth.create_view(&wgpu::TextureViewDescriptor::default());

        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
        {
            let [r, g, b, a] = scene.background;
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("picture"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: target.view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &depth,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(1.0),
                        store: wgpu::StoreOp::Discard,
                    }),
                    stencil_ops: None,
                }),
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_bind_group(0, &scene_group, &[]);
            for blended in [false, true] {
                for batch in &batches {
                    self.draw(&mut pass, batch, scene.shading, blended, target.format, &instances, &joints);
                }
            }
        }
        self.gpu.queue().submit([encoder.finish()]);
        self.gpu.check()
    }

    /// The source of the joints of a mesh.
    fn joints_of(&self, model: &GpuModel) -> Joints {
        match self.gpu.has_storage_buffers() {
            true => Joints::Storage,
            false => Joints::Uniform(model.joint_count().max(1) as u32),
        }
    }

    /// Records the instances of a mesh, and the matrices of its joints.
    fn batch<'a>(&self, draw: &'a Draw<'a>, mesh: &'a GpuMesh, records: &mut Records) -> Result<Batch<'a>> {
        let first = records.instances.len();
        let mut offsets = Vec::new();
        let limits = self.gpu.device().limits();
        for instance in draw.instances {
            let mut first_joint = 0;
            if let Some(binds) = &mesh.binds {
                let uniform = matches!(self.joints_of(draw.model), Joints::Uniform(_));
                if uniform {
                    let (what, limit) = ("the joints of a model", "max_uniform_buffer_binding_size");
                    let size = binds.len() as u64 * JOINT_SIZE;
                    Error::check(what, limit, limits.max_uniform_buffer_binding_size, size)?;
                    // 16 matrices are a multiple of 256 bytes, which every device allows as an offset.
                    records.joints.resize(records.joints.len().next_multiple_of(16), [[0.0; 4]; 3]);
                    offsets.push((records.joints.len() as u64 * JOINT_SIZE) as u32);
                } else {
                    first_joint = records.joints.len() as u32;
                }
                let world = if instance.joints.is_empty() { &draw.model.rest } else { &instance.joints };
                if world.len() < binds.len() {
                    let (found, count) = (world.len(), binds.len());
                    return Err(Error::Argument(format!(
                        "a pose of {found} joints for a model with {count}"
                    )));
                }
                records.joints.extend(world.iter().zip(binds).map(|(world, bind)| rows(&(*world * *bind))));
            }
            // Meshes with fewer frames show their last one.
            let last = mesh.frame_count.saturating_sub(1);
            records.instances.push(InstanceRecord {
                rows: rows(&(instance.transform * draw.model.placement)),
                frames: [instance.blend.a, instance.blend.b].map(|frame| frame.min(last) as u32),
                first_joint,
                weight: instance.blend.weight,
            });
        }
        Ok(Batch { mesh, draw, first, joints: offsets })
    }

    /// Draws the opaque or the blended parts of a mesh.
    #[allow(clippy::too_many_arguments, reason = "they are what a pass needs")]
    fn draw(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        batch: &Batch<'_>,
        shading: Shading,
        blended: bool,
        target: wgpu::TextureFormat,
        instances: &wgpu::Buffer,
        joints: &wgpu::Buffer,
    ) {
        let (mesh, model) = (batch.mesh, batch.draw.model);
        let source = self.joints_of(model);
        let device = self.gpu.device().clone();
        let joint_group = mesh.binds.as_ref().map(|binds| {
            let size = match source {
                Joints::Storage => None,
                Joints::Uniform(_) => core::num::NonZeroU64::new(binds.len() as u64 * JOINT_SIZE),
            };
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("joints"),
                layout: &pipeline::joints_layout(&device, source),
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer: joints,
                        offset: 0,
                        size,
                    }),
                }],
            })
        });
        let wires = shading == Shading::Wires;
        pass.set_bind_group(2, &mesh.group, &[]);
        for (material, indices) in &mesh.parts {
            let material = material.or(mesh.material);
            let look = material.and_then(|material| model.materials.get(material));
            let is_blended = look.is_some_and(|look| look.alpha == Alpha::Blend) && !wires;
            if is_blended != blended || look.is_some_and(|look| look.hidden) {
                continue;
            }
            let Some(group) = batch.draw.textures.group(material) else { continue };
            pass.set_bind_group(1, group, &[]);
            // Both sides of what is blended: the far side first.
            let culled: &[Option<wgpu::Face>] = match (look.is_some_and(|look| look.two_sided), blended) {
                _ if wires => &[None],
                (true, true) => &[Some(wgpu::Face::Front), Some(wgpu::Face::Back)],
                (true, false) => &[None],
                (false, _) => &[Some(wgpu::Face::Back)],
            };
            for run in runs(batch.draw.instances, mesh, !batch.joints.is_empty()) {
                let Some(instance) = batch.draw.instances.get(run.start) else { continue };
                if let Some(group) = &joint_group {
                    let offset: &[u32] = batch.joints.get(run.start..=run.start).unwrap_or(&[]);
                    pass.set_bind_group(3, group, offset);
                }
                bind_buffers(pass, mesh, instances, batch.first + run.start, instance, run.len());
                // The bound buffer begins with the first instance, because WebGL2 has no first instance.
                let count = 0..run.len() as u32;
                let front = front_face(model, &instance.transform);
                for cull in culled {
                    let variant = Variant { target, front, cull: *cull, blended, wires };
                    pass.set_pipeline(self.pipelines.get(&device, &mesh.layout, source, variant));
                    if !wires {
                        pass.set_index_buffer(mesh.indices.slice(..), mesh.index_format);
                        pass.draw_indexed(indices.clone(), 0, count.clone());
                    } else if let Some((buffer, edges)) = &mesh.wires {
                        pass.set_index_buffer(buffer.slice(..), wgpu::IndexFormat::Uint32);
                        pass.draw_indexed(0..*edges, 0, count.clone());
                    }
                }
            }
            if wires {
                // The edges are those of all parts.
                break;
            }
        }
    }
}

/// Runs of instances that can be drawn together: those that bind the same two frames, and are not mirrored differently.
fn runs(instances: &[Instance], mesh: &GpuMesh, alone: bool) -> Vec<core::ops::Range<usize>> {
    let binds_frames = (mesh.layout.tables.iter())
        .any(|table| table.is_animated && matches!(table.binding, crate::layout::Binding::Attributes(_)));
    let together = |a: &Instance, b: &Instance| {
        let same = (a.blend.a, a.blend.b) == (b.blend.a, b.blend.b) || !binds_frames;
        same && !alone && (a.transform.determinant() < 0.0) == (b.transform.determinant() < 0.0)
    };
    let mut start = 0;
    let mut runs = Vec::new();
    for run in instances.chunk_by(together) {
        runs.push(start..start + run.len());
        start += run.len();
    }
    runs
}

/// The winding of front faces on the screen. A mirrored transform reverses it, unless it only converts a left-handed model to
/// the right-handed world.
fn front_face(model: &GpuModel, transform: &Mat4) -> wgpu::FrontFace {
    let is_mirrored = ((*transform * model.placement).determinant() < 0.0) != model.is_left_handed;
    match (model.winding == Winding::CounterClockwise) != is_mirrored {
        true => wgpu::FrontFace::Ccw,
        false => wgpu::FrontFace::Cw,
    }
}

/// Binds the instances from `first` on, and the two frames of `instance`. Only these change between frames.
fn bind_buffers(
    pass: &mut wgpu::RenderPass<'_>,
    mesh: &GpuMesh,
    instances: &wgpu::Buffer,
    first: usize,
    instance: &Instance,
    count: usize,
) {
    let size = size_of::<InstanceRecord>() as u64;
    let last = mesh.frame_count.saturating_sub(1);
    for (slot, buffer) in (0..).zip(&mesh.slots) {
        let Some(table) = buffer.table else {
            let start = first as u64 * size;
            pass.set_vertex_buffer(slot, instances.slice(start..start + count as u64 * size));
            continue;
        };
        let (Some(Table::Attributes(vertices)), Some(bound), Some(frame_size)) =
            (mesh.tables.get(table), mesh.layout.tables.get(table), mesh.frame_sizes.get(table))
        else {
            continue;
        };
        let frame = if buffer.is_second { instance.blend.b } else { instance.blend.a };
        let start = if bound.is_animated { frame.min(last) as u64 * frame_size } else { 0 };
        pass.set_vertex_buffer(slot, vertices.slice(start..start + frame_size));
    }
}

/// A texture to draw into.
fn attachment(
    device: &wgpu::Device,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}
