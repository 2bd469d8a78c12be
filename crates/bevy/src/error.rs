//! The errors of loading.

use std::collections::BTreeSet;

use bevy::asset::io::MissingAssetSourceError;
use meshlens::Report;
use meshlens::wire::{Code, Finding};
use meshlens_assets::codes;
use meshlens_assets::material::codes as material;

/// The reason why a scene cannot be loaded. It contains the file, the offset if the content is broken, and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file of the model cannot be found, read or parsed.
    #[error("{error}; {}", remedy(error))]
    Model {
        /// The error, which contains the file, and the offset if its content is broken.
        #[source]
        error: Box<meshlens_assets::Error>,
    },
    /// The content of a mesh cannot be decoded.
    #[error("{file}: node {node}, mesh {mesh}: {error}; export the file again")]
    Mesh {
        /// The path of the file.
        file: String,
        /// The index of the node.
        node: usize,
        /// The index of the mesh in its model.
        mesh: usize,
        /// The error, with its offset in the file.
        #[source]
        error: Box<meshlens::Error>,
    },
    /// The model is larger than Bevy or the device can show.
    #[error(
        "{file}: a mesh at {offset:#x} has {found} {what}, but {limit} are the most that can be shown; {remedy}"
    )]
    Limit {
        /// The path of the file.
        file: String,
        /// The offset of the mesh in the file, which is the offset of its positions; 0 if they are computed.
        offset: u64,
        /// The items that exceed the limit.
        what: &'static str,
        /// The largest possible number.
        limit: u64,
        /// The number of items in the file.
        found: u64,
        /// A suggested remedy.
        remedy: &'static str,
    },
    /// A file that belongs to the model is missing or cannot be read. The model is loaded without it.
    #[error("{file}: {finding}; {remedy}")]
    Companion {
        /// The path that was loaded.
        file: String,
        /// The missing companion, and the part of the model that refers to it.
        finding: String,
        /// A suggested remedy.
        remedy: &'static str,
    },
    /// The path is not suitable for looking up companions.
    #[error("{path}: {refused}; rename the file")]
    Path {
        /// The path.
        path: String,
        /// The reason.
        #[source]
        refused: Box<meshlens_assets::Refused>,
    },
    /// The asset cannot be read.
    #[error("{path}: {error}; check that the file can be read")]
    Read {
        /// The path.
        path: String,
        /// The error of reading.
        #[source]
        error: std::io::Error,
    },
    /// The asset source is not registered.
    #[error("{0}; register the source before `AssetPlugin` is added")]
    Source(#[from] MissingAssetSourceError),
    /// Companions request further companions without end.
    #[error("{path}: its companions name more and more files; remove those that name each other")]
    Endless {
        /// The path.
        path: String,
    },
}

impl From<meshlens_assets::Error> for LoadError {
    fn from(error: meshlens_assets::Error) -> Self {
        LoadError::Model { error: Box::new(error) }
    }
}

impl LoadError {
    /// The companions that a report lists as missing or broken. Textures are only included if they are loaded.
    pub(crate) fn of_companions(file: &str, report: &Report, textures: bool) -> Vec<LoadError> {
        let of = |finding: &Finding| {
            let is = |codes: &[&Code]| codes.iter().any(|code| code.name == finding.code);
            let remedy = if is(&[&material::TEXTURE_NOT_FOUND, &material::TEXTURE_FORMAT_UNKNOWN]) {
                textures.then_some(
                    "put a TGA, JPEG, PNG, BMP or DDS file of this name there; name it in `MeshlensSettings::companions` if \
                     the asset source cannot list folders",
                )?
            } else if is(&[
                &codes::COMPANION_UNREADABLE,
                &material::MATERIAL_FILE_FAULTY,
                &material::SHADER_SCRIPT_UNREADABLE,
            ]) {
                "correct the file"
            } else {
                return None;
            };
            let of =
                if finding.pointer.is_empty() { String::new() } else { format!(" ({})", finding.pointer) };
            Some((format!("{}{of}", finding.message), remedy))
        };
        // Several nodes may refer to the same file.
        let found: BTreeSet<_> = report.findings().filter_map(of).collect();
        let error = |(finding, remedy)| LoadError::Companion { file: file.into(), finding, remedy };
        found.into_iter().map(error).collect()
    }
}

/// Logs the parts of a model that cannot be loaded.
pub(crate) fn log(path: &str, problems: &[LoadError]) {
    for problem in problems.iter().map(ToString::to_string) {
        if problem.starts_with(path) {
            bevy::log::error!("{problem}");
        } else {
            bevy::log::error!("{path}: {problem}");
        }
    }
}

/// The suggested remedy for an error.
fn remedy(error: &meshlens_assets::Error) -> &'static str {
    use meshlens::wire::ErrorKind;
    use meshlens_assets::Error;
    match error {
        Error::NotFound { .. } | Error::NoFiles { .. } => "put the file there, or correct the path",
        Error::MissingHalf { .. } => "put the other file into the same folder",
        Error::Ambiguous { .. } => "rename all but one of them",
        Error::NoSkin { .. } => "load another skin",
        Error::Refused(_) => "use a path inside the asset source",
        Error::Parse { error, .. } if matches!(error.kind(), ErrorKind::Encrypted { .. }) => {
            "set the password"
        }
        Error::Parse { error, .. } if matches!(error.kind(), ErrorKind::WrongPassword) => {
            "set another password"
        }
        Error::Image { .. } | Error::Embedded(_) => {
            "save the image again, no larger than the device can show"
        }
        Error::Parse { .. } => "export the file again, or restore it from a copy",
        _ => "check the file",
    }
}
