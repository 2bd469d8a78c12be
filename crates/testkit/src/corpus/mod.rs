//! The files of `corpus/`: small files of every kind, which our writers write, and which are identical on every
//! machine.

mod gallery;
mod md3;
mod u3d;
mod unigine;
mod unreal;

use std::fs;
use std::io;
use std::path::Path;

pub use meshlens_fixtures::corpus::{unreal_pairs, with_extension};
pub use unreal::model as unreal_model;

use crate::real::files_below;

/// Returns every file: its path below `corpus/` and its content.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files =
        [gallery::files(), md3::files(), u3d::files(), unreal::files(), unigine::files()].concat();
    files.sort();
    files
}

/// Writes every file below `root`, and removes all other files there. Returns the number of files.
pub fn write(root: &Path) -> io::Result<usize> {
    let files = files();
    for (path, bytes) in &files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        fs::write(path, bytes)?;
    }
    for path in files_below(root) {
        let known =
            path.strip_prefix(root).is_ok_and(|path| files.iter().any(|(name, _)| Path::new(name) == path));
        if !known {
            fs::remove_file(path)?;
        }
    }
    Ok(files.len())
}
