//! Imports glTF 2.0 as a model, with its joints, or with all animations baked into vertex frames.
//!
//! [`document`] has the records of a file, whose indices are checked once. The other modules use these records.

mod accessor;
mod baked;
mod baking;
mod buffers;
mod check;
mod document;
mod frames;
mod images;
mod importer;
mod instances;
mod joint_nodes;
mod json;
mod materials;
mod memory;
mod normals;
mod parse;
mod points;
mod primitive;
mod rates;
mod read_primitive;
mod rig;
mod sampling;
mod scene;
mod shown;
mod skinned;
mod summary;
mod tags;
mod texcoords;
mod tracks;
mod unread;

use meshlens::Report;
use meshlens::import::{ImportOptions, Read, Skins};
use meshlens::model::{Model, Space};
use meshlens::wire::Budget;
use percent_encoding::percent_decode_str;

use crate::Error;
use buffers::Buffers;
use document::Document;
pub use importer::Gltf;
use memory::Memory;
use rig::Rig;
use scene::Scene;
use shown::shown;
pub use summary::summarize;

fn broken(message: impl std::fmt::Display) -> Error {
    Error::Import { message: message.to_string() }
}

/// Percent-decodes a URI's path.
fn decode_uri(uri: &str) -> String {
    percent_decode_str(uri).decode_utf8_lossy().into_owned()
}

/// A document that is being imported, and the options.
struct Import<'i> {
    document: &'i Document,
    buffers: &'i Buffers<'i>,
    scene: &'i Scene,
    shown: &'i [bool],
    options: &'i ImportOptions,
}

/// Imports a GLB or glTF file. Returns a model in glTF's space (Y up, meters), and the losses of the import.
///
/// `read` reads the first bytes of a file, at most as many as the number, by its percent-decoded path relative to the
/// document. The path is not changed: the caller must check that it does not leave the document's folder. Each file is
/// read once, after its bytes are reserved.
///
/// Morph targets and moving nodes become vertex frames: at the rate of the keys if linear blending between these frames
/// follows the movement, otherwise at a multiple of it (up to 60 frames per second and 1024 frames) that keeps every
/// vertex within 1/200 of the size of its mesh. The report lists this:
/// [`ANIMATION_SAMPLED`](crate::codes::ANIMATION_SAMPLED). Empty nodes whose names begin with `tag_` become tags.
///
/// With [`Skins::Keep`], a file with skins, or with nothing but animations, becomes a model with joints: the nodes of skins,
/// and nodes that move or connect them. Animations are sampled at the rate of their keys, and at 30 frames per second or more
/// if they have steps or splines. Morph targets become frames that no clip plays. Scales of joints at rest are moved into
/// translations, unless the extras of an [`Export`](crate::Export) have them.
///
/// If an [`Export`](crate::Export) wrote the file from one model without joints, the import has the frames of that
/// model, each once and in order, with their names, and its clips as ranges of frames. This does not apply to an edited
/// file, or if a rate is requested.
///
/// Buffer views with `EXT_meshopt_compression` (or `KHR_meshopt_compression`) and accessors with
/// `KHR_mesh_quantization` are supported. Draco compression is not supported.
///
/// Times of keys that are equal or negative are imported, although glTF does not allow them (glTF 2.0, section 3.11), and
/// are listed in the report: [`KEY_TIMES_EQUAL`](crate::codes::KEY_TIMES_EQUAL) and
/// [`KEY_BEFORE_START`](crate::codes::KEY_BEFORE_START).
///
/// O(vertices x frames), in time and memory.
///
/// # Errors
///
/// The JSON is not a glTF 2.0 document, an index is out of range, a required extension is not supported, a buffer
/// cannot be read, an accessor ends past its buffer, a time of a key is not finite or is less than the time before it,
/// or the file exceeds the [limits](ImportOptions::limits).
///
/// ```
/// use meshlens_gltf::{ImportOptions, import};
///
/// # let md3 = meshlens::md3::write::sample(&[8.0])?;
/// # let scene = meshlens::scene::Scene::from(meshlens::Model::parse(&md3)?);
/// # let mut glb = Vec::new();
/// # meshlens_gltf::Export::plan(&scene, &Default::default())?.write_glb(&mut glb)?;
/// let (model, losses) = import(&glb, &ImportOptions::default(), &|_, _| None)?; // there are no files beside it
/// # assert_eq!((model.meshes.len(), losses.groups().count()), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn import(
    bytes: &[u8],
    options: &ImportOptions,
    read: &Read<'_>,
) -> Result<(Model<'static>, Report), Error> {
    import_within(bytes, options, read, &Budget::new(options.limits.bytes))
}

/// Like [`import()`], with memory from a budget that other calls may share. Memory is charged as it grows, and released when
/// the model is dropped.
///
/// # Errors
///
/// Same as [`import()`]; [`Error::Memory`] if the budget has too little memory left.
pub fn import_within(
    bytes: &[u8],
    options: &ImportOptions,
    read: &Read<'_>,
    budget: &Budget,
) -> Result<(Model<'static>, Report), Error> {
    let mut memory = Memory::new(options.limits.bytes, budget);
    let (document, blob) = parse::parse(bytes, &mut memory)?;
    let mut model = Model::empty(None, Space::GLTF);
    model.materials = document.model_materials();
    let buffers = Buffers::read(&document, blob, read, memory)?;
    let mut losses = Report::default();
    images::attach(&document, &buffers, &mut model.materials, &mut losses)?;
    let scene = Scene::read(&document, &buffers)?;
    let shown = shown(&document);
    let import = Import { document: &document, buffers: &buffers, scene: &scene, shown: &shown, options };
    match import.rig()? {
        Some(rig) => import.rigged(rig, &mut model, &mut losses)?,
        None => import.bake(&mut model, &mut losses)?,
    }
    import.check_content(&model)?;
    unread::losses(&document, &scene, &shown, &mut losses);
    buffers.losses(&mut losses);
    model.hold(buffers.into_memory().into_shared());
    Ok((model, losses))
}

impl Import<'_> {
    /// The skeleton, if the document has one and skins are kept.
    fn rig(&self) -> Result<Option<Rig>, Error> {
        if self.options.skins == Skins::Keep {
            self.buffers.spend(self.document.nodes.len(), Rig::NODE)?;
            Rig::new(self.document, self.scene, self.shown)
        } else {
            Ok(None)
        }
    }

    /// Refuses a document that only draws points or lines, which a model does not keep.
    fn check_content(&self, model: &Model<'_>) -> Result<(), Error> {
        let meshes = self.document.shown_meshes(self.shown);
        let primitives = meshes.flat_map(|(_, mesh, _)| &mesh.primitives);
        let lost = primitives.filter(|primitive| !primitive.mode.is_triangles()).count();
        if lost == 0 || !model.meshes.is_empty() || !model.joints.is_empty() || !model.tags.is_empty() {
            return Ok(());
        }
        Err(broken(format_args!(
            "expected triangles, found {lost} primitives of points or lines and no others"
        )))
    }
}
