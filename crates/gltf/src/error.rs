//! The errors of exports and imports.

use std::io;

use meshlens::wire::OverBudget;

/// The error for a model that could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model is invalid.
    #[error(transparent)]
    Model(#[from] meshlens::Error),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The budget has too little memory left.
    #[error("gltf: {0}")]
    Memory(#[from] OverBudget),
    /// The GLB would be larger than 4 GiB, the limit of the format.
    #[error("a GLB has at most 4 GiB, and this one would have {bytes} bytes")]
    TooLarge {
        /// The number of bytes.
        bytes: u64,
    },
    /// A clip has too many weights of morph targets: one for each target at each key. glTF stores at most 2^32 - 1.
    #[error("a clip has at most 2^32 - 1 weights of morph targets in glTF, and this one has {count}")]
    TooManyWeights {
        /// The number of weights.
        count: u64,
    },
    /// A glTF file cannot be read.
    #[error("gltf: {message}")]
    Import {
        /// The fault. It begins with a JSON pointer or a byte offset.
        message: String,
    },
    /// A glTF file needs an extension that is not supported.
    #[error(
        "gltf: the extension {name} is required and not supported; export the file again {}",
        remedy(name)
    )]
    Extension {
        /// The name of the extension.
        name: String,
    },
    /// No model has a clip with this name.
    #[error("there is no clip {name}")]
    NoClip {
        /// The requested name.
        name: String,
    },
    /// No model has the requested frames.
    #[error("there is no frame {frame}: there are {count}")]
    NoFrame {
        /// The first requested frame.
        frame: usize,
        /// The number of frames.
        count: usize,
    },
}

/// The options of an export without an extension.
fn remedy(extension: &str) -> &'static str {
    match extension {
        "KHR_draco_mesh_compression" => "with Draco compression off",
        _ => "without it",
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::Io(error) => return error,
            Error::Memory(_) => io::ErrorKind::OutOfMemory,
            Error::Extension { .. } => io::ErrorKind::Unsupported,
            Error::Model(_) | Error::Import { .. } => io::ErrorKind::InvalidData,
            Error::TooLarge { .. } | Error::TooManyWeights { .. } => io::ErrorKind::FileTooLarge,
            Error::NoClip { .. } | Error::NoFrame { .. } => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, error)
    }
}
