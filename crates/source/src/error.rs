//! What can go wrong between a path and its bytes: one typed error that names the file, and the entry inside it.

use std::io;
use std::path::Path;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why bytes could not be had, or could not be written.
///
/// The text says everything on one line, so there is no `source()` to say it twice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused; `action` says what was being done.
    #[error("{}: cannot {action}: {error}", path.display())]
    Io {
        /// The file, or [`STREAM_NAME`](crate::STREAM_NAME) for a reader without one.
        path: Box<Path>,
        /// What was being done: `open`, `read`, `create`, `write` and so on.
        action: &'static str,
        /// The operating system's answer.
        error: io::Error,
    },
    /// The path names a folder where a file is needed.
    #[error("{}: is a folder", path.display())]
    Folder {
        /// The folder.
        path: Box<Path>,
    },
    /// A name, or a symbolic link on its way, leads out of the folder it is relative to.
    #[error("{}: leads out of its folder", path.display())]
    Outside {
        /// The folder and the name.
        path: Box<Path>,
    },
    /// There are more bytes than the limit allows. Nothing is kept of them.
    #[error("{}: larger than the limit of {limit} bytes", path.display())]
    TooLarge {
        /// The file, or [`STREAM_NAME`](crate::STREAM_NAME) for a reader without one.
        path: Box<Path>,
        /// The limit in force.
        limit: u64,
    },
    /// The file was cut short or written to while it was read: what was read of it means nothing.
    #[error("{}: changed while it was being read", path.display())]
    Changed {
        /// The file.
        path: Box<Path>,
    },
    /// Advice was given about bytes that the source does not have.
    #[error("bytes {start}..{end} are not a range of {len} bytes")]
    Range {
        /// Where the range begins.
        start: usize,
        /// Where the range ends.
        end: usize,
        /// How many bytes there are.
        len: usize,
    },
    /// The bytes are not a zip archive that can be listed.
    #[error("{archive}: not a readable zip archive: {reason}")]
    Archive {
        /// The archive, as [`Archive::name`](crate::Archive::name) gives it.
        archive: Box<str>,
        /// What the directory reader found.
        reason: Box<str>,
    },
    /// The archive lists more entries than the limit allows.
    #[error("{archive}: {count} entries, more than {limit}")]
    TooManyEntries {
        /// The archive, as [`Archive::name`](crate::Archive::name) gives it.
        archive: Box<str>,
        /// How many entries the archive says it has.
        count: u64,
        /// The limit in force.
        limit: u64,
    },
    /// The deflated entries of the archive inflate to more bytes in all than the limit.
    #[error("{archive}: the entries inflate to {size} bytes in all, more than {limit}")]
    TotalSize {
        /// The archive, as [`Archive::name`](crate::Archive::name) gives it.
        archive: Box<str>,
        /// The sum of the sizes that the archive states.
        size: u64,
        /// The limit in force.
        limit: u64,
    },
    /// The deflated entries of the archive inflate to more times their own size in all than the limit.
    #[error("{archive}: {compressed} bytes inflate to {size} in all, more than {limit} times as many")]
    TotalRatio {
        /// The archive, as [`Archive::name`](crate::Archive::name) gives it.
        archive: Box<str>,
        /// The sum of the compressed sizes.
        compressed: u64,
        /// The sum of the sizes that the archive states.
        size: u64,
        /// The limit in force.
        limit: u32,
    },
    /// Two entries of an archive share bytes, so that neither is read. The other entries are.
    #[error("{0}")]
    Overlap(Box<Overlap>),
    /// One entry of an archive cannot be read. The other entries can.
    #[error("{archive}!{entry}: {fault}")]
    Entry {
        /// The archive, as [`Archive::name`](crate::Archive::name) gives it.
        archive: Box<str>,
        /// The entry, as the archive spells it.
        entry: Box<str>,
        /// What is wrong with the entry.
        fault: EntryFault,
    },
    /// No archive has an entry of this name.
    #[error("{archive}!{entry}: no such entry")]
    NoEntry {
        /// Where it was looked for.
        archive: Box<str>,
        /// The name that was asked for.
        entry: Box<str>,
    },
    /// The output exists and overwriting was not allowed.
    #[error("{}: exists already", path.display())]
    Exists {
        /// The output.
        path: Box<Path>,
    },
    /// The path names a pipe, a socket or a device. Such an input may never end, and such an output would be replaced
    /// instead of filled.
    #[error("{}: is {kind}, not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: Box<Path>,
        /// What it is: `a pipe`, `a socket`, `a device` or `something else`.
        kind: &'static str,
    },
}

/// Two entries of an archive that share bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{archive}!{entry}: the entry at {start:#x} to {end:#x} overlaps {other} at {other_start:#x}")]
pub struct Overlap {
    /// The archive, as [`Archive::name`](crate::Archive::name) gives it.
    pub archive: Box<str>,
    /// The entry that was to be read, as the archive spells it.
    pub entry: Box<str>,
    /// Where its local header begins.
    pub start: u64,
    /// Where its bytes end, at the earliest.
    pub end: u64,
    /// The other entry.
    pub other: Box<str>,
    /// Where the local header of the other entry begins.
    pub other_start: u64,
}

/// What is wrong with one entry of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryFault {
    /// The name could lead outside a folder, or is no name at all.
    #[error("refused: {0}")]
    Name(NameFault),
    /// The entry is encrypted.
    #[error("encrypted")]
    Encrypted,
    /// The entry is compressed by a method other than stored and deflate. The number is the zip format's.
    #[error("compression method {0} is not supported")]
    Method(u16),
    /// There is no local header where the directory says.
    #[error("no local header at {offset:#x}")]
    LocalHeader {
        /// Where it should be.
        offset: u64,
    },
    /// The entry's bytes end past the end of the archive.
    #[error("{size} bytes at {offset:#x} end past the archive ({archive_len:#x})")]
    Truncated {
        /// Where the entry's bytes begin.
        offset: u64,
        /// How many there should be.
        size: u64,
        /// Where the archive ends.
        archive_len: u64,
    },
    /// Inflating the entry would give more bytes than the limit.
    #[error("{size} bytes when inflated, more than {limit}")]
    TooLarge {
        /// The size that the archive states.
        size: u64,
        /// The limit in force.
        limit: u64,
    },
    /// The entry inflates to more times its own size than the limit.
    #[error("{compressed} bytes inflate to {size}, more than {limit} times as many")]
    Ratio {
        /// The compressed size.
        compressed: u64,
        /// The size that the archive states.
        size: u64,
        /// The limit in force.
        limit: u32,
    },
    /// The compressed data is not a deflate stream.
    #[error("broken deflate stream")]
    Deflate,
    /// The entry does not have the size that the archive states.
    #[error("not the {stated} bytes that the archive states")]
    Size {
        /// The size that the archive states.
        stated: u64,
    },
    /// The entry's bytes are not the ones that were archived.
    #[error("checksum {found:#010x}, expected {expected:#010x}")]
    Checksum {
        /// The CRC-32 that the archive states.
        expected: u32,
        /// The CRC-32 of the bytes.
        found: u32,
    },
    /// The system has no memory for the inflated entry.
    #[error("no memory for {size} bytes")]
    Memory {
        /// The size that the archive states.
        size: u64,
    },
}

/// Why the name of an entry is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NameFault {
    /// The name is empty.
    #[error("empty name")]
    Empty,
    /// The name contains a NUL character.
    #[error("name with a NUL character")]
    Nul,
    /// The name begins at a root or a drive.
    #[error("absolute name")]
    Absolute,
    /// The name contains the component `..`.
    #[error("name with a `..` component")]
    Parent,
}

impl Error {
    /// True when the file or the entry does not exist.
    ///
    /// ```
    /// let error = meshlens_source::Source::read("no/such/file.md3").unwrap_err();
    /// assert!(error.is_not_found());
    /// assert!(error.to_string().starts_with("no/such/file.md3: cannot open: "));
    /// ```
    pub fn is_not_found(&self) -> bool {
        match self {
            Error::Io { error, .. } => error.kind() == io::ErrorKind::NotFound,
            Error::NoEntry { .. } => true,
            _ => false,
        }
    }

    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |error| Error::Io { path, action, error }
    }
}

/// Turns the error into the closest kind of `std::io::Error`, keeping it as the cause.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = match &error {
            Error::Io { error, .. } => error.kind(),
            Error::NoEntry { .. } => io::ErrorKind::NotFound,
            Error::Exists { .. } => io::ErrorKind::AlreadyExists,
            Error::Folder { .. } => io::ErrorKind::IsADirectory,
            Error::Outside { .. } => io::ErrorKind::PermissionDenied,
            Error::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            Error::Range { .. } | Error::NotRegular { .. } => io::ErrorKind::InvalidInput,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}
