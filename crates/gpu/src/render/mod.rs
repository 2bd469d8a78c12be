//! A simple renderer: draws models of every format with light and textures, into an image or a texture of the program.
//!
//! A [`Renderer`] works with any device, including the device of the program: see
//! [`Gpu::from_device`](crate::Gpu::from_device). The limits of WebGL2 are sufficient. A picture has
//! [`RenderOptions`] (camera, light, background, shading) and [`Draw`]s. Each draw has a model, its [`Textures`], and
//! [`Instance`]s with a transform, two frames and the weight of the second. A [`GpuScene`] makes them from a
//! [`Scene`](meshlens::scene::Scene), whose view knows placements and attachments.
//!
//! [`Renderer::render_image`] returns the pixels. [`Renderer::render`] draws into a [`Target`], which is a texture view
//! of any color format that can be rendered to, such as the texture of a window. [`Renderer::encode`] does the same with
//! a command encoder of the program:
//!
//! ```
//! use meshlens::model::Blend;
//! use meshlens_gpu::render::{Draw, Instance, Renderer, RenderOptions, Shading, Target, Textures};
//! use meshlens_gpu::{Error, Gpu, GpuModel, wgpu};
//!
//! # #[allow(dead_code)]
//! /// A view of a model in a window of the program.
//! struct View {
//!     renderer: Renderer,
//!     model: GpuModel,
//!     textures: Textures,
//! }
//!
//! # #[allow(dead_code)]
//! impl View {
//!     fn new(device: wgpu::Device, queue: wgpu::Queue, model: &meshlens::Model<'_>) -> Result<View, Error> {
//!         let gpu = Gpu::from_device(device, queue);
//!         let model = GpuModel::new(&gpu, model, &Default::default())?;
//!         // White instead of images: `load` returns the image of each material.
//!         let textures = Textures::new(&gpu, &model, |_material| None)?;
//!         Ok(View { renderer: Renderer::new(&gpu).with_antialiasing(), model, textures })
//!     }
//!
//!     fn draw(
//!         &mut self,
//!         encoder: &mut wgpu::CommandEncoder,
//!         target: &Target<'_>,
//!         blend: Blend,
//!     ) -> Result<(), Error> {
//!         let aspect = target.size[0] as f32 / target.size[1] as f32;
//!         let options = RenderOptions::looking([40.0, 30.0, 90.0], [0.0; 3], aspect);
//!         let options = RenderOptions { shading: Shading::Flat, culling: false, ..options };
//!         let instances = [Instance::default().showing(blend)];
//!         let draw = Draw { model: &self.model, textures: &self.textures, instances: &instances };
//!         self.renderer.encode(encoder, &options, &[draw], target)
//!     }
//! }
//! ```

mod attachments;
mod batch;
mod image;
mod options;
mod pass;
mod pipeline;
mod scene;
mod textures;

use wgpu::BufferUsages;
use wgpu::util::DeviceExt;

pub use image::Image;
pub use options::{Draw, Instance, RenderOptions, Shading};
pub use scene::GpuScene;
pub use textures::Textures;

use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::groups;
use crate::upload::texture;
use attachments::Attachments;
use batch::Records;
use options::SceneUniform;
use pass::{Frame, Phase};
use pipeline::Pipelines;

/// The number of samples of a pixel with antialiasing, which every device supports.
const SAMPLES: u32 = 4;

/// Draws models, and caches pipelines.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    pipelines: Pipelines,
    attachments: Option<Attachments>,
    samples: u32,
}

/// The target of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// A view of a texture with the usage `RENDER_ATTACHMENT` and one sample per pixel.
    pub view: &'a wgpu::TextureView,
    /// The format of the view: any color format that can be blended. Colors are stored as they are displayed, in sRGB;
    /// an sRGB format such as `Rgba8UnormSrgb` gets the same bytes as `Rgba8Unorm`.
    pub format: wgpu::TextureFormat,
    /// The width and height in pixels.
    pub size: [u32; 2],
}

impl Renderer {
    /// Makes a renderer for models that are uploaded to this device.
    pub fn new(gpu: &Gpu) -> Self {
        Renderer { gpu: gpu.clone(), pipelines: Pipelines::default(), attachments: None, samples: 1 }
    }

    /// The same renderer with four samples for each pixel.
    #[must_use]
    pub fn with_antialiasing(self) -> Self {
        Renderer { samples: SAMPLES, ..self }
    }

    /// The device.
    pub const fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Draws a scene into a new image. Waits for the device, which is not possible in a browser.
    ///
    /// # Errors
    ///
    /// The errors of [`encode`](Self::encode), and [`Error::Limit`] if the image is too large.
    pub fn render_image(
        &mut self,
        scene: &RenderOptions,
        draws: &[Draw<'_>],
        size: [u32; 2],
    ) -> Result<Image> {
        let [width, height] = size;
        self.check_size(size)?;
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let device = self.gpu.device().clone();
        let texture = device.create_texture(&texture("picture", size, format, usage));
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = encoder(&device);
        self.encode(&mut encoder, scene, draws, &Target { view: &view, format, size })?;

        // Rows of a copy are multiples of 256 bytes.
        let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let readback = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(height),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &readback, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        self.gpu.queue().submit([encoder.finish()]);
        let bytes = self.gpu.read(&readback)?;
        let rows = bytes.chunks_exact(row as usize).filter_map(|bytes| bytes.get(..width as usize * 4));
        Ok(Image { width, height, pixels: rows.flatten().copied().collect() })
    }

    /// Draws a scene into a texture, and submits the work to the queue.
    ///
    /// # Errors
    ///
    /// The errors of [`encode`](Self::encode).
    pub fn render(&mut self, scene: &RenderOptions, draws: &[Draw<'_>], target: &Target<'_>) -> Result<()> {
        let mut encoder = encoder(self.gpu.device());
        self.encode(&mut encoder, scene, draws, target)?;
        self.gpu.queue().submit([encoder.finish()]);
        self.gpu.check()
    }

    /// Records the drawing of a scene into a texture: first opaque parts, then blended parts, in the order of the draws,
    /// then edges. The target is cleared. Nothing is drawn before the program submits the commands.
    ///
    /// Instances that show the same two frames are drawn together.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if an instance shows a frame that its model does not have, or if the target cannot be drawn
    /// into; [`Error::Limit`] if joints do not fit into a uniform buffer, or if the records of all instances and joints
    /// do not fit into a buffer; errors of the device.
    pub fn encode(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &RenderOptions,
        draws: &[Draw<'_>],
        target: &Target<'_>,
    ) -> Result<()> {
        self.gpu.check()?;
        self.check_size(target.size)?;
        self.check_format(target.format)?;
        let device = self.gpu.device().clone();
        let limits = device.limits();
        let mut records = Records::default();
        let mut batches = Vec::new();
        for draw in draws {
            for instance in draw.instances {
                draw.model.check_blend(instance.blend)?;
            }
            for mesh in &draw.model.meshes {
                let shader = self.pipelines.add(&device, mesh);
                batches.push(records.push(draw, mesh, shader, &limits)?);
            }
        }
        let instances = bytemuck::cast_slice(&records.instances);
        let instances = buffer(&device, "instances", instances, BufferUsages::VERTEX);
        let joint_usage =
            if self.gpu.has_storage_buffers() { BufferUsages::STORAGE } else { BufferUsages::UNIFORM };
        let joints = buffer(&device, "joints", bytemuck::cast_slice(&records.joints), joint_usage);
        for batch in &mut batches {
            batch.bind_joints(&self.gpu, &joints);
        }
        let is_srgb = target.format.is_srgb();
        // Surfaces and edges have different colors.
        let [surfaces, edges] =
            [false, true].map(|edges| scene_group(&device, &SceneUniform::new(scene, is_srgb, edges)));

        let kept = self.attachments.take();
        let attachments = Attachments::new(&device, target, self.samples, kept);
        let mut pass = begin(encoder, scene, target, &attachments);
        let frame = Frame {
            device: &device,
            format: target.format,
            samples: self.samples,
            instances: &instances,
            scene,
        };
        for phase in Phase::of(scene) {
            pass.set_bind_group(0, if *phase == Phase::Edges { &edges } else { &surfaces }, &[]);
            for batch in &batches {
                frame.draw(&mut pass, &mut self.pipelines, batch, *phase);
            }
        }
        drop(pass);
        self.attachments = Some(attachments);
        self.gpu.check()
    }

    fn check_size(&self, [width, height]: [u32; 2]) -> Result<()> {
        let limit = u64::from(self.gpu.limits().texture_size);
        Error::check("a picture", "max_texture_dimension_2d", limit, u64::from(width.max(height)))?;
        if width == 0 || height == 0 {
            return Err(Error::argument(format!("a picture of {width} x {height} pixels")));
        }
        Ok(())
    }

    /// Fails if a format cannot be the format of a target.
    fn check_format(&self, format: wgpu::TextureFormat) -> Result<()> {
        let features = format.guaranteed_format_features(self.gpu.device().features());
        let mut needed = wgpu::TextureFormatFeatureFlags::BLENDABLE;
        if self.samples > 1 {
            needed |= wgpu::TextureFormatFeatureFlags::MULTISAMPLE_X4
                | wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE;
        }
        if features.flags.contains(needed)
            && features.allowed_usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
        {
            Ok(())
        } else {
            let with = if self.samples > 1 { " with antialiasing" } else { "" };
            Err(Error::argument(format!("a target of the format {format:?} cannot be drawn into{with}")))
        }
    }
}

fn encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") })
}

/// A buffer with these bytes, or with zeros if there are none, because empty buffers are not allowed.
fn buffer(device: &wgpu::Device, label: &str, contents: &[u8], usage: BufferUsages) -> wgpu::Buffer {
    let contents = if contents.is_empty() { &[0; 64] } else { contents };
    let label = Some(label);
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents, usage })
}

fn scene_group(device: &wgpu::Device, scene: &SceneUniform) -> wgpu::BindGroup {
    let uniform = buffer(device, "scene", bytemuck::bytes_of(scene), BufferUsages::UNIFORM);
    groups::bind_group(device, "scene", &groups::scene_layout(device), [(0, uniform.as_entire_binding())])
}

/// Begins the pass of a picture, which clears the target.
fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    scene: &RenderOptions,
    target: &Target<'_>,
    attachments: &Attachments,
) -> wgpu::RenderPass<'e> {
    let [r, g, b, a] = options::stored_color(scene.background, target.format.is_srgb());
    let (view, resolve_target, store) = match &attachments.samples {
        Some(samples) => (samples, Some(target.view), wgpu::StoreOp::Discard),
        None => (target.view, None, wgpu::StoreOp::Store),
    };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("picture"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }), store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &attachments.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(1.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}
