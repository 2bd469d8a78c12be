//! A backend that reads the files of a search path: folders, archives and an engine's own file systems.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use meshlens_assets::{AssetPath, Assets, FoundFile};

use super::neighbours::neighbours;
use super::{Backend, BlockingBackend, Description, Read};
use crate::sync::{Arc, Mutex, lock};
use crate::{Error, Few, FileName, PlanTable, TableFile};

/// A backend that reads the files of a search path: [`Streamer::open_scene`](crate::Streamer::open_scene) streams from it what
/// [`Assets::open`] opens.
///
/// A [pack](PlanTable) in the search path has a table of the plans of its models, which is read when the first of them is opened.
///
/// Compressed entries of archives are read whole, because they are inflated and checked as a whole: once, as long as the budget has
/// room for their bytes. Other files and stored entries are read in ranges. Stored entries that lie next to each other and are wanted
/// one after the other are read at once.
pub struct AssetsBackend {
    assets: Assets,
    files: Arc<Files>,
    /// The tables of the mounts, by name.
    tables: Mutex<HashMap<String, Option<PlanTable>>>,
    reads: BlockingBackend,
}

/// The files of scenes, by their displayed names.
type Files = Mutex<HashMap<FileName, Arc<Known>>>;

/// A file of a scene.
struct Known {
    assets: Assets,
    file: FoundFile,
    file_len: u64,
    version: u64,
    is_whole: bool,
    /// Where it begins in an archive.
    offset: Option<u64>,
    /// The table of its mount, and its checksum there.
    table: Option<(PlanTable, u32)>,
}

impl Known {
    /// The file as its archive describes it, if that has a table.
    fn in_table(&self) -> Option<TableFile<'_>> {
        let (_, crc32) = self.table.as_ref()?;
        Some(TableFile { name: self.file.path().as_str(), len: self.file_len, crc32: *crc32 })
    }

    /// Where a range of it is in its archive, apart from the names and padding of local headers.
    fn place(&self, range: &Range<u64>) -> Option<Range<u64>> {
        let start = self.offset?.checked_add(range.start)?;
        Some(start..self.offset?.checked_add(range.end.min(self.file_len))?.max(start))
    }
}

impl AssetsBackend {
    /// Makes a backend that reads on `threads` threads, at least one.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(assets: Assets, threads: usize) -> io::Result<Self> {
        let files = Arc::<Files>::default();
        let known = files.clone();
        let reads = BlockingBackend::named("meshlens-assets", threads, move |read, waiting| {
            let first = lock(&known).get(read.file()).cloned();
            let place = |read: &Read| {
                let file = lock(&known).get(read.file()).cloned()?;
                let is_beside = first.as_ref().is_some_and(|first| first.file.mount() == file.file.mount());
                file.place(&read.range()).filter(|_| is_beside)
            };
            answer(&known, neighbours(read, waiting, place));
        })?;
        Ok(AssetsBackend { assets, files, tables: Mutex::default(), reads })
    }

    /// Ends the threads. Reads that have not begun fail. Waits for the others.
    pub fn close(&self) {
        self.reads.close();
    }

    /// The search path.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// The table of the mount of a file, and the checksum of the file.
    fn table(&self, assets: &Assets, file: &FoundFile) -> Option<(PlanTable, u32)> {
        let crc32 = assets.crc32(file)?;
        let mut tables = lock(&self.tables);
        if !tables.contains_key(file.mount()) {
            let read = AssetPath::new(PlanTable::NAME)
                .ok()
                .and_then(|name| assets.read_limited(&file.in_same_mount(name), PlanTable::MAX_BYTES).ok());
            tables.insert(file.mount().into(), read.and_then(|bytes| PlanTable::parse(bytes).ok()));
        }
        Some((tables.get(file.mount())?.clone()?, crc32))
    }

    /// Adds a file, and returns its name. Reads its length.
    pub(crate) fn add(&self, assets: &Assets, file: &FoundFile) -> meshlens_assets::Result<FileName> {
        let start = assets.read_range(file, 0..0)?;
        let (file_len, version, is_whole) = (start.file_len, start.version, assets.reads_whole(file));
        let offset = assets.offset(file);
        let name = FileName::from(file.to_string());
        let table = self.table(assets, file);
        let known =
            Known { assets: assets.clone(), file: file.clone(), file_len, version, is_whole, offset, table };
        lock(&self.files).insert(name.clone(), Arc::new(known));
        Ok(name)
    }
}

impl AsRef<AssetsBackend> for AssetsBackend {
    fn as_ref(&self) -> &AssetsBackend {
        self
    }
}

impl Backend for AssetsBackend {
    fn begin(&self, read: Read) {
        self.reads.begin(read);
    }

    fn max_reads(&self) -> usize {
        // A thread may take neighbours of its read, too.
        self.reads.max_reads().max(16)
    }

    fn describe(&self, file: &FileName) -> Description {
        let Some(known) = lock(&self.files).get(file).cloned() else { return Description::default() };
        Description { file_len: Some(known.file_len), is_whole: known.is_whole, ..Description::default() }
    }

    fn known(&self, files: &[FileName]) -> Option<crate::Known> {
        let names = lock(&self.files);
        let known = files.iter().map(|file| names.get(file).cloned()).collect::<Option<Vec<_>>>()?;
        drop(names);
        let (table, _) = known.first()?.table.as_ref()?;
        table.find(&known.iter().map(|known| known.in_table()).collect::<Option<Vec<_>>>()?)
    }
}

/// Answers reads, those of one archive with one read.
fn answer(files: &Files, reads: Few<Read>) {
    let mut found = Vec::with_capacity(reads.len());
    for read in reads {
        let known = lock(files).get(read.file()).cloned();
        match known {
            Some(known) => found.push((known, read)),
            None => read.fail_with(&io::Error::new(io::ErrorKind::NotFound, "not a file of a scene")),
        }
    }
    let wanted: Vec<_> = found.iter().map(|(known, read)| (&known.file, read.range())).collect();
    let Some((first, _)) = found.first() else { return };
    let parts = first.assets.read_ranges(&wanted);
    for ((known, read), part) in found.into_iter().zip(parts) {
        match part {
            Ok(part) if (part.file_len, part.version) != (known.file_len, known.version) => {
                let file = read.file().clone();
                read.fail(Error::Changed { file });
            }
            Ok(part) => read.finish_with(part.bytes, part.file_len, None),
            Err(error) => read.fail(error.into()),
        }
    }
}

debug_fields!(self, AssetsBackend { assets: self.assets });
