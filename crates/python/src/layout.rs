//! Layouts of vertices, as numpy types. `meshlens._layout` reads the caller's argument.

use meshlens::lens::{Semantic, VertexFormat};
use meshlens::model::{Mesh, VertexLayout};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::{Any, Maybe, numbers};

/// A layout, and the numpy type of its vertices.
pub(crate) struct Layout<'py> {
    pub(crate) layout: VertexLayout,
    pub(crate) dtype: Any<'py>,
}

/// Reads a layout. Its attributes follow one another, each aligned to its components. The default layout has positions,
/// normals and texture coordinates, as far as the mesh has them.
pub(crate) fn read<'py>(py: Python<'py>, object: Maybe<'_, 'py>, mesh: &Mesh<'_>) -> PyResult<Layout<'py>> {
    let read = py.import("meshlens._layout")?.getattr("read")?;
    let names = match object {
        Some(object) => read.call1((object,))?,
        None => read.call1(("positions normals texcoords",))?,
    };
    let mut fields: Vec<(String, (Semantic, usize, VertexFormat))> = Vec::new();
    for (name, semantic, set, format) in names.extract::<Vec<(String, String, usize, String)>>()? {
        let semantic: Semantic =
            semantic.parse().map_err(|_| PyValueError::new_err(format!("there is no {semantic:?}")))?;
        let format = format.parse().map_err(|_| {
            let text = format!("{format:?} is no vertex format, such as float32x3, snorm8x4 or unorm16x2");
            PyValueError::new_err(text)
        })?;
        if object.is_some() || matches!(mesh.attribute(semantic, 0, 0), Ok(Some(_))) {
            fields.push((name, (semantic, set, format)));
        }
    }
    if fields.is_empty() {
        return Err(PyValueError::new_err("the layout has no attributes"));
    }
    let layout = VertexLayout::packed(&fields.iter().map(|(_, field)| *field).collect::<Vec<_>>());
    let stored = fields.iter().zip(layout.offsets()).map(|((name, (.., format)), offset)| {
        let (component, components) = format.numpy();
        (name.as_str(), component, components, offset)
    });
    let dtype = numbers::record(py, stored, layout.stride())?;
    Ok(Layout { layout, dtype })
}
