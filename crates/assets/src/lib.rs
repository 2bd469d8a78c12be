//! Game models by name.
//!
//! [`Assets`] is a search path of folders, archives and file systems of an engine's own. [`Assets::open`] takes a name in it,
//! finds every file that belongs to the model, and gives an [`Asset`]: a model that owns its bytes.
//!
//! # Promises
//!
//! Nothing outside the mounts is ever read. Names that come from inside a file pass [`resolve`], which refuses absolute
//! names, drives, and `..` past the root of the mounts; symbolic links that lead out of a mounted folder are errors. Only
//! regular files are opened, and opening never waits. No input makes this crate panic.
#![forbid(unsafe_code)]

mod archive_files;
mod asset;
mod assets;
pub mod codes;
mod companions;
mod error;
mod filesystem;
mod find;
mod game_folder;
mod given;
mod index;
mod locate;
mod located;
#[cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
pub mod material;
mod open;
mod path;
mod player;
mod record;
mod rules;
mod scripts;
mod unreal;

pub use archive_files::ArchiveFiles;
pub use asset::{Asset, AssetFile, Part};
pub use assets::{Assets, DEFAULT_MAX_FILE_BYTES, FoundFile};
pub use bytes::Bytes;
pub use companions::clips_file;
pub use error::Error;
pub use filesystem::{Entry, EntryKind, FilePart, FileSystem};
pub use find::{FindOptions, FoundModels};
pub use given::Given;
pub use located::{LoadedFiles, Located, ModelFiles};
pub use open::OpenOptions;
pub use path::{AssetPath, MAX_PATH_BYTES, Refusal, Refused, resolve};
pub use player::body_part;
pub use rules::{Lookup, Rule};
pub use scripts::ScriptMesh;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
