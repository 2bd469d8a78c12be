//! Reads the files beside an input: in a folder or on a server, within the input's share of the memory.

use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use meshlens_assets::{AssetPath, Assets, Error, FilePart, FileSystem};
use meshlens_census::{ReadBeside, Unread};
use meshlens_source::Folder;
use meshlens_stream::backend::ObjectStoreBackend;

use crate::fetch::{REFUSED, too_large};
use crate::memory::{Share, Short};
use crate::server::{Server, Servers, failed};

/// The number of bytes that are read before the length of a file is known.
const FIRST: u64 = 1 << 20;

/// The files beside an input.
pub(crate) struct Beside {
    files: Files,
    share: Share,
    state: Mutex<State>,
}

enum Files {
    /// The folder of a file, which is opened when it is needed.
    Folder { path: PathBuf, opened: OnceLock<io::Result<Arc<Folder>>>, found: OnceLock<Assets> },
    /// The objects of a server, and the URL of the input.
    Objects { objects: Arc<ObjectStoreBackend>, folder: AssetPath, server: Arc<Server>, url: String },
}

struct State {
    /// The number of bytes in use, with those of the input.
    used: u64,
    short: Option<u64>,
}

impl Beside {
    /// The files in the folder of a file.
    pub(crate) fn of_file(path: &Path, size: usize, share: &Share) -> Arc<Beside> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let path = folder.unwrap_or(Path::new(".")).to_owned();
        Beside::new(Files::Folder { path, opened: OnceLock::new(), found: OnceLock::new() }, size, share)
    }

    /// The objects in the folder of an object; `None` if its URL cannot be requested.
    pub(crate) fn of_object(servers: &Servers, url: &str, size: usize, share: &Share) -> Option<Arc<Beside>> {
        let (objects, name, server) = servers.open(url).ok()?;
        let folder = AssetPath::new(&name).ok()?.folder();
        Some(Beside::new(Files::Objects { objects, folder, server, url: url.to_owned() }, size, share))
    }

    fn new(files: Files, size: usize, share: &Share) -> Arc<Beside> {
        let state = Mutex::new(State { used: size as u64, short: None });
        Arc::new(Beside { files, share: share.clone(), state })
    }

    /// The memory that the input needs with the files beside it, if the share could not grow.
    pub(crate) fn short(&self) -> Option<Short> {
        self.state().short.map(Short)
    }

    fn state(&self) -> MutexGuard<'_, State> {
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
        let part = self.files.read_range(path, range);
        let received = part.as_ref().map_or(0, |part| part.bytes.len() as u64);
        self.state().used -= wanted.saturating_sub(received);
        part
    }
}

impl ReadBeside for Beside {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let read = || {
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
        };
        read().map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => {
                io::Error::new(error.kind(), Unread { code: "LIMIT", message: error.to_string() })
            }
            _ => error,
        })
    }

    fn spelled(&self, path: &AssetPath) -> Option<AssetPath> {
        let Files::Folder { opened, found, .. } = &self.files else { return None };
        let folder = opened.get()?.as_ref().ok()?;
        // The folder is listed once.
        let assets = found.get_or_init(|| {
            let mut assets = Assets::new();
            assets.mount("", folder.clone());
            assets
        });
        match assets.find(path) {
            Ok(found) => found.map(|file| file.path().clone()),
            Err(Error::Ambiguous { candidates, .. }) => candidates.first().map(|file| file.path().clone()),
            Err(_) => None,
        }
    }
}

impl Files {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        match self {
            Files::Folder { path: folder, opened, .. } => {
                let opened =
                    opened.get_or_init(|| Ok(Arc::new(Folder::open(folder).map_err(io::Error::from)?)));
                let folder = match opened {
                    Ok(folder) => folder,
                    Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
                };
                FileSystem::read_range(&**folder, path, range)
            }
            Files::Objects { objects, folder, server, url } => {
                let unread = |kind, code, message| io::Error::new(kind, Unread { code, message });
                server.check().map_err(|text| unread(ErrorKind::Other, REFUSED, text))?;
                let path = folder.join(path.as_str()).map_err(io::Error::other)?;
                FileSystem::read_range(&**objects, &path, range).map_err(|error| {
                    match error.get_ref().and_then(|error| error.downcast_ref()) {
                        Some(cause) => {
                            let (_, code, text) = failed(server, url, cause);
                            let is_missing = code == "NOT_FOUND";
                            let kind = if is_missing { ErrorKind::NotFound } else { ErrorKind::Other };
                            unread(kind, code, text)
                        }
                        None => error,
                    }
                })
            }
        }
    }
}
