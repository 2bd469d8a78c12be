//! A mounted file system, and the files that are found in it.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshlens::wire::OverBudget;
use meshlens_source::{EntryFault, Folder, ReadAt};

use crate::AssetPath;
use crate::archive_files::{ArchiveFiles, EntryNames};
use crate::filesystem::{FileSystem, NamedFile};

/// A mounted file system.
#[derive(Clone)]
pub(crate) struct Mount {
    /// The name in errors and in [`FoundFile`].
    pub(crate) name: Arc<str>,
    pub(crate) kind: MountKind,
    /// A folder inside the mount for which users write another name, and that name.
    pub(crate) shown: Option<(AssetPath, Arc<str>)>,
    pub(crate) files: Arc<dyn FileSystem>,
    /// Its place in the operating system, if it is a folder or a file there.
    pub(crate) place: Option<OsLocation>,
    /// The name of the folder itself, if it is a folder of the operating system.
    pub(crate) root_name: Option<Arc<str>>,
    /// The names in an archive.
    names: Option<Arc<dyn EntryNames>>,
    /// The place from which a mounted archive is opened again.
    pub(crate) origin: Option<ArchiveOrigin>,
}

/// The place of an archive.
#[derive(Clone)]
pub(crate) enum ArchiveOrigin {
    System(Arc<Path>),
    Inner(Arc<FoundFile>),
}

/// A place in the operating system.
#[derive(Clone)]
pub(crate) enum OsLocation {
    Folder(Arc<Folder>),
    File(Arc<Path>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MountKind {
    Folder,
    Archive,
    Other,
}

/// A file that was found: its mount, and its path in the spelling of the mount.
///
/// It is displayed in the form that users write: `baseq3/models/x.md3` for a file in a folder, `pak0.pk3!models/x.md3`
/// for an entry of an archive.
#[derive(Clone)]
pub struct FoundFile {
    pub(crate) mount: Mount,
    pub(crate) path: AssetPath,
}

impl FoundFile {
    /// The path inside the mount, in the spelling of the mount.
    pub fn path(&self) -> &AssetPath {
        &self.path
    }

    /// The name of the mount.
    pub fn mount(&self) -> &str {
        &self.mount.name
    }

    /// The file with this path in the same mount, which may not exist.
    pub fn in_same_mount(&self, path: AssetPath) -> FoundFile {
        FoundFile { mount: self.mount.clone(), path }
    }

    /// The name of the archive that contains the file; `None` if the file is in a folder or in a custom file system.
    pub fn archive(&self) -> Option<&str> {
        (self.mount.kind == MountKind::Archive).then_some(&*self.mount.name)
    }

    /// The path of the file in the operating system, as it was given or below a mounted folder. `None` if the file is
    /// in an archive or in a custom file system.
    pub fn os_path(&self) -> Option<PathBuf> {
        match self.mount.place.as_ref()? {
            OsLocation::Folder(folder) => Some(folder.path_of(self.path.as_str())),
            OsLocation::File(path) => Some(path.to_path_buf()),
        }
    }

    /// The folder that contains the file.
    pub(crate) fn folder(&self) -> FoundFile {
        self.in_same_mount(self.path.folder())
    }
}

impl fmt::Display for FoundFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mount.write_name(&self.path, f)
    }
}

impl fmt::Debug for FoundFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl Mount {
    pub(crate) fn new(name: &str, kind: MountKind, files: impl FileSystem + 'static) -> Mount {
        let files = Arc::new(files);
        let (name, shown, place, root_name, names, origin) = (name.into(), None, None, None, None, None);
        Mount { name, kind, shown, files, place, root_name, names, origin }
    }

    pub(crate) fn of_folder(folder: Folder) -> Mount {
        let folder = Arc::new(folder);
        let (name, files) = (folder.path().display().to_string().into(), folder.clone());
        let canonical = folder.path_of(".").canonicalize();
        let root_name = canonical.ok().and_then(|path| Some(Arc::from(path.file_name()?.to_str()?)));
        let (kind, place) = (MountKind::Folder, Some(OsLocation::Folder(folder)));
        Mount { name, kind, shown: None, files, place, root_name, names: None, origin: None }
    }

    pub(crate) fn of_named_file(inside: &AssetPath, path: &Path) -> Mount {
        let files = NamedFile { path: path.into() };
        let mount = Mount::new("", MountKind::Other, files);
        let shown = Some((inside.clone(), path.display().to_string().into()));
        Mount { shown, place: Some(OsLocation::File(path.into())), ..mount }
    }

    pub(crate) fn of_archive<B: ReadAt + Send + Sync + 'static>(name: &str, files: ArchiveFiles<B>) -> Mount {
        let files = Arc::new(files);
        let names: Arc<dyn EntryNames> = files.clone();
        Mount { names: Some(names), ..Mount::new(name, MountKind::Archive, files) }
    }

    /// The path with which a folder or an archive of the operating system was mounted.
    pub(crate) fn os_path(&self) -> Option<&OsStr> {
        match (&self.origin, &self.place) {
            (Some(ArchiveOrigin::System(path)), _) => Some(path.as_os_str()),
            (_, Some(OsLocation::Folder(folder))) => Some(folder.path().as_os_str()),
            _ => None,
        }
    }

    /// The place of an archive that has changed since it was opened.
    pub(crate) fn changed(&self) -> Option<&ArchiveOrigin> {
        self.origin.as_ref().filter(|_| self.names.as_ref().is_some_and(|names| !names.is_current()))
    }

    /// The error for the first entry with a refused name from the entry with this number on, and the number after it.
    pub(crate) fn refused(&self, from: usize) -> Option<(usize, meshlens_source::Error)> {
        let (number, entry, fault) = self.names.as_ref()?.refused(from)?;
        let archive = (*self.name).into();
        let fault = EntryFault::Name(fault);
        Some((number + 1, meshlens_source::Error::Entry { archive, entry, fault }))
    }

    fn write_name(&self, path: &AssetPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown.as_ref().and_then(|(folder, name)| Some((name, path.below(folder)?)));
        let (name, path) = shown.unwrap_or((&self.name, path.as_str()));
        match (self.kind, &**name) {
            (MountKind::Archive, name) => write!(f, "{name}!{path}"),
            (_, "") => f.write_str(path),
            (_, name) if path.is_empty() => f.write_str(name),
            (_, name) => write!(f, "{}/{path}", name.trim_end_matches('/')),
        }
    }
}

/// The reason, if an error of listing or reading was caused by a budget.
pub(crate) fn over_budget(error: &io::Error) -> Option<&OverBudget> {
    error.get_ref()?.downcast_ref()
}

/// Whether an error of listing or reading means that the file or folder does not exist.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
