//! The viewer without a window: opening, playback, and messages about broken files.

mod attached;
mod camera;
mod files;
mod findings;
mod gltf;
mod pictures;
mod playback;
mod tone;

use std::path::PathBuf;

use meshlens_viewer::State;

/// The path of a file of the corpus.
fn corpus(name: &str) -> PathBuf {
    meshlens_testkit::real::workspace_root().join("corpus").join(name)
}

/// A viewer of files of the corpus.
fn view(names: &[&str]) -> State {
    State::of_paths(names.iter().map(|name| corpus(name)))
}

/// The origin of a node of the shown scene, in the world.
fn origin(state: &State, node: usize) -> glam::Vec3 {
    let scene = state.scene().unwrap();
    let matrix = state.view(&scene).matrix(node, &state.pose(&scene)).unwrap();
    glam::Mat4::from_cols_array_2d(&matrix).w_axis.truncate()
}
