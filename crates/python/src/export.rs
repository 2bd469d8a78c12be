//! Scenes as files of other formats, and pictures of them.

use std::borrow::Cow;
use std::cell::Cell;
use std::path::PathBuf;

use meshlens::Report;
use meshlens::md3::AnimationConfig;
use meshlens::model::{Material, export};
use meshlens::scene::Node;
use meshlens::unreal::VertexEncoding;
use meshlens::wire::Budget;
use meshlens_assets::material::ImageLimits;
use meshlens_gltf::{Export, Frames, Meshopt, Normals};
use meshlens_source::AtomicFile;
use meshlens_thumb::{Background, View};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::content::Content;
use crate::error::{Failure, work};
use crate::input::stem;
use crate::numbers::{Index, room};
use crate::scene::Scene;
use crate::skeleton::{Skeleton, rigged};
use crate::texture::{embedded, pixels};
use crate::types::{self, named};
use crate::{Any, Kwargs, NewObject};

/// The memory that a conversion may use if the caller does not set a limit.
const DEFAULT_MEMORY: usize = 1 << 30;

options! {
    ExportOptions {
        name: Option<String> = None;
        node: Option<Index> = None;
        scale: f32 = 1.0;
        // Whether the vertices of an Unreal mesh have 16 bits. If `None`, they have 16 bits if needed.
        wide_vertices: Option<bool> = None;
        animation_cfg: Option<Vec<u8>> = None;
        quantize: bool = false;
        meshopt: Compression = Compression::Asked(false);
        lods: bool = false;
        base_normals: bool = false;
        step: bool = false;
        textures: bool = true;
        clip: Option<String> = None;
        frame: Option<Index> = None;
        memory_limit: Option<usize> = None;
        carry: bool = true;
        variants: bool = false;
        skeleton: Skeleton = Skeleton::Asked(false);
    }
}

/// How glTF is compressed.
#[derive(FromPyObject)]
pub(crate) enum Compression {
    Asked(bool),
    By(String),
}

impl Compression {
    fn extension(&self) -> PyResult<Option<Meshopt>> {
        match self {
            Compression::Asked(is_asked) => Ok(is_asked.then_some(Meshopt::Khr)),
            Compression::By(name) if name == "khr" => Ok(Some(Meshopt::Khr)),
            Compression::By(name) if name == "ext" => Ok(Some(Meshopt::Ext)),
            Compression::By(_) => Err(PyValueError::new_err("meshopt is a boolean, 'khr' or 'ext'")),
        }
    }
}

impl ExportOptions {
    /// Reads keyword arguments. The format does not support those in `refused`.
    fn of(kwargs: Option<Kwargs<'_, '_>>, format: &str, refused: &[&str]) -> PyResult<ExportOptions> {
        let options = ExportOptions::read(kwargs)?;
        let ExportOptions { scale, given, .. } = &options;
        if !(*scale > 0.0 && scale.is_finite()) {
            let text = format!("a scale is positive and finite, and this one is {scale}");
            return Err(PyValueError::new_err(text));
        }
        match given.iter().find(|name| refused.contains(&name.as_str())) {
            Some(name) => Err(PyTypeError::new_err(format!("{format} has no option {name:?}"))),
            None => Ok(options),
        }
    }

    fn budget(&self) -> Budget {
        Budget::new(self.memory_limit.unwrap_or(DEFAULT_MEMORY))
    }
}

/// Checks that a name leads to no other folder.
fn check_name(name: &str) -> PyResult<()> {
    if name.contains(['/', '\\', '\0']) {
        let text = format!("{name:?} is not the name of a file without a folder");
        return Err(PyValueError::new_err(text));
    }
    Ok(())
}

/// Files, and their losses and warnings.
type Converted = (Vec<(String, Vec<u8>)>, Report, Vec<String>);

fn glb(content: &Content, name: &str, options: &ExportOptions) -> Result<Converted, Failure> {
    let (budget, fault) = (options.budget(), Cell::new(None));
    let find = |material: &Material| {
        content.texture(material, |assets, material| {
            embedded(assets, material, &budget).unwrap_or_else(|over| {
                fault.set(Some(over));
                None
            })
        })
    };
    let meshopt = options.meshopt.extension()?;
    let (carry, variants) = (options.carry, options.variants);
    let asked = &options.skeleton;
    let options = meshlens_gltf::Options {
        frames: match (&options.clip, options.frame) {
            (Some(clip), _) => Frames::Clip(clip),
            (None, Some(Index(frame))) => Frames::One(frame),
            (None, None) => Frames::All,
        },
        step: options.step,
        quantize: options.quantize,
        normals: if options.base_normals { Normals::Base } else { Normals::All },
        meshopt,
        lods: options.lods,
        scale: options.scale,
        textures: if options.textures { Some(&find) } else { None },
        compact_joints: !matches!(asked, Skeleton::Asked(false)),
        budget: Some(&budget),
        ..meshlens_gltf::Options::default()
    };
    let (mut scene, unread) = match carry {
        true => content.0.scene_with_companions(variants),
        false => (content.scene().clone(), Report::default()),
    };
    if !carry {
        scene.nodes.iter_mut().for_each(|node| node.companions.clear());
    }
    content.mark(&mut scene);
    let rigged = rigged(&scene, asked, &budget)?;
    let export = Export::plan(rigged.as_ref().map_or(&scene, |rigged| &rigged.scene), &options)?;
    if let Some(over) = fault.take() {
        return Err(over.into());
    }
    let len = usize::try_from(export.glb_len()).unwrap_or(usize::MAX);
    let _held = budget.reserve(len, format_args!("the {len} bytes of the file"))?;
    let mut out = room(Some(len))?;
    export.write_glb(&mut out)?;
    let mut losses = export.losses().clone();
    losses.append(unread);
    Ok((vec![(format!("{name}.glb"), out)], losses, export.warnings().to_vec()))
}

/// `own` is the file of the model, which an Ultimate 3D file is written from.
fn game(
    node: &Node<'_>,
    own: Option<&[u8]>,
    target: export::Target,
    name: &str,
    options: &ExportOptions,
) -> Result<Converted, Failure> {
    let placed = node.placed();
    let model = &placed.model;
    let _reserved = export::reserve(model, &options.budget())?;
    let encoding = |wide| if wide { VertexEncoding::Wide } else { VertexEncoding::Packed };
    let own = own.filter(|_| options.scale == 1.0);
    let mut made = match own.and_then(|own| export::ModelFiles::rewritten_u3d(own, name)) {
        Some(made) => made,
        None => export::to_files(model, target, name, options.scale, options.wide_vertices.map(encoding))?,
    };
    meshlens_assets::add_companions(&mut made, target, &placed, name, options.scale);
    let beside = options.animation_cfg.as_deref().map(AnimationConfig::parse).transpose()?;
    let carried =
        meshlens_assets::clips_companion(&[(name, &placed)]).filter(|_| target == export::Target::Md3);
    match carried.as_ref().filter(|_| beside.is_none()).and_then(|file| Some((file, file.bytes.as_ref()?))) {
        Some((file, bytes)) => made.files.push((file.name.clone(), bytes.to_vec())),
        None => {
            let start = beside.or(carried.and_then(|file| file.config)).unwrap_or_default();
            let clips = meshlens_assets::write_clips(name, &made.clips, &start);
            made.files.extend(clips.map(|(name, text)| (name, text.into_bytes())));
        }
    }
    let better = made.fit.better_scale.map(|scale| format!("; scale {scale} helps")).unwrap_or_default();
    Ok((made.files, made.losses, made.fit.warning().map(|text| text + &better).into_iter().collect()))
}

const VIEWS: [(View, &str); 4] =
    [(View::Iso, "iso"), (View::Front, "front"), (View::Side, "side"), (View::Top, "top")];
const BACKGROUNDS: [(Background, &str); 4] = [
    (Background::Auto, "auto"),
    (Background::Light, "light"),
    (Background::Dark, "dark"),
    (Background::Transparent, "transparent"),
];

options! {
    ThumbOptions {
        clip: Option<String> = None;
        frame: Option<Index> = None;
        view: String = "iso".into();
        background: String = "auto".into();
        wireframe: bool = false;
        textures: bool = true;
        threads: usize = 1;
        animated: bool = false;
    }
}

#[pymethods]
impl Scene {
    #[doc = doc!(Scene export)]
    #[pyo3(
        signature = (format, **options),
        text_signature = "($self, format, *, name=None, node=0, scale=1.0, wide_vertices=None, animation_cfg=None, quantize=False, meshopt=False, lods=False, base_normals=False, step=False, textures=True, clip=None, frame=None, memory_limit=None, carry=True, variants=False, skeleton=False)"
    )]
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: String,
        options: Option<Kwargs<'_, 'py>>,
    ) -> NewObject<'py> {
        let content = self.shared.content()?;
        let (files, losses, warnings) = if format == "glb" {
            let options = ExportOptions::of(options, "glb", &["wide_vertices", "animation_cfg", "node"])?;
            let name = options.name.clone().unwrap_or_else(|| stem(&self.shared.name));
            check_name(&name)?;
            work(py, || glb(&content, &name, &options))?
        } else {
            let gltf = [
                "quantize",
                "meshopt",
                "lods",
                "base_normals",
                "step",
                "textures",
                "clip",
                "frame",
                "carry",
                "variants",
                "skeleton",
            ];
            let target = types::target(&format)?;
            let options = ExportOptions::of(options, &format, &gltf)?;
            let nodes = &content.scene().nodes;
            if options.node.is_none() && nodes.len() > 1 {
                let names = nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>().join(", ");
                let text =
                    format!("{format} holds one of the nodes {names}: name it by its index, such as node=0");
                return Err(PyValueError::new_err(text));
            }
            let node = content.node(options.node.unwrap_or_default().0)?;
            let name = options.name.as_ref().unwrap_or(&node.name);
            let name = if name.is_empty() { "model" } else { name };
            check_name(name)?;
            // A model in memory has no bytes.
            let own =
                Some(content.0.bytes()).filter(|files| target == export::Target::U3d && files.len() == 1);
            work(py, || game(node, own.map(|files| &*files[0]), target, name, &options))?
        };
        let contents = PyDict::new(py);
        for (name, bytes) in &files {
            contents.set_item(name, PyBytes::new(py, bytes))?;
        }
        types::class(py, "Exported")?.call1((contents, types::findings(py, &losses)?, warnings))
    }

    #[doc = doc!(Scene to_glb)]
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, scale=1.0, quantize=False, meshopt=False, lods=False, base_normals=False, step=False, textures=True, clip=None, frame=None, memory_limit=None, carry=True, variants=False, skeleton=False)"
    )]
    fn to_glb<'py>(&self, py: Python<'py>, options: Option<Kwargs<'_, 'py>>) -> NewObject<'py> {
        let options = ExportOptions::of(options, "glb", &["wide_vertices", "animation_cfg", "node", "name"])?;
        let content = self.shared.content()?;
        let (files, ..) = work(py, || glb(&content, "model", &options))?;
        Ok(PyBytes::new(py, &files[0].1).into_any())
    }

    #[doc = doc!(Scene thumb)]
    #[pyo3(
        signature = (size = 512, **options),
        text_signature = "($self, size=512, *, clip=None, frame=None, view='iso', background='auto', wireframe=False, textures=True, threads=1, animated=False)"
    )]
    fn thumb<'py>(&self, py: Python<'py>, size: u32, options: Option<Kwargs<'_, 'py>>) -> NewObject<'py> {
        use meshlens_thumb::Frames;

        let given = ThumbOptions::read(options)?;
        let view = named(&VIEWS, "view", &given.view)?;
        let background = named(&BACKGROUNDS, "background", &given.background)?;
        let content = self.shared.content()?;
        let bytes = work(py, || {
            let find = |material: &Material| content.texture(material, pixels);
            let mut scene = Cow::Borrowed(content.scene());
            if scene.nodes.len() > 1 {
                content.mark(scene.to_mut());
            }
            let options = meshlens_thumb::Options {
                size,
                frames: match (&given.clip, given.frame) {
                    (Some(clip), _) => Frames::Clip(clip),
                    (None, Some(Index(frame))) => Frames::One(frame),
                    (None, None) if given.animated => Frames::Moving,
                    (None, None) => Frames::Rest,
                },
                view,
                wireframe: given.wireframe,
                background,
                textures: if given.textures { Some(&find) } else { None },
                threads: given.threads.max(1),
                ..meshlens_thumb::Options::default()
            };
            if !given.animated {
                return Ok(meshlens_thumb::picture(&scene, &options)?.to_png()?);
            }
            let mut out = Vec::new();
            meshlens_thumb::write_apng(&scene, &options, &mut out)?;
            Ok(out)
        })?;
        Ok(PyBytes::new(py, &bytes).into_any())
    }

    /// A picture for notebooks.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> NewObject<'py> {
        self.thumb(py, 256, None)
    }

    /// A table for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> NewObject<'py> {
        slf.py().import("meshlens._html")?.call_method1("scene", (slf,))
    }

    #[doc = doc!(Scene texture)]
    #[pyo3(signature = (material, node = 0))]
    fn texture<'py>(
        &self,
        py: Python<'py>,
        material: &Any<'py>,
        node: usize,
    ) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
        let content = self.shared.content()?;
        let material = types::read_material(material)?;
        content.node(node)?;
        let assets = content.0.node_assets(node).unwrap_or(content.0.assets());
        let file = work(py, || Ok(assets.texture_file(&material, &ImageLimits::DEFAULT)?))?;
        Ok(file.map(|file| (file.mime_type, PyBytes::new(py, &file.bytes))))
    }
}

/// Writes either all files or none.
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
