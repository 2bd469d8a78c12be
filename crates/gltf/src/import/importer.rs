//! glTF for programs that open files of any format.

use meshlens::import::{ImportError, ImportOptions, Importer, Read};
use meshlens::scene::Scene;
use meshlens::wire::Budget;
use meshlens::{Report, Summary};

use super::{import_within, summarize};
use crate::Error;

/// Imports glTF 2.0, such as for the search path of `meshlens-assets`. The errors are of the type [`Error`](crate::Error).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gltf;

impl Importer for Gltf {
    fn format(&self) -> &'static str {
        "gltf"
    }

    fn version(&self) -> &'static str {
        "2.0"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["glb", "gltf"]
    }

    /// A GLB file, or a text with the extension of glTF.
    fn detects(&self, extension: &str, bytes: &[u8]) -> bool {
        bytes.starts_with(b"glTF") || extension.eq_ignore_ascii_case("gltf")
    }

    fn summarize(&self, bytes: &[u8]) -> Result<Summary, ImportError> {
        summarize(bytes).map_err(error)
    }

    fn import(
        &self,
        bytes: &[u8],
        options: &ImportOptions,
        read: &Read<'_>,
        budget: &Budget,
    ) -> Result<(Scene<'static>, Report), ImportError> {
        import_within(bytes, options, read, budget).map_err(error)
    }
}

fn error(error: Error) -> ImportError {
    match error {
        Error::Memory(over) => ImportError::Memory(over),
        error => ImportError::File(error.into()),
    }
}
