//! The errors of loading.

use std::io;
use std::sync::Arc;

use crate::Part;
use crate::file_name::FileName;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why something could not be loaded. Several requests may share one error.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes have no known format, or are damaged.
    #[error("{file}: {error}")]
    Format {
        /// The file.
        file: FileName,
        /// The error from the parser.
        error: Box<meshlens::Error>,
    },
    /// The file cannot be read.
    #[error("{file}: {reason}")]
    Read {
        /// The file.
        file: FileName,
        /// The reason from the backend, including its causes.
        reason: Arc<str>,
        /// Whether the file does not exist, or access to it is denied.
        kind: io::ErrorKind,
    },
    /// The file has changed since its first read.
    #[error("{file}: changed while it was being read")]
    Changed {
        /// The file.
        file: FileName,
    },
    /// The backend returned another number of bytes than requested, although the file does not end there.
    #[error("{file}: {found} bytes came for the {wanted} bytes at {offset:#x}")]
    Length {
        /// The file.
        file: FileName,
        /// The absolute offset of the first byte.
        offset: u64,
        /// The number of requested bytes.
        wanted: u64,
        /// The number of returned bytes.
        found: u64,
    },
    /// The server returned more bytes than requested. The rest was not read.
    #[error("{file}: more came than the {wanted} bytes at {offset:#x}")]
    TooLong {
        /// The file.
        file: FileName,
        /// The absolute offset of the first byte.
        offset: u64,
        /// The number of requested bytes.
        wanted: u64,
    },
    /// The server redirects to another host, and the options of the backend do not allow that.
    #[error(
        "{file}: redirects to {to}, another host; the option `allows_redirects` of the backend permits it"
    )]
    Redirect {
        /// The file.
        file: FileName,
        /// The URL to which the server redirects.
        to: Arc<str>,
    },
    /// The system does not provide the memory for a read.
    #[error("{file}: no memory for {bytes} bytes")]
    NoMemory {
        /// The file.
        file: FileName,
        /// The number of bytes.
        bytes: u64,
    },
    /// The file does not contain the part.
    #[error("{file}: there is no {part}")]
    NoPart {
        /// The file.
        file: FileName,
        /// The part.
        part: Part,
    },
    /// Buffers were given for a part that is not a mesh.
    #[error("{file}: {part} is not a mesh, which vertex and index buffers are made of")]
    NotAMesh {
        /// The file.
        file: FileName,
        /// The part.
        part: Part,
    },
    /// The request needs more memory at once than the whole budget.
    #[error("{file}: needs {bytes} bytes of memory at once; the budget is {limit}")]
    OverBudget {
        /// The file.
        file: FileName,
        /// The number of bytes that the request needs.
        bytes: u64,
        /// The budget in bytes.
        limit: usize,
    },
    /// The given buffer is too small.
    #[error("{file}: the buffer for {what} has no room for {bytes} bytes")]
    NoRoom {
        /// The file.
        file: FileName,
        /// `vertices` or `indices`.
        what: &'static str,
        /// The number of bytes that the buffer must hold.
        bytes: usize,
    },
    /// Code that was given to the streamer panicked: a backend, a buffer or a function.
    #[error("{what} panicked: {message}")]
    Panicked {
        /// The code that panicked.
        what: &'static str,
        /// The message of the panic.
        message: Arc<str>,
    },
    /// A backend dropped a read without an answer.
    #[error("{file}: the backend gave no answer")]
    NoAnswer {
        /// The file.
        file: FileName,
    },
    /// A file of a search path cannot be read, or a scene cannot be made of its files.
    #[cfg(feature = "assets")]
    #[error(transparent)]
    Scene(Arc<meshlens_assets::Error>),
    /// The outcome of the request was already taken.
    #[error("the outcome was already taken")]
    Taken,
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The streamer was dropped, or could not start its threads.
    #[error("the streamer is closed")]
    Closed,
}

#[cfg(feature = "assets")]
impl From<meshlens_assets::Error> for Error {
    fn from(error: meshlens_assets::Error) -> Self {
        Error::Scene(Arc::new(error))
    }
}

impl Error {
    /// Makes the error for a file that cannot be read. The message includes the causes of `reason`.
    pub fn read(file: &FileName, reason: &(dyn std::error::Error + 'static)) -> Self {
        let is_not_found = std::iter::successors(Some(reason), |error| error.source()).any(|error| {
            let io = error.downcast_ref::<io::Error>();
            let source = error.downcast_ref::<meshlens_source::Error>();
            io.is_some_and(|io| io.kind() == io::ErrorKind::NotFound)
                || source.is_some_and(meshlens_source::Error::is_not_found)
        });
        Self::read_as(file, reason, if is_not_found { io::ErrorKind::NotFound } else { io::ErrorKind::Other })
    }

    /// Like [`read`](Self::read), with the kind of the error.
    pub(crate) fn read_as(
        file: &FileName,
        reason: &(dyn std::error::Error + 'static),
        kind: io::ErrorKind,
    ) -> Self {
        let mut text = reason.to_string();
        for cause in std::iter::successors(reason.source(), |error| error.source()) {
            let cause = cause.to_string();
            // Many errors already contain the text of their cause.
            if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        // The error of a file contains its name, too.
        let reason = text.strip_prefix(&**file).and_then(|text| text.strip_prefix(": ")).unwrap_or(&text);
        Error::Read { file: file.clone(), reason: reason.into(), kind }
    }

    /// Makes the error for a file that is damaged or has no known format.
    pub(crate) fn format(file: &FileName, error: meshlens::Error) -> Self {
        Error::Format { file: file.clone(), error: Box::new(error) }
    }

    /// Whether the file does not exist.
    pub fn is_not_found(&self) -> bool {
        match self {
            Error::Read { kind, .. } => *kind == io::ErrorKind::NotFound,
            #[cfg(feature = "assets")]
            Error::Scene(error) => error.is_not_found(),
            _ => false,
        }
    }

    /// Makes the error for code that panicked with `payload`.
    pub(crate) fn panicked(what: &'static str, payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Error::Panicked { what, message: text.unwrap_or("no message").into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_printed_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot get the object")]
        struct Outer(#[source] io::Error);

        let file: FileName = "a.md3".into();
        let error = Error::read(&file, &Outer(io::Error::new(io::ErrorKind::NotFound, "no such key")));
        assert_eq!(error.to_string(), "a.md3: cannot get the object: no such key");
        assert!(error.is_not_found());
        let plain = io::Error::new(io::ErrorKind::TimedOut, "too slow");
        assert_eq!(Error::read(&file, &plain).to_string(), "a.md3: too slow");
        assert!(!Error::read(&file, &plain).is_not_found());
    }

    #[test]
    fn an_error_is_small_send_and_sync() {
        fn crosses<T: Send + Sync + 'static>() {}
        crosses::<Error>();
        assert!(size_of::<Error>() <= 64, "{}", size_of::<Error>());
    }
}
