//! Spaces: axes, winding and unit of coordinates.

use meshlens::Format;
use meshlens::model::{self, Conversion, Handedness, Winding};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::{Any, Maybe, NewObject, numbers};

#[doc = doc!(Space)]
#[pyclass(frozen, eq, hash, module = "meshlens", name = "Space")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Space(usize);

impl Space {
    pub(crate) fn of(space: &model::Space) -> Space {
        // Every model has a space of the list: the space of its format, or the space of glTF.
        Space(model::Space::NAMED.iter().position(|(_, known)| known == space).unwrap_or(0))
    }

    pub(crate) fn get(self) -> model::Space {
        model::Space::NAMED.get(self.0).map_or(model::Space::GLTF, |(_, space)| *space)
    }

    fn conversion(self, target: &Any<'_>) -> PyResult<Conversion> {
        Ok(self.get().to(&read(Some(target), model::Space::GLTF)?))
    }
}

/// Reads a space, which is given by name or as a `Space`. `None` means `other`.
pub(crate) fn read(object: Maybe<'_, '_>, other: model::Space) -> PyResult<model::Space> {
    let Some(object) = object else { return Ok(other) };
    if let Ok(space) = object.cast::<Space>() {
        return Ok(space.get().get());
    }
    let name = object.extract::<String>();
    Space::new(&name.map_err(|_| PyTypeError::new_err("a space is a Space, or its name"))?).map(Space::get)
}

fields! {
    Space, |space|
    name: &'static str = space.get().name().unwrap_or("");
    right: &'static str = space.get().right.name();
    up: &'static str = space.get().up.name();
    forward: &'static str = space.get().forward.name();
    is_right_handed: bool = space.get().handedness() == Handedness::Right;
    is_clockwise: bool = space.get().winding == Winding::Clockwise;
    meters: Option<f32> = space.get().usual_meters();
}

#[pymethods]
impl Space {
    #[new]
    fn new(name: &str) -> PyResult<Space> {
        model::Space::of_name(name).as_ref().map(Space::of).ok_or_else(|| {
            let names = model::Space::NAMED.map(|(name, _)| name).join(", ");
            PyValueError::new_err(format!("there is no space {name:?}; spaces: {names}"))
        })
    }

    #[doc = doc!(Space matrix_to)]
    #[pyo3(signature = (target, scale = 1.0))]
    fn matrix_to<'py>(&self, py: Python<'py>, target: &Any<'py>, scale: f32) -> NewObject<'py> {
        numbers::matrix(py, self.conversion(target)?.scaled(scale).linear())
    }

    #[doc = doc!(Space swaps_winding)]
    fn swaps_winding(&self, target: &Any<'_>) -> PyResult<bool> {
        Ok(self.conversion(target)?.swaps_winding)
    }

    fn __repr__(&self) -> String {
        format!("Space({:?})", self.name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Any<'py>, (&'static str,)) {
        (py.get_type::<Space>().into_any(), (self.name(),))
    }
}

/// The name of a format, as in Rust; `None` for a model that was imported or made in memory.
pub(crate) fn format_name(format: Option<Format>) -> Option<&'static str> {
    format.map(Format::name)
}
