//! The Python module `meshlens._meshlens`: scenes, meshes, arrays and pictures of game models.
//!
//! The package `meshlens` in `python/` adds plain data classes, errors and readers for other libraries.

include!(concat!(env!("OUT_DIR"), "/docs.rs"));

/// Properties of a class, computed from what its objects find in the content of their scene.
macro_rules! getters {
    ($class:ident, |$found:ident| $($name:ident: $type:ty = $value:expr;)*) => {
        #[pymethods]
        impl $class {
            $(
                #[doc = doc!($class $name)]
                #[getter]
                fn $name(&self) -> PyResult<$type> {
                    let content = self.shared.content()?;
                    let $found = self.find(&content)?;
                    Ok($value)
                }
            )*
        }
    };
}

/// Properties of a class that do not need the content of a scene.
macro_rules! fields {
    ($class:ident, |$this:ident| $($name:ident: $type:ty = $value:expr;)*) => {
        #[pymethods]
        impl $class {
            $(
                #[doc = doc!($class $name)]
                #[getter]
                fn $name(&self) -> $type {
                    let $this = self;
                    $value
                }
            )*
        }
    };
}

mod array;
mod arrow;
mod builder;
mod census;
mod clip;
mod content;
mod document;
mod error;
mod export;
mod input;
mod layout;
mod mesh;
mod node;
mod numbers;
mod pose;
mod raw;
mod sample;
mod scene;
mod space;
mod tag;
mod types;
mod view;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _meshlens {
    #[pymodule_export]
    use crate::array::Array;
    #[pymodule_export]
    use crate::arrow::{Batch, arrow};
    #[pymodule_export]
    use crate::builder::Model;
    #[pymodule_export]
    use crate::census::census;
    #[pymodule_export]
    use crate::clip::{Animation, Clip};
    #[pymodule_export]
    use crate::document::{inspect, models, validate};
    #[pymodule_export]
    use crate::error::plant_panic;
    #[pymodule_export]
    use crate::export::write;
    #[pymodule_export]
    use crate::input::open;
    #[pymodule_export]
    use crate::mesh::Mesh;
    #[pymodule_export]
    use crate::node::Node;
    #[pymodule_export]
    use crate::pose::Pose;
    #[pymodule_export]
    use crate::raw::Raw;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::space::Space;
    #[pymodule_export]
    use crate::tag::Tag;
    #[pymodule_export]
    use crate::{command, version};
}

#[doc = doc!(command)]
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| meshlens_cli::run(arguments))
}

#[doc = doc!(version)]
#[pyfunction]
const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
