//! What can go wrong between a path and its bytes: one typed error that names the file.

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
    /// There are more bytes than the limit allows. Nothing is kept of them.
    #[error("{}: more than {limit} bytes", path.display())]
    TooLarge {
        /// The file, or [`STREAM_NAME`](crate::STREAM_NAME) for a reader without one.
        path: Box<Path>,
        /// The limit in force.
        limit: u64,
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
            Error::Folder { .. } => io::ErrorKind::IsADirectory,
            Error::Range { .. } => io::ErrorKind::InvalidInput,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}
