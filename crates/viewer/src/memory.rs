//! Files in memory, such as those that are dropped into a browser, as a file system.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Result};
use std::ops::Range;

use bytes::Bytes;
use meshlens_assets::{AssetPath, Entry, FilePart, FileSystem};

/// The folder for files that are given without one, because the parts of a player are found by their folder.
pub(crate) const LOOSE: &str = "files";

/// Files in memory by path.
#[derive(Clone, Debug, Default)]
pub struct Memory(BTreeMap<String, Bytes>);

impl Memory {
    /// Adds a file, or replaces the file with the same path. Returns its path, or `None` if the name is not valid.
    pub fn insert(&mut self, name: &str, bytes: impl Into<Bytes>) -> Option<AssetPath> {
        let name = name.trim_start_matches(['/', '\\']);
        let name = if name.contains(['/', '\\']) { name.to_owned() } else { format!("{LOOSE}/{name}") };
        let path = AssetPath::new(&name).ok().filter(|path| !path.is_root())?;
        self.0.insert(path.to_string(), bytes.into());
        Some(path)
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    fn get(&self, path: &AssetPath) -> Result<&Bytes> {
        self.0.get(path.as_str()).ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl FileSystem for Memory {
    fn read(&self, path: &AssetPath, limit: u64) -> Result<Bytes> {
        let bytes = self.get(path)?;
        if bytes.len() as u64 > limit { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes.clone()) }
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> Result<FilePart> {
        Ok(FilePart::of(self.get(path)?, range))
    }

    fn list(&self, folder: &AssetPath) -> Result<Vec<Entry>> {
        let prefix = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let below = self.0.keys().filter_map(|path| path.strip_prefix(&prefix));
        let mut entries: Vec<Entry> = below
            .map(|path| match path.split_once('/') {
                Some((folder, _)) => Entry::folder(folder),
                None => Entry::file(path),
            })
            .collect();
        entries.sort_unstable();
        entries.dedup();
        if entries.is_empty() && !folder.is_root() { Err(ErrorKind::NotFound.into()) } else { Ok(entries) }
    }
}
