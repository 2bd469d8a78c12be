//! numpy arrays that are made from the results of calls, or read from arguments.

use bytemuck::Pod;
use numpy::ndarray::{Dim, Dimension, IntoDimension};
use numpy::{AllowTypeChange, Element, PyArray, PyArrayLikeDyn};
use numpy::{PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PySlice};

use crate::error::{Failure, no_index, work};
use crate::{Any, Maybe, NewObject};

/// The frames that a call returns: a single frame, as an array of two dimensions, or a slice, as an array of three.
pub(crate) enum Frames {
    One(usize),
    /// The frames, in order.
    Several(Vec<usize>),
}

impl Frames {
    /// Reads an index or a slice. A negative index counts from the end.
    ///
    /// # Errors
    ///
    /// `IndexError` if an index is out of range, `TypeError` for other objects.
    pub(crate) fn read(object: &Any<'_>, count: usize) -> PyResult<Frames> {
        if let Ok(slice) = object.cast::<PySlice>() {
            let slice = slice.indices(isize::try_from(count).unwrap_or(isize::MAX))?;
            let frames = (0..slice.slicelength).map(|step| slice.start + step.cast_signed() * slice.step);
            return Ok(Frames::Several(frames.map(isize::cast_unsigned).collect()));
        }
        index(object, count, "frame").map(Frames::One)
    }
}

/// Reads an index, which counts from the end if it is negative.
///
/// # Errors
///
/// `IndexError` if it is out of range, `TypeError` if it is not an integer.
pub(crate) fn index(object: &Any<'_>, count: usize, what: &str) -> PyResult<usize> {
    let py = object.py();
    let number = object.extract::<isize>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(py) {
            PyIndexError::new_err(format!("there is no {what} of this number: there are {count}"))
        } else {
            error
        }
    })?;
    let found = if number < 0 { count.checked_add_signed(number) } else { Some(number.cast_unsigned()) };
    found.filter(|index| *index < count).ok_or_else(|| no_index(what, number, count))
}

/// An index of an option. A negative or very large one is out of range, and not an `OverflowError`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Index(pub(crate) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Index {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Index> {
        object.extract().map(Index).map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(object.py()) {
                return PyIndexError::new_err(format!("{} is out of range", &*object));
            }
            error
        })
    }
}

/// Reads the index of a frame. The default is the first frame.
pub(crate) fn frame(object: Maybe<'_, '_>, count: usize) -> PyResult<usize> {
    object.map_or(Ok(0), |frame| index(frame, count, "frame"))
}

/// An array of numbers that a call fills without the interpreter lock: a new one, or the caller's. `fill` writes every
/// element, and reads none.
pub(crate) fn filled<'py, T: Element + Pod + Send + Sync, const N: usize>(
    py: Python<'py>,
    shape: [usize; N],
    out: Maybe<'_, 'py>,
    fill: impl FnOnce(&mut [T]) -> Result<(), Failure> + Send,
) -> NewObject<'py>
where
    Dim<[usize; N]>: Dimension,
    [usize; N]: IntoDimension<Dim = Dim<[usize; N]>>,
{
    let array = match out {
        None => {
            // `PyArray::new` would panic without memory, and this raises `MemoryError`.
            static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
            let empty = EMPTY.import(py, "numpy", "empty")?;
            empty.call1((shape, T::get_dtype(py)))?.cast_into::<PyArray<T, Dim<[usize; N]>>>()?
        }
        Some(out) => out.cast::<PyArray<T, Dim<[usize; N]>>>().cloned().map_err(|_| {
            let kind = T::get_dtype(py);
            PyTypeError::new_err(format!("out has to be an array of {kind} with {N} dimensions"))
        })?,
    };
    if array.shape() != shape {
        let found = array.shape();
        return Err(PyValueError::new_err(format!("out has the shape {found:?}, and {shape:?} is needed")));
    }
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err("out has to be C-contiguous"));
    }
    let mut borrowed =
        array.try_readwrite().map_err(|error| PyValueError::new_err(format!("out: {error}")))?;
    let numbers = borrowed.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
    work(py, || fill(numbers))?;
    drop(borrowed);
    Ok(array.into_any())
}

/// The numpy type of a record: the name, the type, the number of components and the offset of each field.
pub(crate) fn record<'py, 'a>(
    py: Python<'py>,
    fields: impl Iterator<Item = (&'a str, &'static str, usize, usize)>,
    size: usize,
) -> NewObject<'py> {
    let (names, formats, offsets) = (PyList::empty(py), PyList::empty(py), PyList::empty(py));
    for (name, component, components, offset) in fields {
        names.append(name)?;
        match components {
            1 => formats.append(component)?,
            components => formats.append((component, (components,)))?,
        }
        offsets.append(offset)?;
    }
    let record = PyDict::new(py);
    record.set_item("names", names)?;
    record.set_item("formats", formats)?;
    record.set_item("offsets", offsets)?;
    record.set_item("itemsize", size)?;
    py.import("numpy")?.call_method1("dtype", (record,))
}

/// Converts a matrix from columns to rows.
pub(crate) fn rows(columns: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]))
}

/// Row-major matrices, as an array of `(n, 4, 4)`.
pub(crate) fn matrices<'py>(py: Python<'py>, columns: &[[[f32; 4]; 4]]) -> NewObject<'py> {
    let rows: Vec<_> = columns.iter().map(|columns| rows(*columns)).collect();
    filled(py, [rows.len(), 4, 4], None, |out: &mut [f32]| {
        out.copy_from_slice(rows.as_flattened().as_flattened());
        Ok(())
    })
}

/// One row-major matrix, as an array of `(4, 4)`.
pub(crate) fn matrix(py: Python<'_>, columns: [[f32; 4]; 4]) -> NewObject<'_> {
    matrices(py, &[columns])?.get_item(0)
}

/// The floats of an argument of any shape.
///
/// # Errors
///
/// `MemoryError` if there are too many, as a small array can be broadcast to; `TypeError` for other objects.
pub(crate) fn floats(object: &Any<'_>, what: &str) -> PyResult<Vec<f32>> {
    let array: PyArrayLikeDyn<'_, f32, AllowTypeChange> = object.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyMemoryError>(object.py()) {
            return error;
        }
        PyTypeError::new_err(format!("{what}: {}", error.value(object.py())))
    })?;
    let mut floats = room(Some(array.len()))?;
    floats.extend(array.as_array().iter());
    Ok(floats)
}

/// An empty vector with room for `len` items.
///
/// # Errors
///
/// `MemoryError` if there is no memory for them; `None` stands for more than can be counted.
pub(crate) fn room<T>(len: Option<usize>) -> PyResult<Vec<T>> {
    let mut items = Vec::new();
    match len.map(|len| items.try_reserve_exact(len)) {
        Some(Ok(())) => Ok(items),
        _ => Err(PyMemoryError::new_err("the arrays do not fit into memory")),
    }
}
