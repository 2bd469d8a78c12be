//! Scenes that are opened by name and streamed: their nodes equal the nodes of [`meshlens_assets::Assets::open`].

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_channel::oneshot;
use meshlens::Report;
use meshlens::scene::{Node, Scene};
use meshlens_assets::{Assets, OpenOptions, ScenePlan};
use self_cell::self_cell;

use crate::backend::{AssetsBackend, Backend};
use crate::sync::{Arc, Mutex, block_on, lock};
use crate::{
    Error, FileName, Handle, Part, PartialModel, Priority, Request, Result, StreamedModel, Streamer,
};

/// A scene whose files are found but not read: a model, or the nodes of a player. [`Streamer::open_scene`] finds it.
///
/// The [parts](Part) of each node can be requested one by one. [`request_all`](Self::request_all) requests a level of detail
/// of all nodes.
#[derive(Clone, Debug)]
pub struct StreamedScene {
    plan: std::sync::Arc<ScenePlan>,
    nodes: Vec<StreamedNode>,
}

/// A node of a [`StreamedScene`].
#[derive(Clone, Debug)]
pub struct StreamedNode {
    name: String,
    lods: Vec<StreamedModel>,
}

impl StreamedNode {
    /// The name of the node.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model. If a script places it, its bounds and the buffers of its requests are placed, too.
    pub fn model(&self) -> &StreamedModel {
        // A node has at least one file.
        &self.lods[0]
    }

    /// The model and its coarser levels of detail in other files, the finest first. Levels inside a file are meshes of its
    /// [plan](StreamedModel::plan).
    pub fn lods(&self) -> &[StreamedModel] {
        &self.lods
    }
}

impl Streamer {
    /// Finds the scene with a name in a search path: the file of a model, or the folder of a player, as
    /// [`Assets::open`] does. The files of the models are not read.
    ///
    /// The backend is an [`AssetsBackend`], or reads through one and has it by [`AsRef`], like
    /// [`Throttled`](crate::backend::Throttled).
    ///
    /// This call lists folders, and reads the scripts of Unreal meshes and the lengths of files. Call it while a level is
    /// loaded, not in a frame.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use meshlens::model::Space;
    /// use meshlens_assets::{Assets, OpenOptions};
    /// use meshlens_stream::backend::AssetsBackend;
    /// use meshlens_stream::{Priority, Streamer, StreamerOptions};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::write(folder.path().join("flag.md3"), meshlens::md3::write::Model::new("flag")?.write()?)?;
    /// # let (path, name) = (folder.path(), "flag.md3");
    /// let mut assets = Assets::new();
    /// assets.mount_folder(path)?; // and archives
    /// let streamer = Streamer::new(StreamerOptions::default())?;
    /// let backend = Arc::new(AssetsBackend::new(assets, 2)?);
    /// let player = streamer.open_scene(&backend, name, &OpenOptions::default())?;
    ///
    /// // A tool waits; an engine calls `take` in each frame, or awaits.
    /// let player = player.request_all(&streamer, 0, Priority::NORMAL).wait()?;
    /// let view = player.scene().view(&Space::GLTF);
    /// # assert_eq!(view.meshes().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Assets::locate`]; [`MissingHalf`](meshlens_assets::Error::MissingHalf) for a single file of an Unreal mesh;
    /// [`Imported`](meshlens_assets::Error::Imported) for a file of another format, such as glTF, which [`Assets::open`] opens;
    /// a file cannot be read.
    pub fn open_scene<B: Backend + AsRef<AssetsBackend>>(
        &self,
        backend: &std::sync::Arc<B>,
        name: &str,
        options: &OpenOptions,
    ) -> meshlens_assets::Result<StreamedScene> {
        let files: &AssetsBackend = (**backend).as_ref();
        let plan = std::sync::Arc::new(files.assets().locate(name)?.plan(options)?);
        let mut nodes = Vec::new();
        for node in plan.nodes() {
            let open = |found: &[meshlens_assets::FoundFile]| {
                let names = found.iter().map(|file| files.add(plan.assets(), file));
                let names = names.collect::<meshlens_assets::Result<crate::Few<FileName>>>()?;
                let script = plan.has_script().then(|| script(plan.clone()));
                let backend: std::sync::Arc<dyn Backend> = backend.clone();
                Ok(self.open_placed(backend, names, script))
            };
            let finest = open(node.files())?;
            let coarser = node.lods().iter().map(|file| open(std::slice::from_ref(file)));
            let lods = std::iter::once(Ok(finest)).chain(coarser).collect::<meshlens_assets::Result<_>>()?;
            nodes.push(StreamedNode { name: node.name().into(), lods });
        }
        Ok(StreamedScene { plan, nodes })
    }
}

/// The script of a plan.
fn script(plan: std::sync::Arc<ScenePlan>) -> crate::streamed::Script {
    let of_bounds = plan.clone();
    crate::streamed::Script {
        model: Box::new(move |document| plan.placed_model(document).map_err(Error::from)),
        bounds: Box::new(move |document| of_bounds.placed_bounds(document)),
    }
}

impl StreamedScene {
    /// The nodes, with the indices that they have in the loaded [`Scene`].
    pub fn nodes(&self) -> &[StreamedNode] {
        &self.nodes
    }

    /// The search path, which has the textures of the materials.
    pub fn assets(&self) -> &Assets {
        self.plan.assets()
    }

    /// Makes a node of the [`scene`](LoadedScene::scene) of a model that was loaded alone, without its attachment: with
    /// placement, clips, skin and materials. Also returns the findings. `None` if the node is out of range. Reads companion files,
    /// so call it on a thread that may wait.
    ///
    /// # Errors
    ///
    /// [`Incomplete`](meshlens::wire::ErrorKind::Incomplete) if neither the whole model nor [`Part::Model`] is loaded; the
    /// parser fails; a companion file has invalid content.
    pub fn node<'a>(
        &self,
        number: usize,
        model: &'a PartialModel,
    ) -> meshlens_assets::Result<Option<(Node<'a>, Report)>> {
        self.plan.node(number, |lod| (lod == 0).then(|| model.drawable_document()).transpose())
    }

    /// Requests everything that the scene needs at a level of detail, 0 for the finest: one request for each node, each
    /// read in one round after its plan. A node with fewer levels uses its coarsest one. The scene is made on a thread
    /// of the streamer, which also reads companion files: clips, skins and materials.
    pub fn request_all(&self, streamer: &Streamer, lod: u32, priority: Priority) -> SceneRequest {
        let (sender, scene) = oneshot::channel();
        let parts = Arc::new(Mutex::new((vec![None; self.nodes.len()], Some(sender))));
        let request = |(number, node): (usize, &StreamedNode)| {
            let (plan, parts) = (self.plan.clone(), parts.clone());
            let file = node.lods.len().saturating_sub(1).min(lod as usize);
            let request = Request::new(Part::Model { lod: lod - file as u32 }).then(move |loaded| {
                let mut all = lock(&parts);
                if let Some(model) = all.0.get_mut(number) {
                    *model = loaded.model().cloned();
                }
                let models: Option<Vec<PartialModel>> = all.0.iter().cloned().collect();
                let last = models.and_then(|models| Some((models, all.1.take()?)));
                drop(all);
                if let Some((models, sender)) = last {
                    // Without a receiver, nobody wants the scene.
                    let _ = sender.send(LoadedScene::new(&plan, models));
                }
            });
            node.lods.get(file).map(|streamed| streamer.request(streamed, request, priority))
        };
        SceneRequest { handles: self.nodes.iter().enumerate().filter_map(request).collect(), scene }
    }
}

/// A request for a whole scene: see [`StreamedScene::request_all`]. It is a [`Future`]. Dropping it cancels the requests.
#[derive(Debug)]
#[must_use = "dropping it cancels its requests"]
pub struct SceneRequest {
    handles: Vec<Handle>,
    scene: oneshot::Receiver<Result<LoadedScene>>,
}

impl SceneRequest {
    /// The requests of the nodes.
    pub fn handles(&self) -> &[Handle] {
        &self.handles
    }

    /// Changes the priority of all requests.
    pub fn set_priority(&self, priority: Priority) {
        self.handles.iter().for_each(|handle| handle.set_priority(priority));
    }

    /// Takes the scene, or the first error. `None` if a request of the nodes has not ended, or if the scene was already taken. Never
    /// blocks.
    pub fn take(&mut self) -> Option<Result<LoadedScene>> {
        for handle in &self.handles {
            if let Some(Err(failed)) = handle.take() {
                return Some(Err(failed.error));
            }
        }
        if self.has_ended() { self.scene.try_recv().ok().flatten() } else { None }
    }

    /// Whether all requests have ended. The last one sends the scene before it ends: if it were dropped with the scene in hand, it
    /// would be cancelled.
    fn has_ended(&self) -> bool {
        self.handles.iter().all(|handle| handle.state().is_final())
    }

    /// Blocks until the scene is complete. It is meant for tools and tests.
    ///
    /// # Errors
    ///
    /// A file cannot be read or has changed; the parser fails; a companion file has invalid content; [`Error::Taken`].
    pub fn wait(mut self) -> Result<LoadedScene> {
        for handle in self.handles.drain(..) {
            handle.wait().map_err(|failed| failed.error)?;
        }
        block_on(&mut self.scene).unwrap_or(Err(Error::Taken))
    }
}

impl Future for SceneRequest {
    type Output = Result<LoadedScene>;

    /// Ready with the scene. Pending forever if it was already taken.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        for handle in &mut self.handles {
            if let Poll::Ready(Err(failed)) = Pin::new(handle).poll(context) {
                return Poll::Ready(Err(failed.error));
            }
        }
        // The end of each request wakes the task, too.
        if !self.has_ended() {
            return Poll::Pending;
        }
        match Pin::new(&mut self.scene).poll(context) {
            Poll::Ready(Ok(scene)) => Poll::Ready(scene),
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

self_cell! {
    struct Cell {
        owner: Vec<PartialModel>,
        #[covariant]
        dependent: Scene,
    }
}

/// A loaded scene, which owns its bytes. Clones share it.
#[derive(Clone)]
pub struct LoadedScene(std::sync::Arc<Inner>);

struct Inner {
    cell: Cell,
    findings: Report,
}

impl LoadedScene {
    /// Makes the scene of one model for each node.
    fn new(plan: &ScenePlan, models: Vec<PartialModel>) -> Result<Self> {
        let mut findings = Report::default();
        let cell = Cell::try_new(models, |models| {
            let document = |node: usize, lod: usize| {
                let model = models.get(node).filter(|_| lod == 0);
                model.map(PartialModel::drawable_document).transpose()
            };
            let (scene, found) = plan.scene(document)?;
            findings = found;
            Ok::<_, meshlens_assets::Error>(scene)
        })?;
        Ok(LoadedScene(std::sync::Arc::new(Inner { cell, findings })))
    }

    /// The scene. Every node has one model, of the requested level of detail.
    pub fn scene(&self) -> &Scene<'_> {
        self.0.cell.borrow_dependent()
    }

    /// The findings about the files and how they fit together.
    pub fn findings(&self) -> &Report {
        &self.0.findings
    }
}

debug_fields!(self, LoadedScene { nodes: self.scene().nodes.len() });
