//! Streaming: models are loaded by priority, cancelled when they are no longer wanted, and shown within a budget per
//! frame.
//!
//! Bevy's asset server loads everything that is requested, in no particular order. A [`MeshStreamer`] manages its own
//! requests: near models and models in view come first, priorities change with the camera in each frame, and dropping
//! the last handle of a model cancels its requests at once.

mod model;
mod reserved;
mod slots;
mod statistics;
mod systems;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bevy::app::{App, Plugin, Update};
use bevy::ecs::prelude::*;
use bevy::log::error;
use meshlens_assets::{Assets, OpenOptions};
use meshlens_stream::backend::{AssetsBackend, Throttle, Throttled};
use meshlens_stream::{Statistics, StreamedScene, Streamer, StreamerOptions};

use crate::parts::options;
use crate::{MeshlensSettings, play};
use model::{ModelRequest, StreamedModel};
use reserved::Reserve;
use slots::Slots;
pub use statistics::StreamingDiagnostics;
pub use systems::StreamedBounds;

/// Streams models from a search path. Its resource [`MeshStreamer`] returns handles for entities.
///
/// It needs threads. If threads are not available, as in browsers, an error is logged, and the resource does not exist.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_meshlens::{MeshStreamer, MeshlensPlugin, Streamed, StreamingPlugin};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut assets = meshlens_assets::Assets::new();
/// assets.mount_archive("baseq3/pak0.pk3")?;
/// let mut app = App::new();
/// app.add_plugins((DefaultPlugins, MeshlensPlugin, StreamingPlugin::new(assets)));
/// app.add_systems(Startup, |mut commands: Commands, mut streamer: ResMut<MeshStreamer>| {
///     let tree = streamer.load("models/mapobjects/tree.md3");
///     commands.spawn((Streamed(tree), Transform::from_xyz(0.0, 0.0, -40.0)));
/// });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct StreamingPlugin {
    assets: Assets,
    options: StreamingOptions,
}

/// The options of a [`StreamingPlugin`].
#[derive(Clone, Debug)]
pub struct StreamingOptions {
    /// The settings for loading models. The level of detail is chosen by distance.
    pub settings: MeshlensSettings,
    /// The number of bytes of vertices, indices and textures after which no further model is shown in a frame. At least
    /// one model is always shown.
    pub upload_budget: usize,
    /// The largest number of models that are shown in a frame. Other threads prepare the same number in advance.
    pub models_per_frame: usize,
    /// The time after which no further model is shown in a frame. At least one model is always shown.
    pub time_budget: Duration,
    /// The distance at which the first coarser level of detail begins. Each further level begins at twice the distance.
    pub lod_distance: f32,
    /// The factor for the distance of models that are not visible to any camera.
    pub unseen: f32,
    /// The number of threads that read.
    pub read_threads: usize,
    /// The memory, the threads and the order of the streamer.
    pub streamer: StreamerOptions,
    /// The speed of a simulated disk or network; `None` if none is simulated.
    pub throttle: Option<Throttle>,
}

impl Default for StreamingOptions {
    /// 4 MiB, 192 models and 2 ms for each frame, levels from a distance of 500, and 4 threads for reading.
    fn default() -> Self {
        StreamingOptions {
            settings: MeshlensSettings::default(),
            upload_budget: 4 << 20,
            models_per_frame: 192,
            time_budget: Duration::from_millis(2),
            lod_distance: 500.0,
            unseen: 4.0,
            read_threads: 4,
            // The scenes are taken from their requests instead.
            streamer: StreamerOptions { lists_completed: false, ..StreamerOptions::default() },
            throttle: None,
        }
    }
}

impl StreamingPlugin {
    /// Streams the models of a search path.
    pub fn new(assets: Assets) -> Self {
        StreamingPlugin { assets, options: StreamingOptions::default() }
    }

    /// Returns the plug-in with other options.
    #[must_use]
    pub fn with_options(mut self, options: StreamingOptions) -> Self {
        self.options = options;
        self
    }
}

impl Plugin for StreamingPlugin {
    fn build(&self, app: &mut App) {
        if cfg!(target_arch = "wasm32") {
            error!("models are not streamed: a browser gives no threads; load them through the asset server");
            return;
        }
        match MeshStreamer::new(self.assets.clone(), self.options.clone()) {
            Ok(streamer) => {
                app.insert_resource(streamer);
            }
            // The system cannot create more threads. Models are not streamed, and the app continues.
            Err(failed) => {
                error!("models are not streamed: {failed}; let the process have more threads");
                return;
            }
        }
        statistics::register(app);
        app.add_systems(
            Update,
            (
                systems::drop_unwanted,
                systems::rank,
                systems::advance,
                systems::show_bounds,
                systems::show,
                systems::make,
                statistics::measure,
            )
                .chain(),
        );
        app.add_observer(play::on_streamed);
    }

    fn finish(&self, app: &mut App) {
        app.init_resource::<Reserve>();
    }
}

/// A wanted model. When the last clone is dropped, its requests are cancelled in the same frame.
#[derive(Clone, Debug)]
pub struct StreamHandle(Arc<ModelRequest>);

impl StreamHandle {
    /// The name of the model in the search path.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    fn slot(&self) -> usize {
        self.0.slot
    }
}

/// An entity that shows a streamed model: first its bounds ([`StreamedBounds`]), then its entities, as children.
#[derive(Component, Clone, Debug)]
#[require(bevy::transform::components::Transform, bevy::camera::visibility::Visibility)]
pub struct Streamed(pub StreamHandle);

/// The source of the bytes.
#[derive(Clone)]
enum Source {
    Direct(Arc<AssetsBackend>),
    Throttled(Arc<Throttled<AssetsBackend>>),
}

impl Source {
    /// Finds the files of a model. Lists folders.
    fn open(
        &self,
        streamer: &Streamer,
        name: &str,
        options: &OpenOptions,
    ) -> meshlens_assets::Result<StreamedScene> {
        match self {
            Source::Direct(backend) => streamer.open_scene(backend, name, options),
            Source::Throttled(backend) => streamer.open_scene(backend, name, options),
        }
    }
}

/// The streamed models.
#[derive(Resource)]
pub struct MeshStreamer {
    streamer: Arc<Streamer>,
    source: Source,
    options: StreamingOptions,
    open: OpenOptions,
    models: Slots,
}

impl MeshStreamer {
    fn new(assets: Assets, mut options: StreamingOptions) -> io::Result<Self> {
        let open = options_of(&options.settings);
        options.settings.lods = false;
        let backend = AssetsBackend::new(assets, options.read_threads)?;
        let source = match options.throttle {
            Some(throttle) => Source::Throttled(Arc::new(Throttled::new(backend, throttle)?)),
            None => Source::Direct(Arc::new(backend)),
        };
        let streamer = Arc::new(Streamer::new(options.streamer.clone())?);
        Ok(MeshStreamer { streamer, source, options, open, models: Slots::default() })
    }

    /// Requests a model: a file, or the folder of a player. Does not read anything yet. Handles with the same name
    /// share the model.
    pub fn load(&mut self, name: &str) -> StreamHandle {
        self.models.want(name)
    }

    /// The number of wanted models, and the number of models that are shown at some level of detail.
    pub fn counts(&self) -> (usize, usize) {
        (self.models.len(), self.models.iter().filter(|(_, model)| model.is_shown()).count())
    }

    /// Whether the bounds of a model are known.
    pub fn has_bounds(&self, handle: &StreamHandle) -> bool {
        self.models.get(handle).is_some_and(|model| model.bounds.is_some())
    }

    /// Whether a model is shown at some level of detail.
    pub fn is_shown(&self, handle: &StreamHandle) -> bool {
        self.models.get(handle).is_some_and(StreamedModel::is_shown)
    }

    /// Statistics of reads and memory.
    pub fn statistics(&self) -> Statistics {
        self.streamer.statistics()
    }
}

fn options_of(settings: &MeshlensSettings) -> OpenOptions {
    options(settings)
}
