//! The error of this crate, which names the file, and the entry inside it.

use std::io;
use std::path::Path;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why bytes could not be read or written.
///
/// The text is one line and includes the cause, so there is no `source()`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system reported an error; `action` describes the operation.
    #[error("{}: cannot {action}: {error}", path.display())]
    Io {
        /// The file, or [`STREAM_NAME`](crate::STREAM_NAME) for a reader without one.
        path: Box<Path>,
        /// The failed action: `open`, `read`, `create`, `write` and so on.
        action: &'static str,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The path is a folder, but a file is needed.
    #[error("{}: is a folder", path.display())]
    Folder {
        /// The folder.
        path: Box<Path>,
    },
    /// A name, or a symbolic link in it, leads out of the folder that it is relative to.
    #[error("{}: leads out of its folder", path.display())]
    Outside {
        /// The folder and the name.
        path: Box<Path>,
    },
    /// The input has more bytes than the limit. They are dropped.
    #[error("{}: larger than the limit of {limit} bytes", path.display())]
    TooLarge {
        /// The file, or [`STREAM_NAME`](crate::STREAM_NAME) for a reader without one.
        path: Box<Path>,
        /// The limit.
        limit: u64,
    },
    /// The file was truncated or written to while it was read. The bytes that were read are dropped.
    #[error("{}: changed while it was being read", path.display())]
    Changed {
        /// The file.
        path: Box<Path>,
    },
    /// A hint was given for a range that the source does not have.
    #[error("bytes {start}..{end} are not a range of {len} bytes")]
    Range {
        /// The start of the range.
        start: usize,
        /// The end of the range.
        end: usize,
        /// The number of bytes of the source.
        len: usize,
    },
    /// The bytes are not a zip archive with a readable directory.
    #[error("{archive}: not a readable zip archive: {reason}")]
    Archive {
        /// The archive, as returned by [`Archive::name`](crate::Archive::name).
        archive: Box<str>,
        /// The reason.
        reason: Box<str>,
    },
    /// The archive has more entries than the limit.
    #[error("{archive}: {count} entries, more than {limit}")]
    TooManyEntries {
        /// The archive, as returned by [`Archive::name`](crate::Archive::name).
        archive: Box<str>,
        /// The number of entries according to the archive.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The list of the entries of the archive needs more memory than allowed.
    #[error("{archive}: the list of its entries needs {bytes} more bytes of memory")]
    Memory {
        /// The archive, as returned by [`Archive::name`](crate::Archive::name).
        archive: Box<str>,
        /// The number of bytes that were refused.
        bytes: u64,
    },
    /// The entries of the archive inflate to more bytes in total than the limit.
    #[error("{archive}: the entries inflate to {size} bytes in all, more than {limit}")]
    TotalSize {
        /// The archive, as returned by [`Archive::name`](crate::Archive::name).
        archive: Box<str>,
        /// The sum of the inflated sizes that the archive states.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The ratio of all entries of the archive together exceeds the limit.
    #[error("{archive}: {compressed} bytes inflate to {size} in all, more than {limit} times as many")]
    TotalRatio {
        /// The archive, as returned by [`Archive::name`](crate::Archive::name).
        archive: Box<str>,
        /// The sum of the compressed sizes.
        compressed: u64,
        /// The sum of the inflated sizes that the archive states.
        size: u64,
        /// The limit.
        limit: u32,
    },
    /// Two entries of an archive share bytes, so neither can be read. Other entries are not affected.
    #[error("{0}")]
    Overlap(Box<Overlap>),
    /// An entry of an archive cannot be read. Other entries are not affected.
    #[error("{archive}!{entry}: {fault}")]
    Entry {
        /// The archive, as returned by [`Archive::name`](crate::Archive::name).
        archive: Box<str>,
        /// The entry, as spelled in the archive.
        entry: Box<str>,
        /// The reason.
        fault: EntryFault,
    },
    /// No archive has an entry with this name.
    #[error("{archive}!{entry}: no such entry")]
    NoEntry {
        /// The archives that were searched.
        archive: Box<str>,
        /// The name.
        entry: Box<str>,
    },
    /// The output exists, and overwriting is not allowed.
    #[error("{}: exists already", path.display())]
    Exists {
        /// The output.
        path: Box<Path>,
    },
    /// The path is a pipe, a socket or a device. Such an input may never end, and such an output would be replaced
    /// instead of written to.
    #[error("{}: is {kind}, not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: Box<Path>,
        /// The kind of file: `a pipe`, `a socket`, `a device` or `something else`.
        kind: &'static str,
    },
}

/// Two entries of an archive that share bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{archive}!{entry}: the entry at {start:#x} to {end:#x} overlaps {other} at {other_start:#x}")]
#[non_exhaustive]
pub struct Overlap {
    /// The archive, as returned by [`Archive::name`](crate::Archive::name).
    pub archive: Box<str>,
    /// The entry to be read, as spelled in the archive.
    pub entry: Box<str>,
    /// The start of its local header.
    pub start: u64,
    /// The earliest possible end of its bytes.
    pub end: u64,
    /// The other entry.
    pub other: Box<str>,
    /// The start of the local header of the other entry.
    pub other_start: u64,
}

/// The reason why an entry of an archive cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryFault {
    /// The name could lead out of a folder, or is not a valid name.
    #[error("refused: {0}")]
    Name(NameFault),
    /// The entry is encrypted.
    #[error("encrypted")]
    Encrypted,
    /// The entry is compressed with an unsupported method. The number is defined by the zip format.
    #[error("compression method {0} is not supported")]
    Method(u16),
    /// There is no local header at the offset that the directory states.
    #[error("no local header at {offset:#x}")]
    LocalHeader {
        /// The stated offset.
        offset: u64,
    },
    /// The entry's bytes end past the end of the archive.
    #[error("{size} bytes at {offset:#x} end past the archive ({archive_len:#x})")]
    Truncated {
        /// The start of the entry's bytes.
        offset: u64,
        /// The number of bytes.
        size: u64,
        /// The end of the archive.
        archive_len: u64,
    },
    /// The inflated entry would exceed the limit.
    #[error("{size} bytes when inflated, more than {limit}")]
    TooLarge {
        /// The inflated size that the archive states.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The ratio of the entry exceeds the limit.
    #[error("{compressed} bytes inflate to {size}, more than {limit} times as many")]
    Ratio {
        /// The compressed size.
        compressed: u64,
        /// The inflated size that the archive states.
        size: u64,
        /// The limit.
        limit: u32,
    },
    /// The compressed data is not a deflate stream.
    #[error("broken deflate stream")]
    Deflate,
    /// The inflated size differs from the one that the archive states.
    #[error("not the {stated} bytes that the archive states")]
    Size {
        /// The inflated size that the archive states.
        stated: u64,
    },
    /// The CRC-32 of the inflated bytes differs from the one that the archive states.
    #[error("checksum {found:#010x}, expected {expected:#010x}")]
    Checksum {
        /// The stated CRC-32.
        expected: u32,
        /// The computed CRC-32.
        found: u32,
    },
    /// The system does not have enough memory for the inflated entry.
    #[error("no memory for {size} bytes")]
    Memory {
        /// The inflated size that the archive states.
        size: u64,
    },
}

/// The reason why the name of an entry is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NameFault {
    /// The name is empty.
    #[error("empty name")]
    Empty,
    /// The name contains a NUL character.
    #[error("name with a NUL character")]
    Nul,
    /// The name starts at a root or with a drive.
    #[error("absolute name")]
    Absolute,
    /// The name contains the component `..`.
    #[error("name with a `..` component")]
    Parent,
}

impl Error {
    /// Whether the error means that the file or the entry does not exist.
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
        move |error| Error::Io { path: path.into(), action, error }
    }
}

/// Converts the error to the closest kind of `std::io::Error`, with this error as its cause.
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
