//! Why a name does not lead to a model.

use std::fmt;
use std::io;

use meshlens::wire::OverBudget;

use crate::material::ImageError;
use crate::{AssetPath, FoundFile, Refused};

/// Why an asset could not be opened. It names the file, and what was looked for, in order.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name leads out of the mounts, or is no name.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// There is no such file.
    #[error("{name}: not found; looked {}", Looked(looked_for, mounts))]
    NotFound {
        /// What was asked for.
        name: Box<str>,
        /// What was looked for, in order.
        looked_for: Vec<AssetPath>,
        /// The names of the mounts, in the order in which they were searched.
        mounts: Vec<Box<str>>,
    },
    /// Several files have this name but for the case of letters, and none is spelled like it.
    #[error("{name}: {} names differ from it in the case of letters alone: {}", candidates.len(), List(candidates))]
    Ambiguous {
        /// What was asked for.
        name: AssetPath,
        /// The files, sorted.
        candidates: Vec<FoundFile>,
    },
    /// One of the two files of a mesh is there, and the other is not.
    #[error("{file}: the other file of this mesh was not found; looked for {}", List(looked_for))]
    MissingHalf {
        /// The file that is there, or the script that names both.
        file: Box<str>,
        /// The names of the missing ones, in the order in which they were looked for.
        looked_for: Vec<AssetPath>,
    },
    /// None of the files that a script names for a mesh is there.
    #[error("{script}: the files of mesh {mesh} are not there; looked for {}", List(looked_for))]
    NoFiles {
        /// The script.
        script: Box<str>,
        /// The name of the mesh.
        mesh: Box<str>,
        /// What was looked for, in order.
        looked_for: Vec<AssetPath>,
    },
    /// A model has no skin of the name that was asked for.
    #[error("{file}: not found; {}", OneOf("skin", available))]
    NoSkin {
        /// The file that was looked for.
        file: AssetPath,
        /// The names of the skins that there are, sorted.
        available: Vec<String>,
    },
    /// The name is not that of one model: a script or a folder has several, or none.
    #[error("{name}: not one model; {}", OneOf("model", models))]
    NotOneModel {
        /// What was asked for.
        name: Box<str>,
        /// The names of the models that there are, in order.
        models: Vec<String>,
    },
    /// A link leads to a folder that it lies in, and is not followed.
    #[error("{0}: a link to a folder that it lies in")]
    Loop(Box<str>),
    /// There are more files below a folder than are looked at.
    #[error("{folder}: more than {limit} files and folders")]
    TooManyFiles {
        /// The folder.
        folder: Box<str>,
        /// The most files and folders that are looked at.
        limit: usize,
    },
    /// A folder of a mount cannot be listed.
    #[error("{folder}: cannot list: {error}")]
    List {
        /// The folder.
        folder: Box<str>,
        /// The answer of its file system.
        error: io::Error,
    },
    /// A file, or the file system that it is in, cannot be read.
    #[error(transparent)]
    Source(#[from] meshlens_source::Error),
    /// A file system that is neither a folder nor an archive could not read a file.
    #[error("{file}: cannot read: {error}")]
    Read {
        /// The file.
        file: Box<FoundFile>,
        /// The answer of its file system.
        error: io::Error,
    },
    /// The bytes of a file are not what they should be.
    #[error("{file}: {error}")]
    Parse {
        /// The file.
        file: Box<str>,
        /// Where and why.
        error: Box<meshlens::Error>,
    },
    /// An image cannot be decoded.
    #[error("{file}: {error}")]
    Image {
        /// The file.
        file: Box<FoundFile>,
        /// Where and why.
        error: Box<ImageError>,
    },
    /// The files need more memory than the budget has.
    #[error("{file}: {over}")]
    Memory {
        /// The file.
        file: Box<str>,
        /// How much was asked for, and how much there is.
        over: Box<OverBudget>,
    },
}

impl Error {
    /// The error of reading a file: one of `meshlens-source`, which names the file itself, or any other.
    pub(crate) fn reading(file: &FoundFile, error: io::Error) -> Error {
        match error.downcast::<meshlens_source::Error>() {
            Ok(error) => Error::Source(error),
            Err(error) => Error::Read { file: Box::new(file.clone()), error },
        }
    }

    /// The error of listing a folder.
    pub(crate) fn listing(folder: impl fmt::Display, error: io::Error) -> Error {
        match error.downcast::<meshlens_source::Error>() {
            Ok(error) => Error::Source(error),
            Err(error) => Error::List { folder: folder.to_string().into(), error },
        }
    }

    pub(crate) fn parse(file: impl fmt::Display, error: meshlens::Error) -> Error {
        Error::Parse { file: file.to_string().into(), error: Box::new(error) }
    }

    pub(crate) fn memory(file: impl fmt::Display, over: OverBudget) -> Error {
        Error::Memory { file: file.to_string().into(), over: Box::new(over) }
    }

    /// True when what was asked for does not exist, rather than being unreadable or refused.
    pub fn is_not_found(&self) -> bool {
        match self {
            Error::NotFound { .. } => true,
            Error::Source(error) => error.is_not_found(),
            Error::Read { error, .. } => error.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}

/// The most names that an error lists.
const SHOWN: usize = 8;

/// Names in words: `a, b and 3 more`.
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

/// What there is of what was asked for.
struct OneOf<'a>(&'static str, &'a [String]);

impl fmt::Display for OneOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            [] => write!(f, "there is no {}", self.0),
            names => write!(f, "one of {}", List(names)),
        }
    }
}

/// What was looked for, and where.
struct Looked<'a>(&'a [AssetPath], &'a [Box<str>]);

impl fmt::Display for Looked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Looked(names, mounts) = self;
        if !names.is_empty() {
            write!(f, "for {} ", List(names))?;
        }
        match mounts {
            [] => f.write_str("nowhere, since nothing is mounted"),
            mounts => write!(f, "in {}", List(mounts)),
        }
    }
}
