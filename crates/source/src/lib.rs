//! Reads and maps files, and reads archives (PK3, zip), whose stored entries are borrowed in place. This is the only
//! crate of the workspace that opens files, so it also writes them: see [`AtomicFile`].
//!
//! ```no_run
//! use meshlens_source::{Access, Archive, Source};
//!
//! // Safe: into memory.
//! let bytes = Source::read("models/lower.md3")?;
//!
//! // SAFETY: nobody shortens or writes to the file while it is mapped.
//! let bytes = unsafe { Source::open("models/lower.md3", Access::Sparse)? };
//!
//! let archive = Archive::open(Source::read("pak0.pk3")?)?;
//! let model = archive.read_name("models/players/sarge/lower.md3")?;
//! # Ok::<(), meshlens_source::Error>(())
//! ```
//!
//! # Which function to use
//!
//! | used bytes | function |
//! |---|---|
//! | every byte of many files | [`read_into`] |
//! | some entries of a large archive | [`FileArchive::open_file`] |
//! | some of a large file, or all of one large file | [`Source::open`], [`Source::map`] |
//! | anything, without `unsafe` | [`Source::read`] |
//!
//! # Guarantees
//!
//! No input makes this crate panic. A file that states a large size does not cause a large allocation: reading grows
//! with the bytes that exist, and inflating is limited by [`ArchiveLimits`]. Only regular files are opened, and opening
//! never blocks. A file that changes while it is read is an error ([`Error::Changed`]). Only mapping cannot be made
//! safe: see [`Source::map`].

mod access;
mod advise;
mod archive;
mod archive_limits;
mod archive_writer;
mod entry;
mod entry_name;
mod error;
mod file;
#[cfg(feature = "folder")]
#[cfg_attr(all(target_family = "wasm", target_os = "unknown"), path = "no_folder.rs")]
mod folder;
#[cfg(feature = "folder")]
mod folder_entry;
mod output;
mod random_access;
mod range_cache;
mod read;
mod source;
mod zip_directory;
mod zip_name;
mod zip_record;

pub use access::Access;
pub use advise::Advice;
pub use archive::{Archive, FileArchive, SharedBytes};
pub use archive_limits::{
    ArchiveLimits, DEFAULT_MAX_ENTRIES, DEFAULT_MAX_ENTRY_BYTES, DEFAULT_MAX_RATIO, DEFAULT_MAX_TOTAL_BYTES,
    RATIO_FREE_BYTES, TOTAL_RATIO_FREE_BYTES,
};
pub use archive_writer::{ALIGNMENT, ArchiveWriter};
pub use entry::{Entries, Entry, split_entry_path};
pub use error::{EntryFault, Error, NameFault, Overlap, Result};
pub use file::{FileState, open_regular};
#[cfg(feature = "folder")]
pub use folder::Folder;
#[cfg(feature = "folder")]
pub use folder_entry::{FilePart, FolderEntry, FolderEntryKind};
pub use output::{AtomicFile, discard_unfinished, write_atomic};
pub use random_access::{OpenedFile, RandomAccessFile, ReadAt};
pub use range_cache::{CachedRange, KeptRange, RangeCache};
pub use read::UNSIZED_LIMIT;
pub use source::{STREAM_NAME, Source, read_into};
pub use zip_record::Method;
