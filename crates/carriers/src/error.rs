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
    /// A position is not a finite number.
    #[error("a position is not finite")]
    NotFinite,
    /// The points have too many positions in all frames.
    #[error("{count} positions in all frames: at most {most} are converted")]
    TooManyPositions {
        /// The number.
        count: usize,
        /// The largest number.
        most: usize,
    },
    /// No model of the scene has points that move.
    #[error("nothing moves: a skeleton is made from at least two vertex frames")]
    NothingMoves,
    /// A model has a skeleton already.
    #[error("{name}: the model has a skeleton already")]
    HasJoints {
        /// The name of the model.
        name: String,
    },
    /// The points do not move as a skeleton moves them.
    #[error(
        "{name}: no skeleton of up to {joints} joints moves it within RMS {rms:.4} and maximum {max:.3}: {}; the best one \
         has RMS {met_rms:.4} and maximum {met_max:.3}",
        why(*.is_stopped)
    )]
    NoSkeleton {
        /// The name of the model.
        name: String,
        /// The number of joints that were tried.
        joints: usize,
        /// The largest root mean square of the distances that was asked for.
        rms: f64,
        /// The largest distance that was asked for.
        max: f64,
        /// The root mean square that this number of joints meets.
        met_rms: f64,
        /// The largest distance that this number of joints meets.
        met_max: f64,
        /// Whether more joints were not tried because the model has too many points and frames. If not, its points move one by
        /// one, as those of cloth or water do.
        is_stopped: bool,
    },
    /// The parts of the scene have more joints than a skeleton can have.
    #[error("{count} joints: a skeleton has at most 65536")]
    TooManyJoints {
        /// The number.
        count: usize,
    },
}

/// Why a model has no skeleton.
const fn why(is_stopped: bool) -> &'static str {
    if is_stopped {
        "with this number of points and frames, more joints take too long to find"
    } else {
        "its points move one by one, as those of cloth or water do"
    }
}
