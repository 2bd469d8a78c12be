//! Errors of pictures.

use meshlens::wire::OverBudget;

/// The reason why a picture could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A frame or an index is out of range.
    #[error(transparent)]
    Model(#[from] meshlens::Error),
    /// The picture needs more memory than the budget has left.
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// A number exceeds a limit.
    #[error("{found} {what} exceed the limit of {limit}")]
    Limit {
        /// The counted items.
        what: &'static str,
        /// The largest allowed number.
        limit: u64,
        /// The number.
        found: u64,
    },
    /// No part has the requested frame.
    #[error("no frame {frame}; there are {count} frames")]
    NoFrame {
        /// The requested frame.
        frame: usize,
        /// The number of frames.
        count: usize,
    },
    /// No part has a clip with this name.
    #[error("no clip {0}")]
    NoClip(String),
    /// The file of the picture cannot be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}
