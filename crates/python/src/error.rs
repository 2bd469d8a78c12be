//! Errors of Rust as exceptions of Python, and calls that run without the interpreter.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use meshlens::wire::{ErrorKind, OverBudget};
use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The numbers of errors that have an exception of their own. They are the same on every system.
const ENOENT: i32 = 2;
const EEXIST: i32 = 17;
const EISDIR: i32 = 21;

/// The reason why a call failed.
pub(crate) enum Failure {
    Model(meshlens::Error),
    Asset(meshlens_assets::Error),
    Gltf(meshlens_gltf::Error),
    Thumb(meshlens_thumb::Error),
    Memory(OverBudget),
    /// An exception.
    Raised(PyErr),
    /// A panic, with its message.
    Panic(String),
}

macro_rules! from {
    ($($type:ty => $variant:ident,)*) => {
        $(impl From<$type> for Failure {
            fn from(error: $type) -> Failure {
                Failure::$variant(error)
            }
        })*
    };
}

from! {
    meshlens::Error => Model,
    meshlens_assets::Error => Asset,
    meshlens_gltf::Error => Gltf,
    meshlens_thumb::Error => Thumb,
    OverBudget => Memory,
    PyErr => Raised,
}

impl From<meshlens_census::Fault> for Failure {
    fn from(fault: meshlens_census::Fault) -> Failure {
        use meshlens_census::Fault;

        match fault {
            Fault::Model(error) => Failure::Model(error),
            Fault::Asset(error) => Failure::Asset(error),
            Fault::Gltf(error) => Failure::Gltf(error),
            Fault::Panic(text) => Failure::Panic(text),
        }
    }
}

/// Runs a call. A panic becomes a failure.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(Failure::Panic(text(&*panic))))
}

/// Runs a call without the interpreter, so that other threads of Python run. A panic becomes an exception.
pub(crate) fn work<T: Send>(py: Python<'_>, call: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    py.detach(|| guarded(call)).map_err(|failure| failure.raise(py, None))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let found =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    found.unwrap_or("no message").to_owned()
}

/// Panics in a call, for tests.
#[pyfunction]
#[pyo3(name = "_plant_panic")]
pub(crate) fn plant_panic(py: Python<'_>) -> PyResult<()> {
    work(py, || -> Result<(), Failure> { std::panic::panic_any("planted".to_owned()) })
}

impl Failure {
    /// The exception of a call that is about this file.
    pub(crate) fn of(self, path: &str) -> Failure {
        match self {
            failure @ (Failure::Raised(_) | Failure::Panic(_)) => failure,
            Failure::Asset(meshlens_assets::Error::NotFound { name, looked_for, mounts })
                if name.is_empty() =>
            {
                // The path names a whole folder or archive.
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
            Failure::Panic(_) => ("PANIC", None),
            Failure::Thumb(_) | Failure::Raised(_) => ("FAILED", None),
        }
    }

    /// The message.
    pub(crate) fn text(&self) -> String {
        match self {
            Failure::Model(error) => error.to_string(),
            Failure::Asset(error) => error.to_string(),
            Failure::Gltf(error) => error.to_string(),
            Failure::Thumb(error) => error.to_string(),
            Failure::Memory(error) => error.to_string(),
            Failure::Raised(error) => error.to_string(),
            Failure::Panic(text) => text.clone(),
        }
    }

    /// The exception. `path` is the file that it is about, unless the error names one.
    pub(crate) fn raise(self, py: Python<'_>, path: Option<&str>) -> PyErr {
        match self {
            Failure::Model(error) => model(py, &error, path),
            Failure::Asset(error) => asset(py, error),
            Failure::Gltf(error) => gltf(py, error, path),
            Failure::Thumb(error) => thumb(py, error, path),
            Failure::Memory(error) => memory(py, &error.to_string()),
            Failure::Raised(error) => error,
            Failure::Panic(text) => {
                made(py, "InternalError", &format!("a panic, which is a bug of meshlens: {text}"), &[], None)
            }
        }
    }
}

/// An exception of the module, with keyword arguments.
fn made(
    py: Python<'_>,
    class: &str,
    message: &str,
    texts: &[(&str, Option<&str>)],
    offset: Option<u64>,
) -> PyErr {
    let make = || {
        let kwargs = PyDict::new(py);
        for (name, value) in texts {
            kwargs.set_item(name, value)?;
        }
        if offset.is_some() {
            kwargs.set_item("offset", offset)?;
        }
        let class = py.import("meshlens._errors")?.getattr(class)?;
        class.call((message,), Some(&kwargs)).map(PyErr::from_value)
    };
    make().unwrap_or_else(|error| error)
}

fn memory(py: Python<'_>, message: &str) -> PyErr {
    made(py, "MemoryLimitError", message, &[], None)
}

fn format(py: Python<'_>, format: &str, code: &str, message: &str, path: Option<&str>) -> PyErr {
    made(py, "FormatError", message, &[("format", Some(format)), ("code", Some(code)), ("path", path)], None)
}

fn unsupported(py: Python<'_>, format: &str, code: &str, message: &str, path: Option<&str>) -> PyErr {
    made(
        py,
        "UnsupportedError",
        message,
        &[("format", Some(format)), ("code", Some(code)), ("path", path)],
        None,
    )
}

fn model(py: Python<'_>, error: &meshlens::Error, path: Option<&str>) -> PyErr {
    if !error.has_offset() {
        // An argument of a call is wrong.
        return match error.kind() {
            ErrorKind::Index { .. } => PyIndexError::new_err(error.to_string()),
            ErrorKind::Missing { .. } => pyo3::exceptions::PyLookupError::new_err(error.to_string()),
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
    let message = path.map_or_else(|| error.to_string(), |path| format!("{path}: {error}"));
    let texts = [("format", Some(error.format())), ("code", Some(error.code())), ("path", path)];
    made(py, class, &message, &texts, Some(error.offset()))
}

/// `OSError(errno, message, path)` is the subclass for the number.
fn system(number: i32, message: &str, path: &str) -> PyErr {
    PyOSError::new_err((number, message.to_owned(), path.to_owned()))
}

fn io(action: &str, error: &io::Error, path: &str) -> PyErr {
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
    match error {
        E::Io { path, action, error } => io(action, error, &shown(path)),
        E::Folder { path } => system(EISDIR, "is a folder", &shown(path)),
        E::Exists { path } => system(EEXIST, "exists already", &shown(path)),
        E::NoEntry { archive, entry } => system(ENOENT, "no such entry", &format!("{archive}!{entry}")),
        E::Archive { archive, .. } => format(py, "zip", "ARCHIVE", &error.to_string(), Some(archive)),
        E::Overlap(overlap) => format(py, "zip", "OVERLAP", &error.to_string(), Some(&overlap.archive)),
        E::Entry { archive, .. } => format(py, "zip", "ENTRY", &error.to_string(), Some(archive)),
        E::TooManyEntries { archive, .. } | E::TotalSize { archive, .. } | E::TotalRatio { archive, .. } => {
            format(py, "zip", "LIMIT", &error.to_string(), Some(archive))
        }
        E::Memory { .. } => memory(py, &error.to_string()),
        _ => PyOSError::new_err(error.to_string()),
    }
}

fn asset(py: Python<'_>, error: meshlens_assets::Error) -> PyErr {
    use meshlens_assets::Error as E;

    match &error {
        E::Source(error) => source(py, error),
        E::Read { file, error } => io("read", error, &file.to_string()),
        E::List { folder, error } => io("list", error, folder),
        E::Parse { file, error } => model(py, error, Some(file)),
        E::Memory { .. } => memory(py, &error.to_string()),
        E::NotFound { name, .. } => system(ENOENT, &error.to_string(), name),
        E::MissingHalf { file, .. } => system(ENOENT, &error.to_string(), file),
        E::NoFiles { script, .. } => system(ENOENT, &error.to_string(), script),
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn gltf(py: Python<'_>, error: meshlens_gltf::Error, path: Option<&str>) -> PyErr {
    use meshlens_gltf::Error as E;

    match error {
        E::Model(error) => model(py, &error, path),
        E::Io(error) => io("write", &error, path.unwrap_or("glTF")),
        E::Memory(_) => memory(py, &error.to_string()),
        E::Import { .. } => format(py, "gltf", "IMPORT", &named(&error, path), path),
        E::Extension { .. } => unsupported(py, "gltf", "EXTENSION", &named(&error, path), path),
        E::NoFrame { .. } => PyIndexError::new_err(error.to_string()),
        E::NoClip { .. } => pyo3::exceptions::PyLookupError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn named(error: &meshlens_gltf::Error, path: Option<&str>) -> String {
    path.map_or_else(|| error.to_string(), |path| format!("{path}: {error}"))
}

fn thumb(py: Python<'_>, error: meshlens_thumb::Error, path: Option<&str>) -> PyErr {
    use meshlens_thumb::Error as E;

    match error {
        E::Model(error) => model(py, &error, path),
        E::Memory(error) => memory(py, &error.to_string()),
        E::NoFrame { .. } => PyIndexError::new_err(error.to_string()),
        E::NoClip(_) => pyo3::exceptions::PyLookupError::new_err(error.to_string()),
        E::Write(error) => io("write", &error, path.unwrap_or("picture")),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The error for a clip that does not exist.
pub(crate) fn no_clip(name: &str, clips: impl Iterator<Item = String>) -> PyErr {
    let clips: Vec<String> = clips.take(20).collect();
    pyo3::exceptions::PyLookupError::new_err(format!(
        "there is no clip {name:?}; clips: {}",
        clips.join(", ")
    ))
}

/// The error for an index that is out of range.
pub(crate) fn no_index(what: &str, index: impl std::fmt::Display, count: usize) -> PyErr {
    PyIndexError::new_err(format!("there is no {what} {index}: there are {count}"))
}
