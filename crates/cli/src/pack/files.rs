//! The files to pack: a search path of what the user names, and everything in it.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use meshlens_assets::{AssetPath, Assets, Entry, FilePart, FileSystem, FoundFile};
use meshlens_source::{RandomAccessFile, ReadAt, Source};

use crate::errors;
use crate::item::has_models;

/// The search path of paths: later ones come first.
pub(super) fn search_path(paths: &[PathBuf]) -> Result<Assets, String> {
    let mut assets = Assets::new();
    let mut named = NamedFiles::default();
    for path in paths {
        let is_file = !path.is_dir() && !has_models(path);
        if is_file {
            // Missing files are noticed now, not when they are read.
            RandomAccessFile::open(path).map_err(|error| errors::file(&error))?;
            named.0.insert(name_of(path)?.as_str().into(), path.clone());
            continue;
        }
        named.mount(&mut assets);
        let mounted = if path.is_dir() { assets.mount_folder(path) } else { assets.mount_archive(path) };
        mounted.map_err(|error| errors::asset(&error))?;
    }
    named.mount(&mut assets);
    Ok(assets)
}

/// The name of a file in the archive.
fn name_of(path: &Path) -> Result<AssetPath, String> {
    let text = path.to_str().filter(|_| path.is_relative());
    let name = text.and_then(|text| AssetPath::new(text).ok());
    let last = || AssetPath::new(path.file_name()?.to_str()?).ok();
    name.or_else(last).ok_or_else(|| format!("{}: no name for an archive", path.display()))
}

/// The files of a search path in any order, without the archive itself.
pub(super) fn all_files(assets: &Assets, out: &Path) -> Result<Vec<FoundFile>, meshlens_assets::Error> {
    let (mut folders, mut files) = (vec![AssetPath::root()], Vec::new());
    let out = out.canonicalize().ok();
    let is_out = |file: &FoundFile| {
        let path = file.os_path().filter(|_| out.is_some());
        path.is_some_and(|path| path.canonicalize().ok() == out)
    };
    while let Some(folder) = folders.pop() {
        for name in assets.files(&folder) {
            // Names that paths cannot have are refused by every reader, too.
            if let Ok(path) = folder.join(&name)
                && let Some(file) = assets.find(&path)?
                && !is_out(&file)
            {
                files.push(file);
            }
        }
        folders.extend(assets.folders(&folder).iter().filter_map(|name| folder.join(name).ok()));
    }
    Ok(files)
}

/// Files by their names in the archive.
#[derive(Default)]
struct NamedFiles(BTreeMap<String, PathBuf>);

impl NamedFiles {
    fn mount(&mut self, assets: &mut Assets) {
        if !self.0.is_empty() {
            assets.mount("", std::mem::take(self));
        }
    }

    fn path(&self, name: &AssetPath) -> io::Result<&Path> {
        self.0.get(name.as_str()).map(PathBuf::as_path).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl FileSystem for NamedFiles {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<meshlens_assets::Bytes> {
        Ok(Source::read_limited(self.path(path)?, limit)?.into_vec().into())
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let file = RandomAccessFile::open(self.path(path)?)?;
        let bytes = file.read_at(range.start, range.end.saturating_sub(range.start))?.into_owned().into();
        Ok(FilePart { bytes, file_len: file.size(), version: 0 })
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let below = self.0.range(start.clone()..).map_while(|(name, _)| name.strip_prefix(&*start));
        let mut entries: Vec<Entry> = below
            .map(|below| match below.split_once('/') {
                Some((child, _)) => Entry::folder(child),
                None => Entry::file(below),
            })
            .collect();
        entries.dedup();
        if entries.is_empty() && !folder.is_root() {
            Err(io::ErrorKind::NotFound.into())
        } else {
            Ok(entries)
        }
    }
}
