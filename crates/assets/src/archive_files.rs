//! Archives as file systems that can be mounted.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use meshlens::wire::{OverBudget, Reservation};
use meshlens_source::{
    Archive, ArchiveLimits, Error, FileArchive, Method, NameFault, RandomAccessFile, ReadAt,
};

use crate::AssetPath;
use crate::filesystem::{Entry, EntryKind, FilePart, FileSystem};

/// Whether a file is an archive by its name.
pub(crate) fn is_archive(name: &str) -> bool {
    has_extension(name, "pk3") || has_extension(name, "zip")
}

pub(crate) fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}

/// The files of a PK3 or zip archive, as a file system that can be mounted. Entries with refused names are left out. If
/// several entries have the same name, only the last one is used. Stored entries of an archive that is mapped or in memory are not
/// copied: what is read keeps the archive alive.
pub struct ArchiveFiles<B = RandomAccessFile> {
    archive: Arc<Archive<B>>,
    tree: OnceLock<Result<Tree, OverBudget>>,
    is_in_memory: OnceLock<bool>,
    /// The memory of the list of entries, if there is a budget.
    reserved: Option<Reservation>,
}

/// The entries by path, made on first use.
#[derive(Default)]
struct Tree {
    /// The indices of the entries, sorted by path.
    sorted: Vec<u32>,
    /// Entries whose names are not in the spelling of [`AssetPath`], such as `./a//b`, sorted by path.
    odd: Vec<(AssetPath, u32)>,
    _reserved: Option<Reservation>,
}

impl Tree {
    /// The number of the entry with this odd name.
    fn odd(&self, path: &AssetPath) -> Option<u32> {
        let at = self.odd.binary_search_by(|(odd, _)| odd.cmp(path)).ok()?;
        self.odd.get(at).map(|(_, number)| *number)
    }
}

/// The names in an archive, independent of the type of its bytes.
pub(crate) trait EntryNames: Send + Sync {
    /// The number, the name and the fault of the first entry with a refused name, from the entry `from` on.
    fn refused(&self, from: usize) -> Option<(usize, Box<str>, NameFault)>;

    /// Whether the archive can still be read.
    fn is_current(&self) -> bool;
}

impl<B: ReadAt + Send + Sync> EntryNames for ArchiveFiles<B> {
    fn refused(&self, from: usize) -> Option<(usize, Box<str>, NameFault)> {
        let mut entries = (from..).map_while(|number| self.archive.entry(number));
        entries.find_map(|entry| Some((entry.number(), entry.name().into(), entry.name_fault()?)))
    }

    fn is_current(&self) -> bool {
        self.archive.bytes().read_at(0, 1).is_ok()
    }
}

impl ArchiveFiles {
    /// Opens an archive file with the default limits. Reads its directory, and keeps no file descriptor open.
    ///
    /// # Errors
    ///
    /// Same as [`FileArchive::open_file`].
    pub fn open(path: impl AsRef<Path>) -> Result<ArchiveFiles, Error> {
        Ok(ArchiveFiles::new(FileArchive::open_file(path, ArchiveLimits::default())?))
    }
}

impl<B: ReadAt> ArchiveFiles<B> {
    /// Makes a file system of an open archive.
    pub fn new(archive: Archive<B>) -> ArchiveFiles<B> {
        let (tree, is_in_memory) = (OnceLock::new(), OnceLock::new());
        ArchiveFiles { archive: Arc::new(archive), tree, is_in_memory, reserved: None }
    }

    /// A file system of an archive whose list of entries has this memory.
    pub(crate) fn with_memory(archive: Archive<B>, reserved: Option<Reservation>) -> ArchiveFiles<B> {
        ArchiveFiles { reserved, ..ArchiveFiles::new(archive) }
    }

    /// The archive.
    pub fn archive(&self) -> &Archive<B> {
        &self.archive
    }

    /// Whether stored entries are not copied. An archive that is not in memory is read once to find out.
    fn shares(&self) -> bool {
        *self.is_in_memory.get_or_init(|| self.archive.is_in_memory())
    }

    fn tree(&self) -> io::Result<&Tree> {
        let tree = self.tree.get_or_init(|| self.make_tree());
        tree.as_ref().map_err(|over| io::Error::new(io::ErrorKind::OutOfMemory, over.clone()))
    }

    fn make_tree(&self) -> Result<Tree, OverBudget> {
        let mut reserved = self.reserved.as_ref().map(|reserved| reserved.budget().empty());
        let mut tree = Tree::default();
        let mut odd_bytes = 0;
        for entry in self.archive.entries() {
            let number = entry.number() as u32;
            let Ok(path) = AssetPath::new(entry.name()) else { continue };
            if path.as_str() == self.name(number) {
                tree.sorted.push(number);
            } else if entry.name_fault().is_none() {
                odd_bytes += path.as_str().len();
                tree.odd.push((path, number));
            }
            let taken = size_of_val(&*tree.sorted) + size_of_val(&*tree.odd) + odd_bytes;
            if let Some(reserved) = reserved.as_mut().filter(|reserved| reserved.bytes() < taken) {
                // A vector doubles its capacity when it grows.
                let more = taken.next_power_of_two() - reserved.bytes();
                reserved.grow(more, format_args!("the order of its entries"))?;
            }
        }
        tree.sorted.sort_unstable_by(|a, b| self.name(*a).cmp(&self.name(*b)).then(a.cmp(b)));
        // If several entries have the same path, the last one is used.
        tree.odd.sort_unstable_by(|(a, first), (b, second)| a.cmp(b).then(second.cmp(first)));
        tree.odd.dedup_by(|(later, _), (kept, _)| later == kept);
        tree._reserved = reserved;
        Ok(tree)
    }

    /// The name of an entry in the spelling of paths. A folder's own entry ends in a slash, which paths do not.
    fn name(&self, number: u32) -> Cow<'_, str> {
        let name = self.archive.entry(number as usize).map_or("", |entry| entry.name());
        let name = name.trim_end_matches(['/', '\\']);
        if name.contains('\\') { Cow::Owned(name.replace('\\', "/")) } else { Cow::Borrowed(name) }
    }

    fn kind(&self, number: u32) -> EntryKind {
        let entry = self.archive.entry(number as usize);
        if entry.is_some_and(|entry| entry.is_folder()) { EntryKind::Folder } else { EntryKind::File }
    }

    fn entry(&self, path: &AssetPath) -> io::Result<meshlens_source::Entry<'_>> {
        let tree = self.tree()?;
        let end = tree.sorted.partition_point(|number| *self.name(*number) <= *path.as_str());
        let last = end.checked_sub(1).and_then(|at| tree.sorted.get(at));
        let number =
            last.filter(|number| self.name(**number) == path.as_str()).copied().or_else(|| tree.odd(path));
        let entry = number.and_then(|number| self.archive.entry(number as usize));
        entry.filter(|entry| !entry.is_folder()).ok_or_else(|| {
            let (archive, entry) = (self.archive.name().into(), path.as_str().into());
            Error::NoEntry { archive, entry }.into()
        })
    }
}

impl<B: ReadAt + Send + Sync + 'static> FileSystem for ArchiveFiles<B> {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        let entry = self.entry(path)?;
        if entry.size() > limit {
            let path = format!("{}!{}", self.archive.name(), entry.name());
            return Err(Error::TooLarge { path: Path::new(&path).into(), limit }.into());
        }
        Ok(Bytes::from_owner(self.archive.share(&entry)?))
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        let entry = self.entry(path)?;
        let (file_len, version) = (entry.size(), entry.crc32().into());
        if range.is_empty() || range.start >= file_len {
            return Ok(FilePart { bytes: Bytes::new(), file_len, version });
        }
        if entry.method() == Method::Stored && (range.start > 0 || range.end < file_len) {
            let len = range.end.min(file_len) - range.start;
            let bytes = Bytes::from_owner(self.archive.share_stored(&entry, range.start, len)?);
            return Ok(FilePart { bytes, file_len, version });
        }
        // The checksum covers the whole entry.
        let start = if range.end < file_len {
            Bytes::from(self.archive.read_start(&entry, range.end)?.into_owned())
        } else {
            Bytes::from_owner(self.archive.share(&entry)?)
        };
        Ok(FilePart { file_len, version, ..FilePart::of(&start, range) })
    }

    fn reads_whole(&self, path: &AssetPath) -> bool {
        self.entry(path).is_ok_and(|entry| entry.method() != Method::Stored)
    }

    fn is_in_memory(&self, path: &AssetPath) -> bool {
        self.shares() && !self.reads_whole(path)
    }

    fn crc32(&self, path: &AssetPath) -> Option<u32> {
        Some(self.entry(path).ok()?.crc32())
    }

    fn offset(&self, path: &AssetPath) -> Option<u64> {
        let entry = self.entry(path).ok().filter(|entry| entry.method() == Method::Stored)?;
        (!self.shares()).then(|| entry.header_offset())
    }

    fn read_ranges(&self, wanted: &[(&AssetPath, Range<u64>)]) -> Vec<io::Result<FilePart>> {
        let stored = |path| self.entry(path).ok().filter(|entry| entry.method() == Method::Stored);
        let entries = wanted.iter().map(|(path, range)| Some((stored(path)?, range.clone())));
        let entries = entries.collect::<Option<Vec<_>>>().filter(|entries| entries.len() > 1);
        let Some(entries) = entries.filter(|_| !self.shares()) else {
            return wanted.iter().map(|(path, range)| self.read_range(path, range.clone())).collect();
        };
        let parts = entries.iter().zip(self.archive.read_together(&entries)).map(|((entry, _), bytes)| {
            Ok(FilePart { bytes: bytes?.into(), file_len: entry.size(), version: entry.crc32().into() })
        });
        parts.collect()
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.list_each(folder, &mut |name, kind| {
            entries.push(Entry { name: name.into(), kind });
            Ok(())
        })?;
        entries.sort_unstable();
        entries.dedup();
        Ok(entries)
    }

    fn list_each(
        &self,
        folder: &AssetPath,
        each: &mut dyn FnMut(&str, EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        let tree = self.tree()?;
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let mut is_empty = true;
        let mut rest = &tree.sorted[tree.sorted.partition_point(|number| *self.name(*number) < *start)..];
        while let Some((number, after)) = rest.split_first() {
            let name = self.name(*number);
            let Some(below) = name.strip_prefix(&*start) else { break };
            rest = after;
            match below.split_once('/') {
                Some((child, _)) => {
                    let next = format!("{start}{child}0");
                    // `0` follows `/` in ASCII: this skips the content of the folder.
                    rest = &rest[rest.partition_point(|number| *self.name(*number) < *next)..];
                    each(child, EntryKind::Folder)?;
                }
                None => each(below, self.kind(*number))?,
            }
            is_empty = false;
        }
        let odd = tree.odd.partition_point(|(path, _)| *path.as_str() < *start);
        let mut last_folder = None;
        for (path, number) in tree.odd.get(odd..).unwrap_or_default() {
            let Some(below) = path.as_str().strip_prefix(&*start) else { break };
            match below.split_once('/') {
                Some((child, _)) if last_folder == Some(child) => {}
                Some((child, _)) => {
                    last_folder = Some(child);
                    each(child, EntryKind::Folder)?;
                }
                None => each(below, self.kind(*number))?,
            }
            is_empty = false;
        }
        // An empty folder has an entry of its own.
        if is_empty && !folder.is_root() && self.archive.find(&start).is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(())
    }
}

impl<B> fmt::Debug for ArchiveFiles<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveFiles").field("archive", &self.archive).finish_non_exhaustive()
    }
}
