//! A backend that reads the files of a search path: folders, archives and an engine's own file systems.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use meshlens_assets::{AssetPath, Assets, FoundFile};

use super::neighbours::neighbours;
use super::{Backend, BlockingBackend, Description, Read};
use crate::sync::{Mutex, lock};
use crate::{Error, Few, FileName, PlanTable, TableFile};

/// A backend that reads the files of a search path: [`Streamer::open_scene`](crate::Streamer::open_scene) streams from it what
/// [`Assets::open`] opens, except files that are imported, such as glTF.
///
/// A [pack](PlanTable) in the search path has a table of the plans of its models, which is read when the first of them is opened.
///
/// Compressed entries of archives are read whole, because they are inflated and checked as a whole: once, as long as the budget has
/// room for their bytes. Other files and stored entries are read in ranges. Stored entries that lie next to each other and are wanted
/// one after the other are read at once.
///
/// If a file changes after its model has begun to read it, the next read fails with [`Error::Changed`]. Opening the scene again
/// streams the new file.
pub struct AssetsBackend {
    assets: Assets,
    files: Arc<Mutex<Files>>,
    /// The tables of the mounts, by name.
    tables: Mutex<HashMap<String, Option<PlanTable>>>,
    reads: BlockingBackend,
}

/// The files of scenes, by their displayed names.
#[derive(Default)]
struct Files {
    by_name: HashMap<FileName, Arc<Known>>,
    /// The number of files at which those without models are dropped.
    most: usize,
}

impl Files {
    /// Adds a file, or its new state. Models have clones of the returned name, by which it is known whether there are any. Also returns
    /// the files without models, whose drop may run arbitrary code.
    fn add(&mut self, name: FileName, known: Known) -> (FileName, Vec<Arc<Known>>) {
        let mut dropped = Vec::new();
        if self.by_name.len() >= self.most {
            let unused = self.by_name.extract_if(|name, _| Arc::strong_count(name) == 1);
            dropped.extend(unused.map(|(_, known)| known));
            self.most = 2 * self.by_name.len() + 64;
        }
        let known = Arc::new(known);
        let name = match self.by_name.entry(name) {
            Entry::Occupied(mut entry) => {
                dropped.push(entry.insert(known));
                entry.key().clone()
            }
            Entry::Vacant(entry) => entry.insert_entry(known).key().clone(),
        };
        (name, dropped)
    }

    /// The file of a read: as it was at the first read of its model, or else as it was opened last.
    fn of_read(&self, read: &Read) -> Option<Arc<Known>> {
        let first = read.version().and_then(|version| version.clone().downcast().ok());
        first.or_else(|| self.by_name.get(read.file()).cloned())
    }
}

/// A file of a scene. It is also the version that a model has of it.
struct Known {
    assets: Assets,
    file: FoundFile,
    file_len: u64,
    version: u64,
    is_whole: bool,
    is_in_memory: bool,
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
        let files = Arc::<Mutex<Files>>::default();
        let known = files.clone();
        let reads = BlockingBackend::named("meshlens-assets", threads, move |read, waiting| {
            let first = lock(&known).of_read(&read);
            let place = |read: &Read| {
                let file = lock(&known).of_read(read)?;
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
        let (file_len, version) = (start.file_len, start.version);
        let (is_whole, is_in_memory) = (assets.reads_whole(file), assets.is_in_memory(file));
        let offset = assets.offset(file);
        let name = FileName::from(file.to_string());
        let table = self.table(assets, file);
        let (assets, file) = (assets.clone(), file.clone());
        let known = Known { assets, file, file_len, version, is_whole, is_in_memory, offset, table };
        let (name, dropped) = lock(&self.files).add(name, known);
        drop(dropped);
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
        let Some(known) = lock(&self.files).by_name.get(file).cloned() else { return Description::default() };
        Description {
            file_len: Some(known.file_len),
            is_whole: known.is_whole,
            is_mapped: known.is_in_memory,
            ..Description::default()
        }
    }

    fn known(&self, files: &[FileName]) -> Option<crate::Known> {
        let names = lock(&self.files);
        let known = files.iter().map(|file| names.by_name.get(file).cloned()).collect::<Option<Vec<_>>>()?;
        drop(names);
        let (table, _) = known.first()?.table.as_ref()?;
        table.find(&known.iter().map(|known| known.in_table()).collect::<Option<Vec<_>>>()?)
    }
}

/// Answers reads, those of one archive with one read.
fn answer(files: &Mutex<Files>, reads: Few<Read>) {
    let mut found = Vec::with_capacity(reads.len());
    for read in reads {
        let known = lock(files).of_read(&read);
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
            Ok(part) => read.finish_with(part.bytes, part.file_len, Some(known)),
            Err(error) => read.fail(error.into()),
        }
    }
}

debug_fields!(self, AssetsBackend { assets: self.assets });

#[cfg(test)]
mod tests {
    use meshlens_assets::MemoryFiles;

    use super::*;

    #[test]
    fn files_without_models_are_dropped() {
        let (mut files, mut assets) = (MemoryFiles::default(), Assets::new());
        let path = |number: u32| AssetPath::new(&format!("{number}.md3")).unwrap();
        (0..1000).for_each(|number| files.insert(path(number).as_str(), &b"IDP3"[..]));
        assets.mount("memory", files);
        let backend = AssetsBackend::new(assets, 1).unwrap();
        let add = |number: u32| {
            let file = backend.assets.find(&path(number)).unwrap().unwrap();
            backend.add(&backend.assets, &file).unwrap()
        };
        let kept: Vec<FileName> = (0..50).map(add).collect();
        (50..1000).for_each(|number| drop(add(number)));
        let known = lock(&backend.files).by_name.len();
        assert!(known <= 2 * 50 + 64, "{known}");
        for name in &kept {
            assert_eq!(backend.describe(name).file_len, Some(4), "{name}");
        }
    }
}
