//! A file system in memory that records what is read.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use meshlens_assets::{AssetPath, Assets, Bytes, Entry, FilePart, FileSystem, MemoryFiles};

/// Files with their paths. Reading a path that was not listed is a panic, because such a path was made from an
/// unchecked name.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: MemoryFiles,
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
        self.files.insert(name, bytes);
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
        for (name, content) in self.files.iter() {
            let Ok(len) = u16::try_from(content.len()) else { continue };
            bytes.extend(name.bytes().chain([b'\n']).chain(len.to_le_bytes()));
            bytes.extend(content);
        }
        bytes
    }

    /// The names of all files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name)
    }

    /// The names and the contents of all files.
    pub fn contents(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.files.iter()
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
}

impl FileSystem for Files {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push(path.as_str().into());
        let found = self.files.read_range(path, range);
        let is_listed = !found.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        assert!(is_listed, "{path} was read, and no listing has it");
        found
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        self.files.list(folder)
    }
}
