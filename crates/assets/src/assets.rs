//! The search path: an ordered list of mounts, in which files are found and read.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use meshlens::import::Importer;
use meshlens::wire::{Budget, Reservation};

use crate::cache::Cache;
use crate::filesystem::{FilePart, FileSystem};
use crate::index::{Extension, Index, Listing};
use crate::mount::Mount;
use crate::{AssetPath, Error, FoundFile, Refusal, Refused, resolve};

/// The default of [`Assets::set_limit`], the largest size of one file: 1 GiB.
pub const DEFAULT_MAX_FILE_BYTES: u64 = 1 << 30;

/// A search path: an ordered list of mounted file systems, from which models are opened.
///
/// A name is looked up in the mount that was added last, then in the one before it, and so on, so that `pak1.pk3` can
/// replace files of `pak0.pk3`. Names are compared without the case of ASCII letters. If several files of a mount
/// differ only in case, the one with the requested spelling is found; if none has it, the name is [`Error::Ambiguous`].
///
/// Cloning is O(1). Clones share the mounts and their cached folder listings. Folder listings are cached: call
/// [`refresh`](Self::refresh) after files were added or removed.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # std::fs::create_dir_all(folder.path().join("models"))?;
/// # std::fs::write(folder.path().join("models/Flag.md3"), meshlens::md3::write::Model::new("flag")?.write()?)?;
/// use meshlens_assets::Assets;
///
/// let mut assets = Assets::new();
/// assets.mount_folder(folder.path())?;
/// let flag = assets.open("models/flag.md3")?;
/// assert_eq!(flag.model().name, "flag");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Assets {
    pub(crate) mounts: Arc<Vec<Mount>>,
    index: Arc<Index>,
    /// The scripts, archives, shaders and materials that were read.
    cache: Arc<Cache>,
    limit: Option<u64>,
    budget: Option<Budget>,
    /// Archives that could not be mounted.
    faults: Arc<Vec<String>>,
    importers: Arc<Vec<Arc<dyn Importer>>>,
}

impl Assets {
    /// Makes a search path without mounts.
    pub fn new() -> Assets {
        Assets::default()
    }

    /// Clears what is known about the files of the mounts.
    pub(crate) fn forget(&mut self) {
        self.index = Arc::new(Index::default());
        self.cache = Arc::default();
    }

    /// Sets the largest size in bytes of a companion file, such as a texture. The default is
    /// [`DEFAULT_MAX_FILE_BYTES`]. The files of the model itself are limited only by the [budget](Self::set_budget).
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = Some(bytes);
    }

    /// Sets the budget from which memory for the files of assets is reserved, and for lists of names: the directories of
    /// archives that are mounted after this call, and the folders that are searched. The memory for files is returned
    /// when an asset is dropped.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = Some(budget);
    }

    /// Opens and lists files of another format, too, such as glTF with `meshlens_gltf::Gltf`. A second importer of a format
    /// replaces the first.
    pub fn add_importer(&mut self, importer: impl Importer + 'static) {
        let importers = Arc::make_mut(&mut self.importers);
        importers.retain(|known| known.format() != importer.format());
        importers.push(Arc::new(importer));
    }

    /// The importer of a file.
    pub(crate) fn importer(&self, path: &AssetPath, bytes: &[u8]) -> Option<&Arc<dyn Importer>> {
        let mut importers = self.importers.iter().filter(|_| !bytes.is_empty());
        importers.find(|importer| importer.detects(path.extension(), bytes))
    }

    /// The importer of a file that is not read, by its start. Only files with the extension of an importer are looked at.
    pub(crate) fn importer_of(&self, file: &FoundFile) -> Option<&Arc<dyn Importer>> {
        let start = self.is_imported(file.path.extension()).then(|| self.read_range(file, 0..64))?.ok()?;
        self.importer(&file.path, &start.bytes)
    }

    /// Whether files with this extension are imported.
    pub(crate) fn is_imported(&self, extension: &str) -> bool {
        let mut known = self.importers.iter().flat_map(|importer| importer.extensions());
        known.any(|known| known.eq_ignore_ascii_case(extension))
    }

    /// The largest size in bytes of a companion file.
    pub fn limit(&self) -> u64 {
        self.limit.unwrap_or(DEFAULT_MAX_FILE_BYTES)
    }

    pub(crate) fn budget(&self) -> Option<&Budget> {
        self.budget.as_ref()
    }

    /// Finds the file with this path, in any case; `None` if no mount has it. A file that a mount [knows](FileSystem::knows)
    /// is found first.
    ///
    /// The first search in a folder lists the folder in every mount that has it. Later searches are O(1) in the number
    /// of mounts.
    ///
    /// # Errors
    ///
    /// [`Error::Ambiguous`] if several files of one mount differ from the path only in case, and none is spelled like
    /// it.
    pub fn find(&self, path: &AssetPath) -> Result<Option<FoundFile>, Error> {
        if let Some(mount) = self.mounts.iter().rev().find(|mount| mount.files.knows(path)) {
            return Ok(Some(FoundFile { mount: mount.clone(), path: path.clone() }));
        }
        self.listing(&path.folder()).find(path, &self.mounts)
    }

    /// Like [`find_file`](Self::find_file). Also returns a folder with this path: reading it returns an error.
    pub(crate) fn find_any(&self, path: &AssetPath) -> Option<FoundFile> {
        self.find_file(path).or_else(|| self.listing(&path.folder()).find_folder(path, &self.mounts))
    }

    /// The file with this path; the first one if several differ only in case.
    pub(crate) fn find_file(&self, path: &AssetPath) -> Option<FoundFile> {
        match self.find(path) {
            Ok(found) => found,
            Err(Error::Ambiguous { candidates, .. }) => candidates.into_iter().next(),
            Err(_) => None,
        }
    }

    /// Resolves a name that is stored in a file, like [`resolve`](crate::resolve()). A name that leaves a mounted
    /// folder with `..` and enters it again by the folder's name (`..\\baseq3\\models\\x.md3`) is accepted.
    ///
    /// # Errors
    ///
    /// Same as [`resolve`](crate::resolve()).
    pub fn resolve(&self, base: &AssetPath, name: &str) -> Result<AssetPath, Refused> {
        let refused = match resolve(base, name) {
            Err(refused) if refused.reason == Refusal::Parent => refused,
            resolved => return resolved,
        };
        let roots =
            self.mounts.iter().rev().filter_map(|mount| AssetPath::new(mount.root_name.as_deref()?).ok());
        let reentered = roots.into_iter().find_map(|root| {
            let base = if base.is_root() { root.clone() } else { resolve(&root, base.as_str()).ok()? };
            let path = resolve(&base, name).ok()?;
            let (first, rest) = path.as_str().split_once('/')?;
            root.as_str().eq_ignore_ascii_case(first).then(|| AssetPath::new(rest).ok())?
        });
        reentered.ok_or(refused)
    }

    /// Reads the file that a name stored in another file refers to, such as a decoded URI of a glTF document. Combines
    /// [`resolve`](Self::resolve), [`find`](Self::find) and [`read`](Self::read). `None` if no mount has the file.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`], [`Error::Ambiguous`], and the errors of [`read`](Self::read).
    pub fn read_named(&self, base: &AssetPath, name: &str) -> Result<Option<Bytes>, Error> {
        let path = self.resolve(base, name)?;
        let file = self.find(&path)?.or_else(|| self.find_any(&path));
        file.map(|file| self.read(&file)).transpose()
    }

    /// Reads a whole file.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] or [`Error::Read`] if the file cannot be read or is larger than [`limit`](Self::limit).
    pub fn read(&self, file: &FoundFile) -> Result<Bytes, Error> {
        self.read_limited(file, self.limit())
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Same as [`read`](Self::read).
    pub fn read_limited(&self, file: &FoundFile, limit: u64) -> Result<Bytes, Error> {
        self.read_within(file, None, limit.min(self.limit()))
    }

    /// Reads a whole file of at most `limit` bytes after reserving its memory.
    pub(crate) fn read_within(
        &self,
        file: &FoundFile,
        reservation: Option<&mut Reservation>,
        mut limit: u64,
    ) -> Result<Bytes, Error> {
        if let Some(reservation) = reservation {
            let len = self.read_range(file, 0..0)?.file_len;
            // A file that is larger than the limit is refused when it is read, and so is one that has grown since then and
            // exceeds the reserved memory.
            limit = limit.min(len);
            let bytes = usize::try_from(limit).unwrap_or(usize::MAX);
            let reserved = reservation.grow(bytes, format_args!("the {len} bytes of a file"));
            reserved.map_err(|over| Error::memory(file, over))?;
        }
        file.mount.files.read(&file.path, limit).map_err(|error| Error::reading(file, error))
    }

    /// Reads a range of a file. An empty range only returns the length of the file.
    ///
    /// # Errors
    ///
    /// Same as [`read`](Self::read).
    pub fn read_range(&self, file: &FoundFile, range: Range<u64>) -> Result<FilePart, Error> {
        file.mount.files.read_range(&file.path, range).map_err(|error| Error::reading(file, error))
    }

    /// Whether reading any range of a file reads all of it, as of a compressed entry of an archive.
    pub fn reads_whole(&self, file: &FoundFile) -> bool {
        file.mount.files.reads_whole(&file.path)
    }

    /// Whether the bytes of a file that are read are not copied, because they are in memory or mapped anyway.
    pub fn is_in_memory(&self, file: &FoundFile) -> bool {
        file.mount.files.is_in_memory(&file.path)
    }

    /// The CRC-32 of the bytes of a file, if its mount knows it without reading them, as an archive does.
    pub fn crc32(&self, file: &FoundFile) -> Option<u32> {
        file.mount.files.crc32(&file.path)
    }

    /// Where the bytes of a file begin in its mount, if its neighbours there are [read at once](Self::read_ranges) faster than one
    /// after the other, as the stored entries of an archive are.
    pub fn offset(&self, file: &FoundFile) -> Option<u64> {
        file.mount.files.offset(&file.path)
    }

    /// Reads ranges of several files, like [`read_range`](Self::read_range). Files of the same mount that follow each other are
    /// read together.
    pub fn read_ranges(&self, wanted: &[(&FoundFile, Range<u64>)]) -> Vec<Result<FilePart, Error>> {
        let mut parts = Vec::with_capacity(wanted.len());
        for group in wanted.chunk_by(|(a, _), (b, _)| Arc::ptr_eq(&a.mount.files, &b.mount.files)) {
            let Some((first, _)) = group.first() else { continue };
            let paths: Vec<_> = group.iter().map(|(file, range)| (&file.path, range.clone())).collect();
            let found = first.mount.files.read_ranges(&paths);
            let named = group.iter().zip(found);
            parts.extend(named.map(|((file, _), part)| part.map_err(|error| Error::reading(file, error))));
        }
        parts
    }

    /// The names of the files in a folder, in any case, over all mounts. Each name is listed once, in the spelling of
    /// the first mount that has it, sorted.
    pub fn files(&self, folder: &AssetPath) -> Vec<String> {
        sorted(self.listing(folder).file_names())
    }

    /// The files whose names begin with `start`, in any case. Unlike [`files`](Self::files), it does not look at all of them.
    pub(crate) fn files_beginning(&self, folder: &AssetPath, start: &str) -> Vec<String> {
        sorted(self.listing(folder).beginning(start))
    }

    /// The files with an extension. Only the first call looks at all files of the folder.
    pub(crate) fn files_with(&self, folder: &AssetPath, extension: Extension) -> Vec<String> {
        sorted(self.listing(folder).with_extension(extension))
    }

    /// The names of the folders in a folder, like [`files`](Self::files).
    pub fn folders(&self, folder: &AssetPath) -> Vec<String> {
        self.listing(folder).folder_names().map(str::to_owned).collect()
    }

    /// Whether any mount has this folder. [`fault_at`](Self::fault_at) is the error of one that cannot be listed.
    pub fn has_folder(&self, folder: &AssetPath) -> bool {
        self.listing(folder).is_there()
    }

    /// The number of mounts that are searched before the mount of `file`.
    pub(crate) fn search_order(&self, file: &FoundFile) -> usize {
        let is_it = |mount: &Mount| Arc::ptr_eq(&mount.files, &file.mount.files);
        self.mounts.iter().rev().position(is_it).unwrap_or(usize::MAX)
    }

    /// The files that were read through this search path, and are kept until the next [`refresh`](Self::refresh).
    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The archives of a game that were found around a given path and could not be opened, with the reasons.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    pub(crate) fn add_fault(&mut self, fault: String) {
        Arc::make_mut(&mut self.faults).push(fault);
    }

    pub(crate) fn listing(&self, folder: &AssetPath) -> Arc<Listing> {
        self.index.listing(folder, &self.mounts, self.budget())
    }
}

impl fmt::Debug for Assets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assets").field("mounts", &self.mounts().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// Each name once, sorted.
fn sorted<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut names: Vec<String> = names.map(String::from).collect();
    names.sort_unstable();
    names.dedup();
    names
}
