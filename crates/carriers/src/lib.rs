//! Vertex animation in forms that every program can carry.
//!
//! Models of Quake 3 and Unreal are hundreds of whole vertex frames. glTF carries them as morph targets, which many
//! programs limit to 64 or 256, and which are large. Each module of this crate turns the frames into another form.
//!
//! # The same result on every machine
//!
//! Everything is additions, multiplications, divisions and square roots of `f64` in a fixed order, on one thread. IEEE 754
//! defines their results to the bit, and Rust does not contract them to fused operations. No function of the platform
//! is called.
#![forbid(unsafe_code)]

mod error;
#[cfg(feature = "skeleton")]
pub mod skeleton;
#[cfg(feature = "frames")]
mod timeline;
#[cfg(feature = "usd")]
pub mod usd;
#[cfg(feature = "vat")]
pub mod vat;

pub use error::Error;
#[cfg(feature = "frames")]
pub use timeline::ClipRange;

/// The memory limit of a conversion without a budget.
#[cfg(any(feature = "frames", feature = "skeleton"))]
const DEFAULT_MEMORY: usize = 1 << 30;

/// A factor for lengths that is positive and finite.
#[cfg(feature = "frames")]
fn scale(scale: f32) -> f32 {
    if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
}
