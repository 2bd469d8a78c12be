//! Scenes: the nodes of an asset or a file, in the space of the caller.

mod buffers;
mod nodes;
mod pose;

use std::ffi::c_char;
use std::sync::{Arc, OnceLock};

use meshlens::model::{Space, Topology};
use meshlens::scene::{Pose, Scene, View, ViewMesh};
use meshlens::wire::Reservation;
#[cfg(feature = "assets")]
use meshlens_assets::{Asset, AssetPath};

use crate::asset::ml_asset;
use crate::call::{at, call};
use crate::content::File;
use crate::error::ml_error;
use crate::handle;
use crate::memory::Limited;
use crate::names::{TextAt, TextBuilder, Texts};
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};
use crate::space::{ml_convert_opts, target};

pub use buffers::*;
pub use nodes::*;
pub use pose::*;

/// The nodes of an asset in the space of the caller. Nodes are attached to one another,
/// and models are placed by their scripts. Vertices, indices and matrices of one scene fit together. It is immutable.
pub struct ml_scene {
    source: Source,
    /// Shared by the scenes of the same asset or file, and their poses.
    pub(super) of: Arc<()>,
    memory: Limited,
    pub(super) space: Space,
    scale: f32,
    lod: usize,
    texts: Texts,
    clips: Vec<SceneClip>,
    meshes: Vec<SceneMesh>,
    rest_pose: Pose,
    /// The topology of meshes of which only the vertices are needed.
    no_topology: Arc<Topology>,
}

/// The owner of the bytes that a scene shares.
enum Source {
    #[cfg(feature = "assets")]
    Asset(Asset),
    File(Box<File>),
}

/// The clips with one name, and the number of nodes that have such a clip.
struct SceneClip {
    name: TextAt,
    node_count: usize,
}

/// A mesh and its triangles, which are computed on first use and kept.
struct SceneMesh {
    node: usize,
    mesh: usize,
    topology: OnceLock<(Arc<Topology>, Reservation)>,
}

handle::opaque!(ml_scene: memory.allocator);

impl Source {
    fn with_scene<R>(&self, then: impl for<'q> FnOnce(&Scene<'q>) -> Result<R>) -> Result<R> {
        match self {
            #[cfg(feature = "assets")]
            Source::Asset(asset) => then(asset.scene()),
            Source::File(file) => file.with_model(|content| then(&content.scene)),
        }
    }
}

impl ml_scene {
    fn open(
        source: Source,
        of: Arc<()>,
        opts: &ml_convert_opts,
        lod: usize,
        memory: Limited,
    ) -> Result<ml_scene> {
        let mut texts = TextBuilder::default();
        let (space, scale) = target(opts)?;
        let (space, clips, meshes, rest_pose) = source.with_scene(|scene| {
            let file = scene.nodes.first().map_or(Space::GLTF, |node| node.model.space);
            let space = space.unwrap_or(file);
            let clips = scene.clips().into_iter();
            let clips =
                clips.map(|clip| SceneClip { name: texts.add(clip.name), node_count: clip.tracks.len() });
            let clips: Vec<_> = clips.collect();
            let meshes = scene.view(&space).lod(lod).mesh_indices();
            let meshes = meshes.map(|(node, mesh)| SceneMesh { node, mesh, topology: OnceLock::new() });
            Ok((space, clips, meshes.collect(), scene.rest_pose()))
        })?;
        let texts = texts.finish(&memory)?;
        Ok(ml_scene {
            source,
            of,
            memory,
            space,
            scale,
            lod,
            texts,
            clips,
            meshes,
            rest_pose,
            no_topology: Arc::default(),
        })
    }

    pub(super) fn with_view<R>(&self, then: impl FnOnce(View<'_, '_>) -> Result<R>) -> Result<R> {
        self.source.with_scene(|scene| then(scene.view(&self.space).scaled(self.scale).lod(self.lod)))
    }

    /// A mesh with its triangles.
    pub(super) fn with_mesh<R>(
        &self,
        index: usize,
        then: impl FnOnce(ViewMesh<'_, '_>) -> Result<R>,
    ) -> Result<R> {
        let slot = at(&self.meshes, "mesh", index)?;
        let read = self.with_view(|view| {
            if let Some((topology, _)) = slot.topology.get() {
                return then(view.mesh_with(slot.node, slot.mesh, Arc::clone(topology))?);
            }
            let found = view.mesh_with(slot.node, slot.mesh, Arc::default())?;
            // Three indices for each triangle, and at most one vertex of two numbers for each corner.
            let per_triangle = if found.mesh().is_welded() { 12 } else { 12 + 24 };
            // A size that saturates exceeds every limit.
            let bytes = found.mesh().triangle_count().saturating_mul(per_triangle);
            let held = self.memory.reserve(bytes, "the triangles of a mesh")?;
            let made = view.mesh(slot.node, slot.mesh)?;
            slot.topology.get_or_init(|| (Arc::clone(made.topology()), held));
            then(made)
        });
        read.map_err(|failure| self.in_file(slot.node, failure))
    }

    /// A failure with the name of the file of a node.
    #[cfg_attr(not(feature = "assets"), allow(unused_variables))]
    fn in_file(&self, node: usize, failure: Failure) -> Failure {
        match &self.source {
            #[cfg(feature = "assets")]
            Source::Asset(asset) => failure.in_file(asset.node_path(node).map_or("", AssetPath::as_str)),
            Source::File(_) => failure,
        }
    }

    /// A mesh. Its triangles are not computed if its vertices are stored as they are drawn.
    pub(super) fn with_vertices<R>(
        &self,
        index: usize,
        then: impl FnOnce(ViewMesh<'_, '_>) -> Result<R>,
    ) -> Result<R> {
        let Some(slot) = self.meshes.get(index) else { return self.with_mesh(index, then) };
        let mut then = Some(then);
        let read = self.with_view(|view| {
            let mesh = view.mesh_with(slot.node, slot.mesh, Arc::clone(&self.no_topology))?;
            let then = if mesh.mesh().is_welded() { then.take() } else { None };
            then.map(|then| then(mesh)).transpose()
        });
        match (read, then) {
            (Ok(None), Some(then)) => self.with_mesh(index, then),
            (Ok(Some(read)), _) => Ok(read),
            (Err(failure), _) => Err(self.in_file(slot.node, failure)),
            (Ok(None), None) => Err(Failure::index("mesh", index, self.meshes.len())),
        }
    }

    /// Returns an error if an output overlaps the bytes that are read.
    pub(super) fn check_apart(&self, out: *const u8, len: usize) -> Result<()> {
        match &self.source {
            #[cfg(feature = "assets")]
            // The bytes of an asset belong to the library.
            Source::Asset(_) => Ok(()),
            Source::File(file) => file.check_apart(out, len),
        }
    }
}

/// Makes a scene of the nodes of an asset. `space` is the space and the scale of its vertices and matrices; NULL and
/// ML_SPACE_FILE mean the space of the first node's model. `lod` is the level of detail, 0 for the finest; a node with fewer
/// levels shows its coarsest. The scene shares the bytes of the asset, and stays open when the asset is closed; bytes that the
/// asset borrows from the caller must stay valid until both are closed. On success, `*scene` is a new handle, to be closed with
/// ml_close_scene; otherwise it is NULL.
///
/// Cost: O(meshes + joints + clips, squared), and that of ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT for an invalid space or a scale that is not finite, ML_ERROR_UNSUPPORTED for one file of an
/// Unreal mesh, ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_scene(
    asset: *const ml_asset,
    space: *const ml_convert_opts,
    lod: usize,
    scene: *mut *mut ml_scene,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(scene)?;
        let asset = handle::get(asset)?;
        let space = sized::read(space)?;
        let memory = asset.memory().clone();
        #[cfg(feature = "assets")]
        if let Some(found) = asset.found()
            && let Some(whole) = found.whole()
        {
            let source = Source::Asset(whole.clone());
            return handle::open(scene, ml_scene::open(source, found.identity.clone(), &space, lod, memory)?);
        }
        // The model of one file of a pair is an error, which this returns.
        let file = asset.file()?;
        let source = Source::File(Box::new(file.share()));
        handle::open(scene, ml_scene::open(source, file.identity.clone(), &space, lod, memory)?)
    })
}

/// Closes a scene. NULL is ignored.
///
/// Cost: O(meshes).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_close_scene(scene: *mut ml_scene) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(scene))
}

/// The counts of a scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_scene_info {
    /// sizeof(ml_scene_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of nodes, which are the nodes of the asset.
    pub node_count: usize,
    /// The number of meshes of all nodes at the level of detail of the scene.
    pub mesh_count: usize,
    /// The number of clips with different names.
    pub clip_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_scene_info {}

/// Writes the counts of a scene.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_scene_info(
    scene: *const ml_scene,
    info: *mut ml_scene_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let scene = handle::get(scene)?;
        let node_count = scene.with_view(|view| Ok(view.scene().nodes.len()))?;
        let (mesh_count, clip_count) = (scene.meshes.len(), scene.clips.len());
        sized::write(info, ml_scene_info { size: 0, node_count, mesh_count, clip_count })
    })
}

/// The clips of a scene with one name.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_scene_clip {
    /// sizeof(ml_scene_clip), or 0 for the first version of the struct.
    pub size: usize,
    /// The name. Valid until ml_close_scene.
    pub name: *const c_char,
    /// The number of nodes that have a clip with this name, ignoring case.
    pub node_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_scene_clip {}

/// Writes the name of a clip of a scene, and the number of nodes that it moves.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_scene_clip(
    scene: *const ml_scene,
    index: usize,
    clip: *mut ml_scene_clip,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let scene = handle::get(scene)?;
        let found = at(&scene.clips, "clip", index)?;
        let name = scene.texts.get(found.name);
        sized::write(clip, ml_scene_clip { size: 0, name, node_count: found.node_count })
    })
}
