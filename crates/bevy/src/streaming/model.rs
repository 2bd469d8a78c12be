//! One streamed model: its files, its bounds, and its levels of detail.

use std::sync::{Arc, Weak};

use bevy::asset::AssetId;
use bevy::log::error;
use bevy::math::Vec3;
use bevy::tasks::{AsyncComputeTaskPool, IoTaskPool, Task, block_on, poll_once};
use meshlens_assets::OpenOptions;
use meshlens_stream::{
    Handle as Request, LoadedScene, Part, Priority, SceneRequest, StreamedScene, Streamer,
};

use super::Source;
use super::reserved::{Reserve, Reserved};
use crate::error::log;
use crate::limits::DeviceLimits;
use crate::model::Streamed;
use crate::template::SceneTemplate;
use crate::{LoadError, MeshlensModel, MeshlensParts, MeshlensSettings};

/// The state that the clones of a handle share.
#[derive(Debug)]
pub(super) struct ModelRequest {
    pub(super) name: Arc<str>,
    pub(super) slot: usize,
}

/// A model that some handle requests.
pub(super) struct StreamedModel {
    pub(super) wanted: Weak<ModelRequest>,
    name: Arc<str>,
    /// The smallest and the largest position of the first node, in the space of the settings.
    pub(super) bounds: Option<[Vec3; 2]>,
    /// The distance of the nearest entity, increased if it is not visible to any camera.
    pub(super) distance: f32,
    /// The level of detail for the nearest entity.
    pub(super) lod: usize,
    /// The distance that was last passed to the scheduler.
    told: f32,
    opening: Opening,
    bounds_requests: Vec<Request>,
    /// The number of files with known plans. When it changes, the levels inside the files are counted.
    plans: usize,
    levels: Vec<Level>,
}

enum Opening {
    /// The distance of the model is not known yet.
    New,
    Task(Task<meshlens_assets::Result<Opened>>),
    Open(StreamedScene),
    Failed,
}

/// The files of a model, and its first requests.
struct Opened {
    scene: StreamedScene,
    bounds: Option<Request>,
    lod: usize,
    level: SceneRequest,
}

/// A level of detail.
#[derive(Default)]
struct Level {
    request: Option<SceneRequest>,
    loaded: Option<LoadedScene>,
    making: Option<Task<PendingLevel>>,
    made: Option<PendingLevel>,
    shown: Option<Arc<SceneTemplate>>,
    has_failed: bool,
}

/// A level whose assets have not been added to the world yet.
struct PendingLevel {
    template: SceneTemplate,
    assets: Reserved,
    /// The number of bytes that will be uploaded to the GPU.
    bytes: usize,
    problems: Vec<LoadError>,
}

impl StreamedModel {
    pub(super) fn new(wanted: &Arc<ModelRequest>) -> Self {
        StreamedModel {
            wanted: Arc::downgrade(wanted),
            name: wanted.name.clone(),
            bounds: None,
            distance: f32::INFINITY,
            lod: 0,
            told: f32::INFINITY,
            opening: Opening::New,
            bounds_requests: Vec::new(),
            plans: 0,
            levels: Vec::new(),
        }
    }

    pub(super) fn is_new(&self) -> bool {
        matches!(self.opening, Opening::New)
    }

    /// Looks for the files and makes the first requests on another thread, because each request may wake a third
    /// thread, which takes some time.
    pub(super) fn open(&mut self, streamer: &Arc<Streamer>, source: &Source, options: &OpenOptions) {
        let (streamer, source, options, name) =
            (streamer.clone(), source.clone(), options.clone(), self.name.clone());
        let (priorities, wanted) = (self.priorities(), self.lod);
        let open = move || {
            let scene = source.open(&streamer, &name, &options)?;
            // The levels inside files are not known yet.
            let files = scene.nodes().iter().map(|node| node.lods().len()).max().unwrap_or(1);
            let lod = wanted.min(files.saturating_sub(1));
            let first = scene.nodes().first().map(|node| node.model());
            let bounds = first.map(|model| streamer.request(model, Part::Bounds, priorities[0]));
            let level = scene.request_all(&streamer, lod as u32, priorities[1]);
            Ok(Opened { scene, bounds, lod, level })
        };
        self.opening = Opening::Task(IoTaskPool::get().spawn(async move { open() }));
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.wanted.strong_count() > 0
    }

    pub(super) fn is_shown(&self) -> bool {
        self.levels.iter().any(|level| level.shown.is_some())
    }

    /// Whether a level is loaded and waits for its conversion to parts.
    pub(super) fn is_loaded(&self) -> bool {
        self.levels.iter().any(|level| level.loaded.is_some())
    }

    /// Whether a level is being converted to parts.
    pub(super) fn is_making(&self) -> bool {
        self.levels.iter().any(|level| level.making.is_some())
    }

    /// Whether a level is waiting to be shown.
    pub(super) fn is_made(&self) -> bool {
        self.levels.iter().any(|level| level.made.is_some())
    }

    /// The level nearest to the wanted one that is in the world.
    pub(super) fn shown(&self) -> Option<&Arc<SceneTemplate>> {
        self.nearest(|level| level.shown.as_ref())
    }

    /// The model of the level nearest to the wanted one that is in the world, or can be added to it.
    pub(super) fn next(&self) -> Option<AssetId<MeshlensModel>> {
        self.nearest(|level| {
            let made = level.made.as_ref().map(|made| &made.template);
            made.or(level.shown.as_deref()).map(|template| template.handle.id())
        })
    }

    fn nearest<'l, T>(&'l self, of: impl Fn(&'l Level) -> Option<T>) -> Option<T> {
        let lod = self.lod.min(self.levels.len().saturating_sub(1));
        let there = self.levels.iter().enumerate().filter_map(|(index, level)| Some((index, of(level)?)));
        there.min_by_key(|(index, _)| index.abs_diff(lod)).map(|(_, found)| found)
    }

    /// Whether the wanted level and the bounds are loaded, and nothing else is pending.
    fn is_settled(&self) -> bool {
        let wanted = self.levels.get(self.lod.min(self.levels.len().saturating_sub(1)));
        self.bounds.is_some()
            && self.bounds_requests.is_empty()
            && wanted.is_some_and(|level| level.shown.is_some())
            && self.levels.iter().all(Level::is_idle)
    }

    /// The priorities of bounds and of meshes. At the same distance, bounds come first.
    fn priorities(&self) -> [Priority; 2] {
        [Priority::by_distance(self.distance / 8.0), Priority::by_distance(self.distance)]
    }

    /// The requests of the model, if its distance has changed.
    pub(super) fn newly_ranked(&mut self) -> Option<impl Iterator<Item = (&Request, Priority)>> {
        let is_known = self.told == self.distance;
        self.told = self.distance;
        (!is_known).then(|| self.requests())
    }

    /// The requests that have not finished.
    pub(super) fn requests(&self) -> impl Iterator<Item = (&Request, Priority)> {
        let [bounds, mesh] = self.priorities();
        let bounds = self.bounds_requests.iter().map(move |request| (request, bounds));
        let levels = self.levels.iter().filter_map(|level| level.request.as_ref());
        bounds.chain(levels.flat_map(SceneRequest::handles).map(move |request| (request, mesh)))
    }

    /// Takes results that have arrived, and requests what is missing. Never blocks.
    pub(super) fn advance(&mut self, streamer: &Streamer, settings: &MeshlensSettings) {
        if self.is_settled() {
            return;
        }
        if let Opening::Task(task) = &mut self.opening {
            match finished(task) {
                None => return,
                Some(Ok(opened)) => {
                    self.bounds_requests = opened.bounds.into_iter().collect();
                    self.levels.resize_with(opened.lod + 1, Level::default);
                    self.levels[opened.lod].request = Some(opened.level);
                    self.opening = Opening::Open(opened.scene);
                    // The requests may have been made with another distance.
                    self.told = f32::NAN;
                }
                Some(Err(failed)) => {
                    error!("{}", LoadError::from(failed));
                    self.opening = Opening::Failed;
                }
            }
        }
        let Opening::Open(scene) = &self.opening else { return };
        if self.bounds.is_none() {
            self.bounds = bounds(scene, settings);
        }
        // Dropping a request earlier would cancel it, which wakes a thread.
        self.bounds_requests.retain(|request| !request.state().is_final());
        // A file may contain several levels. Their number is known once its plan is known.
        let files = || scene.nodes().iter().flat_map(|node| node.lods());
        let plans = files().filter(|file| file.plan().is_some()).count();
        if plans != self.plans || self.levels.is_empty() {
            self.plans = plans;
            let count = scene.nodes().iter().map(|node| {
                let inner = node.lods().iter().filter_map(|file| Some(file.plan()?.lod_count())).max();
                node.lods().len() + inner.unwrap_or(1).max(1) - 1
            });
            self.levels.resize_with(count.max().unwrap_or(1).max(self.levels.len()), Level::default);
        }
        let lod = self.lod.min(self.levels.len() - 1);
        let [_, priority] = self.priorities();
        for (index, level) in self.levels.iter_mut().enumerate() {
            level.advance(&self.name);
            if index == lod && level.is_idle() && level.shown.is_none() && !level.has_failed {
                level.request = Some(scene.request_all(streamer, index as u32, priority));
            } else if index != lod {
                // Another level is wanted now.
                (level.request, level.loaded) = (None, None);
            }
        }
    }

    /// Converts the first loaded level to parts, on another thread.
    pub(super) fn make(&mut self, settings: &MeshlensSettings, limits: DeviceLimits, reserve: &Reserve) {
        let Opening::Open(streamed) = &self.opening else { return };
        let mut levels = self.levels.iter_mut().enumerate();
        let Some((scene, lod, level)) =
            levels.find_map(|(lod, level)| Some((level.loaded.take()?, lod, level)))
        else {
            return;
        };
        let (assets, lods) = (streamed.assets().clone(), inner_lods(streamed, lod));
        let model = Streamed { scene, assets, name: self.name.to_string(), lods };
        let (settings, reserved) = (settings.clone(), Reserved::new(reserve));
        let make = move || {
            let parts = MeshlensParts::within(MeshlensModel::streamed(model, &settings), &limits);
            PendingLevel::new(parts, reserved)
        };
        level.making = Some(AsyncComputeTaskPool::get().spawn(async move { make() }));
    }

    /// Takes the assets of the first level that is waiting, and the number of bytes that will be uploaded to the GPU.
    /// The level can be spawned as soon as the assets are in the world.
    pub(super) fn take_made(&mut self) -> Option<(Reserved, usize)> {
        let level = self.levels.iter_mut().find(|level| level.made.is_some())?;
        let PendingLevel { template, assets, bytes, .. } = level.made.take()?;
        level.shown = Some(Arc::new(template));
        Some((assets, bytes))
    }
}

impl PendingLevel {
    fn new(mut parts: MeshlensParts, mut assets: Reserved) -> Self {
        let meshes = parts.meshes.iter().map(|part| {
            let indices = part.mesh.get_index_buffer_bytes().map_or(0, <[u8]>::len);
            part.mesh.get_vertex_buffer_size() + indices
        });
        let textures = parts.textures.iter().map(|image| image.data.as_ref().map_or(0, Vec::len));
        let bytes = meshes.chain(textures).sum();
        let problems = std::mem::take(&mut parts.problems);
        PendingLevel { template: SceneTemplate::new(parts, &mut assets), assets, bytes, problems }
    }
}

impl Level {
    /// Whether nothing is pending for the level.
    fn is_idle(&self) -> bool {
        self.request.is_none() && self.loaded.is_none() && self.making.is_none() && self.made.is_none()
    }

    /// Takes the loaded scene, and the parts that were made from it.
    fn advance(&mut self, name: &str) {
        // Dropping a request earlier would cancel it, which wakes a thread.
        let has_ended =
            |request: &&mut SceneRequest| request.handles().iter().all(|request| request.state().is_final());
        match self.request.as_mut().filter(has_ended).and_then(SceneRequest::take) {
            Some(Ok(scene)) => (self.request, self.loaded) = (None, Some(scene)),
            Some(Err(failed)) => {
                error!("{name}: {failed}; check the file");
                (self.request, self.has_failed) = (None, true);
            }
            None => {}
        }
        let Some(made) = self.making.as_mut().and_then(finished) else { return };
        self.making = None;
        log(name, &made.problems);
        self.made = Some(made);
    }
}

/// The result of a finished task.
fn finished<T>(task: &mut Task<T>) -> Option<T> {
    if task.is_finished() { block_on(poll_once(task)) } else { None }
}

/// The level of detail inside the file of each node, for a level that counts files as levels, too.
fn inner_lods(streamed: &StreamedScene, lod: usize) -> Vec<usize> {
    streamed.nodes().iter().map(|node| lod.saturating_sub(node.lods().len().saturating_sub(1))).collect()
}

/// The bounds of the first node in the space of the settings, as soon as they are known.
fn bounds(scene: &StreamedScene, settings: &MeshlensSettings) -> Option<[Vec3; 2]> {
    let model = scene.nodes().first()?.model();
    let (bounds, format) = (model.bounds()?, model.format()?);
    let conversion = format.space().to(&settings.axes.space()).scaled(settings.scale);
    let [a, b] = [bounds.min, bounds.max].map(|corner| Vec3::from(conversion.position(corner)));
    Some([a.min(b), a.max(b)])
}
