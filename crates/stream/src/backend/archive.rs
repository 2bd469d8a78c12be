//! A backend that reads entries of an archive: stored ones in ranges, deflated ones whole.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use meshlens_source::{Archive, FileArchive, Method, ReadAt};

use super::files::{fail, fill};
use super::neighbours::neighbours;
use super::{Backend, BlockingBackend, Description, Read};
use crate::{FileName, Known, PlanTable, TableFile};

/// A backend that reads the entries of an archive (PK3, zip). The name of a file is the name of its entry.
///
/// A stored entry is read in ranges; its checksum is not compared, because it covers the whole entry. Entries that lie next to each
/// other and are wanted one after the other are read at once, as in a pack whose models are requested in its order. A deflated entry
/// cannot be read in parts: it is inflated and checked as a whole, and returned in one piece.
///
/// A [pack](PlanTable) has a table of the plans of its models, which is read when the backend is made. Stored entries of an
/// archive that is mapped or in memory are not copied.
pub struct ArchiveBackend<B = meshlens_source::RandomAccessFile> {
    archive: Arc<Archive<B>>,
    table: Option<PlanTable>,
    is_in_memory: bool,
    reads: BlockingBackend,
}

impl<B: ReadAt + Send + Sync + 'static> ArchiveBackend<B> {
    /// Makes a backend that reads and inflates on `threads` threads, at least one. Reads the table, if the archive has one.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(archive: Archive<B>, threads: usize) -> io::Result<Self> {
        let (table, is_in_memory) = (PlanTable::of_archive(&archive), archive.is_in_memory());
        let archive = Arc::new(archive);
        let shared = archive.clone();
        let reads = BlockingBackend::named("meshlens-archive", threads, move |read, waiting| {
            if is_in_memory {
                return answer(&shared, true, read);
            }
            let mut reads = neighbours(read, waiting, |read| place(&shared, read));
            match reads.len() {
                1 => reads.drain(..).for_each(|read| answer(&shared, false, read)),
                _ => answer_together(&shared, reads.into_vec()),
            }
        })?;
        Ok(ArchiveBackend { archive, table, is_in_memory, reads })
    }

    /// The archive.
    pub fn archive(&self) -> &Archive<B> {
        &self.archive
    }
}

impl ArchiveBackend {
    /// Opens an archive file. Only its directory, its table and the requested bytes are read.
    ///
    /// # Errors
    ///
    /// Same as [`FileArchive::open_file`]. This call blocks while the directory is read.
    pub fn open(path: impl AsRef<std::path::Path>, threads: usize) -> io::Result<Self> {
        let archive = FileArchive::open_file(path, meshlens_source::ArchiveLimits::default())?;
        Self::new(archive, threads)
    }
}

impl<B: ReadAt + Send + Sync + 'static> Backend for ArchiveBackend<B> {
    fn begin(&self, read: Read) {
        self.reads.begin(read);
    }

    fn max_reads(&self) -> usize {
        // A thread may take neighbours of its read, too.
        self.reads.max_reads().max(16)
    }

    fn describe(&self, file: &FileName) -> Description {
        let Some(entry) = self.archive.find(file) else { return Description::default() };
        Description {
            file_len: Some(entry.size()),
            is_whole: entry.method() != Method::Stored,
            is_mapped: self.is_in_memory && entry.method() == Method::Stored,
            ..Description::default()
        }
    }

    fn known(&self, files: &[FileName]) -> Option<Known> {
        let table = self.table.as_ref()?;
        let entries = files.iter().map(|file| self.archive.find(file));
        table.find(&entries.map(|entry| entry.map(TableFile::of_entry)).collect::<Option<Vec<_>>>()?)
    }
}

/// Where the bytes of a read are in an archive, apart from the names and padding of local headers. `None` for a compressed entry.
fn place<B: ReadAt>(archive: &Archive<B>, read: &Read) -> Option<Range<u64>> {
    let entry = archive.find(read.file()).filter(|entry| entry.method() == Method::Stored)?;
    let start = entry.header_offset().checked_add(read.range().start)?;
    Some(start..entry.header_offset().checked_add(read.range().end.min(entry.size()))?.max(start))
}

/// Answers reads of stored entries with one read of the archive.
fn answer_together<B: ReadAt>(archive: &Archive<B>, reads: Vec<Read>) {
    let mut prepared = Vec::with_capacity(reads.len());
    for mut read in reads {
        let Some(entry) = archive.find(&read.file().clone()) else { continue };
        read.clamp(entry.size());
        match read.try_buffer().map(drop) {
            Ok(()) => prepared.push((entry, read)),
            Err(error) => read.fail(error),
        }
    }
    let mut wanted: Vec<_> =
        prepared.iter_mut().map(|(entry, read)| (*entry, read.range().start, read.buffer())).collect();
    let found = archive.read_stored_together(&mut wanted);
    for ((entry, read), found) in prepared.into_iter().zip(found) {
        match found {
            Ok(len) => read.finish(len, entry.size(), None),
            Err(error) => fail(read, &error),
        }
    }
}

fn answer<B: ReadAt + Send + Sync + 'static>(archive: &Arc<Archive<B>>, is_in_memory: bool, read: Read) {
    let Some(entry) = archive.find(read.file()) else {
        let missing = io::Error::new(io::ErrorKind::NotFound, format!("{}: no such entry", archive.name()));
        return read.fail_with(&missing);
    };
    let size = entry.size();
    if entry.method() == Method::Stored && !is_in_memory {
        return fill(read, size, None, |start, room| archive.read_stored_into(&entry, start, room));
    }
    let range = read.range();
    let bytes = if entry.method() == Method::Stored {
        let wanted = range.end.min(size).saturating_sub(range.start);
        archive.share_stored(&entry, range.start, wanted).map(Bytes::from_owner)
    } else {
        archive.read(&entry).map(|bytes| {
            let bytes = Bytes::from(bytes.into_owned());
            let clamp = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
            bytes.slice(clamp(range.start)..clamp(range.end))
        })
    };
    match bytes {
        Ok(bytes) => read.finish_with(bytes, size, None),
        Err(error) => fail(read, &error),
    }
}

debug_fields!(self, ArchiveBackend<B> { archive: self.archive });
