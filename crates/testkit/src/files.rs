//! A file system in memory that records what is read.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use meshlens_assets::{AssetPath, Assets, Bytes, Entry, FilePart, FileSystem};

/// Files with their paths. Reading a path that was not listed is a panic, because such a path was made from an
/// unchecked name.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: BTreeMap<String, Bytes>,
    read: Arc<Mutex<Vec<String>>>,
}

impl Files {
    /// Makes a file system without files.
    pub fn new() -> Files {
        Files::default()
    }

    /// Adds a file with an arbitrary name.
    #[must_use]
    pub fn with(mut self, name: &str, bytes: impl Into<Bytes>) -> Files {
        self.files.insert(name.into(), bytes.into());
        self
    }

    /// Unpacks files from one buffer. Each file is stored as its name, a line feed, its length as 16 bits, and its
    /// bytes.
    pub fn unpack(mut bytes: &[u8]) -> Files {
        let mut files = Files::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (name, rest) = bytes.split_at(end);
            let Some((len, rest)) = rest.get(1..).and_then(|rest| rest.split_first_chunk::<2>()) else {
                break;
            };
            let (content, rest) = rest.split_at(rest.len().min(u16::from_le_bytes(*len).into()));
            files = files.with(&String::from_utf8_lossy(name), content.to_vec());
            bytes = rest;
        }
        files
    }

    /// Packs the files to a buffer for [`unpack`](Self::unpack). Files of 64 KiB and more are left out.
    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, content) in &self.files {
            let Ok(len) = u16::try_from(content.len()) else { continue };
            bytes.extend(name.bytes().chain([b'\n']).chain(len.to_le_bytes()));
            bytes.extend(content);
        }
        bytes
    }

    /// The names of all files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// A search path with only these files.
    pub fn mounted(&self) -> Assets {
        let mut assets = Assets::new();
        assets.mount("", self.clone());
        assets
    }

    /// Returns the paths that were read since the last call, in order.
    pub fn take_read(&self) -> Vec<String> {
        std::mem::take(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn file(&self, path: &AssetPath) -> io::Result<&Bytes> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push(path.as_str().into());
        match self.files.get(path.as_str()) {
            Some(bytes) => Ok(bytes),
            None if self.list(path).is_ok() => Err(io::ErrorKind::IsADirectory.into()),
            None => panic!("{path} was read, and no listing has it"),
        }
    }
}

impl FileSystem for Files {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        let bytes = self.file(path)?;
        if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.clone()) }
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        Ok(FilePart::of(self.file(path)?, range))
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let mut entries = BTreeSet::new();
        for name in self.files.keys().filter_map(|name| name.strip_prefix(&start)) {
            entries.insert(match name.split_once('/') {
                Some((child, _)) => Entry::folder(child),
                None => Entry::file(name),
            });
        }
        if entries.is_empty() && !folder.is_root() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(entries.into_iter().collect())
    }
}
