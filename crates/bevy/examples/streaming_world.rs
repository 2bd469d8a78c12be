//! Streams a world of models, and compares it with Bevy's asset server, which loads the same models as GLB through
//! `bevy_gltf`. Both read with a latency of 20 ms. `--count 200` uses fewer than 2,000 models.

mod common;

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use bevy::app::ScheduleRunnerPlugin;
use bevy::asset::AssetMetaCheck;
use bevy::asset::io::{AssetReader, AssetReaderError, AssetSourceBuilder, PathStream, Reader, VecReader};
use bevy::gltf::{GltfAssetLabel, GltfPlugin};
use bevy::prelude::*;
use bevy::world_serialization::WorldSerializationPlugin;
use bevy_meshlens::meshlens::{Model, scene::Scene};
use bevy_meshlens::meshlens_assets::{AssetPath, Assets as SearchPath, Bytes, Entry, FilePart, FileSystem};
use bevy_meshlens::meshlens_stream::backend::Throttle;
use bevy_meshlens::{MeshStreamer, MeshlensPlugin, Streamed, StreamingOptions, StreamingPlugin};

const LATENCY: Duration = Duration::from_millis(20);
/// The number of models that count as near.
const NEAR: usize = 50;
/// The side length of the world.
const SIDE: f32 = 4_000.0;

/// Files in memory, all with the same bytes.
#[derive(Clone)]
struct Copies {
    bytes: Bytes,
    names: Arc<Vec<String>>,
}

impl FileSystem for Copies {
    fn read(&self, _: &AssetPath, _: u64) -> std::io::Result<Bytes> {
        Ok(self.bytes.clone())
    }

    fn read_range(&self, _: &AssetPath, range: Range<u64>) -> std::io::Result<FilePart> {
        Ok(FilePart::of(&self.bytes, range))
    }

    fn list(&self, folder: &AssetPath) -> std::io::Result<Vec<Entry>> {
        if folder.is_root() {
            Ok(self.names.iter().map(Entry::file).collect())
        } else {
            Err(ErrorKind::NotFound.into())
        }
    }
}

/// A thread that wakes reads after their latency.
#[derive(Clone)]
struct Timer(Arc<Mutex<BTreeMap<(Instant, u64), std::task::Waker>>>);

impl Timer {
    fn start() -> Timer {
        let timer = Timer(Arc::default());
        let waiting = timer.0.clone();
        thread::spawn(move || {
            loop {
                let later = waiting.lock().unwrap().split_off(&(Instant::now(), u64::MAX));
                let due = std::mem::replace(&mut *waiting.lock().unwrap(), later);
                due.into_values().for_each(std::task::Waker::wake);
                thread::sleep(Duration::from_micros(200));
            }
        });
        timer
    }

    async fn wait(&self) {
        let until = Instant::now() + LATENCY;
        poll_fn(|context| {
            if Instant::now() >= until {
                return Poll::Ready(());
            }
            let mut waiting = self.0.lock().unwrap();
            let number = waiting.len() as u64;
            waiting.insert((until, number), context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// The same files for Bevy's asset server.
struct Slow {
    bytes: Bytes,
    timer: Timer,
}

impl AssetReader for Slow {
    async fn read<'a>(&'a self, _: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.timer.wait().await;
        Ok(VecReader::new(self.bytes.to_vec()))
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        Err::<VecReader, _>(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn read_directory<'a>(&'a self, path: &'a Path) -> Result<Box<PathStream>, AssetReaderError> {
        Err(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn is_directory<'a>(&'a self, _: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(false)
    }
}

/// An app without a window.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins(MinimalPlugins.build().disable::<ScheduleRunnerPlugin>());
    app.add_plugins((bevy::diagnostic::DiagnosticsPlugin, TransformPlugin));
    app
}

fn assets(app: &mut App) {
    let assets = AssetPlugin {
        meta_check: AssetMetaCheck::Never,
        file_path: common::corpus("").display().to_string(),
        ..default()
    };
    app.add_plugins((
        assets,
        bevy::image::ImagePlugin::default(),
        bevy::mesh::MeshPlugin,
        AnimationPlugin,
        WorldSerializationPlugin,
    ));
    app.init_asset::<StandardMaterial>().register_type::<MeshMaterial3d<StandardMaterial>>();
}

/// The positions of the models, in an order that is independent of their distance.
fn places(count: usize) -> Vec<Vec3> {
    // The fractional parts of multiples of the golden ratio are spread evenly.
    let spread = |number: usize, by: f64| ((number as f64 * by).fract() as f32 - 0.5) * SIDE;
    (0..count)
        .map(|number| Vec3::new(spread(number, 0.618_033_988_75), 0.0, spread(number, 0.754_877_666_25)))
        .collect()
}

/// The indices of the models that are nearest to the camera.
fn nearest(places: &[Vec3]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| places[*a].length().total_cmp(&places[*b].length()));
    order.truncate(NEAR);
    order
}

/// The measurements of one run.
#[derive(Default)]
struct Row {
    bounds: Duration,
    near: Duration,
    all: Duration,
    frame: Duration,
    frames: usize,
    /// The number of frames that took longer than 16 ms, and longer than 33 ms.
    long: [usize; 2],
}

/// Updates an app until everything is loaded.
fn measure(app: &mut App, mut count: impl FnMut(&mut App) -> [bool; 3]) -> Row {
    let (mut row, started) = (Row::default(), Instant::now());
    let mut done = [false; 3];
    while !done[2] {
        let frame = Instant::now();
        app.update();
        let took = frame.elapsed();
        row.frame = row.frame.max(took);
        row.frames += 1;
        for (long, limit) in row.long.iter_mut().zip([16, 33]) {
            *long += usize::from(took > Duration::from_millis(limit));
        }
        let now = count(app);
        for (at, (is, was)) in
            [&mut row.bounds, &mut row.near, &mut row.all].into_iter().zip(now.into_iter().zip(done))
        {
            if is && !was {
                *at = started.elapsed();
            }
        }
        done = now;
        // Waits for the rest of a frame at 60 Hz.
        thread::sleep(Duration::from_micros(16_667).saturating_sub(frame.elapsed()));
    }
    row
}

fn streamed(bytes: Bytes, places: &[Vec3]) -> Row {
    let names = Arc::new((0..places.len()).map(|number| format!("{number}.md3")).collect::<Vec<_>>());
    let mut search = SearchPath::new();
    search.mount("copies", Copies { bytes, names: names.clone() });
    // As many concurrent reads as the asset server.
    let throttle = Throttle { latency: LATENCY, bandwidth: None, max_reads: 1 << 16 };
    let options = StreamingOptions { throttle: Some(throttle), ..default() };
    let mut app = app();
    assets(&mut app);
    app.add_plugins((MeshlensPlugin, StreamingPlugin::new(search).with_options(options)));
    app.finish();
    app.cleanup();
    app.world_mut().spawn((Camera::default(), Transform::default()));
    app.update();
    let mut handles = Vec::new();
    for (name, place) in names.iter().zip(places) {
        let handle = app.world_mut().resource_mut::<MeshStreamer>().load(name);
        app.world_mut().spawn((Streamed(handle.clone()), Transform::from_translation(*place)));
        handles.push(handle);
    }
    let near = nearest(places);
    let mut roots = app.world_mut().query_filtered::<&Children, With<Streamed>>();
    measure(&mut app, |app| {
        let streamer = app.world().resource::<MeshStreamer>();
        let bounds = handles.iter().all(|handle| streamer.has_bounds(handle));
        let near = near.iter().all(|number| streamer.is_shown(&handles[*number]));
        let (wanted, shown) = streamer.counts();
        [bounds, near, wanted == shown && roots.iter(app.world()).count() == wanted]
    })
}

fn bevy_gltf(bytes: Bytes, places: &[Vec3]) -> Row {
    let mut app = app();
    let timer = Timer::start();
    let source =
        AssetSourceBuilder::new(move || Box::new(Slow { bytes: bytes.clone(), timer: timer.clone() }));
    app.register_asset_source("slow", source);
    assets(&mut app);
    app.add_plugins(GltfPlugin::default());
    app.finish();
    app.cleanup();
    app.world_mut().spawn((Camera::default(), Transform::default()));
    app.update();
    let mut handles: Vec<Handle<WorldAsset>> = Vec::new();
    for (number, place) in places.iter().enumerate() {
        let path = PathBuf::from(format!("{number}.glb"));
        let server = app.world().resource::<AssetServer>().clone();
        let path = bevy::asset::AssetPath::from(path).with_source("slow");
        let scene = server.load(GltfAssetLabel::Scene(0).from_asset(path));
        handles.push(scene.clone());
        app.world_mut().spawn((WorldAssetRoot(scene), Transform::from_translation(*place)));
    }
    let near = nearest(places);
    let mut roots = app.world_mut().query_filtered::<&Children, With<WorldAssetRoot>>();
    let count = places.len();
    measure(&mut app, |app| {
        let server = app.world().resource::<AssetServer>();
        let is_loaded = |handle: &Handle<WorldAsset>| server.is_loaded_with_dependencies(handle);
        // The bounds are known when the mesh is loaded.
        let all = handles.iter().all(is_loaded);
        let near = near.iter().all(|number| is_loaded(&handles[*number]));
        [all, near, all && roots.iter(app.world()).count() == count]
    })
}

fn main() -> common::Result {
    let count = common::option("--count").map_or(Ok(2_000), |count| count.parse())?;
    let bytes = std::fs::read(common::corpus("gallery/crate.md3"))?;
    let scene = Scene::from(Model::parse(&bytes)?);
    let mut glb = Vec::new();
    meshlens_gltf::Export::plan(&scene, &meshlens_gltf::Options::default())?.write_glb(&mut glb)?;
    let places = places(count);
    println!(
        "{count} models, {} ms latency, {} bytes as MD3, {} as GLB",
        LATENCY.as_millis(),
        bytes.len(),
        glb.len()
    );
    println!(
        "| | bounds of all | the {NEAR} nearest | all | longest frame | frames | over 16 ms | over 33 ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let print = |name: &str, row: Row| {
        let [bounds, near, all, frame] =
            [row.bounds, row.near, row.all, row.frame].map(|time| time.as_secs_f64() * 1e3);
        let [long, longer] = row.long;
        println!(
            "| {name} | {bounds:.0} ms | {near:.0} ms | {all:.0} ms | {frame:.1} ms | {} | {long} | {longer} |",
            row.frames
        );
    };
    print("`MeshStreamer`, MD3", streamed(bytes.clone().into(), &places));
    print("`AssetServer`, GLB", bevy_gltf(glb.into(), &places));
    Ok(())
}
