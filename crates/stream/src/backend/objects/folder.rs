//! A folder of a store whose other folders are not listed.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use meshlens_assets::{AssetPath, Entry, EntryKind, FilePart, FileSystem};

use super::ObjectStoreBackend;

/// The objects of a store as files that can be [mounted](meshlens_assets::Assets::mount), of which only those in one folder and
/// below it are listed: the folders above it often may not be. Objects whose names are given are found without a list.
pub struct ObjectFolder {
    objects: Arc<ObjectStoreBackend>,
    folder: AssetPath,
    known: RwLock<HashSet<AssetPath>>,
}

impl ObjectFolder {
    /// The objects of a store, with lists of this folder and of those below it.
    pub fn new(objects: Arc<ObjectStoreBackend>, folder: AssetPath) -> Self {
        ObjectFolder { objects, folder, known: RwLock::default() }
    }

    /// Adds an object that is found without a list. It is not checked whether it exists.
    pub fn add(&self, path: AssetPath) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(path);
    }

    /// The content of a folder that is not listed; `None` for a folder that is.
    fn unlisted(&self, folder: &AssetPath) -> Option<io::Result<Option<&str>>> {
        if folder == &self.folder || folder.below(&self.folder).is_some() {
            return None;
        }
        // The next folder on the way to the one that is listed.
        let next = self.folder.below(folder).and_then(|below| below.split('/').next());
        Some(if next.is_some() || folder.is_root() { Ok(next) } else { Err(io::ErrorKind::NotFound.into()) })
    }
}

impl FileSystem for ObjectFolder {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        FileSystem::read(&*self.objects, path, limit)
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        self.objects.read_range(path, range)
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        match self.unlisted(folder) {
            Some(next) => Ok(next?.map(Entry::folder).into_iter().collect()),
            None => self.objects.list(folder),
        }
    }

    fn list_each(
        &self,
        folder: &AssetPath,
        each: &mut dyn FnMut(&str, EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.unlisted(folder) {
            Some(next) => next?.map_or(Ok(()), |next| each(next, EntryKind::Folder)),
            None => self.objects.list_each(folder, each),
        }
    }

    fn knows(&self, path: &AssetPath) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).contains(path)
    }
}

debug_fields!(self, ObjectFolder { objects: self.objects, folder: self.folder });
