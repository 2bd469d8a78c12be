//! The data classes of the package, which are in `meshlens._types`.

use meshlens::model::export::Target;
use meshlens::model::{
    Alpha, HeightMap, ImageBytes, ImageSource, Material, NormalMap, TextureAlpha, TextureCoordinates, Wrap,
};
use meshlens::{Finding, Report};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};

use crate::{Any, NewObject};

/// A class of `meshlens._types`.
pub(crate) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("meshlens._types")?.getattr(name)?.cast_into()?)
}

/// A finding as a `Finding`.
pub(crate) fn finding<'py>(class: &Bound<'py, PyType>, finding: &Finding) -> NewObject<'py> {
    let Finding { severity, code, message, offset, pointer, count, .. } = finding;
    class.call1((severity.as_str(), *code, message, pointer, *offset, *count))
}

/// The findings of a report, the worst first.
pub(crate) fn findings<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyList>> {
    let class = class(py, "Finding")?;
    let made = report.findings().map(|found| finding(&class, found));
    PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)
}

/// The game format with this name.
///
/// # Errors
///
/// A `ValueError` that lists all formats if the name is unknown.
pub(crate) fn target(format: &str) -> PyResult<Target> {
    Target::of_name(format).ok_or_else(|| {
        let formats = Target::ALL.map(|(_, name)| name).join(", ");
        PyValueError::new_err(format!("{format:?} is not written; formats: glb, {formats}"))
    })
}

const ALPHAS: [(Alpha, &str); 3] =
    [(Alpha::Opaque, "opaque"), (Alpha::Mask, "mask"), (Alpha::Blend, "blend")];
const WRAPS: [(Wrap, &str); 3] = [(Wrap::Repeat, "repeat"), (Wrap::Mirror, "mirror"), (Wrap::Clamp, "clamp")];
const TEXTURE_ALPHAS: [(TextureAlpha, &str); 7] = [
    (TextureAlpha::Stored, "stored"),
    (TextureAlpha::FirstColor, "first_color"),
    (TextureAlpha::Add, "add"),
    (TextureAlpha::AddAlpha, "add_alpha"),
    (TextureAlpha::Multiply, "multiply"),
    (TextureAlpha::Multiply2x, "multiply_2x"),
    (TextureAlpha::MultiplyInverse, "multiply_inverse"),
];

fn name<T: PartialEq>(names: &[(T, &'static str)], value: &T) -> &'static str {
    names.iter().find(|(known, _)| known == value).map_or("", |(_, name)| name)
}

/// The value with the name `text`.
///
/// # Errors
///
/// A `ValueError` that lists all names if the name is unknown.
pub(crate) fn named<T: Copy>(names: &[(T, &'static str)], what: &str, text: &str) -> PyResult<T> {
    let found = names.iter().find(|(_, name)| *name == text).map(|(value, _)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
        PyValueError::new_err(format!("{what} {text:?} is not one of: {}", names.join(", ")))
    })
}

/// Materials, converted to a list of `Material`.
pub(crate) fn materials<'py, 'm>(
    py: Python<'py>,
    materials: impl IntoIterator<Item = &'m Material>,
) -> PyResult<Bound<'py, PyList>> {
    let made = materials.into_iter().map(|found| material(py, found));
    PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)
}

/// A material, converted to a `Material`.
fn material<'py>(py: Python<'py>, material: &Material) -> NewObject<'py> {
    let kwargs = PyDict::new(py);
    kwargs.set_item("name", &material.name)?;
    kwargs.set_item("texture", &material.texture)?;
    set_image(py, &kwargs, material.image.as_ref())?;
    kwargs.set_item("texture_alpha", name(&TEXTURE_ALPHAS, &material.texture_alpha))?;
    kwargs.set_item("is_environment", material.texture_coordinates == TextureCoordinates::Environment)?;
    kwargs.set_item("texture_set", material.texture_set)?;
    if let Some(HeightMap { texture, scale, set }) = &material.height_map {
        kwargs.set_item("height_map", class(py, "HeightMap")?.call1((texture, scale, set))?)?;
    }
    if let Some(NormalMap { image, is_y_down }) = &material.normal_map {
        let own = PyDict::new(py);
        set_image(py, &own, Some(image))?;
        own.set_item("is_y_down", is_y_down)?;
        kwargs.set_item("normal_map", class(py, "NormalMap")?.call((), Some(&own))?)?;
    }
    kwargs.set_item("nearest", material.nearest)?;
    let [u, v] = material.wrap.map(|wrap| name(&WRAPS, &wrap));
    kwargs.set_item("wrap", (u, v))?;
    let [r, g, b, a] = material.color;
    kwargs.set_item("color", (r, g, b, a))?;
    let [r, g, b] = material.emissive;
    kwargs.set_item("emissive", (r, g, b))?;
    kwargs.set_item("two_sided", material.two_sided)?;
    kwargs.set_item("unlit", material.unlit)?;
    kwargs.set_item("alpha", name(&ALPHAS, &material.alpha))?;
    kwargs.set_item("cutoff", material.cutoff)?;
    kwargs.set_item("sprites", material.sprites)?;
    kwargs.set_item("hidden", material.hidden)?;
    class(py, "Material")?.call((), Some(&kwargs))
}

/// Sets the arguments of an image: its content, or its path.
fn set_image(py: Python<'_>, kwargs: &Bound<'_, PyDict>, image: Option<&ImageSource>) -> PyResult<()> {
    match image {
        Some(ImageSource::Embedded(bytes)) => kwargs.set_item("image", PyBytes::new(py, bytes)),
        Some(ImageSource::File(path)) => kwargs.set_item("image_path", path),
        None => Ok(()),
    }
}

fn read_image(object: &Any<'_>) -> PyResult<Option<ImageSource>> {
    Ok(match object.getattr("image")?.extract::<Option<Vec<u8>>>()? {
        Some(bytes) => Some(ImageSource::Embedded(ImageBytes::new(bytes))),
        None => object.getattr("image_path")?.extract::<Option<String>>()?.map(ImageSource::File),
    })
}

/// `None` if it has no image.
fn read_normal_map(object: &Any<'_>) -> PyResult<Option<NormalMap>> {
    let is_y_down = object.getattr("is_y_down")?.extract()?;
    Ok(read_image(object)?.map(|image| NormalMap { image, is_y_down }))
}

fn read_height_map(object: &Any<'_>) -> PyResult<HeightMap> {
    let texture = object.getattr("texture")?.extract()?;
    let scale = object.getattr("scale")?.extract()?;
    Ok(HeightMap { texture, scale, set: object.getattr("texture_set")?.extract()? })
}

/// Reads a `Material`, or any object with its attributes; or a `HeightMap` or a `NormalMap`, as the material of the normal map.
pub(crate) fn read_material(object: &Any<'_>) -> PyResult<Material> {
    if object.hasattr("scale")? {
        return Ok(read_height_map(object)?.material());
    }
    if object.hasattr("is_y_down")? {
        return Ok(
            read_normal_map(object)?.map_or_else(|| Material::new("normal map"), |map| map.material(false))
        );
    }
    let mut made = Material::new(object.getattr("name")?.extract::<String>()?);
    made.texture = object.getattr("texture")?.extract()?;
    made.image = read_image(object)?;
    let text = |name: &str| object.getattr(name)?.extract::<String>();
    made.texture_alpha = named(&TEXTURE_ALPHAS, "texture_alpha", &text("texture_alpha")?)?;
    if object.getattr("is_environment")?.extract()? {
        made.texture_coordinates = TextureCoordinates::Environment;
    }
    made.texture_set = object.getattr("texture_set")?.extract()?;
    made.nearest = object.getattr("nearest")?.extract()?;
    let height_map = object.getattr("height_map")?;
    made.height_map = if height_map.is_none() { None } else { Some(read_height_map(&height_map)?) };
    let normal_map = object.getattr("normal_map")?;
    made.normal_map = if normal_map.is_none() { None } else { read_normal_map(&normal_map)? };
    let (u, v): (String, String) = object.getattr("wrap")?.extract()?;
    made.wrap = [named(&WRAPS, "wrap", &u)?, named(&WRAPS, "wrap", &v)?];
    made.color = object.getattr("color")?.extract()?;
    made.emissive = object.getattr("emissive")?.extract()?;
    made.two_sided = object.getattr("two_sided")?.extract()?;
    made.unlit = object.getattr("unlit")?.extract()?;
    made.alpha = named(&ALPHAS, "alpha", &text("alpha")?)?;
    made.cutoff = object.getattr("cutoff")?.extract()?;
    made.sprites = object.getattr("sprites")?.extract()?;
    made.hidden = object.getattr("hidden")?.extract()?;
    Ok(made)
}
