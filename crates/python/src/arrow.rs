//! Batches of files as Arrow record batches, through the PyCapsule interface.

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use meshlens_census::{Columns, Row, Status, to_batch};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::Kwargs;
use crate::error::{Failure, check_interrupt, guarded, work};
use crate::gap::Gap;
use crate::input::{Options, SourceArgument};

#[doc = doc!(RecordBatch)]
#[pyclass(frozen, module = "meshlens.arrow", name = "RecordBatch")]
pub(crate) struct Batch(pub(crate) RecordBatch);

pub(crate) fn failed(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Batch {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.0.schema()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A producer may ignore the request. The consumer then converts the array.
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).to_data());
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let reader: Box<dyn RecordBatchReader + Send> =
            Box::new(RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema()));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        let schema = self.0.schema();
        let version = schema.metadata().iter().next();
        let version = version.map(|(name, version)| format!(", {name} {version}")).unwrap_or_default();
        format!("<RecordBatch: {} rows{version}>", self.0.num_rows())
    }
}

/// The number of files between two checks for signals, for each thread.
const STEP: usize = 16;

/// Calls `row` for each item, in parallel, and checks for signals between steps. The results have the order of the
/// items.
pub(crate) fn parallel<T: Sync, R: Send>(
    py: Python<'_>,
    items: &[T],
    threads: usize,
    row: impl Fn(&T) -> R + Sync,
) -> PyResult<Vec<R>> {
    let mut rows = Vec::with_capacity(items.len());
    let threads = threads.clamp(1, 256);
    for step in items.chunks(STEP * threads) {
        py.check_signals()?;
        if threads == 1 {
            py.detach(|| rows.extend(step.iter().map(&row)));
            check_interrupt()?;
            continue;
        }
        py.detach(|| {
            // The last thread has the fewest files.
            let shares = step.chunks(step.len().div_ceil(threads));
            std::thread::scope(|scope| {
                let work = |share: &[T]| share.iter().map(&row).collect::<Vec<R>>();
                let running: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
                // Threads do not panic, because every row is guarded.
                rows.extend(running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()));
            });
        });
    }
    Ok(rows)
}

fn read(given: &SourceArgument, options: &Options, columns: Columns) -> Row {
    let mut row = Row { uri: given.label(), ..Row::default() };
    let fill = || {
        let located = options.locate(given)?;
        let loaded = options.load(&located)?;
        row.size = Some(loaded.len());
        row.fill(&located, loaded, columns, options.open()?);
        Ok(())
    };
    match guarded(fill) {
        Ok(()) => {}
        Err(Failure::Asset(error)) => row.set_fault(&error.into()),
        Err(failure) => row.fail(Status::Unread, failure.code(), &failure.to_string()),
    }
    row
}

/// Inspects, validates or lists the arrays of many files, as the columns say.
#[pyfunction]
#[pyo3(name = "_arrow", signature = (columns, sources, threads, **kwargs))]
pub(crate) fn arrow(
    py: Python<'_>,
    columns: &str,
    sources: Vec<(Bound<'_, PyAny>, String)>,
    threads: usize,
    kwargs: Option<Kwargs<'_, '_>>,
) -> PyResult<Batch> {
    let columns = columns.parse().map_err(PyValueError::new_err::<String>)?;
    let options = Options::read(kwargs)?;
    // A source that could not be read is an exception, and a row.
    let given = sources.into_iter().map(|(source, name)| match source.is_instance_of::<PyException>() {
        true => Ok(Err(Gap::of(&source)?.row(&name, None))),
        false => SourceArgument::read(&source, name).map(Ok),
    });
    let given: Vec<Result<SourceArgument, Row>> = given.collect::<PyResult<_>>()?;
    let rows = parallel(py, &given, threads, |given| match given {
        Ok(given) => read(given, &options, columns),
        Err(row) => row.clone(),
    })?;
    Ok(Batch(work(py, || Ok::<_, Failure>(to_batch(&rows)))?))
}
