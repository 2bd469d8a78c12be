//! A model or a player in the world: what it needs at each level, and what is loaded.

use std::error::Error;
use std::time::Duration;

use meshlens_stream::{
    Completed, Handle, Loaded, LoadedScene, Part, Plan, SceneRequest, State, StreamedNode, StreamedScene,
};

/// How much of a model is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    #[default]
    Nothing,
    Bounds,
    /// Also the plan, which lists the meshes.
    Plan,
    /// The buffers of each mesh in frame 0.
    Near,
    /// All frames, and a scene with clips.
    Full,
}

/// A model or a player, and what is loaded of it.
pub(crate) struct Entity {
    pub(crate) model: StreamedScene,
    /// The levels that were requested and that are loaded.
    pub(crate) asked: Level,
    pub(crate) there: Level,
    /// Requests that have not ended.
    pub(crate) handles: Vec<Handle>,
    pub(crate) full: Option<SceneRequest>,
    /// The loaded parts that an engine draws.
    loaded: Vec<Loaded>,
    scene: Option<LoadedScene>,
    /// The number of nodes whose bounds are not loaded.
    without_bounds: usize,
    /// The parts that were requested for each node.
    pub(crate) wanted: Vec<Part>,
    pub(crate) bounds_at: Option<Duration>,
    pub(crate) near_at: Option<Duration>,
    pub(crate) full_at: Option<Duration>,
}

impl Entity {
    pub(crate) fn new(model: StreamedScene) -> Self {
        Entity {
            without_bounds: model.nodes().iter().filter(|node| node.model().bounds().is_none()).count(),
            model,
            asked: Level::Nothing,
            there: Level::Nothing,
            handles: Vec::new(),
            full: None,
            loaded: Vec::new(),
            scene: None,
            wanted: Vec::new(),
            bounds_at: None,
            near_at: None,
            full_at: None,
        }
    }

    /// The requests that have not ended.
    pub(crate) fn all_handles(&self) -> impl Iterator<Item = &Handle> {
        self.handles.iter().chain(self.full.iter().flat_map(SceneRequest::handles))
    }

    /// The parts that a level needs in addition to the previous level, for each node.
    pub(crate) fn parts(&self, level: Level) -> Vec<(usize, Part)> {
        let nodes = self.model.nodes().iter().enumerate();
        match level {
            Level::Nothing | Level::Full => Vec::new(),
            Level::Bounds => nodes.map(|(node, _)| (node, Part::Bounds)).collect(),
            Level::Plan => nodes.map(|(node, _)| (node, Part::Header)).collect(),
            Level::Near => {
                let meshes = |plan: &Plan| 0..plan.mesh_count() as u32;
                let of_node = |(node, streamed): (usize, &StreamedNode)| {
                    let meshes = streamed.model().plan().map(meshes).unwrap_or_default();
                    meshes.map(move |mesh| (node, Part::Mesh { mesh, frame: 0 }))
                };
                nodes.flat_map(of_node).collect()
            }
        }
    }

    /// Notes bounds that are known without a request, as those of a pack.
    pub(crate) fn note_known_bounds(&mut self, now: Duration) {
        if self.asked == Level::Nothing && self.without_bounds == 0 {
            (self.asked, self.there) = (Level::Bounds, Level::Bounds);
            self.bounds_at.get_or_insert(now);
        }
    }

    /// Takes what a request has loaded.
    pub(crate) fn take(&mut self, done: &Completed, now: Duration) -> Result<(), Box<dyn Error>> {
        if done.state != State::Ready {
            return Err(format!("the request for {} is {}", done.part, done.state).into());
        }
        if let Some(at) = self.handles.iter().position(|handle| handle.id() == done.id) {
            if let Some(loaded) = self.handles.swap_remove(at).take() {
                self.loaded.push(loaded?);
            }
        } else if let Some(full) = self.full.as_mut().and_then(SceneRequest::take) {
            // All nodes are loaded.
            self.scene = Some(full?);
            self.full = None;
            self.loaded.clear();
        }
        if matches!(done.part, Part::Bounds | Part::Whole) {
            self.without_bounds = self.without_bounds.saturating_sub(1);
            if self.without_bounds == 0 {
                self.bounds_at.get_or_insert(now);
            }
        }
        if self.handles.is_empty() && self.full.is_none() {
            self.there = self.asked;
            if self.there >= Level::Near {
                self.near_at.get_or_insert(now);
            }
            if self.there >= Level::Full {
                self.full_at.get_or_insert(now);
            }
        }
        Ok(())
    }
}
