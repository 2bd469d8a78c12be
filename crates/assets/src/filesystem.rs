//! The trait of file systems that can be mounted, and its implementation for folders.

use std::io;
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;
use meshlens_source::{Folder, FolderEntry, FolderEntryKind, RandomAccessFile, ReadAt, Source};

use crate::AssetPath;

/// A file system that can be mounted with [`Assets::mount`](crate::Assets::mount): a folder, an archive, or the storage
/// of an engine.
///
/// All names that are passed in were returned by [`list`](Self::list), in the same spelling, or are [known](Self::knows), unless
/// there are [unlisted files](Self::has_unlisted). An implementation need not compare names without case.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::io::{ErrorKind, Result};
/// use std::ops::Range;
///
/// use bytes::Bytes;
/// use meshlens_assets::{AssetPath, Entry, FilePart, FileSystem};
///
/// /// Files in memory, all in one folder.
/// struct Memory(BTreeMap<String, Bytes>);
///
/// impl FileSystem for Memory {
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
    /// Reads a whole file of at most `limit` bytes. By default, it is one range, so that `limit` bytes of a larger file are
    /// read, too.
    ///
    /// # Errors
    ///
    /// [`NotFound`](io::ErrorKind::NotFound) if the file does not exist, [`FileTooLarge`](io::ErrorKind::FileTooLarge)
    /// if it has more than `limit` bytes, and any other error of reading.
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        let part = self.read_range(path, 0..limit)?;
        if part.file_len > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(part.bytes) }
    }

    /// Reads the bytes of a file in `range`, or fewer if the file ends before. An empty range only returns the length
    /// of the file.
    ///
    /// # Errors
    ///
    /// Same as [`read`](Self::read), without a limit.
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart>;

    /// Lists the files and folders in a folder, in any order. Every file system has a root folder.
    ///
    /// # Errors
    ///
    /// [`NotFound`](io::ErrorKind::NotFound) if the folder does not exist, and any other error of listing.
    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>>;

    /// Calls `each` with every file and folder in a folder, like [`list`](Self::list). File systems with very large folders
    /// can implement it without a list in memory.
    ///
    /// # Errors
    ///
    /// Same as [`list`](Self::list), and the errors of `each`.
    fn list_each(
        &self,
        folder: &AssetPath,
        each: &mut dyn FnMut(&str, EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        self.list(folder)?.into_iter().try_for_each(|entry| each(&entry.name, entry.kind))
    }

    /// Whether a file is known to exist, so that its folder need not be listed to find it. False if it is not known.
    fn knows(&self, path: &AssetPath) -> bool {
        let _ = path;
        false
    }

    /// Whether files can be read that [`list`](Self::list) does not return, as on a web server. A model that is opened by its
    /// name, the other file of an Unreal mesh, and the buffers that a glTF file names are then requested by their names.
    fn has_unlisted(&self) -> bool {
        false
    }

    /// Whether reading any range of a file reads all of it, as of a compressed entry of an archive.
    fn reads_whole(&self, path: &AssetPath) -> bool {
        let _ = path;
        false
    }

    /// Whether the bytes that are read are not copied: they are in memory or mapped anyway, as those of [`MemoryFiles`](crate::MemoryFiles)
    /// are. They do not count against the budget of a streamer.
    fn is_in_memory(&self, path: &AssetPath) -> bool {
        let _ = path;
        false
    }

    /// The CRC-32 of the bytes of a file, if it is known without reading them, as of an entry of an archive.
    fn crc32(&self, path: &AssetPath) -> Option<u32> {
        let _ = path;
        None
    }

    /// Where the bytes of a file begin in an archive, if files that lie next to each other are [read at once](Self::read_ranges)
    /// faster than one after the other.
    fn offset(&self, path: &AssetPath) -> Option<u64> {
        let _ = path;
        None
    }

    /// Reads ranges of several files, like [`read_range`](Self::read_range).
    fn read_ranges(&self, wanted: &[(&AssetPath, Range<u64>)]) -> Vec<io::Result<FilePart>> {
        wanted.iter().map(|(path, range)| self.read_range(path, range.clone())).collect()
    }
}

/// Methods that call those of the file system in a pointer.
macro_rules! forward {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> $result {
            (**self).$name($($argument),*)
        })*
    };
}

/// A shared file system.
impl<F: FileSystem + ?Sized> FileSystem for std::sync::Arc<F> {
    forward! {
        fn read(path: &AssetPath, limit: u64) -> io::Result<Bytes>;
        fn read_range(path: &AssetPath, range: Range<u64>) -> io::Result<FilePart>;
        fn list(folder: &AssetPath) -> io::Result<Vec<Entry>>;
        fn list_each(folder: &AssetPath, each: &mut dyn FnMut(&str, EntryKind) -> io::Result<()>) -> io::Result<()>;
        fn knows(path: &AssetPath) -> bool;
        fn has_unlisted() -> bool;
        fn reads_whole(path: &AssetPath) -> bool;
        fn is_in_memory(path: &AssetPath) -> bool;
        fn crc32(path: &AssetPath) -> Option<u32>;
        fn offset(path: &AssetPath) -> Option<u64>;
        fn read_ranges(wanted: &[(&AssetPath, Range<u64>)]) -> Vec<io::Result<FilePart>>;
    }
}

/// One name in a folder of a [`FileSystem`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, one component.
    pub name: String,
    /// The kind of the entry.
    pub kind: EntryKind,
}

/// The kind of an [`Entry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link to a folder that contains the link. It is not followed.
    Loop,
}

impl Entry {
    /// Makes an entry for a file.
    pub fn file(name: impl Into<String>) -> Entry {
        Entry { name: name.into(), kind: EntryKind::File }
    }

    /// Makes an entry for a folder.
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
    /// A number that changes when the file changes. Constant if the file system does not detect changes.
    pub version: u64,
}

impl FilePart {
    /// A part of a file that is in memory. O(1).
    pub fn of(file: &Bytes, range: Range<u64>) -> FilePart {
        let clamp = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(file.len());
        let (start, end) = (clamp(range.start), clamp(range.end));
        FilePart { bytes: file.slice(start..end.max(start)), file_len: file.len() as u64, version: 0 }
    }
}

/// A folder of the operating system. Files outside it are never opened, even through links.
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

/// One file that was given by its path. It is opened wherever links lead.
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
