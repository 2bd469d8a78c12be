//! Opens game models by name.
//!
//! [`Assets`] is a search path of folders, archives and an engine's own file systems. [`Assets::open`] finds every file
//! that belongs to a model, and returns an [`Asset`]: a model that owns its bytes.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # std::fs::create_dir_all(folder.path().join("models"))?;
//! # std::fs::write(folder.path().join("models/flag.md3"), meshlens::md3::write::Model::new("flag")?.write()?)?;
//! use meshlens_assets::Assets;
//!
//! let mut assets = Assets::new();
//! assets.mount_folder(folder.path())?; // also mount_archive, and mount for any other file system
//! let flag = assets.open("models/flag.md3")?;
//! for mesh in &flag.model().meshes {
//!     println!("{}: {} frames", mesh.name, mesh.frame_count());
//! }
//! # assert_eq!(flag.model().name, "flag");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to go from here:
//!
//! - [`Assets::open_path`] opens a path that a user gives, without mounts. It recognizes the folder of the game around
//!   the path.
//! - [`Assets::find_models`] lists every model below a folder.
//! - [`Rule`] documents which companion files are looked up for each format, and where. [`Asset::lookups`] lists every
//!   search, with its result.
//! - [`material`] has Quake 3 shaders, textures and images.
//! - [`FileSystem`] is the trait to implement for an engine's own storage.
//!
//! # Guarantees
//!
//! Only files inside the mounts are read. Names that are stored in a file pass [`resolve`], which refuses absolute
//! names, drives, and `..` past the root of the mounts. Symbolic links that lead out of a mounted folder are errors.
//! Only regular files are opened, and opening never blocks. No input makes this crate panic.
#![forbid(unsafe_code)]

mod archive_files;
mod around;
mod asset;
mod assets;
mod cache;
mod carried;
pub mod codes;
mod companions;
mod error;
mod filesystem;
mod find;
mod foreign;
mod game_folder;
mod held;
mod imported;
mod index;
mod locate;
mod located;
#[deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod material;
mod memory_files;
mod mount;
mod mounts;
mod open;
mod open_archive;
mod path;
mod plan;
mod player;
mod record;
mod restore;
mod rules;
mod same;
mod script_pairs;
mod scripts;
mod sprites;
mod unreal;
mod user_path;
mod walk;

pub use archive_files::ArchiveFiles;
pub use asset::Asset;
pub use assets::{Assets, DEFAULT_MAX_FILE_BYTES};
pub use bytes::Bytes;
pub use companions::{clips_file, write_clips};
pub use error::Error;
pub use filesystem::{Entry, EntryKind, FilePart, FileSystem};
pub use find::{FindOptions, FoundModels, Models};
pub use foreign::foreign_format;
pub use located::{LoadedFiles, Located, ModelFiles};
pub use memory_files::MemoryFiles;
pub use mount::FoundFile;
pub use open::OpenOptions;
pub use path::{AssetPath, MAX_PATH_BYTES, Refusal, Refused, resolve};
pub use plan::{NodePlan, ScenePlan};
pub use player::body_part;
pub use record::AssetFile;
pub use restore::{ClipsCompanion, add_companions, clips_companion};
pub use rules::{Lookup, Rule};
pub use scripts::ScriptMesh;
pub use user_path::UserPath;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
