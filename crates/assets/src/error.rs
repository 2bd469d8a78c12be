//! The errors of opening models.

use std::fmt;
use std::io;
use std::sync::Arc;

use meshlens::wire::OverBudget;

use crate::material::ImageError;
use crate::mount::over_budget;
use crate::{AssetPath, FoundFile, Refused};

/// The reason why an asset could not be opened. It contains the file and the paths that were looked up, in order.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name leads out of the mounts, or is not a valid name.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The file does not exist in any mount.
    #[error("{name}: not found; looked {}", Looked(looked_for, mounts))]
    NotFound {
        /// The name that was requested.
        name: Box<str>,
        /// The paths that were looked up, in order.
        looked_for: Vec<AssetPath>,
        /// The names of the mounts, in search order.
        mounts: Vec<Box<str>>,
    },
    /// Several files differ from the requested name only in case, and none is spelled like it.
    #[error("{name}: {} files differ from it only in case: {}", candidates.len(), List(candidates))]
    Ambiguous {
        /// The name that was requested.
        name: AssetPath,
        /// The files, sorted.
        candidates: Vec<FoundFile>,
    },
    /// One file of a mesh of two files exists, and the other does not.
    #[error(
        "{file}: the other file of this mesh was not found; looked for {}{}",
        List(looked_for),
        Then(refused)
    )]
    MissingHalf {
        /// The file that exists, or the script that names both.
        file: Box<str>,
        /// The possible names of the missing file, in search order.
        looked_for: Vec<AssetPath>,
        /// The refused names in a script.
        refused: Vec<Refused>,
    },
    /// None of the files that a script names for a mesh exists.
    #[error(
        "{script}: the files of mesh {mesh} do not exist; looked for {}{}",
        List(looked_for),
        Then(refused)
    )]
    NoFiles {
        /// The script.
        script: Box<str>,
        /// The name of the mesh.
        mesh: Box<str>,
        /// The paths that were looked up, in order.
        looked_for: Vec<AssetPath>,
        /// The refused names in the script. The file name of each was also looked for in the folder of the script.
        refused: Vec<Refused>,
    },
    /// The model has no skin with the requested name.
    #[error("{file}: not found; {}", OneOf("skin", available))]
    NoSkin {
        /// The file that was looked up.
        file: AssetPath,
        /// The names of the existing skins, sorted.
        available: Vec<String>,
    },
    /// The name does not lead to exactly one model: a script or a folder has several or none.
    #[error("{name}: not one model; {}", OneOf("model", models))]
    NotOneModel {
        /// The name that was requested.
        name: Box<str>,
        /// The names of the models, in order.
        models: Vec<String>,
    },
    /// A link leads to a folder that contains it. Such links are not followed.
    #[error("{0}: a link to a folder that contains it")]
    Loop(Box<str>),
    /// A folder has more files below it than the limit.
    #[error("{folder}: more than {limit} files and folders")]
    TooManyFiles {
        /// The folder.
        folder: Box<str>,
        /// The limit on the number of files and folders.
        limit: usize,
    },
    /// A folder has more folders inside one another than the limit, or a longer path below it than
    /// [`MAX_PATH_BYTES`](crate::MAX_PATH_BYTES).
    #[error(
        "{folder}: more than {limit} folders inside one another, or a path of more than {} bytes",
        crate::MAX_PATH_BYTES
    )]
    TooDeep {
        /// The folder.
        folder: Box<str>,
        /// The limit on the number of folders.
        limit: usize,
    },
    /// A folder of a mount cannot be listed.
    #[error("{folder}: cannot list: {error}")]
    List {
        /// The folder.
        folder: Box<str>,
        /// The error of its file system: a shared one, whose [source](std::error::Error::source) is the [`io::Error`] that the file
        /// system returned.
        error: io::Error,
    },
    /// A file or its file system cannot be read.
    #[error(transparent)]
    Source(#[from] meshlens_source::Error),
    /// A custom file system could not read a file.
    #[error("{file}: cannot read: {error}")]
    Read {
        /// The file.
        file: Box<FoundFile>,
        /// The error of its file system.
        error: io::Error,
    },
    /// The content of a file is invalid.
    #[error("{file}: {error}")]
    Parse {
        /// The file.
        file: Box<str>,
        /// The reason, with the offset.
        error: Box<meshlens::Error>,
    },
    /// A file of [another format](crate::Assets::add_importer) cannot be imported.
    #[error("{file}: {error}{}", Then(unreadable))]
    Import {
        /// The file.
        file: Box<str>,
        /// The error of the importer.
        error: Box<dyn std::error::Error + Send + Sync>,
        /// The paths that it refers to and no mount has.
        missing: Vec<AssetPath>,
        /// The reasons why other files that it refers to cannot be read.
        unreadable: Vec<String>,
    },
    /// A file of [another format](crate::Assets::add_importer) is imported as a whole, and has no parts to load.
    #[error("{file}: a file of {format} is imported as a whole, and cannot be streamed")]
    Imported {
        /// The file.
        file: Box<str>,
        /// The name of the format, such as `gltf`.
        format: &'static str,
    },
    /// An image cannot be decoded.
    #[error("{file}: {error}")]
    Image {
        /// The file.
        file: Box<FoundFile>,
        /// The reason, with the offset.
        error: Box<ImageError>,
    },
    /// An image that a model's file contains cannot be decoded.
    #[error("embedded image: {0}")]
    Embedded(Box<ImageError>),
    /// The files need more memory than the budget allows.
    #[error("{file}: {over}")]
    Memory {
        /// The file.
        file: Box<str>,
        /// The requested and the available memory.
        over: Box<OverBudget>,
    },
}

impl Error {
    /// The error for a read that failed. Errors of `meshlens-source` already name the file.
    pub(crate) fn reading(file: &FoundFile, error: io::Error) -> Error {
        if let Some(over) = over_budget(&error) {
            return Error::memory(file, over.clone());
        }
        match error.downcast::<meshlens_source::Error>() {
            Ok(error) => Error::Source(error),
            Err(error) => Error::Read { file: Box::new(file.clone()), error },
        }
    }

    /// The error for a folder that could not be listed. The error of its file system is shared by all of them.
    pub(crate) fn listing(folder: impl fmt::Display, error: &Arc<io::Error>) -> Error {
        if let Some(over) = over_budget(error) {
            return Error::memory(folder, over.clone());
        }
        let error = io::Error::new(error.kind(), SharedError(error.clone()));
        Error::List { folder: folder.to_string().into(), error }
    }

    pub(crate) fn parse(file: impl fmt::Display, error: meshlens::Error) -> Error {
        Error::Parse { file: file.to_string().into(), error: Box::new(error) }
    }

    pub(crate) fn memory(file: impl fmt::Display, over: OverBudget) -> Error {
        Error::Memory { file: file.to_string().into(), over: Box::new(over) }
    }

    /// Whether the requested model or file does not exist. False if it is unreadable or refused.
    pub fn is_not_found(&self) -> bool {
        match self {
            Error::NotFound { .. } => true,
            Error::Source(error) => error.is_not_found(),
            Error::Read { error, .. } => error.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}

/// An error of listing a folder, which is reported by every call that needs the folder.
#[derive(Debug)]
struct SharedError(Arc<io::Error>);

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SharedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

/// The largest number of names that an error lists.
const SHOWN: usize = 8;

/// Formats names as `a, b and 3 more`.
struct List<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, name) in self.0.iter().take(SHOWN).enumerate() {
            if number > 0 {
                f.write_str(", ")?;
            }
            fmt::Display::fmt(name, f)?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Formats names or reasons that follow the rest of a message, if there are any.
struct Then<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Then<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "; {}", List(self.0)) }
    }
}

/// Formats the available names.
struct OneOf<'a>(&'static str, &'a [String]);

impl fmt::Display for OneOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            [] => write!(f, "there is no {}", self.0),
            names => write!(f, "one of {}", List(names)),
        }
    }
}

/// Formats the names that were looked up, and the folders.
struct Looked<'a>(&'a [AssetPath], &'a [Box<str>]);

impl fmt::Display for Looked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Looked(names, mounts) = self;
        if !names.is_empty() {
            write!(f, "for {} ", List(names))?;
        }
        match mounts {
            [] => f.write_str("nowhere, because nothing is mounted"),
            mounts => write!(f, "in {}", List(mounts)),
        }
    }
}
