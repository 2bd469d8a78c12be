//! A backend that reads the files of a search path: folders, archives and an engine's own file systems.

use std::collections::HashMap;
use std::fmt;
use std::io;

use meshlens_assets::{AssetPath, Assets, FoundFile};

use super::{Backend, BlockingBackend, Description, Read};
use crate::sync::{Arc, Mutex, lock};
use crate::{Error, FileName, PlanTable, TableFile};

/// A backend that reads the files of a search path: [`Streamer::open_scene`](crate::Streamer::open_scene) streams from it what
/// [`Assets::open`] opens.
///
/// A [pack](PlanTable) in the search path has a table of the plans of its models, which is read when the first of them is opened.
///
/// Compressed entries of archives are read whole, because they are inflated and checked as a whole: once, as long as the budget has
/// room for their bytes. Other files and stored entries are read in ranges.
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
    /// The table of its mount, and its checksum there.
    table: Option<(PlanTable, u32)>,
}

impl Known {
    /// The file as its archive describes it, if that has a table.
    fn in_table(&self) -> Option<TableFile<'_>> {
        let (_, crc32) = self.table.as_ref()?;
        Some(TableFile { name: self.file.path().as_str(), len: self.file_len, crc32: *crc32 })
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
        let reads = BlockingBackend::named("meshlens-assets", threads, move |read, _| {
            let file = lock(&known).get(read.file()).cloned();
            answer(file.as_deref(), read);
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
        let name = FileName::from(file.to_string());
        let table = self.table(assets, file);
        let known = Known { assets: assets.clone(), file: file.clone(), file_len, version, is_whole, table };
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
        self.reads.max_reads()
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

fn answer(known: Option<&Known>, read: Read) {
    let name = read.file().clone();
    let Some(known) = known else {
        let missing = io::Error::new(io::ErrorKind::NotFound, "not a file of a scene");
        return read.fail_with(&missing);
    };
    match known.assets.read_range(&known.file, read.range()) {
        Ok(part) if (part.file_len, part.version) != (known.file_len, known.version) => {
            read.fail(Error::Changed { file: name });
        }
        Ok(part) => read.finish_with(part.bytes, part.file_len, None),
        Err(error) => read.fail_with(&error),
    }
}

impl fmt::Debug for AssetsBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssetsBackend").field("assets", &self.assets).finish_non_exhaustive()
    }
}
