//! The viewer without a window: what it opens, what it plays, and what it says about files that are broken.

mod attached;
mod camera;
mod files;
mod findings;
mod gltf;
mod pictures;
mod playback;

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
