//! What can be mounted: the trait, and folders of the operating system.

use std::io;
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;
use meshlens_source::{Folder, FolderEntry, FolderEntryKind, RandomAccessFile, ReadAt, Source};

use crate::AssetPath;

/// Files under names: a folder, an archive, or whatever an engine keeps its files in. Mount it with
/// [`Assets::mount`](crate::Assets::mount).
///
/// Names that are passed in are those that [`list`](Self::list) gave, in its spelling: an implementation does not need to
/// know that names compare without case.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::io::{Error, ErrorKind, Result};
/// use std::ops::Range;
///
/// use bytes::Bytes;
/// use meshlens_assets::{AssetPath, Entry, FilePart, FileSystem};
///
/// /// Files in memory, all in one folder.
/// struct Memory(BTreeMap<String, Bytes>);
///
/// impl FileSystem for Memory {
///     fn read(&self, path: &AssetPath, limit: u64) -> Result<Bytes> {
///         let bytes = self.0.get(path.as_str()).ok_or(ErrorKind::NotFound)?;
///         if bytes.len() as u64 > limit { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes.clone()) }
///     }
///
///     fn read_range(&self, path: &AssetPath, range: Range<u64>) -> Result<FilePart> {
///         let bytes = self.0.get(path.as_str()).ok_or(ErrorKind::NotFound)?;
///         Ok(FilePart::of(bytes, range))
///     }
///
///     fn list(&self, folder: &AssetPath) -> Result<Vec<Entry>> {
///         if folder.is_root() { Ok(self.0.keys().map(Entry::file).collect()) } else { Err(ErrorKind::NotFound.into()) }
///     }
/// }
/// ```
pub trait FileSystem: Send + Sync {
    /// Reads a whole file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// [`NotFound`](io::ErrorKind::NotFound) if there is no such file, [`FileTooLarge`](io::ErrorKind::FileTooLarge) if it
    /// has more than `limit` bytes, and whatever else goes wrong.
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes>;

    /// Reads the bytes of a file in `range`, or as many of them as there are. An empty range asks for the length of the
    /// file alone.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), without a limit.
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart>;

    /// The files and folders in a folder, in any order. The root is a folder of every file system.
    ///
    /// # Errors
    ///
    /// [`NotFound`](io::ErrorKind::NotFound) if there is no such folder, and whatever else goes wrong.
    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>>;
}

/// A file system that is shared.
impl<F: FileSystem + ?Sized> FileSystem for std::sync::Arc<F> {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        (**self).read(path, limit)
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        (**self).read_range(path, range)
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        (**self).list(folder)
    }
}

/// One name in a folder of a [`FileSystem`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, one component.
    pub name: String,
    /// What it names.
    pub kind: EntryKind,
}

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link to a folder that it lies in. It is not followed.
    Loop,
}

impl Entry {
    /// A file.
    pub fn file(name: impl Into<String>) -> Entry {
        Entry { name: name.into(), kind: EntryKind::File }
    }

    /// A folder.
    pub fn folder(name: impl Into<String>) -> Entry {
        Entry { name: name.into(), kind: EntryKind::Folder }
    }
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// The bytes.
    pub bytes: Bytes,
    /// The length of the whole file.
    pub file_len: u64,
    /// A number that differs after the file has changed; always the same if the file system does not know.
    pub version: u64,
}

impl FilePart {
    /// The part of a file that is in memory as a whole. O(1).
    pub fn of(file: &Bytes, range: Range<u64>) -> FilePart {
        let clamp = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(file.len());
        let (start, end) = (clamp(range.start), clamp(range.end));
        FilePart { bytes: file.slice(start..end.max(start)), file_len: file.len() as u64, version: 0 }
    }
}

/// A folder of the operating system. Nothing outside it is ever opened, wherever links lead.
impl FileSystem for Folder {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        Ok(Folder::read(self, path.as_str(), limit)?.into())
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let part = Folder::read_range(self, path.as_str(), range)?;
        Ok(FilePart { bytes: part.bytes.into(), file_len: part.file_len, version: part.version })
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let entry = |entry: FolderEntry| Entry {
            name: entry.name,
            kind: match entry.kind {
                FolderEntryKind::File => EntryKind::File,
                FolderEntryKind::Folder => EntryKind::Folder,
                FolderEntryKind::Loop => EntryKind::Loop,
            },
        };
        Ok(Folder::list(self, folder.as_str())?.into_iter().map(entry).collect())
    }
}

/// One file that was named by hand. It is opened by its path, wherever links lead.
pub(crate) struct NamedFile {
    pub(crate) path: Box<Path>,
}

impl FileSystem for NamedFile {
    fn read(&self, _: &AssetPath, limit: u64) -> io::Result<Bytes> {
        Ok(Source::read_limited(&self.path, limit)?.into_vec().into())
    }

    fn read_range(&self, _: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let file = RandomAccessFile::open(&self.path)?;
        let start = range.start.min(file.size());
        let bytes = file.read_at(start, range.end.saturating_sub(start))?.into_owned().into();
        Ok(FilePart { bytes, file_len: file.size(), version: 0 })
    }

    fn list(&self, _: &AssetPath) -> io::Result<Vec<Entry>> {
        Err(io::ErrorKind::NotFound.into())
    }
}
