//! The errors of conversions.

use meshlens::wire::OverBudget;

/// The error for a model that could not be converted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model is invalid.
    #[error(transparent)]
    Model(#[from] meshlens::Error),
    /// The budget has too little memory left.
    #[error("{0}")]
    Memory(#[from] OverBudget),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// No mesh has a triangle.
    #[error("no mesh has a triangle")]
    NoTriangles,
    /// The textures would be larger than programs take.
    #[error("{vertices} vertices in {frames} frames do not fit a texture of 8192 x 8192 texels")]
    TooLarge {
        /// The number of vertices.
        vertices: usize,
        /// The number of frames.
        frames: usize,
    },
}
