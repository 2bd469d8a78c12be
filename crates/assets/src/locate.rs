//! Locates the files of a model by its name in the mounts.

use meshlens_source::{Error as SourceError, ReadAt};

use crate::archive_files::is_archive;
use crate::located::{Located, ModelFiles};
use crate::mount::{Mount, MountKind};
use crate::open_archive::open_archive;
use crate::record::Record;
use crate::scripts::{Import, is_script};
use crate::{AssetPath, Assets, Bytes, Error, FoundFile, MemoryFiles, Rule, player, unreal};

/// The largest depth of archives inside archives.
const MAX_NESTED: usize = 4;

impl Assets {
    /// Finds the files of the model with this name. Reads only scripts and the directories of archives.
    ///
    /// | name | model |
    /// |---|---|
    /// | `models/x.md3`, `x.u3d`, `x.mesh`, `x.anim` | the file |
    /// | `Models/x_d.3d`, `Models/x_a.3d` | both files, by [`Rule::Pair`] or [`Rule::Script`] |
    /// | `Classes/x.uc` | the mesh that the script imports, if it is one |
    /// | `Classes/x.uc!Gun` | the mesh `Gun` of the script |
    /// | `models/players/sarge` | the player in this folder |
    /// | `pak0.pk3!models/x.md3` | any of these in an archive inside the mounts |
    ///
    /// A mount that [has unlisted files](crate::FileSystem::has_unlisted), such as a web server, is asked whether it has the file,
    /// unless it is the last one that could have it: reading then returns the error.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::Ambiguous`], [`Error::NotOneModel`], and the errors of reading a script or an archive.
    pub fn locate(&self, name: &str) -> Result<Located, Error> {
        self.locate_within(name, MAX_NESTED)
    }

    fn locate_within(&self, name: &str, nested: usize) -> Result<Located, Error> {
        let (whole, is_outermost) = (AssetPath::new(name), nested == MAX_NESTED);
        if let Ok(path) = &whole
            && let Some(file) = self.given(path, is_outermost)?
        {
            return self.located_file(path.clone(), file);
        }
        for (at, _) in name.match_indices('!') {
            let (outer, inner) = (&name[..at], &name[at + 1..]);
            let Ok(path) = AssetPath::new(outer) else { continue };
            let has_models = is_script(path.file_name()) || is_archive(path.file_name());
            let unlisted = || if has_models && is_outermost { self.unlisted(&path, None) } else { None };
            let found = self.given(&path, is_outermost)?.or_else(unlisted);
            let Some(file) = found.filter(|_| !inner.is_empty() && nested > 0) else { continue };
            if is_script(path.file_name()) {
                return self.located_mesh(path, file, Some(inner));
            }
            let located = self.archive(&file)?.locate_within(inner, nested - 1);
            return located.map_err(|error| match error {
                Error::NotFound { looked_for, mounts, .. } => {
                    Error::NotFound { name: name.into(), looked_for, mounts }
                }
                error => error,
            });
        }
        let path = whole?;
        let mut record = Record::default();
        if let Some(files) = player::find(self, &path, &mut record) {
            return Ok(Located { assets: self.clone(), path, files, record });
        }
        let unlisted = if is_outermost { self.unlisted(&path, None) } else { None };
        match unlisted {
            Some(file) => self.located_file(path, file),
            None => Err(self.not_found(name, &path)),
        }
    }

    /// The file with a path that a mount lists, or that a mount before it has without listing it.
    fn given(&self, path: &AssetPath, asks_unlisted: bool) -> Result<Option<FoundFile>, Error> {
        let listed = self.find(path)?;
        let unlisted =
            listed.as_ref().filter(|_| asks_unlisted).and_then(|file| self.unlisted(path, Some(file)));
        Ok(unlisted.or(listed))
    }

    /// The file with this path in the first mount that has it without listing it, of those that are searched before a file that
    /// is listed.
    pub(crate) fn unlisted(&self, path: &AssetPath, listed: Option<&FoundFile>) -> Option<FoundFile> {
        let before = listed.map_or(usize::MAX, |file| self.search_order(file));
        let mounts = self.mounts.iter().rev().take(before);
        let mounts = mounts.filter(|mount| mount.files.has_unlisted() && !path.is_root());
        let mut files = mounts.map(|mount| FoundFile { mount: mount.clone(), path: path.clone() }).peekable();
        while let Some(file) = files.next() {
            let is_last = files.peek().is_none() && listed.is_none();
            if is_last || self.may_exist(&file) {
                return Some(file);
            }
        }
        None
    }

    /// Whether a file exists that its mount does not list, or cannot be read for another reason.
    pub(crate) fn may_exist(&self, file: &FoundFile) -> bool {
        self.read_range(file, 0..0).map_or_else(|error| !error.is_not_found(), |_| true)
    }

    /// The model that a found file belongs to.
    pub(crate) fn located_file(&self, path: AssetPath, file: FoundFile) -> Result<Located, Error> {
        if is_script(path.file_name()) {
            return self.located_mesh(path, file, None);
        }
        let mut record = Record::default();
        record.look(Rule::Named, path.clone(), Some(file.clone()));
        let files = match unreal::kind_of(path.file_name()) {
            Some(kind) => self.mesh_of_half(&path, file, kind, &mut record),
            None => ModelFiles::Single(file),
        };
        // A mesh is named after its geometry file.
        let path = match &files {
            ModelFiles::Pair { geometry, .. } => geometry.path.clone(),
            _ => path,
        };
        Ok(Located { assets: self.clone(), path, files, record })
    }

    /// One mesh of a script: the one with this name, or its only one.
    pub(crate) fn located_mesh(
        &self,
        path: AssetPath,
        file: FoundFile,
        mesh: Option<&str>,
    ) -> Result<Located, Error> {
        let imports = self.imports(&path, &file)?;
        let mut record = Record::default();
        record.look(Rule::Named, path, Some(file.clone()));
        let is_meant = |name: &str| mesh.is_none_or(|mesh| name.eq_ignore_ascii_case(mesh));
        let mut meant = imports.iter().filter(|import| is_meant(import.script.name()));
        match (meant.next(), meant.next()) {
            (Some(import), None) => self.located_import(import, record),
            _ => Err(Error::NotOneModel {
                name: mesh.map_or(file.to_string(), |mesh| format!("{file}!{mesh}")).into(),
                models: imports.iter().map(|import| format!("{file}!{}", import.script.name())).collect(),
            }),
        }
    }

    /// The mesh that an import of a script describes.
    pub(crate) fn located_import(&self, import: &Import, mut record: Record) -> Result<Located, Error> {
        use meshlens::unreal::FileKind;

        let (geometry, frames) = (&import.geometry, &import.frames);
        for named in [geometry, frames] {
            for path in &named.looked_for {
                let found = named.found.clone().filter(|found| found.path.names_same(path));
                record.look(Rule::Script, path.clone(), found);
            }
        }
        let unpaired = |kind, file: &FoundFile, other: &[AssetPath]| ModelFiles::Unpaired {
            kind,
            file: file.clone(),
            looked_for: other.to_vec(),
            refused: import.script.refused().to_vec(),
        };
        let files = match (&geometry.found, &frames.found) {
            (Some(geometry), Some(frames)) => ModelFiles::Pair {
                geometry: geometry.clone(),
                frames: frames.clone(),
                script: Some(import.script.clone()),
            },
            (Some(file), None) => unpaired(FileKind::Geometry, file, &frames.looked_for),
            (None, Some(file)) => unpaired(FileKind::Frames, file, &geometry.looked_for),
            (None, None) => {
                return Err(match geometry.refused.clone().or(frames.refused.clone()) {
                    Some(refused) if geometry.looked_for.is_empty() => Error::Refused(refused),
                    _ => Error::NoFiles {
                        script: import.script.file().to_string().into(),
                        mesh: import.script.name().into(),
                        looked_for: geometry.looked_for.iter().chain(&frames.looked_for).cloned().collect(),
                        refused: import.script.refused().to_vec(),
                    },
                });
            }
        };
        let first = files.files().first().map(|file| file.path.clone());
        let path = first.unwrap_or_else(|| import.script.file().path.clone());
        Ok(Located { assets: self.clone(), path, files, record })
    }

    /// The error for a path that does not exist, or is a folder without a player. If a folder of the path cannot be listed,
    /// that is the error.
    pub(crate) fn not_found(&self, name: &str, path: &AssetPath) -> Error {
        if let Some(fault) = self.fault_at(path) {
            return fault;
        }
        let parts = || player::NAMES.iter().map(|name| path.child(name)).collect();
        let looked_for = if self.has_folder(path) { parts() } else { vec![path.clone()] };
        Error::NotFound { name: name.into(), looked_for, mounts: self.mounts().map(Box::from).collect() }
    }

    /// The error of a folder that a mount cannot list: of this folder, or of one that contains it. [`files`](Self::files),
    /// [`folders`](Self::folders) and [`find`](Self::find) then know the names of the other mounts only.
    pub fn fault_at(&self, path: &AssetPath) -> Option<Error> {
        path.up_to_root().find_map(|folder| {
            let listing = self.listing(&folder);
            listing.faults.first().map(|(folder, error)| Error::listing(folder, error))
        })
    }

    /// Makes a located model of one file whose bytes are already in memory. `name` has the same meaning as for
    /// [`open_bytes`](Self::open_bytes).
    ///
    /// # Errors
    ///
    /// [`Error::Refused`], and the errors of [`locate`](Self::locate) for the name of a script.
    pub fn locate_bytes(&self, name: &str, bytes: impl Into<Bytes>) -> Result<Located, Error> {
        let path = AssetPath::new(name)?;
        let mut files = MemoryFiles::default();
        files.insert(path.as_str(), bytes);
        let mount = Mount::new("", MountKind::Other, files);
        self.located_file(path.clone(), FoundFile { mount, path })
    }

    /// Returns this search path with an archive from inside the mounts as its first mount. The archive is opened once
    /// and cached.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] if the file cannot be read or is not an archive.
    pub fn archive(&self, file: &FoundFile) -> Result<Assets, Error> {
        self.cache().named(file.to_string().into(), || Ok(self.with(self.open_inner(file)?)))
    }

    /// Opens an archive from inside the mounts.
    pub(crate) fn open_inner(&self, file: &FoundFile) -> Result<Mount, Error> {
        let name = file.to_string();
        if file.mount.kind == MountKind::Archive {
            // Reading a range of a deflated entry inflates the whole entry.
            let bytes: Bytes = self.read(file)?;
            return open_archive(bytes, &name, self.budget());
        }
        let part = self.read_range(file, 0..0)?;
        let ranges = FileRanges { file: file.clone(), len: part.file_len, version: part.version };
        open_archive(ranges, &name, self.budget())
    }
}

/// A file of a file system, read in ranges. If the file changes, reading fails.
struct FileRanges {
    file: FoundFile,
    len: u64,
    version: u64,
}

impl ReadAt for FileRanges {
    fn size(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<std::borrow::Cow<'_, [u8]>, SourceError> {
        let name = || std::path::PathBuf::from(self.file.to_string()).into_boxed_path();
        // Reading ends at the end of the file, wherever the range ends.
        let end = offset.saturating_add(len);
        let part = self.file.mount.files.read_range(&self.file.path, offset..end);
        let part = part.map_err(|error| match error.downcast::<SourceError>() {
            Ok(error) => error,
            Err(error) => SourceError::Io { path: name(), action: "read", error },
        })?;
        if (part.file_len, part.version) != (self.len, self.version) {
            return Err(SourceError::Changed { path: name() });
        }
        Ok(std::borrow::Cow::Owned(part.bytes.into()))
    }
}
