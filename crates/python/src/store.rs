//! Object stores as file systems: objects with the calls of obstore. The store has the connections, the credentials and the
//! retries.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;

use bytes::Bytes;
use meshlens_assets::{AssetPath, Entry, FilePart, FileSystem};
use pyo3::exceptions::{PyException, PyFileNotFoundError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::Any;
use crate::content::shared;
use crate::error::{interrupt, is_interrupted};

/// A store of obstore, or an object with its methods `get`, `head` and `list_with_delimiter`.
pub(crate) struct Store(Py<PyAny>);

impl Store {
    /// The store, if the object is one.
    pub(crate) fn of(object: &Any<'_>) -> PyResult<Option<Store>> {
        Ok(object.hasattr("list_with_delimiter")?.then(|| Store(object.clone().unbind())))
    }

    fn call<T>(&self, call: impl FnOnce(&Any<'_>) -> PyResult<T>) -> io::Result<T> {
        if is_interrupted() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Python::attach(|py| {
            call(self.0.bind(py)).map_err(|error| {
                if !error.is_instance_of::<PyException>(py) {
                    interrupt(error.clone_ref(py));
                }
                let is_missing = error.is_instance_of::<PyFileNotFoundError>(py);
                io::Error::new(if is_missing { io::ErrorKind::NotFound } else { io::ErrorKind::Other }, error)
            })
        })
    }

    /// The bytes of an answer.
    fn content(found: &Any<'_>) -> PyResult<Bytes> {
        let bytes = found.py().get_type::<PyBytes>().call1((found.call_method0("bytes")?,))?;
        Ok(shared(bytes.cast::<PyBytes>()?))
    }
}

/// The length of an object, and a number that changes with it.
fn state(meta: &Any<'_>) -> PyResult<(u64, u64)> {
    let mut hasher = DefaultHasher::new();
    for name in ["e_tag", "last_modified"] {
        meta.get_item(name)?.str()?.to_string().hash(&mut hasher);
    }
    Ok((meta.get_item("size")?.extract()?, hasher.finish()))
}

/// Calls block until the server has answered.
impl FileSystem for Store {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        let found = self.call(|store| {
            let found = store.call_method1("get", (path.as_str(),))?;
            let (len, _) = state(&found.getattr("meta")?)?;
            if len > limit { Ok(None) } else { Store::content(&found).map(Some) }
        });
        found?.ok_or_else(|| io::ErrorKind::FileTooLarge.into())
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        self.call(|store| {
            let (options, named) = (PyDict::new(store.py()), PyDict::new(store.py()));
            options.set_item("range", (range.start, range.end))?;
            named.set_item("options", options)?;
            // Servers do not support empty ranges, or those after the end.
            let refused = if range.is_empty() {
                None
            } else {
                match store.call_method("get", (path.as_str(),), Some(&named)) {
                    Ok(found) => {
                        let (file_len, version) = state(&found.getattr("meta")?)?;
                        return Ok(FilePart { bytes: Store::content(&found)?, file_len, version });
                    }
                    Err(error) => Some(error),
                }
            };
            let (file_len, version) = state(&store.call_method1("head", (path.as_str(),))?)?;
            match refused.filter(|_| range.start < file_len) {
                Some(error) => Err(error),
                None => Ok(FilePart { bytes: Bytes::new(), file_len, version }),
            }
        })
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let prefix = (!folder.is_root()).then(|| folder.as_str());
        let entries = self.call(|store| {
            let found = store.call_method1("list_with_delimiter", (prefix,))?;
            let mut entries = Vec::new();
            let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            for folder in found.get_item("common_prefixes")?.try_iter()? {
                entries.push(Entry::folder(name(folder?.extract::<String>()?.trim_end_matches('/'))));
            }
            for object in found.get_item("objects")?.try_iter()? {
                entries.push(Entry::file(name(&object?.get_item("path")?.extract::<String>()?)));
            }
            Ok(entries)
        })?;
        let is_there = folder.is_root() || !entries.is_empty();
        is_there.then_some(entries).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
