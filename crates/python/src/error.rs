//! Errors of Rust as exceptions of Python, and calls that run without the interpreter.

use std::cell::RefCell;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use meshlens::import::ImportError;
use meshlens::wire::{ErrorKind, OverBudget};
use meshlens_census::panic_text;
use pyo3::exceptions::{PyIndexError, PyLookupError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The error numbers that have their own exceptions. They are the same on every system.
const ENOENT: i32 = 2;
const EEXIST: i32 = 17;
const EISDIR: i32 = 21;

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Model(#[from] meshlens::Error),
    #[error(transparent)]
    Asset(#[from] meshlens_assets::Error),
    #[error(transparent)]
    Gltf(#[from] meshlens_gltf::Error),
    #[error(transparent)]
    Thumb(#[from] meshlens_thumb::Error),
    #[error(transparent)]
    Memory(#[from] OverBudget),
    /// A call does not support glTF files.
    #[error("{0}")]
    Unsupported(&'static str),
    /// An exception.
    #[error(transparent)]
    Raised(#[from] PyErr),
    /// A panic, with its message.
    #[error("a panic, which is a bug of meshlens: {0}")]
    Panic(String),
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Failure {
        match error {
            ImportError::Memory(over) => Failure::Memory(over),
            ImportError::File(error) => match error.downcast::<meshlens_gltf::Error>() {
                Ok(error) => Failure::Gltf(*error),
                Err(error) => Failure::Panic(error.to_string()),
            },
        }
    }
}

/// Runs a call. A panic becomes a failure.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(Failure::Panic(panic_text(&*panic))))
}

/// Runs a call without the interpreter lock, so that other Python threads can run. A panic becomes an exception.
pub(crate) fn work<T: Send>(py: Python<'_>, call: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    let done = py.detach(|| guarded(call));
    check_interrupt()?;
    done.map_err(|failure| failure.raise(py, None))
}

thread_local! {
    /// An exception that ends the call of this thread, although code between may go on without a file.
    static INTERRUPT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Notes an exception that is not about a file, such as `KeyboardInterrupt`, for [`check_interrupt`].
pub(crate) fn interrupt(error: PyErr) {
    INTERRUPT.with_borrow_mut(|noted| *noted = Some(error));
}

/// Whether the call of this thread is to end.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPT.with_borrow(Option::is_some)
}

/// Raises the exception that was noted, once.
pub(crate) fn check_interrupt() -> PyResult<()> {
    INTERRUPT.take().map_or(Ok(()), Err)
}

/// Panics inside a call, for tests.
#[pyfunction]
#[pyo3(name = "_plant_panic")]
pub(crate) fn plant_panic(py: Python<'_>) -> PyResult<()> {
    work(py, || -> Result<(), Failure> { std::panic::panic_any("planted".to_owned()) })
}

impl Failure {
    /// Adds the file that a failure is about.
    pub(crate) fn of(self, path: &str) -> Failure {
        match self {
            failure @ (Failure::Raised(_) | Failure::Panic(_)) => failure,
            Failure::Asset(meshlens_assets::Error::NotFound { name, looked_for, mounts })
                if name.is_empty() =>
            {
                // The path refers to a whole folder or archive.
                Failure::Asset(meshlens_assets::Error::NotFound { name: path.into(), looked_for, mounts })
            }
            failure => Python::attach(|py| Failure::Raised(failure.raise(py, Some(path)))),
        }
    }

    /// The name of the fault, and its byte offset, for a row of a table.
    pub(crate) fn code(&self) -> (&'static str, Option<u64>) {
        match self {
            Failure::Model(error) => meshlens_census::model_code(error),
            Failure::Asset(error) => meshlens_census::asset_code(error),
            Failure::Gltf(error) => meshlens_census::gltf_code(error),
            Failure::Memory(_) => ("MEMORY", None),
            Failure::Unsupported(_) => ("UNSUPPORTED", None),
            Failure::Panic(_) => ("PANIC", None),
            Failure::Thumb(_) | Failure::Raised(_) => ("FAILED", None),
        }
    }

    /// The exception. `path` is the file that it is about, unless the error contains a path.
    pub(crate) fn raise(self, py: Python<'_>, path: Option<&str>) -> PyErr {
        match self {
            Failure::Model(error) => model(py, &error, path),
            Failure::Asset(error) => asset(py, &error),
            Failure::Gltf(error) => gltf(py, &error, path),
            Failure::Thumb(error) => thumb(py, &error, path),
            Failure::Memory(error) => memory(py, &error),
            Failure::Unsupported(text) => {
                made(py, "UnsupportedError", &in_file(path, text), Some(("gltf", "UNSUPPORTED")), path, None)
            }
            Failure::Raised(error) => error,
            failure @ Failure::Panic(_) => made(py, "InternalError", &failure.to_string(), None, None, None),
        }
    }
}

/// An exception of the module. `fault` contains the format and the code of the problem with a file.
fn made(
    py: Python<'_>,
    class: &str,
    message: &str,
    fault: Option<(&str, &str)>,
    path: Option<&str>,
    offset: Option<u64>,
) -> PyErr {
    let errors = py.import("meshlens._errors");
    let made = errors.and_then(|errors| errors.call_method1("_made", (class, message, fault, path, offset)));
    made.map_or_else(|error| error, PyErr::from_value)
}

fn memory(py: Python<'_>, error: impl Display) -> PyErr {
    made(py, "MemoryLimitError", &error.to_string(), None, None, None)
}

/// A message that starts with the name of a file.
fn in_file(path: Option<&str>, error: impl Display) -> String {
    path.map_or_else(|| error.to_string(), |path| format!("{path}: {error}"))
}

fn model(py: Python<'_>, error: &meshlens::Error, path: Option<&str>) -> PyErr {
    if !error.has_offset() {
        // An argument of a call is wrong.
        return match error.kind() {
            ErrorKind::Index { .. } => PyIndexError::new_err(error.to_string()),
            ErrorKind::Missing { .. } => PyLookupError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        };
    }
    let class = match error.kind() {
        ErrorKind::Unsupported { .. } | ErrorKind::Version { .. } | ErrorKind::Encrypted { .. } => {
            "UnsupportedError"
        }
        ErrorKind::Magic { .. } if error.format() == "meshlens" => "UnsupportedError",
        _ => "FormatError",
    };
    let fault = (error.format(), error.code());
    made(py, class, &in_file(path, error), Some(fault), path, Some(error.offset()))
}

/// `OSError(errno, message, path)` creates the subclass for the error number.
fn system(number: i32, message: &str, path: &str) -> PyErr {
    PyOSError::new_err((number, message.to_owned(), path.to_owned()))
}

fn io(py: Python<'_>, action: &str, error: &io::Error, path: &str) -> PyErr {
    let raised = error.get_ref().and_then(|error| error.downcast_ref::<PyErr>());
    if let Some(raised) = raised.filter(|_| error.kind() != io::ErrorKind::NotFound) {
        let raised = raised.clone_ref(py);
        if raised.is_instance_of::<PyOSError>(py) {
            return raised;
        }
        let made = PyOSError::new_err(format!("{path}: cannot {action}: {raised}"));
        made.set_cause(py, Some(raised));
        return made;
    }
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let kind = match error.kind() {
        io::ErrorKind::NotFound => Some(ENOENT),
        io::ErrorKind::AlreadyExists => Some(EEXIST),
        io::ErrorKind::IsADirectory => Some(EISDIR),
        _ => None,
    };
    match error.raw_os_error().filter(|_| cfg!(unix)).or(kind) {
        Some(number) => system(number, &format!("cannot {action}: {text}"), path),
        None if error.kind() == io::ErrorKind::InvalidInput => {
            PyValueError::new_err(format!("{path}: {text}"))
        }
        None => PyOSError::new_err(format!("{path}: cannot {action}: {text}")),
    }
}

fn source(py: Python<'_>, error: &meshlens_source::Error) -> PyErr {
    use meshlens_source::Error as E;

    let shown = |path: &Path| path.display().to_string();
    let (code, archive) = match error {
        E::Io { path, action, error } => return io(py, action, error, &shown(path)),
        E::Folder { path } => return system(EISDIR, "is a folder", &shown(path)),
        E::Exists { path } => return system(EEXIST, "exists already", &shown(path)),
        E::NoEntry { archive, entry } => {
            return system(ENOENT, "no such entry", &format!("{archive}!{entry}"));
        }
        E::Archive { archive, .. } => ("ARCHIVE", archive),
        E::Overlap(overlap) => ("OVERLAP", &overlap.archive),
        E::Entry { archive, .. } => ("ENTRY", archive),
        E::TooManyEntries { archive, .. } | E::TotalSize { archive, .. } | E::TotalRatio { archive, .. } => {
            ("LIMIT", archive)
        }
        E::Memory { .. } => return memory(py, error),
        _ => return PyOSError::new_err(error.to_string()),
    };
    made(py, "FormatError", &error.to_string(), Some(("zip", code)), Some(archive), None)
}

fn asset(py: Python<'_>, error: &meshlens_assets::Error) -> PyErr {
    use meshlens_assets::Error as E;

    match error {
        E::Source(error) => source(py, error),
        E::Read { file, error } => io(py, "read", error, &file.to_string()),
        E::List { folder, error } => io(py, "list", error, folder),
        E::Parse { file, error } => model(py, error, Some(file)),
        E::Memory { .. } => memory(py, error),
        E::Import { file, error: cause, .. } => match cause.downcast_ref() {
            Some(cause) => gltf(py, cause, Some(file)),
            None => PyValueError::new_err(error.to_string()),
        },
        E::NotFound { name: file, .. } | E::MissingHalf { file, .. } | E::NoFiles { script: file, .. } => {
            system(ENOENT, &error.to_string(), file)
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn gltf(py: Python<'_>, error: &meshlens_gltf::Error, path: Option<&str>) -> PyErr {
    use meshlens_gltf::Error as E;

    let (class, code) = match error {
        E::Model(error) => return model(py, error, path),
        E::Io(error) => return io(py, "write", error, path.unwrap_or("glTF")),
        E::Memory(_) => return memory(py, error),
        E::NoFrame { .. } => return PyIndexError::new_err(error.to_string()),
        E::NoClip { .. } => return PyLookupError::new_err(error.to_string()),
        E::Import { .. } => ("FormatError", "IMPORT"),
        E::Extension { .. } => ("UnsupportedError", "EXTENSION"),
        _ => return PyValueError::new_err(error.to_string()),
    };
    made(py, class, &in_file(path, error), Some(("gltf", code)), path, None)
}

fn thumb(py: Python<'_>, error: &meshlens_thumb::Error, path: Option<&str>) -> PyErr {
    use meshlens_thumb::Error as E;

    match error {
        E::Model(error) => model(py, error, path),
        E::Memory(error) => memory(py, error),
        E::NoFrame { .. } => PyIndexError::new_err(error.to_string()),
        E::NoClip(_) => PyLookupError::new_err(error.to_string()),
        E::Write(error) => io(py, "write", error, path.unwrap_or("picture")),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The error for a clip that does not exist.
pub(crate) fn no_clip(name: &str, clips: impl Iterator<Item = String>) -> PyErr {
    let clips: Vec<String> = clips.take(20).collect();
    PyLookupError::new_err(format!("there is no clip {name:?}; clips: {}", clips.join(", ")))
}

/// The error for an index that is out of range.
pub(crate) fn no_index(what: &str, index: impl std::fmt::Display, count: usize) -> PyErr {
    PyIndexError::new_err(format!("there is no {what} {index}: there are {count}"))
}
