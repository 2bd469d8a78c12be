//! The arrays that models are made of, as they are given by the caller.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::Any;
use crate::error::no_index;
use crate::numbers::{floats, integers};

/// Numbers in groups of `N`.
pub(crate) fn groups<const N: usize, T: bytemuck::Pod>(numbers: &[T]) -> Vec<[T; N]> {
    numbers.as_chunks::<N>().0.to_vec()
}

/// The frames of an attribute: `(n, N)` is one frame, `(frames, n, N)` are several.
pub(crate) fn frames<const N: usize>(object: &Any<'_>, what: &str) -> PyResult<Vec<Vec<[f32; N]>>> {
    let (numbers, shape) = floats(object, what, [N])?;
    match shape.as_slice() {
        [_, _] => Ok(vec![groups(&numbers)]),
        [0, ..] => Ok(Vec::new()),
        [count, points, _] if *points > 0 => Ok(numbers.chunks_exact(points * N).map(groups).collect()),
        [count, ..] if shape.len() == 3 => Ok(vec![Vec::new(); *count]),
        _ => Err(PyValueError::new_err(format!(
            "{what} has the shape {shape:?}; (n, {N}) or (frames, n, {N}) is needed"
        ))),
    }
}

/// Transforms of 4 by 4 numbers, by rows.
pub(crate) fn matrices(object: &Any<'_>, what: &str) -> PyResult<Vec<[[f32; 4]; 4]>> {
    let (numbers, shape) = floats(object, what, [4, 4])?;
    if shape.len() > 3 {
        return Err(PyValueError::new_err(format!(
            "{what} has the shape {shape:?}; (4, 4) or (n, 4, 4) is needed"
        )));
    }
    let rows = numbers.as_chunks::<4>().0.as_chunks::<4>().0;
    Ok(rows.iter().map(|rows| crate::numbers::rows(*rows)).collect())
}

/// An argument that may be missing.
pub(crate) type Given = Option<Py<PyAny>>;

options! {
    /// The optional arguments of a mesh.
    Arrays {
        normals: Given = None;
        tangents: Given = None;
        texcoords: Given = None;
        colors: Given = None;
        joints: Given = None;
        weights: Given = None;
        inverse_bind: Given = None;
        points: Given = None;
        corners: Given = None;
        submeshes: Option<Vec<Py<PyAny>>> = None;
        material: Option<usize> = None;
        frame_names: Option<Vec<String>> = None;
        lod: Option<usize> = None;
    }
}

/// The frames of an optional attribute, which has as many as the positions.
pub(crate) fn moving<const N: usize>(
    py: Python<'_>,
    given: &Given,
    name: &str,
    count: usize,
) -> PyResult<Vec<Vec<[f32; N]>>> {
    let found = given.as_ref().map_or(Ok(Vec::new()), |object| frames(object.bind(py), name))?;
    if given.is_some() && found.len() != count {
        let text = format!("{name} has {} frames, and positions have {count}", found.len());
        return Err(PyValueError::new_err(text));
    }
    Ok(found)
}

/// The sets of an attribute: one array, or a list of arrays.
pub(crate) fn sets<const N: usize>(
    py: Python<'_>,
    given: &Given,
    name: &str,
) -> PyResult<Vec<Vec<[f32; N]>>> {
    let Some(object) = given.as_ref().map(|object| object.bind(py)) else { return Ok(Vec::new()) };
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let sets: Vec<Any<'_>> = object.extract()?;
        if sets.iter().all(|set| set.hasattr("dtype").unwrap_or(false)) {
            return sets.iter().map(|set| Ok(groups(&floats(set, name, [N])?.0))).collect();
        }
    }
    frames(object, name)
}

pub(crate) fn indices(py: Python<'_>, given: &Given, name: &str) -> PyResult<Vec<u32>> {
    given.as_ref().map_or(Ok(Vec::new()), |object| Ok(integers(object.bind(py), name, [])?.0))
}

/// Checks an index of something of a model.
pub(crate) fn check(what: &str, index: Option<usize>, count: usize) -> PyResult<()> {
    index.filter(|index| *index >= count).map_or(Ok(()), |index| Err(no_index(what, index, count)))
}

/// The joints of each point, and their weights.
pub(crate) type Influences = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// Reads the joints of each point and their weights, which are scaled to add up to 1.
pub(crate) fn influences(py: Python<'_>, arrays: &Arrays, joints: usize) -> PyResult<Influences> {
    let (Some(indices), Some(weights)) = (&arrays.joints, &arrays.weights) else {
        return Ok(Influences::default());
    };
    let (indices, _) = integers::<u16, 1>(indices.bind(py), "joints", [4])?;
    let (weights, _) = floats(weights.bind(py), "weights", [4])?;
    if indices.len() != weights.len() {
        return Err(PyValueError::new_err("joints and weights have the same shape, (points, 4)"));
    }
    check("joint", indices.iter().max().map(|joint| usize::from(*joint)), joints)?;
    let normalized = |weights: &[f32; 4]| {
        let sum: f32 = weights.iter().sum();
        if sum > 0.0 && sum.is_finite() { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0, 0.0] }
    };
    Ok((groups(&indices), groups::<4, f32>(&weights).iter().map(normalized).collect()))
}
