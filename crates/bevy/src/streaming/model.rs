//! One streamed model: its files, its bounds, and its levels of detail.

use std::sync::{Arc, Weak};

use bevy::asset::AssetServer;
use bevy::asset::Handle;
use bevy::log::error;
use bevy::math::Vec3;
use bevy::tasks::{AsyncComputeTaskPool, IoTaskPool, Task, block_on, poll_once};
use bevy::world_serialization::WorldAsset;
use meshlens_assets::OpenOptions;
use meshlens_stream::{
    Handle as Request, LoadedScene, Part, Priority, SceneRequest, StreamedScene, Streamer,
};

use super::{Source, is_wanted};
use crate::error::log;
use crate::limits::DeviceLimits;
use crate::model::Streamed;
use crate::{LoadError, MeshlensModel, MeshlensParts, MeshlensScene, MeshlensSettings};

/// A model that some handle wants.
pub(super) struct StreamedModel {
    pub(super) wanted: Weak<str>,
    /// The smallest and the largest position of its first node, in the space of the settings.
    pub(super) bounds: Option<[Vec3; 2]>,
    /// The distance of the nearest entity, larger if no camera sees it.
    pub(super) distance: f32,
    /// The level of detail that the nearest entity wants.
    pub(super) lod: usize,
    opening: Opening,
    bounds_requests: Vec<Request>,
    levels: Vec<Level>,
}

enum Opening {
    Task(Task<meshlens_assets::Result<StreamedScene>>),
    Open(StreamedScene),
    Failed,
}

/// A level of detail.
#[derive(Default)]
struct Level {
    request: Option<SceneRequest>,
    loaded: Option<LoadedScene>,
    making: Option<Task<MeshlensParts>>,
    made: Option<MeshlensParts>,
    shown: Option<MeshlensScene>,
    has_failed: bool,
}

impl StreamedModel {
    /// Begins to look for the files, on another thread.
    pub(super) fn new(
        wanted: Weak<str>,
        streamer: &Arc<Streamer>,
        source: &Source,
        options: &OpenOptions,
    ) -> Self {
        let (streamer, source, options, name) =
            (streamer.clone(), source.clone(), options.clone(), wanted.upgrade());
        let opening = IoTaskPool::get().spawn(async move {
            let name = name.unwrap_or_default();
            source.open(&streamer, &name, &options)
        });
        StreamedModel {
            wanted,
            bounds: None,
            distance: f32::INFINITY,
            lod: 0,
            opening: Opening::Task(opening),
            bounds_requests: Vec::new(),
            levels: Vec::new(),
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        is_wanted(&self.wanted)
    }

    pub(super) fn is_shown(&self) -> bool {
        self.levels.iter().any(|level| level.shown.is_some())
    }

    /// Whether a level is loaded and waits to become parts.
    pub(super) fn is_loaded(&self) -> bool {
        self.levels.iter().any(|level| level.loaded.is_some())
    }

    /// Whether a level becomes parts.
    pub(super) fn is_making(&self) -> bool {
        self.levels.iter().any(|level| level.making.is_some())
    }

    /// Whether a level waits to be shown.
    pub(super) fn is_made(&self) -> bool {
        self.levels.iter().any(|level| level.made.is_some())
    }

    /// The entities of the level nearest to a wanted one that is there, and the level.
    pub(super) fn scene(&self, lod: usize) -> Option<(usize, Handle<WorldAsset>)> {
        let there =
            self.levels.iter().enumerate().filter_map(|(index, level)| Some((index, level.shown.as_ref()?)));
        let (index, scene) =
            there.min_by_key(|(index, _)| index.abs_diff(lod.min(self.levels.len().saturating_sub(1))))?;
        Some((index, scene.scene.clone()))
    }

    pub(super) fn priority(&self) -> Priority {
        Priority::by_distance(self.distance)
    }

    /// The requests that have not ended. Those for bounds come before those for meshes at the same distance.
    pub(super) fn requests(&self) -> impl Iterator<Item = (&Request, Priority)> {
        let (bounds, mesh) = (Priority::by_distance(self.distance / 8.0), self.priority());
        let bounds = self.bounds_requests.iter().map(move |request| (request, bounds));
        let levels = self.levels.iter().filter_map(|level| level.request.as_ref());
        bounds.chain(levels.flat_map(SceneRequest::handles).map(move |request| (request, mesh)))
    }

    /// Takes what has arrived, and asks for what is missing. Never waits.
    pub(super) fn advance(&mut self, name: &str, streamer: &Streamer, settings: &MeshlensSettings) {
        if let Opening::Task(task) = &mut self.opening {
            match block_on(poll_once(task)) {
                None => return,
                Some(Ok(scene)) => {
                    let priority = Priority::by_distance(self.distance / 8.0);
                    let first = scene.nodes().first().map(|node| node.asset());
                    self.bounds_requests = first
                        .map(|asset| streamer.request(asset, Part::Bounds, priority))
                        .into_iter()
                        .collect();
                    self.opening = Opening::Open(scene);
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
            if self.bounds.is_some() {
                self.bounds_requests.clear();
            }
        }
        // A file may have levels inside: their number is known with its plan.
        let levels = scene.nodes().iter().map(|node| {
            let inner =
                node.lods().iter().filter_map(|file| Some(file.plan()?.lod_count())).max().unwrap_or(1);
            node.lods().len() + inner.max(1) - 1
        });
        self.levels.resize_with(levels.max().unwrap_or(1).max(self.levels.len()), Level::default);
        let lod = self.lod.min(self.levels.len() - 1);
        let priority = self.priority();
        for (index, level) in self.levels.iter_mut().enumerate() {
            level.advance(name);
            if index == lod && level.is_idle() && level.shown.is_none() && !level.has_failed {
                level.request = Some(scene.request_all(streamer, index as u32, priority));
            } else if index != lod {
                // Another level is wanted by now.
                (level.request, level.loaded) = (None, None);
            }
        }
    }

    /// Makes the parts of the first level that is loaded, on another thread.
    pub(super) fn make(&mut self, name: &str, settings: &MeshlensSettings, limits: DeviceLimits) {
        let Opening::Open(streamed) = &self.opening else { return };
        let mut levels = self.levels.iter_mut().enumerate();
        let Some((scene, lod, level)) =
            levels.find_map(|(lod, level)| Some((level.loaded.take()?, lod, level)))
        else {
            return;
        };
        let (assets, lods) = (streamed.assets().clone(), inner_lods(streamed, lod));
        let model = Streamed { scene, assets, name: name.to_owned(), lods };
        let settings = settings.clone();
        let make = move || MeshlensParts::within(MeshlensModel::streamed(model, &settings), &limits);
        level.making = Some(AsyncComputeTaskPool::get().spawn(async move { make() }));
    }

    /// Adds the assets of the first level that waits. Returns the number of bytes that go to the GPU.
    pub(super) fn show(&mut self, mut server: &AssetServer) -> usize {
        let Some(level) = self.levels.iter_mut().find(|level| level.made.is_some()) else { return 0 };
        let Some(parts) = level.made.take() else { return 0 };
        let meshes = parts.meshes.iter().map(|part| {
            let indices = part.mesh.get_index_buffer_bytes().map_or(0, <[u8]>::len);
            part.mesh.get_vertex_buffer_size() + indices
        });
        let textures = parts.textures.iter().map(|image| image.data.as_ref().map_or(0, Vec::len));
        let bytes = meshes.chain(textures).sum();
        level.shown = Some(MeshlensScene::new(parts, &mut server));
        bytes
    }
}

impl Level {
    /// Whether nothing of the level is on its way.
    fn is_idle(&self) -> bool {
        self.request.is_none() && self.loaded.is_none() && self.making.is_none() && self.made.is_none()
    }

    /// Takes the loaded scene, and the parts that were made of it.
    fn advance(&mut self, name: &str) {
        match self.request.as_mut().and_then(SceneRequest::take) {
            Some(Ok(scene)) => (self.request, self.loaded) = (None, Some(scene)),
            Some(Err(failed)) => {
                error!("{name}: {failed}; check the file");
                (self.request, self.has_failed) = (None, true);
            }
            None => {}
        }
        let Some(made) = self.making.as_mut().and_then(|task| block_on(poll_once(task))) else { return };
        self.making = None;
        log(name, &made.problems);
        self.made = Some(made);
    }
}

/// The level of detail inside the file of each node, if files are levels too.
fn inner_lods(streamed: &StreamedScene, lod: usize) -> Vec<usize> {
    streamed.nodes().iter().map(|node| lod.saturating_sub(node.lods().len().saturating_sub(1))).collect()
}

/// The bounds of the first node in the space of the settings, as soon as they are known.
fn bounds(scene: &StreamedScene, settings: &MeshlensSettings) -> Option<[Vec3; 2]> {
    let asset = scene.nodes().first()?.asset();
    let (bounds, format) = (asset.bounds()?, asset.plan()?.format());
    let conversion = format.space().to(&settings.axes.space()).scaled(settings.scale);
    let [a, b] = [bounds.min, bounds.max].map(|corner| Vec3::from(conversion.position(corner)));
    Some([a.min(b), a.max(b)])
}
