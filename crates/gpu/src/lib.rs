//! Game meshes on the GPU: arrays are uploaded as they are stored in the file, and decoded by the shader.
//!
//! Stored vertices take 4 to 8 bytes, decoded ones 24 to 32. A program that uploads the stored arrays of a mapped file
//! transfers a third to a sixth of the bytes, can keep all frames of an animation in video memory, and blends two
//! frames at no cost on the CPU.
//!
//! Without features, this crate needs no GPU library: [`layout`] describes how an array is bound, and [`wgsl`] has the
//! functions that decode it. For engines without WGSL, [`hlsl`] and [`glsl`] return these functions in other languages.
//!
//! With the feature `wgpu`, `GpuModel::new` uploads a model, and `render::Renderer` draws it. The example `crowd` draws
//! hundreds of animated models.
//!
#![cfg_attr(feature = "naga", doc = "The module [`translate`] translates modules with naga.")]
#![forbid(unsafe_code)]

#[cfg(feature = "wgpu")]
pub mod compute;
#[cfg(feature = "wgpu")]
mod device;
#[cfg(feature = "wgpu")]
mod error;
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
