//! The files that tests read: the corpus of the workspace, and real files if `MESHLENS_REAL` names their folder.
#![allow(dead_code, reason = "not every test program uses everything")]

use std::path::{Path, PathBuf};

/// Every file of the corpus.
pub(crate) fn corpus() -> Vec<PathBuf> {
    below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"))
}

/// Every real file; none if `MESHLENS_REAL` is not set.
pub(crate) fn real() -> Vec<PathBuf> {
    let folder = std::env::var_os("MESHLENS_REAL").map(PathBuf::from);
    // The folder is relative to the workspace, like the variable.
    let folder = folder.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder));
    folder.map_or_else(Vec::new, |folder| below(&folder))
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The bytes of the files of a model: one, or the geometry and the frames of an Unreal mesh. `None` for a single frames
/// file.
pub(crate) fn model_files(path: &Path) -> Option<Vec<Vec<u8>>> {
    let name = path.file_name()?.to_str()?;
    let lower = name.to_ascii_lowercase();
    if !lower.ends_with(".3d") {
        return Some(vec![std::fs::read(path).ok()?]);
    }
    let stem = lower.strip_suffix("_d.3d")?;
    // The frames file with the same name.
    let frames =
        std::fs::read_dir(path.parent()?).ok()?.flatten().map(|entry| entry.path()).find(|other| {
            other.file_name().and_then(|name| name.to_str()).map(str::to_ascii_lowercase)
                == Some(format!("{stem}_a.3d"))
        })?;
    Some(vec![std::fs::read(path).ok()?, std::fs::read(frames).ok()?])
}

/// The document of files that [`model_files`] read; `None` if they are not a model.
pub(crate) fn document(files: &[Vec<u8>]) -> Option<meshlens::Document<'_>> {
    match files {
        [geometry, frames] => Some(meshlens::unreal::Unreal::parse(geometry, frames).ok()?.into()),
        [file] => meshlens::Document::parse(file).ok(),
        _ => None,
    }
}
