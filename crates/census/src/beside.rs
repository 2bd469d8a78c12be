//! A file in memory beside the input.

use std::io;
use std::ops::Range;

use bytes::Bytes;
use meshlens_assets::{AssetPath, Entry, FilePart, FileSystem};

/// A file system with one file in memory.
pub struct Beside {
    name: String,
    bytes: Bytes,
}

impl Beside {
    /// The file with the last component of this path or URL as its name.
    pub fn new(uri: &str, bytes: Bytes) -> Beside {
        Beside { name: uri.rsplit('/').next().unwrap_or_default().to_owned(), bytes }
    }

    fn find(&self, path: &AssetPath) -> io::Result<&Bytes> {
        if path.as_str() == self.name { Ok(&self.bytes) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

impl FileSystem for Beside {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        let bytes = self.find(path)?;
        if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.clone()) }
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        Ok(FilePart::of(self.find(path)?, range))
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        if folder.is_root() {
            Ok(vec![Entry::file(&*self.name)])
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }
}
