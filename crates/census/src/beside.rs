//! The files beside an input outside an archive: the frames of an Unreal mesh, and the files that a glTF file refers to.
//!
//! A row depends on no other file, because a list may have millions of them in one folder. They are read when the input needs
//! them, by their names: no folder is listed.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::{FileName, other_names};
use meshlens_assets::{AssetPath, Entry, FilePart, FileSystem};

/// Reads the files beside an [`Input`](crate::Input). Paths are relative to its folder.
pub trait ReadBeside: Send + Sync {
    /// Reads a range of a file, like [`FileSystem::read_range`].
    ///
    /// # Errors
    ///
    /// [`NotFound`](ErrorKind::NotFound) or [`IsADirectory`](ErrorKind::IsADirectory) if there is no such file,
    /// [`OutOfMemory`](ErrorKind::OutOfMemory) if no other file shall be read, and any other error of reading, which may contain
    /// [`Unread`].
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart>;

    /// The path of a file that differs from `path`, which was not found, only in case. The names of frames are tried in several
    /// cases anyway: they are not passed in.
    fn spelled(&self, path: &AssetPath) -> Option<AssetPath> {
        let _ = path;
        None
    }
}

/// The reason why a file beside an input cannot be read, as the content of an [`io::Error`]. The code of other errors is `IO`.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unread {
    /// The code of the row of the input.
    pub code: &'static str,
    /// The reason.
    pub message: String,
}

/// The files beside an input, as a file system. It lists only the frames of the input, if they exist.
pub(crate) struct Beside {
    files: Arc<dyn ReadBeside>,
    /// The names that the frames may have.
    frames: Vec<String>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The frames, which are read to find out whether they exist.
    frames: HashMap<AssetPath, Bytes>,
    /// The reason why the first file that may exist cannot be read.
    fault: Option<Unread>,
}

impl Beside {
    pub(crate) fn new(files: Arc<dyn ReadBeside>, name: &str) -> Beside {
        Beside { files, frames: frames_of(name), state: Mutex::default() }
    }

    /// The reason why the first file that could not be read, and may exist, could not be read.
    pub(crate) fn fault(&self) -> Option<Unread> {
        self.state().fault.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileSystem for Beside {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        if let Some(bytes) = self.state().frames.get(path) {
            return Ok(FilePart::of(bytes, range));
        }
        let is_frames = || self.frames.iter().any(|name| name == path.as_str());
        let read = match self.files.read_range(path, range.clone()) {
            Err(error) if error.kind() == ErrorKind::NotFound && !is_frames() => {
                match self.files.spelled(path) {
                    Some(path) => self.files.read_range(&path, range),
                    None => Err(error),
                }
            }
            read => read,
        };
        read.inspect_err(|error| {
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) {
                return;
            }
            let known = error.get_ref().and_then(|error| error.downcast_ref::<Unread>());
            let (code, text) =
                known.map_or_else(|| ("IO", error.to_string()), |known| (known.code, known.message.clone()));
            self.state().fault.get_or_insert(Unread { code, message: format!("{path}: {text}") });
        })
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        if !folder.is_root() {
            return Err(ErrorKind::NotFound.into());
        }
        for name in &self.frames {
            let path = AssetPath::new(name).map_err(io::Error::other)?;
            match self.read_range(&path, 0..u64::MAX) {
                Ok(part) => {
                    self.state().frames.insert(path, part.bytes);
                    return Ok(vec![Entry::file(name)]);
                }
                Err(error) if error.kind() == ErrorKind::OutOfMemory => break,
                Err(_) => {}
            }
        }
        Ok(Vec::new())
    }

    fn has_unlisted(&self) -> bool {
        true
    }
}

/// The names that the frames of an Unreal mesh may have, beside a geometry file with this name. Empty for other files.
pub fn frames_of(name: &str) -> Vec<String> {
    match FileName::parse(name).map(|parsed| parsed.kind) {
        Some(FileKind::Geometry) => other_names(name),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_the_name_of_the_geometry() {
        assert_eq!(frames_of("Gun_d.3d"), ["Gun_a.3d", "Gun_A.3d"]);
        assert_eq!(frames_of("GUN_D.3D")[0], "GUN_A.3D");
        assert_eq!(frames_of("DATA07.3d")[0], "ANIV07.3d");
        assert!(frames_of("Gun_a.3d").is_empty() && frames_of("a.md3").is_empty());
    }
}
