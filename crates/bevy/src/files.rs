//! The files of an asset source, as the file system in which companions are looked up.
//!
//! Looking up companions is synchronous, but reading an asset source is not. Therefore, the model is opened several
//! times: files and folders that are not known yet count as missing, are recorded, and are read before the next
//! attempt. Opening only reads headers, and after a few attempts, no new files are requested.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::asset::io::ErasedAssetReader;
use bevy::asset::{AssetPath as BevyPath, LoadContext};
use bevy::tasks::futures_lite::StreamExt;
use bytes::Bytes;
use meshlens::wire::Budget;
use meshlens_assets::{AssetPath, Assets, Entry, EntryKind, FilePart, FileSystem};

use crate::{LoadError, MeshlensSettings};

/// The largest number of times that a model is opened. An Unreal model needs five.
const MAX_ROUNDS: usize = 64;

/// The files of an asset source that have been read so far.
#[derive(Clone, Default)]
pub(crate) struct SourceFiles(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    /// `None` if a file cannot be read.
    files: BTreeMap<String, Option<Bytes>>,
    folders: BTreeMap<String, Vec<Entry>>,
    wanted_files: BTreeSet<String>,
    wanted_folders: BTreeSet<String>,
}

impl SourceFiles {
    /// Adds a file whose bytes are known.
    pub(crate) fn add(&self, path: &AssetPath, bytes: Bytes) {
        self.lock().files.insert(path.as_str().into(), Some(bytes));
    }

    /// Calls `open` until it requests no further files.
    ///
    /// # Errors
    ///
    /// A companion cannot be read although its folder lists it, or new files are requested without end.
    pub(crate) async fn settle<T>(
        &self,
        reader: &dyn ErasedAssetReader,
        context: &mut LoadContext<'_>,
        settings: &MeshlensSettings,
        mut open: impl FnMut(&Assets) -> T,
    ) -> Result<T, LoadError> {
        for _ in 0..MAX_ROUNDS {
            // A new search path is needed, because folders are cached.
            let mut assets = Assets::new();
            assets.set_budget(Budget::new(settings.memory_limit));
            assets.mount("", self.clone());
            let opened = open(&assets);
            let (files, folders) = {
                let mut known = self.lock();
                (std::mem::take(&mut known.wanted_files), std::mem::take(&mut known.wanted_folders))
            };
            if files.is_empty() && folders.is_empty() {
                return Ok(opened);
            }
            for folder in folders {
                let entries = list(reader, &folder, &settings.companions).await;
                self.lock().folders.insert(folder, entries);
            }
            for file in files {
                let path = BevyPath::from(Path::new(&file).to_owned())
                    .with_source(context.path().source().clone_owned());
                let read = context.read_asset_bytes(path).await;
                let bytes = read.map(Bytes::from).map_err(|error| bevy::log::warn!("{file}: {error}")).ok();
                self.lock().files.insert(file, bytes);
            }
        }
        Err(LoadError::Endless { path: context.path().to_string() })
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, path: &AssetPath) -> io::Result<Bytes> {
        let mut known = self.lock();
        match known.files.get(path.as_str()) {
            Some(bytes) => bytes.clone().ok_or_else(|| ErrorKind::NotFound.into()),
            None => {
                known.wanted_files.insert(path.as_str().into());
                Err(ErrorKind::NotFound.into())
            }
        }
    }
}

impl FileSystem for SourceFiles {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        Ok(FilePart::of(&self.file(path)?, range))
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let mut known = self.lock();
        let Some(listed) = known.folders.get(folder.as_str()) else {
            known.wanted_folders.insert(folder.as_str().into());
            return Err(ErrorKind::NotFound.into());
        };
        // A given file exists, even if the source cannot list it.
        let own = known.files.iter().filter(|(_, bytes)| bytes.is_some());
        let own = own.filter_map(|(path, _)| entry_below(folder.as_str(), path));
        let all: BTreeSet<Entry> = listed.iter().cloned().chain(own).collect();
        if all.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(all.into_iter().collect()) }
    }
}

/// The entry of a folder that contains a path: the file, or the folder that leads to it.
fn entry_below(folder: &str, path: &str) -> Option<Entry> {
    let rest = if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
    Some(match rest.split_once('/') {
        Some((name, _)) => Entry::folder(name),
        None => Entry::file(rest),
    })
}

/// The entries of a folder of an asset source, and the entries that lead to `companions`. If the folder cannot be
/// listed, there are only the latter.
async fn list(reader: &dyn ErasedAssetReader, folder: &str, companions: &[String]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = companions.iter().filter_map(|path| entry_below(folder, path)).collect();
    // Web servers cannot list folders, and trying it logs an error.
    let can_list = !cfg!(target_arch = "wasm32") || companions.is_empty();
    if !can_list {
        return entries;
    }
    let Ok(mut listed) = reader.read_directory(Path::new(folder)).await else { return entries };
    while let Some(path) = listed.next().await {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let is_folder = reader.is_directory(&path).await.unwrap_or(false);
        let kind = if is_folder { EntryKind::Folder } else { EntryKind::File };
        entries.push(Entry { name: name.into(), kind });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_contain_the_paths_below_them() {
        assert_eq!(entry_below("", "models/flag.md3"), Some(Entry::folder("models")));
        assert_eq!(entry_below("models", "models/flag.md3"), Some(Entry::file("flag.md3")));
        assert_eq!(entry_below("model", "models/flag.md3"), None);
    }

    #[test]
    fn an_unknown_file_is_requested_once_and_then_found() {
        let files = SourceFiles::default();
        let path = AssetPath::new("models/flag.md3").unwrap();
        assert!(files.read(&path, 10).is_err());
        assert_eq!(files.lock().wanted_files.iter().collect::<Vec<_>>(), ["models/flag.md3"]);
        files.add(&path, Bytes::from_static(b"IDP3"));
        assert_eq!(files.read(&path, 10).unwrap(), "IDP3");
        assert_eq!(files.read(&path, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(files.read_range(&path, 1..3).unwrap().bytes, "DP");
    }
}
