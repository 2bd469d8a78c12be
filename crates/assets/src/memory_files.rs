//! Files in memory as a file system.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

use bytes::Bytes;

use crate::{AssetPath, Entry, FilePart, FileSystem};

/// Files in memory, such as those that a browser gives. Clones share their bytes.
///
/// ```
/// use meshlens_assets::{Assets, MemoryFiles};
///
/// let mut files = MemoryFiles::default();
/// files.insert("models/flag.md3", meshlens::md3::write::Model::new("flag")?.write()?);
/// let mut assets = Assets::new();
/// assets.mount("memory", files);
/// assert_eq!(assets.open("models/flag.md3")?.model().meshes.len(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(BTreeMap<String, Bytes>);

impl MemoryFiles {
    /// Adds a file, or replaces the file with this path. A path is spelled like an [`AssetPath`]; others can only be listed.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Bytes>) {
        self.0.insert(path.into(), bytes.into());
    }

    /// The paths and the bytes of all files, in the order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.0.iter().map(|(path, bytes)| (&**path, bytes))
    }
}

impl FileSystem for MemoryFiles {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        match self.0.get(path.as_str()) {
            Some(bytes) => Ok(FilePart::of(bytes, range)),
            None if self.list(path).is_ok() => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn is_in_memory(&self, _: &AssetPath) -> bool {
        true
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let below = self.0.keys().filter_map(|path| path.strip_prefix(&start));
        let entries: BTreeSet<Entry> = below
            .map(|path| match path.split_once('/') {
                Some((folder, _)) => Entry::folder(folder),
                None => Entry::file(path),
            })
            .collect();
        let is_there = folder.is_root() || !entries.is_empty();
        is_there.then(|| entries.into_iter().collect()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
