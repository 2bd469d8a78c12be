//! Layouts of vertices: names of attributes and of formats, as a type of numpy.

use meshlens::lens::{Semantic, VertexFormat};
use meshlens::model::{Mesh, VertexLayout};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// A layout, and the numpy type of its vertices.
pub(crate) struct Layout<'py> {
    pub(crate) layout: VertexLayout,
    pub(crate) dtype: Bound<'py, PyAny>,
}

/// One attribute: its name, what it is, and how it is stored.
struct Field {
    name: String,
    semantic: Semantic,
    set: usize,
    format: VertexFormat,
}

impl Field {
    /// Reads a name, such as `positions` or `texcoords1`, and the name of a format.
    fn read(name: &str, format: Option<&str>) -> PyResult<Field> {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let wrong = |_| {
            let names = "positions, normals, tangents, texcoords, texcoords1, colors, joints and weights";
            PyValueError::new_err(format!("vertices have no {name:?}; they have {names}"))
        };
        let semantic: Semantic = base.parse().map_err(wrong)?;
        let usual = match semantic {
            Semantic::Position | Semantic::Normal => VertexFormat::Float32x3,
            Semantic::Tangent | Semantic::Color | Semantic::Weights => VertexFormat::Float32x4,
            Semantic::Texcoord => VertexFormat::Float32x2,
            Semantic::Joints => VertexFormat::Uint16x4,
            _ => return Err(PyValueError::new_err(format!("{name} are no attribute of vertices"))),
        };
        let has_sets = matches!(semantic, Semantic::Texcoord | Semantic::Color);
        let set = match name.get(base.len()..).unwrap_or_default() {
            "" => 0,
            set if has_sets => {
                set.parse().map_err(|_| PyValueError::new_err(format!("{name}: no such set")))?
            }
            _ => return Err(PyValueError::new_err(format!("{base} have no sets"))),
        };
        let format = match format {
            None => usual,
            Some(format) => format.parse().map_err(|_| {
                let text =
                    format!("{format:?} is no vertex format, such as float32x3, snorm8x4 or unorm16x2");
                PyValueError::new_err(text)
            })?,
        };
        Ok(Field { name: name.to_owned(), semantic, set, format })
    }
}

/// Reads a layout: names separated by spaces, a list of names or of pairs of a name and a format, or a dictionary of them.
/// Without one, the positions, normals and texture coordinates that the mesh has.
pub(crate) fn read<'py>(
    py: Python<'py>,
    object: Option<&Bound<'py, PyAny>>,
    mesh: &Mesh<'_>,
) -> PyResult<Layout<'py>> {
    let mut fields = Vec::new();
    match object {
        None => {
            for (name, semantic) in [
                ("positions", Semantic::Position),
                ("normals", Semantic::Normal),
                ("texcoords", Semantic::Texcoord),
            ] {
                if matches!(mesh.attribute(semantic, 0, 0), Ok(Some(_))) {
                    fields.push(Field::read(name, None)?);
                }
            }
        }
        Some(object) => {
            if let Ok(names) = object.cast::<PyString>() {
                for name in names.to_cow()?.split_whitespace() {
                    fields.push(Field::read(name, None)?);
                }
            } else if let Ok(formats) = object.cast::<PyDict>() {
                for (name, format) in formats {
                    fields.push(Field::read(&name.extract::<String>()?, Some(&format.extract::<String>()?))?);
                }
            } else {
                let wrong =
                    || PyTypeError::new_err("a layout is text, a dictionary, or a list of names and pairs");
                for item in object.try_iter().map_err(|_| wrong())? {
                    let item = item?;
                    if let Ok(name) = item.extract::<String>() {
                        fields.push(Field::read(&name, None)?);
                    } else {
                        let (name, format): (String, String) = item.extract().map_err(|_| wrong())?;
                        fields.push(Field::read(&name, Some(&format))?);
                    }
                }
            }
        }
    }
    if fields.is_empty() {
        return Err(PyValueError::new_err("the layout has no attributes"));
    }
    of_fields(py, &fields)
}

/// The types of numpy of one component, and the number of stored components.
fn stored(format: VertexFormat) -> (&'static str, usize) {
    use VertexFormat::*;
    let letter = match format {
        Float32 | Float32x2 | Float32x3 | Float32x4 => "f4",
        Float16x2 | Float16x4 => "f2",
        Snorm16x2 | Snorm16x4 | Octahedral16x2 | Sint16x2 | Sint16x4 => "i2",
        Snorm8x2 | Snorm8x4 | Octahedral8x4 | Sint8x2 | Sint8x4 => "i1",
        Unorm16x2 | Unorm16x4 | Uint16x2 | Uint16x4 => "u2",
        Unorm8x2 | Unorm8x4 | Uint8x2 | Uint8x4 => "u1",
        Sint32 | Sint32x2 | Sint32x3 | Sint32x4 => "i4",
        _ => "u4",
    };
    (letter, format.size() / format.align())
}

/// Attributes one after another, each aligned to its components.
fn of_fields<'py>(py: Python<'py>, fields: &[Field]) -> PyResult<Layout<'py>> {
    let (names, formats, offsets) = (PyList::empty(py), PyList::empty(py), PyList::empty(py));
    let (mut places, mut offset, mut align) = (Vec::new(), 0usize, 1);
    for field in fields {
        align = align.max(field.format.align());
        offset = offset.next_multiple_of(field.format.align());
        names.append(&field.name)?;
        match stored(field.format) {
            (letter, 1) => formats.append(letter)?,
            (letter, count) => formats.append((letter, (count,)))?,
        }
        offsets.append(offset)?;
        places.push(offset);
        offset += field.format.size();
    }
    let stride = offset.next_multiple_of(align);
    let mut layout = VertexLayout::new(stride);
    for (field, place) in fields.iter().zip(places) {
        layout = layout.with_set(field.semantic, field.set, place, field.format);
    }
    let record = PyDict::new(py);
    record.set_item("names", names)?;
    record.set_item("formats", formats)?;
    record.set_item("offsets", offsets)?;
    record.set_item("itemsize", stride)?;
    Ok(Layout { layout, dtype: py.import("numpy")?.call_method1("dtype", (record,))? })
}
