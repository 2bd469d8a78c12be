//! Scenes as files of other formats, and pictures of them.

use std::path::PathBuf;

use meshlens::Report;
use meshlens::model::{Alpha, ImageBytes, Material, Model, TextureCoordinates, export};
use meshlens::unreal::VertexEncoding;
use meshlens::wire::Budget;
use meshlens_assets::Assets;
use meshlens_assets::material::ImageLimits;
use meshlens_gltf::{Export, Frames, Normals, Texture};
use meshlens_source::AtomicFile;
use meshlens_thumb::{Background, View};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::content::Content;
use crate::error::{Failure, no_index, work};
use crate::input::stem;
use crate::scene::Scene;
use crate::types::{self, named};

/// The memory that a conversion may use if the caller does not set a limit.
const DEFAULT_MEMORY: usize = 1 << 30;

/// The largest textures of pictures, which show no more detail.
const PICTURE_IMAGES: ImageLimits = ImageLimits { side: 1 << 13, pixels: 1 << 24 };

/// The formats of games that are written.
const GAMES: [&str; 5] = ["md3", "unreal", "u3d", "unigine", "unigine-anim"];

/// Options of an output.
struct ExportOptions {
    given: Vec<String>,
    name: Option<String>,
    node: usize,
    scale: f32,
    /// Whether the vertices of an Unreal mesh have 16 bits; if `None`, whichever is needed.
    wide_vertices: Option<bool>,
    quantize: bool,
    meshopt: bool,
    levels: bool,
    base_normals: bool,
    step: bool,
    textures: bool,
    clip: Option<String>,
    frame: Option<usize>,
    memory: usize,
}

impl ExportOptions {
    /// Reads keyword arguments.
    fn read(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<ExportOptions> {
        let mut options = ExportOptions {
            given: Vec::new(),
            name: None,
            node: 0,
            scale: 1.0,
            wide_vertices: None,
            quantize: false,
            meshopt: false,
            levels: false,
            base_normals: false,
            step: false,
            textures: true,
            clip: None,
            frame: None,
            memory: DEFAULT_MEMORY,
        };
        for (key, value) in kwargs.into_iter().flatten() {
            let key: String = key.extract()?;
            match key.as_str() {
                "name" => options.name = value.extract()?,
                "node" => options.node = value.extract()?,
                "scale" => options.scale = value.extract()?,
                "wide_vertices" => options.wide_vertices = value.extract()?,
                "quantize" => options.quantize = value.extract()?,
                "meshopt" => options.meshopt = value.extract()?,
                "levels" => options.levels = value.extract()?,
                "base_normals" => options.base_normals = value.extract()?,
                "step" => options.step = value.extract()?,
                "textures" => options.textures = value.extract()?,
                "clip" => options.clip = value.extract()?,
                "frame" => options.frame = value.extract()?,
                "memory_limit" => {
                    options.memory = value.extract::<Option<usize>>()?.unwrap_or(DEFAULT_MEMORY)
                }
                _ => return Err(PyTypeError::new_err(format!("unexpected keyword argument {key:?}"))),
            }
            options.given.push(key);
        }
        if !(options.scale > 0.0 && options.scale.is_finite()) {
            let text = format!("a scale is positive and finite, and this one is {}", options.scale);
            return Err(PyValueError::new_err(text));
        }
        Ok(options)
    }

    /// Refuses options that a format does not have.
    fn refuse(&self, names: &[&str], format: &str) -> PyResult<()> {
        match self.given.iter().find(|name| names.contains(&name.as_str())) {
            Some(name) => Err(PyTypeError::new_err(format!("{format} has no option {name:?}"))),
            None => Ok(()),
        }
    }
}

/// The texture of a material, embedded.
fn embedded(assets: &Assets, material: &Material) -> Option<Texture> {
    if material.texture_coordinates == TextureCoordinates::Environment {
        let image = assets.texture_image(material, &ImageLimits::DEFAULT).ok()??;
        return Some(Texture::Reflection(image.average(material.alpha == Alpha::Opaque)));
    }
    let file = assets.texture_file(material, &ImageLimits::DEFAULT).ok()??;
    Some(Texture::Embedded { mime_type: file.mime_type, bytes: ImageBytes::new(file.bytes) })
}

/// A GLB, its losses and its warnings.
type Glb = (Vec<u8>, Report, Vec<String>);

fn glb(content: &Content, options: &ExportOptions) -> Result<Glb, Failure> {
    let assets = content.assets(0);
    let find = |material: &Material| embedded(&assets, material);
    let budget = Budget::new(options.memory);
    let options = meshlens_gltf::Options {
        frames: match (&options.clip, options.frame) {
            (Some(clip), _) => Frames::Clip(clip),
            (None, Some(frame)) => Frames::One(frame),
            (None, None) => Frames::All,
        },
        step: options.step,
        quantize: options.quantize,
        normals: if options.base_normals { Normals::Base } else { Normals::All },
        meshopt: options.meshopt,
        levels: options.levels,
        scale: options.scale,
        textures: if options.textures { Some(&find) } else { None },
        budget: Some(&budget),
    };
    let export = Export::plan(content.scene(), &options)?;
    let mut out = Vec::new();
    export.write_glb(&mut out)?;
    Ok((out, export.losses().clone(), export.warnings().to_vec()))
}

/// The files of a model in a format of a game.
type Files = Vec<(String, Vec<u8>)>;

fn game(
    model: &Model<'_>,
    format: &str,
    name: &str,
    options: &ExportOptions,
) -> Result<(Files, Report, Vec<String>), Failure> {
    let ExportOptions { scale, wide_vertices, .. } = options;
    let mut warnings = Vec::new();
    let (files, losses) = match format {
        "md3" => {
            let made = export::to_md3_measured(model, name, *scale)?;
            let mut files = vec![(format!("{name}.md3"), made.bytes)];
            files.extend(clips(name, &made.clips));
            let fit = made.fit;
            if fit.is_poor() {
                let better =
                    fit.better_scale.map(|scale| format!("; scale {scale} helps")).unwrap_or_default();
                let (merged, distinct, clamped) = (fit.merged, fit.distinct, fit.clamped);
                warnings.push(format!(
                    "{merged} of {distinct} distinct positions are merged, {clamped} beyond 512 units are clamped{better}"
                ));
            }
            (files, made.losses)
        }
        "unreal" => {
            let encoding = match wide_vertices {
                None => None,
                Some(true) => Some(VertexEncoding::Wide),
                Some(false) => Some(VertexEncoding::Packed),
            };
            let (made, losses) = match encoding {
                None => export::to_unreal(model, name, *scale)?,
                Some(encoding) => export::to_unreal_as(model, name, *scale, encoding)?,
            };
            let files = vec![
                (format!("{name}_d.3d"), made.files.geometry),
                (format!("{name}_a.3d"), made.files.frames),
                (format!("{name}.uc"), made.script.into_bytes()),
            ];
            (files, losses)
        }
        "u3d" => {
            let (bytes, losses) = export::to_u3d(model, *scale)?;
            (vec![(format!("{name}.u3d"), bytes)], losses)
        }
        "unigine" => {
            let (bytes, losses) = export::to_unigine(model, *scale)?;
            (vec![(format!("{name}.mesh"), bytes)], losses)
        }
        _ => {
            let (bytes, losses) = export::to_unigine_anim(model, *scale)?;
            (vec![(format!("{name}.anim"), bytes)], losses)
        }
    };
    Ok((files, losses, warnings))
}

/// The companion file that states the clips of an MD3.
fn clips(name: &str, made: &[meshlens::model::Clip]) -> Option<(String, Vec<u8>)> {
    if made.is_empty() {
        return None;
    }
    if meshlens_assets::body_part(name).is_some()
        && let Some(config) = export::md3_animation_config(made, &meshlens::md3::AnimationConfig::default())
    {
        return Some(("animation.cfg".into(), config.write().into_bytes()));
    }
    let text = meshlens::md3::clips::write(&export::md3_named_clips(made));
    Some((meshlens_assets::clips_file(name), text.into_bytes()))
}

/// The result of a conversion as an `Exported`.
fn exported<'py>(
    py: Python<'py>,
    files: &[(String, Vec<u8>)],
    losses: &Report,
    warnings: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let contents = PyDict::new(py);
    for (name, bytes) in files {
        contents.set_item(name, PyBytes::new(py, bytes))?;
    }
    types::class(py, "Exported")?.call1((contents, types::findings(py, losses)?, warnings))
}

const VIEWS: [(View, &str); 4] =
    [(View::Iso, "iso"), (View::Front, "front"), (View::Side, "side"), (View::Top, "top")];
const BACKGROUNDS: [(Background, &str); 4] = [
    (Background::Auto, "auto"),
    (Background::Light, "light"),
    (Background::Dark, "dark"),
    (Background::Transparent, "transparent"),
];

/// A texture for a picture.
fn pixels(assets: &Assets, material: &Material) -> Option<meshlens_thumb::Texture> {
    let image = assets.texture_pixels(material, &PICTURE_IMAGES).ok()??;
    meshlens_thumb::Texture::new(image.width, image.height, &image.rgba)
}

#[pymethods]
impl Scene {
    #[doc = doc!(Scene export)]
    #[pyo3(signature = (format, **options))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: String,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = ExportOptions::read(options)?;
        let content = self.shared.content()?;
        if format == "glb" {
            options.refuse(&["wide_vertices", "node"], "glb")?;
            let name = options.name.clone().unwrap_or_else(|| stem(&self.shared.name));
            let (bytes, losses, warnings) = work(py, || glb(&content, &options))?;
            return exported(py, &[(format!("{name}.glb"), bytes)], &losses, warnings);
        }
        if !GAMES.contains(&format.as_str()) {
            let formats = GAMES.join(", ");
            return Err(PyValueError::new_err(format!("{format:?} is not written; formats: glb, {formats}")));
        }
        let gltf = ["quantize", "meshopt", "levels", "base_normals", "step", "textures", "clip", "frame"];
        options.refuse(&gltf, &format)?;
        let nodes = &content.scene().nodes;
        let of = nodes.get(options.node).ok_or_else(|| no_index("node", options.node, nodes.len()))?;
        let name = options.name.clone().unwrap_or_else(|| of.name.clone());
        let name = if name.is_empty() { "model".to_owned() } else { name };
        if name.contains(['/', '\\', '\0']) {
            return Err(PyValueError::new_err(format!(
                "{name:?} is not the name of a file without a folder"
            )));
        }
        let (files, losses, warnings) = work(py, || {
            let _reserved = export::reserve(&of.model, &Budget::new(options.memory))?;
            game(&of.model, &format, &name, &options)
        })?;
        exported(py, &files, &losses, warnings)
    }

    #[doc = doc!(Scene to_glb)]
    #[pyo3(signature = (**options))]
    fn to_glb<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let options = ExportOptions::read(options)?;
        options.refuse(&["wide_vertices", "node", "name"], "glb")?;
        let content = self.shared.content()?;
        let (bytes, ..) = work(py, || glb(&content, &options))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A picture as the bytes of a PNG.
    #[pyo3(signature = (
        size = 512, *, clip = None, frame = None, view = "iso", background = "auto", wireframe = false, textures = true,
        threads = 1, animated = false
    ))]
    #[doc = doc!(Scene thumb)]
    #[allow(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn thumb<'py>(
        &self,
        py: Python<'py>,
        size: u32,
        clip: Option<String>,
        frame: Option<usize>,
        view: &str,
        background: &str,
        wireframe: bool,
        textures: bool,
        threads: usize,
        animated: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        use meshlens_thumb::Frames;

        let (view, background) =
            (named(&VIEWS, "view", view)?, named(&BACKGROUNDS, "background", background)?);
        let content = self.shared.content()?;
        let bytes = work(py, || {
            let assets = content.assets(0);
            let find = |material: &Material| pixels(&assets, material);
            let options = meshlens_thumb::Options {
                size,
                frames: match (&clip, frame) {
                    (Some(clip), _) => Frames::Clip(clip),
                    (None, Some(frame)) => Frames::One(frame),
                    (None, None) if animated => Frames::Moving,
                    (None, None) => Frames::Rest,
                },
                view,
                wireframe,
                background,
                textures: if textures { Some(&find) } else { None },
                threads: threads.max(1),
                ..meshlens_thumb::Options::default()
            };
            if animated {
                let mut out = Vec::new();
                meshlens_thumb::write_apng(content.scene(), &options, &mut out)?;
                return Ok(out);
            }
            Ok(meshlens_thumb::picture(content.scene(), &options)?.to_png()?)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A picture for notebooks.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.thumb(py, 256, None, None, "iso", "auto", false, true, 1, false)
    }

    /// A table for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("meshlens._html")?.call_method1("scene", (slf,))
    }

    #[doc = doc!(Scene texture)]
    #[pyo3(signature = (material, node = 0))]
    fn texture<'py>(
        &self,
        py: Python<'py>,
        material: &Bound<'py, PyAny>,
        node: usize,
    ) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
        let content = self.shared.content()?;
        let material = types::read_material(material)?;
        let assets = content.assets(node);
        let file = work(py, || Ok(assets.texture_file(&material, &ImageLimits::DEFAULT)?))?;
        Ok(file.map(|file| (file.mime_type, PyBytes::new(py, &file.bytes))))
    }
}

/// Writes files, all of them or none.
#[pyfunction]
#[pyo3(name = "_write")]
pub(crate) fn write(
    py: Python<'_>,
    files: Vec<(PathBuf, pyo3::pybacked::PyBackedBytes)>,
    overwrite: bool,
) -> PyResult<()> {
    work(py, || {
        let failed = |error| Failure::Asset(meshlens_assets::Error::Source(error));
        let mut written = Vec::new();
        for (path, bytes) in &files {
            let mut file = AtomicFile::create(path, overwrite).map_err(failed)?;
            std::io::Write::write_all(&mut file, bytes).map_err(|error| {
                PyErr::from(std::io::Error::new(error.kind(), format!("{}: {error}", path.display())))
            })?;
            written.push(file);
        }
        AtomicFile::commit_all(written).map_err(failed)
    })
}
