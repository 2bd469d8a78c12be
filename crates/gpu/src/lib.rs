//! Game meshes on the GPU: arrays are uploaded as they are stored in the file, and decoded by the shader.
//!
//! A stored vertex takes 4 to 8 bytes, a decoded vertex 24 to 32. A program that uploads the stored arrays of a mapped
//! file transfers a third to a sixth of the bytes, can keep all frames of an animation in video memory, and blends two
//! frames at no cost on the CPU.
//!
//! Without features, this crate needs no GPU library: [`layout`] describes how an array is bound, and [`wgsl`] has the
//! functions that decode it. For engines without WGSL, [`hlsl`] and [`glsl`] return these functions in other languages.
//!
//! ```
//! use meshlens::lens::{Semantic, VertexFormat};
//! use meshlens_gpu::layout::{Binding, Limits};
//! use meshlens_gpu::plan::{MeshPlan, PlanOptions};
//! use meshlens_gpu::wgsl::{Decoder, Module};
//!
//! # let bytes = meshlens::md3::write::sample(&[8.0, 4.0])?;
//! let model = meshlens::Model::parse(&bytes)?; // an MD3 file with two frames
//! let plan = MeshPlan::new(&model.meshes[0], &PlanOptions::default())?;
//!
//! // Positions and normals are in the same records of 8 bytes: one vertex buffer with two attributes for each frame.
//! let vertices = &plan.tables[0];
//! assert_eq!((vertices.table.stride, vertices.frames.len()), (8, 2));
//! let Binding::Attributes(attributes) = vertices.table.binding(&Limits::WEBGL2) else {
//!     return Err("texels".into());
//! };
//! assert_eq!(attributes[0].format, VertexFormat::Sint16x4);
//!
//! // The shader decodes the stored integers.
//! let position = vertices.field(Semantic::Position).ok_or("no positions")?;
//! let decoder = Decoder::of(position.format).ok_or("no decoder")?;
//! let mut module = Module::new();
//! decoder.write_function("decode_position", &mut module);
//! assert!(module.as_text().contains("fn decode_position(raw: vec3<i32>) -> vec3<f32>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
#![cfg_attr(
    feature = "wgpu",
    doc = "[`GpuModel::new`] uploads a model, [`GpuModel::streamed`] uploads the frames of a model as they arrive, and \
[`render::Renderer`] draws models with any wgpu device. [`compute::decode_array`] decodes an array in a compute shader. \
[`render::GpuScene`] uploads a scene. The example `player_gpu` draws a player from its archive, `crowd` hundreds of animated models."
)]
#![cfg_attr(
    not(feature = "wgpu"),
    doc = "With the feature `wgpu`, `GpuModel::new` uploads a model, and `render::Renderer` draws it."
)]
#![cfg_attr(feature = "naga", doc = "The module [`translate`] translates modules with naga.")]
#![forbid(unsafe_code)]

#[cfg(feature = "wgpu")]
pub mod compute;
#[cfg(feature = "wgpu")]
mod device;
#[cfg(feature = "wgpu")]
mod error;
#[cfg(feature = "wgpu")]
mod groups;
pub mod layout;
#[cfg(feature = "wgpu")]
mod model;
pub mod plan;
#[cfg(feature = "wgpu")]
pub mod render;
pub mod shader;
#[cfg(feature = "naga")]
pub mod translate;
#[cfg(feature = "wgpu")]
mod upload;
pub mod wgsl;

#[cfg(feature = "wgpu")]
pub use device::Gpu;
#[cfg(feature = "wgpu")]
pub use error::{Error, Result};
#[cfg(feature = "wgpu")]
pub use model::{GpuModel, Memory, UploadOptions};
#[cfg(feature = "wgpu")]
pub use wgpu;

/// Every piece of [`wgsl`] in HLSL, for shader model 5.0.
pub const fn hlsl() -> &'static str {
    include_str!("translated/pieces.hlsl")
}

/// Every piece of [`wgsl`] in GLSL ES 3.00, without a version line.
pub const fn glsl() -> &'static str {
    include_str!("translated/pieces.glsl")
}
