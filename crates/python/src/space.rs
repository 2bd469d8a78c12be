//! Spaces: axes, winding and unit of coordinates.

use meshlens::Format;
use meshlens::model::{self, Axis, Conversion, Handedness, Winding};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::numbers;

/// The spaces with a name.
const NAMED: [(&str, model::Space); 9] = [
    ("gltf", model::Space::GLTF),
    ("md3", model::Space::MD3),
    ("unreal", model::Space::UNREAL),
    ("u3d", model::Space::U3D),
    ("unigine", model::Space::UNIGINE),
    ("unreal_engine", model::Space::UNREAL_ENGINE),
    ("unity", model::Space::UNITY),
    ("godot", model::Space::GODOT),
    ("blender", model::Space::BLENDER),
];

#[doc = doc!(Space)]
#[pyclass(frozen, eq, hash, module = "meshlens", name = "Space")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Space(usize);

impl Space {
    pub(crate) fn of(space: &model::Space) -> Space {
        // Every model has a space of the list: those of the formats, and that of glTF.
        Space(NAMED.iter().position(|(_, known)| known == space).unwrap_or(0))
    }

    pub(crate) fn get(self) -> model::Space {
        NAMED.get(self.0).map_or(model::Space::GLTF, |(_, space)| *space)
    }
}

/// Reads a space: its name, or a `Space`. `None` is `other`.
pub(crate) fn read(object: Option<&Bound<'_, PyAny>>, other: model::Space) -> PyResult<model::Space> {
    let Some(object) = object else { return Ok(other) };
    if let Ok(space) = object.cast::<Space>() {
        return Ok(space.get().get());
    }
    let Ok(name) = object.extract::<String>() else {
        return Err(PyTypeError::new_err("a space is a Space, or its name"));
    };
    Space::new(&name).map(Space::get)
}

const fn axis(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "+X",
        Axis::Y => "+Y",
        Axis::Z => "+Z",
        Axis::NegX => "-X",
        Axis::NegY => "-Y",
        Axis::NegZ => "-Z",
    }
}

fields! {
    Space, |space|
    is_right_handed: bool = space.get().handedness() == Handedness::Right;
    is_clockwise: bool = space.get().winding == Winding::Clockwise;
    meters: Option<f32> = space.get().usual_meters();
}

#[pymethods]
impl Space {
    #[new]
    fn new(name: &str) -> PyResult<Space> {
        let found = NAMED.iter().position(|(known, _)| *known == name).map(Space);
        found.ok_or_else(|| {
            let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
            PyValueError::new_err(format!("there is no space {name:?}; spaces: {}", names.join(", ")))
        })
    }

    #[doc = doc!(Space name)]
    #[getter]
    fn name(&self) -> &'static str {
        NAMED.get(self.0).map_or("", |(name, _)| *name)
    }

    #[doc = doc!(Space right)]
    #[getter]
    fn right(&self) -> &'static str {
        axis(self.get().right)
    }

    #[doc = doc!(Space up)]
    #[getter]
    fn up(&self) -> &'static str {
        axis(self.get().up)
    }

    #[doc = doc!(Space forward)]
    #[getter]
    fn forward(&self) -> &'static str {
        axis(self.get().forward)
    }

    #[doc = doc!(Space matrix_to)]
    #[pyo3(signature = (target, scale = 1.0))]
    fn matrix_to<'py>(
        &self,
        py: Python<'py>,
        target: &Bound<'py, PyAny>,
        scale: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        numbers::matrix(py, self.conversion(target)?.scaled(scale).linear())
    }

    #[doc = doc!(Space swaps_winding)]
    fn swaps_winding(&self, target: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.conversion(target)?.swaps_winding)
    }

    fn __repr__(&self) -> String {
        format!("Space({:?})", self.name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (&'static str,)) {
        (py.get_type::<Space>().into_any(), (self.name(),))
    }
}

impl Space {
    fn conversion(self, target: &Bound<'_, PyAny>) -> PyResult<Conversion> {
        Ok(self.get().to(&read(Some(target), model::Space::GLTF)?))
    }
}

/// The name of a format, as in Rust; `None` for a model that was imported or made in memory.
pub(crate) fn format_name(format: Option<Format>) -> Option<&'static str> {
    format.map(Format::name)
}
