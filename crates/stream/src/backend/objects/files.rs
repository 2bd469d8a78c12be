//! The objects of a store as files of a search path.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;

use bytes::Bytes;
use meshlens_assets::{AssetPath, Entry, EntryKind, FilePart, FileSystem};

use super::super::{Answer, Backend, Read, Version};
use super::ObjectStoreBackend;
use super::fetch::Seen;
use crate::sync::channel;
use crate::{Error, FileName, Result};

/// The bytes of a file that are read with its length.
const FIRST: u64 = 1 << 20;

/// The objects of a store can be [mounted](meshlens_assets::Assets::mount). Calls block until the server has answered. Errors
/// contain an [`Error`](crate::Error).
///
/// A store that [`open_url`](crate::backend::open_url) makes for a web server is never asked for a list: its root folder is empty,
/// and models are opened by their names, with the files that they name.
///
/// ```
/// # let folder = meshlens_testkit::doors::folder();
/// # let server = meshlens_testkit::server::Server::new(move |asked| match std::fs::read(folder.join(&asked.path[1..])) {
/// #     Ok(file) => meshlens_testkit::server::Reply::sound(asked, &file).with("ETag", "\"1\""),
/// #     Err(_) => meshlens_testkit::server::Reply::status("404 Not Found"),
/// # });
/// # let url = &server.url;
/// use meshlens_assets::Assets;
/// use meshlens_gltf::Gltf;
/// use meshlens_stream::backend::{RemoteOptions, open_url};
///
/// let mut assets = Assets::new();
/// assets.add_importer(Gltf);
/// let (server, name) = open_url(&format!("{url}/walk.gltf"), &RemoteOptions::default())?;
/// assets.mount(url, server);
/// // The model and its buffer, which is beside it.
/// let walk = assets.open(&name)?;
/// assert_eq!(walk.files().len(), 2);
/// assert!(assets.open("no.md3").is_err_and(|error| error.is_not_found()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl FileSystem for ObjectStoreBackend {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        let start = self.part(path, 0..limit.min(FIRST), None)?;
        if start.file_len > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let first = start.bytes.len() as u64;
        if first >= start.file_len {
            return Ok(start.bytes);
        }
        let rest = self.part(path, first..start.file_len, start.version)?;
        let mut all = Vec::new();
        let len = usize::try_from(start.file_len).unwrap_or(usize::MAX);
        all.try_reserve_exact(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        all.extend_from_slice(&start.bytes);
        all.extend_from_slice(&rest.bytes);
        Ok(all.into())
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let part = self.part(path, range.clone(), None)?;
        let seen = part.version.and_then(|version| version.downcast::<Seen>().ok());
        let version = seen.map(|seen| {
            let mut hasher = DefaultHasher::new();
            match &seen.meta.e_tag {
                Some(tag) => tag.hash(&mut hasher),
                None => seen.meta.last_modified.hash(&mut hasher),
            }
            hasher.finish()
        });
        let bytes = if range.is_empty() { Bytes::new() } else { part.bytes };
        Ok(FilePart { bytes, file_len: part.file_len, version: version.unwrap_or_default() })
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.list_each(folder, &mut |name, kind| {
            entries.push(Entry { name: name.into(), kind });
            Ok(())
        })?;
        Ok(entries)
    }

    /// Each page is passed on before the next one is requested.
    fn list_each(
        &self,
        folder: &AssetPath,
        each: &mut dyn FnMut(&str, EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.lists {
            return if folder.is_root() { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) };
        }
        let mut is_empty = true;
        let listed = self.each_page(folder.as_str(), |page| {
            let folders = page.common_prefixes.iter().map(|path| (path, EntryKind::Folder));
            let files = page.objects.iter().map(|object| (&object.location, EntryKind::File));
            for (path, kind) in folders.chain(files) {
                is_empty = false;
                each(path.filename().unwrap_or_default(), kind).map_err(Stop::Caller)?;
            }
            Ok(())
        });
        match listed {
            Ok(()) if is_empty && !folder.is_root() => Err(io::ErrorKind::NotFound.into()),
            Ok(()) => Ok(()),
            Err(Stop::Server(error)) => Err(io_error(error)),
            Err(Stop::Caller(error)) => Err(error),
        }
    }

    fn has_unlisted(&self) -> bool {
        !self.lists
    }
}

/// The reason why a list ends early.
enum Stop {
    Server(Error),
    Caller(io::Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Server(error)
    }
}

impl ObjectStoreBackend {
    /// Reads a range of an object, at least one byte, because servers do not support empty ranges.
    fn part(&self, path: &AssetPath, range: Range<u64>, version: Option<Version>) -> io::Result<Answer> {
        let (sender, mut receiver) = channel();
        let file = FileName::from(path.as_str());
        let end = range.end.max(range.start.saturating_add(1));
        let read = Read::new(file.clone(), range.start..end, move |answer| sender.send(answer));
        self.begin(read.with_version(version));
        let answer: Option<Result<Answer>> = receiver.recv();
        answer.unwrap_or(Err(Error::NoAnswer { file })).map_err(io_error)
    }
}

fn io_error(error: Error) -> io::Error {
    let kind = if error.is_not_found() { io::ErrorKind::NotFound } else { io::ErrorKind::Other };
    io::Error::new(kind, error)
}
