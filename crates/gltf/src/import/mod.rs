//! Imports glTF 2.0 as a scene of models, with their joints, or with all animations baked into vertex frames.
//!
//! [`document`] has the records of a file, whose indices are checked once. The other modules use these records.

mod accessor;
mod assemble;
mod baked;
mod baking;
mod buffers;
mod check;
mod companions;
mod document;
mod frames;
mod groups;
mod images;
mod importer;
mod instances;
mod joint_nodes;
mod json;
mod levels;
mod materials;
mod memory;
mod node;
mod normals;
mod parse;
mod parts;
mod player;
mod points;
mod primitive;
mod rates;
mod read_primitive;
mod rig;
mod sampling;
mod scene;
mod skinned;
mod split;
mod state;
mod summary;
mod tags;
mod texcoords;
mod tracks;
mod unread;

use std::cell::Cell;
use std::sync::Arc;

use meshlens::Report;
use meshlens::import::{ImportOptions, Read, Roots, Skins};
use meshlens::model::Model;
use meshlens::scene::{Node, Socket};
use meshlens::wire::Budget;
use percent_encoding::percent_decode_str;

use crate::Error;
use buffers::Buffers;
pub use importer::Gltf;
use memory::Memory;
use rig::Rig;
use scene::Scene;
pub use summary::summarize;

fn broken(message: impl std::fmt::Display) -> Error {
    Error::Import { message: message.to_string() }
}

/// Percent-decodes a URI's path.
fn decode_uri(uri: &str) -> String {
    percent_decode_str(uri).decode_utf8_lossy().into_owned()
}

/// A part of a document that is being imported, and the options.
struct Import<'i> {
    buffers: &'i Buffers<'i>,
    scene: &'i Scene<'i>,
    /// The limits are those that earlier parts have left.
    options: ImportOptions,
    /// The work that was done.
    work: Cell<usize>,
}

/// Imports a GLB or glTF file. Returns a scene of models in glTF's space (Y up, meters), and the losses of the import.
///
/// Each root of the default scene becomes a node with its name and its transform, and a model of everything below it. A root that
/// an animation moves, or that has joints, keeps its transform in its vertices or joints. Nodes that only place the same mesh,
/// such as the instances of `EXT_mesh_gpu_instancing`, become nodes that share a model. A mesh below a tag becomes a node that
/// is attached to the tag. A scene that an [`Export`](crate::Export) wrote keeps its nodes, names, transforms and attachments.
/// With [`Roots::Merged`](meshlens::import::Roots::Merged), the scene has one node, whose model contains everything.
///
/// `read` reads the first bytes of a file, at most as many as the number, by its percent-decoded path relative to the
/// document. The path is not changed: the caller must check that it does not leave the document's folder. Each file is
/// read once, after its bytes are reserved.
///
/// Morph targets and moving nodes become vertex frames: at the rate of the keys if linear blending between these frames
/// follows the movement, otherwise at a multiple of it (up to 60 frames per second and 1024 frames) that keeps every
/// vertex within 1/200 of the size of its mesh. The report lists this:
/// [`ANIMATION_SAMPLED`](crate::codes::ANIMATION_SAMPLED), and morph targets that neither an animation nor the file at rest
/// shows: [`MORPH_TARGET_LOST`](meshlens::codes::MORPH_TARGET_LOST). Empty nodes whose names begin with `tag_` become tags.
///
/// With [`ImportOptions::lods`], nodes have the coarser levels of detail (`MSFT_lod`) of their models.
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
/// let (scene, losses) = import(&glb, &ImportOptions::default(), &|_, _| None)?; // there are no files beside it
/// # assert_eq!((scene.nodes[0].model.meshes.len(), losses.groups().count()), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn import(
    bytes: &[u8],
    options: &ImportOptions,
    read: &Read<'_>,
) -> Result<(meshlens::scene::Scene<'static>, Report), Error> {
    import_within(bytes, options, read, &Budget::new(options.limits.bytes))
}

/// Like [`import()`], with memory from a budget that other calls may share. Memory is charged as it grows, and released when
/// the scene is dropped.
///
/// # Errors
///
/// Same as [`import()`]; [`Error::Memory`] if the budget has too little memory left.
pub fn import_within(
    bytes: &[u8],
    options: &ImportOptions,
    read: &Read<'_>,
    budget: &Budget,
) -> Result<(meshlens::scene::Scene<'static>, Report), Error> {
    let mut memory = Memory::new(options.limits.bytes, budget);
    let (mut document, blob) = parse::parse(bytes, &mut memory)?;
    document.restore_tag_names();
    if options.roots == Roots::Models {
        document.levels_by_names(&mut memory)?;
    }
    let mut materials = document.model_materials();
    let buffers = Buffers::read(&document, blob, read, memory)?;
    let mut losses = Report::default();
    images::attach(&document, &buffers, &mut materials, &mut losses)?;
    let whole = Scene::read(&document, &buffers, 0)?;
    unread::losses(&whole, &mut losses);
    // Visible primitives that a model does not keep.
    let primitives = whole.shown_meshes().flat_map(|(_, mesh, _)| &mesh.primitives);
    let lost = primitives.filter(|primitive| !primitive.mode.is_triangles()).count();
    let is_player = !whole.has_models() && player::is_player(&whole);
    let parts = player::divide(whole, &buffers, *options)?;
    let mut scene = assemble::assemble(parts, &buffers, *options, &materials, true, &mut losses)?;
    if options.roots == Roots::Models && is_player {
        player::name_parts(&mut scene);
    }
    if options.lods {
        levels::add(&document, &buffers, *options, &materials, &mut scene, &mut losses)?;
    }
    let has_content =
        |model: &Model<'_>| !model.meshes.is_empty() || !model.joints.is_empty() || !model.tags.is_empty();
    if lost > 0 && !scene.nodes.iter().any(|node| has_content(&node.model)) {
        return Err(broken(format_args!(
            "expected triangles, found {lost} primitives of points or lines and no others"
        )));
    }
    buffers.losses(&mut losses);
    let memory = Arc::new(buffers.into_memory().into_shared());
    let models =
        scene.nodes.iter_mut().flat_map(|node| std::iter::once(&mut node.model).chain(&mut node.lods));
    models.for_each(|model| model.hold(memory.clone()));
    Ok((scene, losses))
}

impl Import<'_> {
    /// Fills the model of a node. Returns what others can be attached to.
    fn fill(&self, node: &mut Node<'static>, losses: &mut Report) -> Result<Vec<(usize, Socket)>, Error> {
        if self.options.skins == Skins::Keep {
            self.buffers.spend(self.scene.ids.len(), Rig::NODE)?;
            if let Some(rig) = Rig::new(self.scene)? {
                return self.rigged(rig, &mut node.model, losses);
            }
        }
        self.bake(node, losses)
    }
}
