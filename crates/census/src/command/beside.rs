//! The files beside an input, as a file system that its search path mounts: the frames of an Unreal mesh, and the buffers of
//! a glTF file. They are read when the input needs them, and charged to its share of the memory.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use meshlens_assets::{AssetPath, Bytes, Entry, FilePart, FileSystem};
use meshlens_census::{Status, frames_of};
use meshlens_source::Folder;

use crate::fetch::{Fault, REFUSED, too_large};
use crate::memory::{Share, Short};
use crate::place::is_gltf_text;
use crate::server::{Server, Servers, failed};

/// The number of bytes that are read before the length of a file is known.
const FIRST: u64 = 1 << 20;

/// The files beside an input.
pub(crate) struct Beside {
    /// An error if the folder of a file cannot be opened.
    files: io::Result<Box<dyn FileSystem>>,
    /// The folder of the input in `files`.
    folder: AssetPath,
    /// Whether `files` lists its folders.
    lists: bool,
    /// The names that the frames may have.
    frames: Vec<String>,
    /// The server of the objects, and the URL of the input.
    server: Option<(Arc<Server>, String)>,
    share: Share,
    state: Mutex<State>,
}

struct State {
    /// The number of bytes in use, with those of the input.
    used: u64,
    /// The frames, which are read to find out whether they exist.
    read: HashMap<AssetPath, Bytes>,
    short: Option<u64>,
    /// The reason why the first file that may exist cannot be read.
    fault: Option<Fault>,
}

impl Beside {
    /// The files in the folder of a file; `None` if it needs none of them.
    pub(crate) fn of_file(path: &Path, uri: &str, size: usize, share: &Share) -> Option<Arc<Beside>> {
        let frames = frames_of(name(uri));
        if frames.is_empty() && !is_gltf_text(uri) {
            return None;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let files = Folder::open(folder.unwrap_or(Path::new("."))).map_err(io::Error::from);
        let lists = frames.is_empty();
        Some(Arc::new(Beside {
            files: files.map(|files| Box::new(files) as _),
            folder: AssetPath::root(),
            lists,
            frames,
            server: None,
            share: share.clone(),
            state: Mutex::new(State::new(size)),
        }))
    }

    /// The objects in the folder of an object; `None` if it needs none of them.
    pub(crate) fn of_object(servers: &Servers, url: &str, size: usize, share: &Share) -> Option<Arc<Beside>> {
        let frames = frames_of(name(url));
        if frames.is_empty() && !is_gltf_text(url) {
            return None;
        }
        let (objects, name, server) = servers.open(url).ok()?;
        let folder = AssetPath::new(&name).ok()?.folder();
        Some(Arc::new(Beside {
            files: Ok(Box::new(objects)),
            folder,
            lists: false,
            frames,
            server: Some((server, url.to_owned())),
            share: share.clone(),
            state: Mutex::new(State::new(size)),
        }))
    }

    /// The memory that the input needs with the files beside it, if the share could not grow.
    pub(crate) fn short(&self) -> Option<Short> {
        self.state().short.map(Short)
    }

    /// The reason why the first file that could not be read, and may exist, could not be read.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.state().fault.clone()
    }

    fn files(&self) -> io::Result<&dyn FileSystem> {
        match &self.files {
            Ok(files) => Ok(&**files),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// The fault of the row of the input if a file beside it cannot be read. Records errors of the server.
    fn failed(&self, error: &io::Error) -> Fault {
        if let Some((server, url)) = &self.server {
            if let Some(error) = error.get_ref().and_then(|error| error.downcast_ref()) {
                return failed(server, url, error);
            }
            if let Err(text) = server.check() {
                return (Status::Unread, REFUSED, text);
            }
        }
        let code = match error.kind() {
            // A folder with the name of the frames.
            ErrorKind::NotFound | ErrorKind::IsADirectory => "NOT_FOUND",
            ErrorKind::FileTooLarge => "LIMIT",
            _ => "IO",
        };
        (Status::Unread, code, error.to_string())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Charges bytes that will be read.
    fn charge(&self, bytes: u64) -> io::Result<()> {
        let mut state = self.state();
        if too_large(state.used, bytes).is_some() {
            return Err(ErrorKind::FileTooLarge.into());
        }
        match self.share.grow(state.used + bytes) {
            Ok(()) => state.used += bytes,
            Err(Short(bytes)) => {
                state.short = Some(bytes);
                return Err(ErrorKind::OutOfMemory.into());
            }
        }
        Ok(())
    }

    /// Reads a range, and charges the bytes that it has.
    fn read_charged(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let wanted = range.end.saturating_sub(range.start);
        self.charge(wanted)?;
        let part = self.files().and_then(|files| files.read_range(path, range));
        let received = part.as_ref().map_or(0, |part| part.bytes.len() as u64);
        self.state().used -= wanted.saturating_sub(received);
        part
    }

    fn receive(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        if let Some((server, _)) = &self.server {
            server.check().map_err(io::Error::other)?;
        }
        let path = &self.folder.join(path.as_str()).map_err(io::Error::other)?;
        let first = range.start..range.end.min(range.start.saturating_add(FIRST));
        let start = self.read_charged(path, first.clone())?;
        let end = range.end.min(start.file_len);
        if first.end >= end {
            return Ok(start);
        }
        let rest = self.read_charged(path, first.end..end)?;
        if (rest.file_len, rest.version) != (start.file_len, start.version) {
            return Err(io::Error::other("the file changed while it was read"));
        }
        let mut all = Vec::new();
        all.try_reserve_exact((end - range.start) as usize).map_err(|_| ErrorKind::OutOfMemory)?;
        all.extend_from_slice(&start.bytes);
        all.extend_from_slice(&rest.bytes);
        Ok(FilePart { bytes: all.into(), ..start })
    }
}

impl FileSystem for Beside {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        if let Some(bytes) = self.state().read.get(path) {
            return Ok(FilePart::of(bytes, range));
        }
        self.receive(path, range).inspect_err(|error| {
            let (status, code, text) = self.failed(error);
            if code != "NOT_FOUND" {
                self.state().fault.get_or_insert((status, code, format!("{path}: {text}")));
            }
        })
    }

    /// The frames, if they exist, and all files of a folder.
    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        if self.lists {
            return self.files()?.list(folder);
        }
        if !folder.is_root() {
            return Err(ErrorKind::NotFound.into());
        }
        for name in &self.frames {
            let path = AssetPath::new(name).map_err(io::Error::other)?;
            if let Ok(part) = self.read_range(&path, 0..u64::MAX) {
                self.state().read.insert(path, part.bytes);
                return Ok(vec![Entry::file(name)]);
            }
            if self.short().is_some() {
                break;
            }
        }
        Ok(Vec::new())
    }

    fn has_unlisted(&self) -> bool {
        !self.lists
    }
}

impl State {
    fn new(size: usize) -> State {
        State { used: size as u64, read: HashMap::new(), short: None, fault: None }
    }
}

/// The last component of a path or a URL.
fn name(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    #[test]
    fn a_file_that_does_not_exist_is_not_charged() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x_a.3d"), b"1234").unwrap();
        let share = runtime.block_on(Memory::new().wait(10));
        let files = Beside::of_file(&folder.path().join("x_d.3d"), "x_d.3d", 10, &share).unwrap();
        assert!(files.read_range(&AssetPath::new("y_a.3d").unwrap(), 0..u64::MAX).is_err());
        assert_eq!(files.state().used, 10);
        assert_eq!(
            &files.read_range(&AssetPath::new("x_a.3d").unwrap(), 0..u64::MAX).unwrap().bytes[..],
            b"1234"
        );
        assert_eq!(files.state().used, 14);
    }
}
