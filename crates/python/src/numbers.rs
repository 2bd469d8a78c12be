//! Arrays of numpy: made of the results of calls, and read from arguments.

use bytemuck::Pod;
use meshlens::lens::{Level, RandomAccess};
use numpy::{
    AllowTypeChange, Element, PyArray, PyArray2, PyArray3, PyArrayDyn, PyArrayLikeDyn, PyArrayMethods,
};
use numpy::{PyReadwriteArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::error::{Failure, no_index, work};

/// Which frames a call gives: one, as an array of two dimensions, or a slice, as an array of three.
pub(crate) enum Frames {
    One(usize),
    /// The frames in order.
    Several(Vec<usize>),
}

impl Frames {
    /// Reads an index or a slice. A negative index counts from the end.
    ///
    /// # Errors
    ///
    /// `IndexError` if an index is out of range, `TypeError` for other objects.
    pub(crate) fn read(object: &Bound<'_, PyAny>, count: usize) -> PyResult<Frames> {
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
pub(crate) fn index(object: &Bound<'_, PyAny>, count: usize, what: &str) -> PyResult<usize> {
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

/// The array that a call fills: new, or the caller's.
fn writable<'py, T: Element, const N: usize, D>(
    py: Python<'py>,
    shape: [usize; N],
    out: Option<&Bound<'py, PyAny>>,
    new: impl FnOnce(Python<'py>) -> Bound<'py, PyArray<T, D>>,
) -> PyResult<(Bound<'py, PyAny>, PyReadwriteArray<'py, T, D>)>
where
    D: numpy::ndarray::Dimension,
{
    let array = match out {
        None => new(py),
        Some(out) => out.cast::<PyArray<T, D>>().cloned().map_err(|_| {
            PyTypeError::new_err(format!(
                "out has to be an array of {} with {N} dimensions",
                T::get_dtype(py)
            ))
        })?,
    };
    if array.shape() != shape {
        return Err(PyValueError::new_err(format!(
            "out has the shape {:?}, and {shape:?} is needed",
            array.shape()
        )));
    }
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err("out has to be C-contiguous"));
    }
    let borrowed = array.try_readwrite().map_err(|error| PyValueError::new_err(format!("out: {error}")))?;
    Ok((array.into_any(), borrowed))
}

/// An array of `rows` by `columns` numbers that a call fills, without the interpreter.
pub(crate) fn filled<'py, T: Element + Send + Sync>(
    py: Python<'py>,
    [rows, columns]: [usize; 2],
    out: Option<&Bound<'py, PyAny>>,
    fill: impl FnOnce(&mut [T]) -> Result<(), Failure> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let new = |py| PyArray2::<T>::zeros(py, [rows, columns], false);
    let (array, mut borrowed) = writable(py, [rows, columns], out, new)?;
    let numbers = borrowed.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
    work(py, || fill(numbers))?;
    drop(borrowed);
    Ok(array)
}

/// Like [`filled`], with three dimensions.
pub(crate) fn filled3<'py, T: Element + Send + Sync>(
    py: Python<'py>,
    shape: [usize; 3],
    out: Option<&Bound<'py, PyAny>>,
    fill: impl FnOnce(&mut [T]) -> Result<(), Failure> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let new = |py| PyArray3::<T>::zeros(py, shape, false);
    let (array, mut borrowed) = writable(py, shape, out, new)?;
    let numbers = borrowed.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
    work(py, || fill(numbers))?;
    drop(borrowed);
    Ok(array)
}

/// Decodes every float of a source. `out` has room for exactly these.
pub(crate) fn decode(source: &dyn RandomAccess, out: &mut [f32]) {
    source.decode_part(Level::current(), 0, out);
}

/// A matrix by rows, from one by columns.
pub(crate) fn rows(columns: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]))
}

/// Matrices by rows, as an array of `(n, 4, 4)`.
pub(crate) fn matrices<'py>(py: Python<'py>, columns: &[[[f32; 4]; 4]]) -> PyResult<Bound<'py, PyAny>> {
    filled3(py, [columns.len(), 4, 4], None, |out: &mut [f32]| {
        for (out, columns) in out.chunks_exact_mut(16).zip(columns) {
            out.copy_from_slice(rows(*columns).as_flattened());
        }
        Ok(())
    })
}

/// One matrix by rows, as an array of `(4, 4)`.
pub(crate) fn matrix<'py>(py: Python<'py>, columns: [[f32; 4]; 4]) -> PyResult<Bound<'py, PyAny>> {
    filled(py, [4, 4], None, |out: &mut [f32]| {
        out.copy_from_slice(rows(columns).as_flattened());
        Ok(())
    })
}

/// Floats of an argument, and their shape.
///
/// # Errors
///
/// `ValueError` if the last dimensions are not `tail`.
pub(crate) fn floats<const N: usize>(
    object: &Bound<'_, PyAny>,
    what: &str,
    tail: [usize; N],
) -> PyResult<(Vec<f32>, Vec<usize>)> {
    let array: PyArrayLikeDyn<'_, f32, AllowTypeChange> =
        object.extract().map_err(|error: PyErr| argument(object.py(), what, &error))?;
    let shape = array.shape().to_vec();
    if !shape.ends_with(&tail) {
        return Err(PyValueError::new_err(format!(
            "{what} has the shape {shape:?}, which has to end with {tail:?}"
        )));
    }
    let numbers = match array.as_slice() {
        Ok(slice) => slice.to_vec(),
        Err(_) => array.as_array().iter().copied().collect(),
    };
    Ok((numbers, shape))
}

fn argument(py: Python<'_>, what: &str, error: &PyErr) -> PyErr {
    PyTypeError::new_err(format!("{what}: {}", error.value(py)))
}

/// Integers of an argument, and their shape.
///
/// # Errors
///
/// `TypeError` if they are not integers, `ValueError` if one does not fit `T` or the last dimensions are not `tail`.
pub(crate) fn integers<T: TryFrom<i64> + Pod, const N: usize>(
    object: &Bound<'_, PyAny>,
    what: &str,
    tail: [usize; N],
) -> PyResult<(Vec<T>, Vec<usize>)> {
    let py = object.py();
    let array = py.import("numpy")?.call_method1("asarray", (object,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !matches!(kind.as_str(), "i" | "u") && !is_empty {
        return Err(PyTypeError::new_err(format!("{what} has to be an array of integers")));
    }
    let array = array.call_method1("astype", ("int64",))?;
    let array = array.cast::<PyArrayDyn<i64>>().map_err(PyErr::from)?;
    let shape = array.shape().to_vec();
    if !shape.ends_with(&tail) && !is_empty {
        return Err(PyValueError::new_err(format!(
            "{what} has the shape {shape:?}, which has to end with {tail:?}"
        )));
    }
    let array = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let view = array.as_array();
    let numbers = view.iter().map(|number| {
        T::try_from(*number).map_err(|_| PyValueError::new_err(format!("{what}: {number} is out of range")))
    });
    Ok((numbers.collect::<PyResult<_>>()?, shape))
}
