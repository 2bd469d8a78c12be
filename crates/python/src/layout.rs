//! Layouts of vertices: names of attributes and of formats, as a type of numpy.

use meshlens::lens::{Semantic, VertexFormat};
use meshlens::model::{Mesh, VertexLayout};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::{Any, numbers};

/// A layout, and the numpy type of its vertices.
pub(crate) struct Layout<'py> {
    pub(crate) layout: VertexLayout,
    pub(crate) dtype: Any<'py>,
}

/// One attribute: what it is, its set, and how it is stored.
type Field = (Semantic, usize, VertexFormat);

/// Reads a name, such as `positions` or `texcoords1`, and the name of a format.
fn field(name: &str, format: Option<&str>) -> PyResult<Field> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let semantic: Semantic = base.parse().map_err(|_| {
        let names = "positions, normals, tangents, texcoords, texcoords1, colors, joints and weights";
        PyValueError::new_err(format!("vertices have no {name:?}; they have {names}"))
    })?;
    let usual = match semantic {
        Semantic::Position | Semantic::Normal => VertexFormat::Float32x3,
        Semantic::Tangent | Semantic::Color | Semantic::Weights => VertexFormat::Float32x4,
        Semantic::Texcoord => VertexFormat::Float32x2,
        Semantic::Joints => VertexFormat::Uint16x4,
        _ => return Err(PyValueError::new_err(format!("{name} are no attribute of vertices"))),
    };
    let set = match name.get(base.len()..).unwrap_or_default() {
        "" => 0,
        set if matches!(semantic, Semantic::Texcoord | Semantic::Color) => {
            set.parse().map_err(|_| PyValueError::new_err(format!("{name}: no such set")))?
        }
        _ => return Err(PyValueError::new_err(format!("{base} have no sets"))),
    };
    let format = format.map_or(Ok(usual), |format| {
        format.parse().map_err(|_| {
            let text = format!("{format:?} is no vertex format, such as float32x3, snorm8x4 or unorm16x2");
            PyValueError::new_err(text)
        })
    });
    Ok((semantic, set, format?))
}

/// Reads names separated by spaces, a list of names or of pairs of a name and a format, or a dictionary of them.
fn names(object: &Any<'_>) -> PyResult<Vec<(String, Option<String>)>> {
    if let Ok(names) = object.cast::<PyString>() {
        return Ok(names.to_cow()?.split_whitespace().map(|name| (name.to_owned(), None)).collect());
    }
    if let Ok(formats) = object.cast::<PyDict>() {
        return formats.iter().map(|(name, format)| Ok((name.extract()?, Some(format.extract()?)))).collect();
    }
    let wrong = |_| PyTypeError::new_err("a layout is text, a dictionary, or a list of names and pairs");
    let items = object.try_iter().map_err(wrong)?.map(|item| {
        let item = item?;
        match item.extract::<String>() {
            Ok(name) => Ok((name, None)),
            Err(_) => item.extract().map(|(name, format)| (name, Some(format))).map_err(wrong),
        }
    });
    items.collect()
}

/// Reads a layout: its attributes follow one another, each aligned to its components. Without one, it has the positions,
/// normals and texture coordinates that the mesh has.
pub(crate) fn read<'py>(
    py: Python<'py>,
    object: Option<&Any<'py>>,
    mesh: &Mesh<'_>,
) -> PyResult<Layout<'py>> {
    let usual = ["positions", "normals", "texcoords"].into_iter();
    let names = object.map_or_else(|| Ok(usual.map(|name| (name.to_owned(), None)).collect()), names)?;
    let fields = names.iter().map(|(name, format)| Ok((name.as_str(), field(name, format.as_deref())?)));
    let mut fields: Vec<(&str, Field)> = fields.collect::<PyResult<_>>()?;
    if object.is_none() {
        fields.retain(|(_, (semantic, ..))| matches!(mesh.attribute(*semantic, 0, 0), Ok(Some(_))));
    }
    if fields.is_empty() {
        return Err(PyValueError::new_err("the layout has no attributes"));
    }
    let layout = VertexLayout::packed(&fields.iter().map(|(_, field)| *field).collect::<Vec<_>>());
    let stored = fields.iter().zip(layout.offsets()).map(|((name, (.., format)), offset)| {
        let (component, components) = format.numpy();
        (*name, component, components, offset)
    });
    let dtype = numbers::record(py, stored, layout.stride())?;
    Ok(Layout { layout, dtype })
}
