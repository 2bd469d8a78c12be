//! Streaming: bounds are loaded before meshes, near models come first, and unwanted models are not read.

use std::collections::HashSet;
use std::f32::consts::PI;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use bevy::camera::CameraProjection;
use bevy::camera::primitives::Aabb;
use bevy::diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy::prelude::*;
use bevy_meshlens::meshlens_assets::{AssetPath, Assets as SearchPath, Bytes, Entry, FilePart, FileSystem};
use bevy_meshlens::meshlens_stream::backend::Throttle;
use bevy_meshlens::{
    MeshStreamer, MeshlensRoot, MeshlensSubmesh, Play, Ready, Streamed, StreamedBounds, StreamingDiagnostics,
    StreamingOptions, StreamingPlugin,
};

use crate::app::{app_with, update_until, workspace};

/// Files whose reads wait for permission.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    is_open: bool,
    read: Vec<String>,
}

impl Gate {
    fn open(&self) {
        self.0.0.lock().unwrap().is_open = true;
        self.0.1.notify_all();
    }

    fn read(&self) -> Vec<String> {
        self.0.0.lock().unwrap().read.clone()
    }

    fn pass(&self, path: &AssetPath) {
        let mut state = self.0.0.lock().unwrap();
        state.read.push(path.to_string());
        while !state.is_open {
            state = self.0.1.wait(state).unwrap();
        }
    }
}

/// Copies of one file in memory.
struct Copies {
    bytes: Bytes,
    names: Vec<String>,
    gate: Gate,
}

impl FileSystem for Copies {
    fn read(&self, path: &AssetPath, _: u64) -> std::io::Result<Bytes> {
        self.gate.pass(path);
        Ok(self.bytes.clone())
    }

    fn read_range(&self, path: &AssetPath, range: std::ops::Range<u64>) -> std::io::Result<FilePart> {
        // Lengths are requested before any ranges.
        if !range.is_empty() {
            self.gate.pass(path);
        }
        Ok(FilePart::of(&self.bytes, range))
    }

    fn list(&self, folder: &AssetPath) -> std::io::Result<Vec<Entry>> {
        if folder.is_root() {
            Ok(self.names.iter().map(Entry::file).collect())
        } else {
            Err(std::io::ErrorKind::NotFound.into())
        }
    }
}

fn streaming(names: &[&str], gate: &Gate, options: StreamingOptions) -> App {
    let bytes: Bytes = std::fs::read(workspace().join("corpus/gallery/flag.md3")).expect("a file").into();
    let names = names.iter().map(|name| name.to_string()).collect();
    let mut search = SearchPath::new();
    search.mount("copies", Copies { bytes, names, gate: gate.clone() });
    let mut app = app_with(&workspace().join("corpus"), |app| {
        app.add_plugins((
            bevy::diagnostic::DiagnosticsPlugin,
            StreamingPlugin::new(search).with_options(options),
        ));
    });
    app.world_mut().spawn((Camera::default(), GlobalTransform::default()));
    app
}

fn spawn(app: &mut App, name: &str, distance: f32) -> Entity {
    let handle = app.world_mut().resource_mut::<MeshStreamer>().load(name);
    app.world_mut().spawn((Streamed(handle), Transform::from_xyz(0.0, 0.0, -distance))).id()
}

#[test]
fn a_model_has_bounds_then_meshes() {
    let gate = Gate::default();
    gate.open();
    let mut app = streaming(&["flag.md3"], &gate, StreamingOptions::default());
    let entity = spawn(&mut app, "flag.md3", 10.0);
    update_until(&mut app, "bounds", |app| app.world().get::<StreamedBounds>(entity).is_some());
    assert!(app.world().get::<Aabb>(entity).is_some());
    let mut submeshes = app.world_mut().query::<(&MeshlensSubmesh, &Mesh3d)>();
    update_until(&mut app, "meshes", |app| submeshes.iter(app.world()).count() > 0);
    let streamer = app.world().resource::<MeshStreamer>();
    assert_eq!(streamer.counts(), (1, 1));
    assert!(streamer.statistics().bytes_read > 0);
    app.update();
    assert_eq!(diagnostic(&app, &StreamingDiagnostics::PENDING), Some(0.0));
    assert_eq!(diagnostic(&app, &StreamingDiagnostics::REQUESTS), Some(0.0));
}

/// The entities in the order in which they became ready.
#[derive(Resource, Default)]
struct Order(Vec<Entity>);

#[test]
fn a_streamed_model_plays_and_is_ready_after_its_descendants() {
    let gate = Gate::default();
    gate.open();
    let mut app = streaming(&["flag.md3"], &gate, StreamingOptions::default());
    // The streamer stays in the world while observers run.
    app.init_resource::<Order>();
    app.add_observer(|ready: On<Ready>, mut order: ResMut<Order>, _: Res<MeshStreamer>| {
        order.0.push(ready.entity);
    });
    let entity = spawn(&mut app, "flag.md3", 10.0);
    app.world_mut().entity_mut(entity).insert(Play::new(["all"]));
    update_until(&mut app, "the model", |app| app.world().resource::<Order>().0.last() == Some(&entity));
    let order = app.world().resource::<Order>().0.clone();
    // The cloth and the pole of the flag.
    let [a, b, node, root, _] = *order else { panic!("{order:?}") };
    let parent = |of: Entity| app.world().get::<ChildOf>(of).map(ChildOf::parent);
    assert_eq!([a, b, node, root].map(parent), [node, node, root, entity].map(Some));
    let player = app.world().get::<AnimationPlayer>(root).expect("a player");
    assert_eq!(player.playing_animations().count(), 1);
}

#[test]
fn entities_of_one_model_share_its_assets() {
    let gate = Gate::default();
    gate.open();
    let mut app = streaming(&["flag.md3"], &gate, StreamingOptions::default());
    spawn(&mut app, "flag.md3", 10.0);
    spawn(&mut app, "flag.md3", 20.0);
    let mut meshes = app.world_mut().query::<&Mesh3d>();
    // A flag has two meshes.
    update_until(&mut app, "both", |app| meshes.iter(app.world()).count() == 4);
    let ids: HashSet<_> = meshes.iter(app.world()).map(|mesh| mesh.0.id()).collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(app.world().resource::<MeshStreamer>().counts(), (1, 1));
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 2);
    // Without entities, the model is no longer wanted, and its assets are removed.
    let mut entities = app.world_mut().query_filtered::<Entity, With<Streamed>>();
    let all: Vec<Entity> = entities.iter(app.world()).collect();
    all.into_iter().for_each(|entity| assert!(app.world_mut().despawn(entity)));
    update_until(&mut app, "no assets", |app| app.world().resource::<Assets<Mesh>>().is_empty());
    assert_eq!(app.world().resource::<MeshStreamer>().counts(), (0, 0));
    // The same name can be requested again.
    let again = spawn(&mut app, "flag.md3", 10.0);
    update_until(&mut app, "the model again", |app| app.world().get::<Children>(again).is_some());
}

/// The latest value of a diagnostic.
fn diagnostic(app: &App, path: &DiagnosticPath) -> Option<f64> {
    app.world().resource::<DiagnosticsStore>().get(path)?.value()
}

/// Options for one read at a time. The read with the highest priority comes first.
fn one_read() -> StreamingOptions {
    let throttle = Throttle { latency: Duration::ZERO, bandwidth: None, max_reads: 1 };
    let mut options = StreamingOptions { throttle: Some(throttle), ..StreamingOptions::default() };
    options.streamer.ageing.after = Duration::MAX;
    options
}

/// An app in which a first model is being read, and `names` have been requested after it, with two requests each.
fn requested(names: &[(&str, f32)], gate: &Gate) -> (App, Vec<Entity>) {
    let all: Vec<&str> = names.iter().map(|(name, _)| *name).chain(["first.md3"]).collect();
    let mut app = streaming(&all, gate, one_read());
    spawn(&mut app, "first.md3", 10.0);
    // The read does not finish before the gate is open.
    update_until(&mut app, "the first read", |_| !gate.read().is_empty());
    let entities = names.iter().map(|(name, distance)| spawn(&mut app, name, *distance)).collect();
    let count = 2.0 * all.len() as f64;
    update_until(&mut app, "all requests", |app| {
        diagnostic(app, &StreamingDiagnostics::REQUESTS) == Some(count)
    });
    (app, entities)
}

/// Rotates the camera around the vertical axis. At angle 0, it looks along -Z.
fn turn(app: &mut App, angle: f32) {
    let at = GlobalTransform::from(Transform::from_rotation(Quat::from_rotation_y(angle)));
    let frustum = PerspectiveProjection::default().compute_frustum(&at);
    let mut cameras = app.world_mut().query_filtered::<Entity, With<Camera>>();
    let camera = cameras.single(app.world()).expect("a camera");
    app.world_mut().entity_mut(camera).insert((at, frustum));
    app.update();
}

/// The names of the files in the order of their first reads.
fn order(gate: &Gate) -> Vec<String> {
    let mut order = gate.read();
    let mut known = HashSet::new();
    order.retain(|name| known.insert(name.clone()));
    order
}

#[test]
fn the_nearest_model_in_view_is_read_first() {
    // The last model is nearer than the first two, but behind a camera that looks along -Z, so its distance is
    // multiplied by four.
    let names = [("far.md3", 200.0), ("ahead.md3", 100.0), ("behind.md3", -60.0)];
    for (angle, expected) in [(0.0, ["ahead", "far", "behind"]), (PI, ["behind", "ahead", "far"])] {
        let gate = Gate::default();
        let (mut app, _) = requested(&names, &gate);
        // Requests were made without a view, and get new priorities.
        turn(&mut app, 0.0);
        turn(&mut app, angle);
        gate.open();
        update_until(&mut app, "all models", |app| app.world().resource::<MeshStreamer>().counts() == (4, 4));
        assert_eq!(order(&gate)[1..], expected.map(|name| format!("{name}.md3")), "at {angle}");
    }
}

#[test]
fn a_dropped_handle_is_cancelled_in_one_frame_and_its_file_is_not_read() {
    let gate = Gate::default();
    let (mut app, entities) = requested(&[("near.md3", 20.0), ("far.md3", 1000.0)], &gate);
    app.world_mut().entity_mut(entities[1]).despawn();
    app.update();
    assert_eq!(app.world().resource::<MeshStreamer>().counts().0, 2);
    assert_eq!(diagnostic(&app, &StreamingDiagnostics::REQUESTS), Some(4.0));
    gate.open();
    let near = entities[0];
    let handle = app.world().get::<Streamed>(near).expect("a component").0.clone();
    update_until(&mut app, "the near model", |app| app.world().resource::<MeshStreamer>().is_shown(&handle));
    assert!(gate.read().iter().all(|name| !name.contains("far")), "{:?}", gate.read());
}

#[test]
fn one_model_per_frame_is_shown_without_budget() {
    shows_one_at_a_time(StreamingOptions { upload_budget: 1, ..StreamingOptions::default() });
    shows_one_at_a_time(StreamingOptions { time_budget: Duration::ZERO, ..StreamingOptions::default() });
    shows_one_at_a_time(StreamingOptions { models_per_frame: 1, ..StreamingOptions::default() });
}

fn shows_one_at_a_time(options: StreamingOptions) {
    let gate = Gate::default();
    gate.open();
    let names = ["a.md3", "b.md3", "c.md3"];
    let mut app = streaming(&names, &gate, options);
    for (name, distance) in names.iter().zip([10.0, 20.0, 30.0]) {
        spawn(&mut app, name, distance);
    }
    let mut before = 0;
    update_until(&mut app, "all models", |app| {
        let (_, shown) = app.world().resource::<MeshStreamer>().counts();
        assert!(shown <= before + 1, "{before} models were shown, and then {shown}");
        before = shown;
        shown == names.len()
    });
}

#[test]
fn a_coarser_level_is_swapped_in_at_a_distance() {
    let gate = Gate::default();
    gate.open();
    let mut app = streaming(&["flag.md3", "flag_1.md3"], &gate, StreamingOptions::default());
    let entity = spawn(&mut app, "flag.md3", 10.0);
    // The model of the entities below an entity.
    let shown = |app: &App| {
        let root = *app.world().get::<Children>(entity)?.first()?;
        Some(app.world().get::<MeshlensRoot>(root)?.model.id())
    };
    update_until(&mut app, "the finest level", |app| shown(app).is_some());
    assert!(gate.read().iter().all(|name| !name.contains("_1")), "{:?}", gate.read());
    let near = shown(&app);
    // Coarser levels begin at a distance of 500.
    app.world_mut().get_mut::<Transform>(entity).expect("a place").translation.z = -900.0;
    update_until(&mut app, "the coarser level", |app| shown(app).is_some_and(|model| Some(model) != near));
    assert_eq!(app.world().get::<Children>(entity).map(|children| children.len()), Some(1));
    assert!(gate.read().iter().any(|name| name == "flag_1.md3"), "{:?}", gate.read());
    // Both levels are kept while the model is wanted, so returning to the first level reads nothing.
    let reads = gate.read().len();
    app.world_mut().get_mut::<Transform>(entity).expect("a place").translation.z = -10.0;
    update_until(&mut app, "the finest level again", |app| shown(app) == near);
    assert_eq!(gate.read().len(), reads);
}
