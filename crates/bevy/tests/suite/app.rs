//! An app that loads assets, without a renderer.

use std::path::{Path, PathBuf};

use bevy::app::{App, ScheduleRunnerPlugin};
use bevy::asset::{AssetPlugin, AssetServer, LoadState, RecursiveDependencyLoadState, UnapprovedPathMode};
use bevy::pbr::StandardMaterial;
use bevy::prelude::*;
use bevy::world_serialization::WorldSerializationPlugin;
use bevy_meshlens::{MeshlensPlugin, MeshlensScene};

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let this = Path::new(env!("CARGO_MANIFEST_DIR"));
    this.ancestors().nth(2).expect("this crate lies two folders below the workspace").to_owned()
}

/// The player of the corpus as `models/sarge.player`, with a texture.
pub(crate) fn player() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (to, painted) = (folder.path().join("models/sarge"), folder.path().join("models/players/block"));
    std::fs::create_dir_all(&to).expect("a folder");
    std::fs::create_dir_all(&painted).expect("a folder");
    let corpus = workspace().join("corpus");
    for file in std::fs::read_dir(corpus.join("md3/player")).expect("a folder") {
        let file = file.expect("a file").path();
        std::fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("a copy");
    }
    std::fs::copy(corpus.join("gallery/flag.tga"), painted.join("red.tga")).expect("a copy");
    std::fs::write(folder.path().join("models/sarge.player"), "").expect("a file");
    folder
}

/// An app whose assets are the files below a folder.
pub(crate) fn app(folder: &Path) -> App {
    app_with(folder, |_| {})
}

/// Like [`app`], with plug-ins that are added before the plug-in of assets.
pub(crate) fn app_with(folder: &Path, first: impl FnOnce(&mut App)) -> App {
    let mut app = App::new();
    first(&mut app);
    app.add_plugins((
        MinimalPlugins.build().disable::<ScheduleRunnerPlugin>(),
        AssetPlugin {
            file_path: folder.display().to_string(),
            unapproved_path_mode: UnapprovedPathMode::Deny,
            ..AssetPlugin::default()
        },
        TransformPlugin,
        bevy::image::ImagePlugin::default(),
        bevy::mesh::MeshPlugin,
        AnimationPlugin,
        WorldSerializationPlugin,
        bevy::gltf::GltfPlugin::default(),
    ));
    app.init_asset::<StandardMaterial>().register_type::<MeshMaterial3d<StandardMaterial>>();
    app.add_plugins(MeshlensPlugin);
    app.finish();
    app.cleanup();
    app
}

/// Updates the app until a condition holds, which depends on other threads.
pub(crate) fn update_until(app: &mut App, what: &str, mut holds: impl FnMut(&mut App) -> bool) {
    for _ in 0..60_000 {
        app.update();
        if holds(app) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("in 60,000 updates: {what}");
}

/// Loads a scene. Returns the error if it fails.
pub(crate) fn load(app: &mut App, path: &str) -> Result<Handle<MeshlensScene>, String> {
    let handle = app.world().resource::<AssetServer>().load(path.to_owned());
    wait(app, &handle).map(|()| handle)
}

/// Waits for an asset. Returns the error if loading fails.
pub(crate) fn wait<A: Asset>(app: &mut App, handle: &Handle<A>) -> Result<(), String> {
    let mut error = None;
    update_until(app, "an asset is loaded", |app| {
        let server = app.world().resource::<AssetServer>();
        if let Some(LoadState::Failed(failed)) = server.get_load_state(handle) {
            error = Some(failed.to_string());
            return true;
        }
        matches!(
            server.get_recursive_dependency_load_state(handle),
            Some(RecursiveDependencyLoadState::Loaded)
        )
    });
    error.map_or(Ok(()), Err)
}

/// Spawns a loaded scene, and returns its root entity.
pub(crate) fn spawn(app: &mut App, handle: &Handle<MeshlensScene>) -> Entity {
    let scene =
        app.world().resource::<Assets<MeshlensScene>>().get(handle).expect("a loaded scene").scene.clone();
    let entity = app.world_mut().spawn(WorldAssetRoot(scene)).id();
    update_until(app, "a scene is spawned", |app| {
        app.world().get::<Children>(entity).is_some_and(|children| !children.is_empty())
    });
    app.world().get::<Children>(entity).expect("children")[0]
}
