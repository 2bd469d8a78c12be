//! A backend that reads the files of a search path: folders, archives and an engine's own file systems.

use std::collections::HashMap;
use std::fmt;
use std::io;

use meshlens_assets::{Assets, FoundFile};

use super::{Backend, BlockingBackend, Description, Read};
use crate::sync::{Arc, Mutex, lock};
use crate::{Error, FileName};

/// A backend that reads the files of a search path: [`Streamer::open_scene`](crate::Streamer::open_scene) streams from it what
/// [`Assets::open`] opens.
///
/// Compressed entries of archives are read whole, because they are inflated and checked as a whole: once, as long as the budget has
/// room for their bytes. Other files and stored entries are read in ranges.
pub struct AssetsBackend {
    assets: Assets,
    files: Arc<Files>,
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
        let reads = BlockingBackend::named("meshlens-assets", threads, move |read| {
            let file = lock(&known).get(read.file()).cloned();
            answer(file.as_deref(), read);
        })?;
        Ok(AssetsBackend { assets, files, reads })
    }

    /// Ends the threads. Reads that have not begun fail. Waits for the others.
    pub fn close(&self) {
        self.reads.close();
    }

    /// The search path.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// Adds a file, and returns its name. Reads its length.
    pub(crate) fn add(&self, assets: &Assets, file: &FoundFile) -> meshlens_assets::Result<FileName> {
        let start = assets.read_range(file, 0..0)?;
        let (file_len, version, is_whole) = (start.file_len, start.version, assets.reads_whole(file));
        let name = FileName::from(file.to_string());
        let known = Known { assets: assets.clone(), file: file.clone(), file_len, version, is_whole };
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
