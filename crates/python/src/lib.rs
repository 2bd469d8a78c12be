//! The Python module `meshlens._meshlens`: scenes, meshes, arrays and pictures of game models.
//!
//! The package `meshlens` in `python/` adds plain data classes, exceptions and readers for other libraries.

include!(concat!(env!("OUT_DIR"), "/docs.rs"));

/// A Python object.
type Any<'py> = Bound<'py, PyAny>;

/// An optional argument.
type Maybe<'a, 'py> = Option<&'a Any<'py>>;

/// Keyword arguments.
type Kwargs<'a, 'py> = &'a Bound<'py, PyDict>;

/// A new object, or an exception.
type NewObject<'py> = PyResult<Bound<'py, PyAny>>;

/// Properties of a class, computed from the parts of the scene that its objects refer to.
macro_rules! getters {
    ($class:ident, |$this:ident, $py:ident, $content:ident, $found:ident|
        $($name:ident: $type:ty = $value:expr;)*) => {
        #[pymethods]
        impl $class {
            $(
                #[doc = doc!($class $name)]
                #[getter]
                #[allow(unused_variables, reason = "some properties need all of them")]
                fn $name<'py>(&self, $py: Python<'py>) -> PyResult<$type> {
                    let $this = self;
                    let $content = self.shared.content()?;
                    let $found = self.find(&$content)?;
                    Ok($value)
                }
            )*
        }
    };
}

/// The `repr` of an object of a scene.
macro_rules! repr {
    ($class:ident, |$this:ident, $found:ident| $text:expr) => {
        #[pymethods]
        impl $class {
            fn __repr__(&self) -> PyResult<String> {
                if self.shared.is_closed() {
                    return Ok(concat!("<", stringify!($class), " of a closed scene>").into());
                }
                let $this = self;
                let content = self.shared.content()?;
                let $found = self.find(&content)?;
                Ok($text)
            }
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

/// Options that are passed as keyword arguments: their names, types and default values.
macro_rules! options {
    ($(#[$meta:meta])* $class:ident { $($name:ident: $type:ty = $usual:expr;)* }) => {
        $(#[$meta])*
        pub(crate) struct $class {
            $(pub(crate) $name: $type,)*
            /// The names of the given options.
            pub(crate) given: Vec<String>,
        }

        impl $class {
            /// Reads keyword arguments.
            pub(crate) fn read(kwargs: Option<Kwargs<'_, '_>>) -> PyResult<$class> {
                let mut options = $class { $($name: $usual,)* given: Vec::new() };
                for (key, value) in kwargs.into_iter().flatten() {
                    let key: String = key.extract()?;
                    match key.as_str() {
                        $(stringify!($name) => options.$name = value.extract()?,)*
                        _ => return Err(PyTypeError::new_err(format!("unexpected keyword argument {key:?}"))),
                    }
                    options.given.push(key);
                }
                Ok(options)
            }
        }
    };
}

mod array;
mod arrow;
mod builder;
mod census;
mod clip;
mod columns;
mod content;
mod document;
mod error;
mod export;
mod gap;
mod input;
mod layout;
mod mesh;
mod node;
mod numbers;
mod pose;
mod raw;
mod sample;
mod scene;
mod skeleton;
mod space;
mod store;
mod tag;
mod texture;
mod types;
mod view;

use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pymodule(gil_used = false)]
mod _meshlens {
    #[pymodule_export]
    use crate::{
        array::Array,
        arrow::{Batch, arrow},
        builder::Model,
        census::census,
        clip::{Animation, Clip},
        command,
        document::{inspect, models, validate},
        error::plant_panic,
        export::write,
        input::open,
        mesh::Mesh,
        node::Node,
        pose::Pose,
        raw::Raw,
        scene::Scene,
        space::Space,
        tag::Tag,
        version,
    };
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
