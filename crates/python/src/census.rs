//! Batches of a census, made from lists or from Arrow columns.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::ByteArrayType;
use arrow_array::{Array, ArrayRef, GenericByteArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::ArrowError;
use arrow_schema::ffi::FFI_ArrowSchema;
use bytes::Bytes;
use meshlens_assets::{AssetPath, FilePart};
use meshlens_census::{Columns, Input, ReadBeside, Row, rows, to_batch};
use pyo3::exceptions::{PyBaseException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyTuple};

use crate::arrow::{Batch, failed, parallel};
use crate::content::shared as shared_bytes;
use crate::error::{Failure, guarded, work};
use crate::gap::Gap;
use crate::{Any, Maybe, columns};

/// One file: its bytes, or the reason why they could not be read.
struct File {
    uri: String,
    etag: Option<String>,
    content: Result<Bytes, Gap>,
}

/// The files of one call, which are beside one another.
struct Call {
    files: Vec<File>,
    /// The numbers of the files by their names.
    numbers: HashMap<String, usize>,
    /// The same by their names in lower case.
    folded: HashMap<String, usize>,
    /// Reads a file that is not among them, by the URI of its folder and its path in it.
    read: Option<Py<PyAny>>,
    /// The first exception of `read`, which ends the call.
    raised: Mutex<Option<PyErr>>,
}

impl Call {
    fn new(files: Vec<File>, read: Option<Py<PyAny>>) -> Call {
        let uris = || files.iter().enumerate().map(|(number, file)| (&file.uri, number));
        let numbers = uris().map(|(uri, number)| (uri.clone(), number)).collect();
        let folded = uris().map(|(uri, number)| (uri.to_ascii_lowercase(), number)).collect();
        Call { files, numbers, folded, read, raised: Mutex::default() }
    }

    fn raised(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows of a file.
    fn rows(self: &Arc<Call>, file: &File, columns: Columns) -> Vec<Row> {
        match &file.content {
            // Nobody sees the rows.
            _ if self.raised().is_some() => Vec::new(),
            Ok(bytes) => {
                let mut input = Input::new(file.uri.clone(), bytes.clone());
                input.etag.clone_from(&file.etag);
                let end = file.uri.rfind(['/', '\\']);
                let folder = end.and_then(|end| file.uri.get(..=end)).unwrap_or_default().to_owned();
                input.beside = Some(Arc::new(Beside { call: self.clone(), folder }));
                rows(&input, columns)
            }
            Err(gap) => vec![gap.row(&file.uri, file.etag.as_deref())],
        }
    }

    /// Reads a file that is not in the call.
    fn fetch(&self, folder: &str, path: &AssetPath) -> io::Result<Bytes> {
        let Some(read) = &self.read else { return Err(io::ErrorKind::NotFound.into()) };
        let read = Python::attach(|py| {
            let found = read.bind(py).call1((folder, path.as_str()))?;
            match found.cast_exact::<PyBytes>() {
                Ok(bytes) => Ok(Ok(shared_bytes(bytes))),
                Err(_) => Gap::of(&found).map(Err),
            }
        });
        match read {
            Ok(content) => content.map_err(|gap: Gap| gap.error()),
            Err(error) => {
                self.raised().get_or_insert(error);
                Err(io::ErrorKind::OutOfMemory.into())
            }
        }
    }
}

/// The files beside one file of a call.
struct Beside {
    call: Arc<Call>,
    /// The part of the name of the file before its last component.
    folder: String,
}

impl ReadBeside for Beside {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let number = self.call.numbers.get(&format!("{}{path}", self.folder));
        let content = match number.and_then(|number| self.call.files.get(*number)) {
            Some(file) => file.content.as_ref().cloned().map_err(Gap::error),
            None => self.call.fetch(&self.folder, path),
        };
        content.map(|bytes| FilePart::of(&bytes, range))
    }

    fn spelled(&self, path: &AssetPath) -> Option<AssetPath> {
        let number = self.call.folded.get(&format!("{}{path}", self.folder).to_ascii_lowercase())?;
        AssetPath::new(self.call.files.get(*number)?.uri.strip_prefix(&self.folder)?).ok()
    }
}

/// Reads many files whose bytes are in memory. `read` reads others that are beside them.
#[pyfunction]
#[pyo3(name = "_census", signature = (uris, contents, etags, columns, threads, read = None))]
pub(crate) fn census(
    py: Python<'_>,
    uris: &Any<'_>,
    contents: &Any<'_>,
    etags: Maybe<'_, '_>,
    columns: Option<&str>,
    threads: usize,
    read: Option<Py<PyAny>>,
) -> PyResult<Batch> {
    let columns = columns.map_or(Ok(Columns::default()), str::parse).map_err(PyValueError::new_err)?;
    let (uris, contents) = (texts(uris)?, values(contents)?);
    let etags = etags.map_or_else(|| Ok(vec![None; uris.len()]), texts)?;
    if uris.len() != contents.len() || uris.len() != etags.len() {
        let lens = [uris.len(), contents.len(), etags.len()];
        return Err(PyValueError::new_err(format!(
            "uris, contents and etags have the same length, and these have {lens:?}"
        )));
    }
    let files = uris.into_iter().zip(contents).zip(etags);
    let files = files.map(|((uri, content), etag)| Some(File { uri: uri?, etag, content }));
    let files: Option<Vec<File>> = files.collect();
    let files = files.ok_or_else(|| PyValueError::new_err("every file has a name in uris"))?;
    let call = Arc::new(Call::new(files, read));
    let rows = parallel(py, &call.files, threads, |file| call.rows(file, columns))?.concat();
    if let Some(error) = call.raised().take() {
        return Err(error);
    }
    Ok(Batch(work(py, || Ok::<_, Failure>(to_batch(&rows)))?))
}

/// Texts, which may be null.
fn texts(column: &Any<'_>) -> PyResult<Vec<Option<String>>> {
    let Some(arrays) = arrays(column)? else {
        return column.try_iter()?.map(|text| text?.extract()).collect();
    };
    let mut texts = Vec::new();
    for array in &arrays {
        let own = |text: Option<&str>| text.map(str::to_owned);
        if let Some(array) = array.as_string_opt::<i32>() {
            texts.extend(array.iter().map(own));
        } else if let Some(array) = array.as_string_opt::<i64>() {
            texts.extend(array.iter().map(own));
        } else if let Some(array) = array.as_string_view_opt() {
            texts.extend(array.iter().map(own));
        } else {
            return Err(wrong_type("texts", array.data_type()));
        }
    }
    Ok(texts)
}

/// Contents of files, which may be null, or exceptions. Contents in Arrow arrays and in `bytes` are not copied.
fn values(column: &Any<'_>) -> PyResult<Vec<Result<Bytes, Gap>>> {
    let Some(arrays) = arrays(column)? else {
        let content = |object: PyResult<Any<'_>>| {
            let object = object?;
            if object.is_none() {
                return Ok(Err(Gap::no_content()));
            }
            if object.is_instance_of::<PyBaseException>() {
                return Gap::of(&object).map(Err);
            }
            let bytes = object.cast_exact::<PyBytes>();
            Ok(Ok(shared_bytes(bytes.map_err(|_| PyTypeError::new_err("contents are bytes or buffers"))?)))
        };
        return column.try_iter()?.map(content).collect();
    };
    let mut values: Vec<Option<Bytes>> = Vec::new();
    for array in &arrays {
        if let Some(array) = array.as_binary_opt::<i32>() {
            values.extend(shared(array));
        } else if let Some(array) = array.as_binary_opt::<i64>() {
            values.extend(shared(array));
        } else if let Some(array) = array.as_binary_view_opt() {
            values.extend(array.iter().map(|value| value.map(Bytes::copy_from_slice)));
        } else {
            return Err(wrong_type("binary values", array.data_type()));
        }
    }
    Ok(values.into_iter().map(|value| value.ok_or_else(Gap::no_content)).collect())
}

/// The values of an array, which share its buffer.
fn shared<T: ByteArrayType>(array: &GenericByteArray<T>) -> impl Iterator<Item = Option<Bytes>> {
    let all = Bytes::from_owner(array.values().clone());
    let ends = array.offsets().windows(2).map(|ends| ends[0].as_usize()..ends[1].as_usize());
    let ranges: Vec<_> = ends.enumerate().map(|(at, range)| array.is_valid(at).then_some(range)).collect();
    ranges.into_iter().map(move |range| Some(all.slice(range?)))
}

fn wrong_type(expected: &str, found: &dyn std::fmt::Display) -> PyErr {
    PyTypeError::new_err(format!("a column of {expected} is needed, and this is of {found}"))
}

/// The arrays of an Arrow column: one or several; `None` for other objects.
fn arrays(column: &Any<'_>) -> PyResult<Option<Vec<ArrayRef>>> {
    sized(column)?;
    if column.hasattr("__arrow_c_array__")? {
        let capsules = column.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
            capsules.cast_into::<PyTuple>()?.extract()?;
        let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
        // SAFETY: capsules with these names point to the structs of the C data interface, which live as long as the
        // capsules. The array is moved out, which leaves a released array in the capsule.
        let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
        // SAFETY: as above.
        return Ok(Some(vec![import(column.py(), array, unsafe { schema.as_ref() })?]));
    }
    if !column.hasattr("__arrow_c_stream__")? {
        return Ok(None);
    }
    let capsule = column.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: as above.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    let (Some(get_schema), Some(get_next)) = (stream.get_schema(), stream.get_next()) else {
        return Err(PyValueError::new_err("the stream of the column is released"));
    };
    let check = |status: i32| match status {
        0 => Ok(()),
        _ => Err(PyValueError::new_err(format!("the stream of the column fails with {status}"))),
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, and it writes a schema.
    check(unsafe { get_schema(&raw mut stream, &raw mut schema) })?;
    let mut arrays = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released, and it writes an array, which is released at the end.
        check(unsafe { get_next(&raw mut stream, &raw mut array) })?;
        if array.is_released() {
            return Ok(Some(arrays));
        }
        arrays.push(import(column.py(), array, &schema)?);
    }
}

/// An array of texts or binary values from the C data interface, which is checked. [`sized`] asks pyarrow to check the sizes of
/// its buffers.
fn import(py: Python<'_>, array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> PyResult<ArrayRef> {
    let check = || {
        columns::import(array, schema).map_err(|error| match error {
            ArrowError::SchemaError(kind) => wrong_type("texts or binary values", &kind).into(),
            error => failed(error).into(),
        })
    };
    guarded(check).map_err(|failure: Failure| failure.raise(py, None))
}

/// Checks an array of pyarrow against the sizes of its buffers, which only pyarrow knows. It does not check the files that it
/// reads. Other producers do.
fn sized(column: &Any<'_>) -> PyResult<()> {
    // pandas passes on arrays of pyarrow.
    if let Ok(array) = column.getattr("array").and_then(|array| array.call_method0("__arrow_array__")) {
        return sized(&array);
    }
    // A class of an extension type is anywhere.
    let is_pyarrow = |class: &Any<'_>| {
        class.getattr("__module__").is_ok_and(|module| module.to_string().starts_with("pyarrow"))
    };
    if !column.get_type().mro().iter().any(|class| is_pyarrow(&class)) || !column.hasattr("validate")? {
        return Ok(());
    }
    let full = PyDict::new(column.py());
    full.set_item("full", true)?;
    column.call_method("validate", (), Some(&full)).map(drop).map_err(failed)
}
