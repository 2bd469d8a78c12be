//! The reasons why a file has no complete row, and their codes.

use meshlens::import::ImportError;
use meshlens_assets::Error as AssetError;

/// The reason why a file could not be read as a model.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The content is invalid.
    #[error(transparent)]
    Model(#[from] meshlens::Error),
    /// A file cannot be found or read.
    #[error(transparent)]
    Asset(#[from] AssetError),
    /// A glTF file is invalid.
    #[error(transparent)]
    Gltf(#[from] meshlens_gltf::Error),
    /// A panic, which is a bug of this library.
    #[error("{0}")]
    Panic(String),
}

impl Fault {
    /// The fault of a file that an importer reads.
    pub(crate) fn of_import(error: ImportError) -> Fault {
        match error {
            ImportError::Memory(over) => meshlens_gltf::Error::Memory(over).into(),
            ImportError::File(error) => match error.downcast::<meshlens_gltf::Error>() {
                Ok(error) => Fault::Gltf(*error),
                Err(error) => Fault::Panic(error.to_string()),
            },
        }
    }

    /// The code of the fault, and its byte offset; `None` if it is not about a location in a file.
    pub fn code(&self) -> (&'static str, Option<u64>) {
        match self {
            Fault::Model(error) => model_code(error),
            Fault::Asset(error) => asset_code(error),
            Fault::Gltf(error) => gltf_code(error),
            Fault::Panic(_) => ("PANIC", None),
        }
    }
}

/// The code of an error about the content of a model, and its byte offset.
pub fn model_code(error: &meshlens::Error) -> (&'static str, Option<u64>) {
    (error.code(), error.has_offset().then(|| error.offset()))
}

/// The code of an error about the files of a model, and its byte offset.
pub fn asset_code(error: &AssetError) -> (&'static str, Option<u64>) {
    use meshlens_source::Error as SourceError;

    match error {
        AssetError::Parse { error, .. } => model_code(error),
        AssetError::NotFound { .. } | AssetError::MissingHalf { .. } | AssetError::NoFiles { .. } => {
            ("NOT_FOUND", None)
        }
        AssetError::Source(error) if error.is_not_found() => ("NOT_FOUND", None),
        AssetError::Source(SourceError::Io { .. }) | AssetError::Read { .. } | AssetError::List { .. } => {
            ("IO", None)
        }
        AssetError::Memory { .. } => ("MEMORY", None),
        AssetError::Import { error, .. } => error.downcast_ref().map_or(("GLTF", None), gltf_code),
        _ => ("NOT_OPENED", None),
    }
}

/// The code of an error about a glTF file, and its byte offset.
pub fn gltf_code(error: &meshlens_gltf::Error) -> (&'static str, Option<u64>) {
    match error {
        meshlens_gltf::Error::Model(error) => model_code(error),
        _ => ("GLTF", None),
    }
}
