//! Access restricted to the files below one folder, independent of the content of names and of the targets of links.

mod name;

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, Metadata, OpenOptions};

use crate::file::{OpenFile, kind_of};
use crate::folder_entry::{FilePart, FolderEntry, FolderEntryKind};
use crate::read::read_file;
use crate::{Error, OpenedFile, ReadAt, Result};
use name::{to_name, to_path};

/// A folder whose files are opened by relative names, with `/` between folders. A name or a symbolic link that leads
/// out of the folder is an error ([`Error::Outside`]). This is enforced while the file is opened (with `openat2` and
/// `RESOLVE_BENEATH` on Linux), so that no link can be exchanged in between. No file descriptor stays open.
///
/// In file names that are not UTF-8 (Unix), each byte b that is not UTF-8 is spelled as the character U+EF00 + b, in
/// returned names and in arguments.
///
/// ```
/// # let parent = tempfile::tempdir()?;
/// # let path = parent.path().join("baseq3");
/// # std::fs::create_dir(&path)?;
/// # std::fs::write(path.join("lower.md3"), b"IDP3")?;
/// use meshlens_source::{Error, Folder};
///
/// let folder = Folder::open(&path)?;
/// assert_eq!(folder.read("lower.md3", 1 << 20)?, b"IDP3");
/// assert!(matches!(folder.read("../secret.md3", 1 << 20), Err(Error::Outside { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Folder {
    path: Box<Path>,
    /// The absolute path, which stays valid if the current folder changes.
    absolute: Box<Path>,
    meta: Metadata,
}

impl Folder {
    /// Opens a folder to check it, and closes it again. Its own path may contain links.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it does not exist, cannot be read, or is not a folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Folder> {
        let path = path.as_ref();
        let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let absolute = std::path::absolute(here).map_err(Error::io(path, "open"))?.into();
        let dir = Dir::open_ambient_dir(here, ambient_authority()).map_err(Error::io(path, "open"))?;
        let meta = dir.dir_metadata().map_err(Error::io(path, "inspect"))?;
        Ok(Folder { path: path.into(), absolute, meta })
    }

    /// Opens the folder again. Returns an error if it was replaced by a different folder.
    fn dir(&self) -> Result<Dir> {
        let path = &self.path;
        let dir =
            Dir::open_ambient_dir(&self.absolute, ambient_authority()).map_err(Error::io(path, "open"))?;
        let meta = dir.dir_metadata().map_err(Error::io(path, "inspect"))?;
        if cfg!(unix) && !is_same(&meta, &self.meta) {
            return Err(Error::Changed { path: path.clone() });
        }
        Ok(dir)
    }

    /// The path with which the folder was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name to use for a file with this relative path.
    pub fn name_of(path: &Path) -> String {
        let components = path.components().map(|component| component.as_os_str().to_owned());
        components.filter_map(to_name).collect::<Vec<_>>().join("/")
    }

    /// The path of a file in the folder, for use with other functions. It may lead out of the folder.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(to_path(name))
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Outside`], and the errors of [`Source::read_limited`](crate::Source::read_limited).
    pub fn read(&self, name: impl AsRef<str>, limit: u64) -> Result<Vec<u8>> {
        let name = to_path(name.as_ref());
        let path = self.path.join(&name);
        let mut bytes = Vec::new();
        read_file(&self.open_file(&name, &path)?, &path, Some(limit), &mut bytes)?;
        Ok(bytes)
    }

    /// Reads the bytes of a file in `range`, or fewer if the file ends before. An empty range returns only the length
    /// and the version.
    ///
    /// # Errors
    ///
    /// Same as [`read`](Self::read), without a limit.
    pub fn read_range(&self, name: impl AsRef<str>, range: Range<u64>) -> Result<FilePart> {
        let name = to_path(name.as_ref());
        let path = self.path.join(&name);
        let opened = OpenedFile { path: &path, opened: self.open_file(&name, &path)? };
        let (file_len, version) = (opened.size(), opened.state().version());
        let bytes = match range.start < range.end.min(file_len) {
            true => opened.read_at(range.start, range.end - range.start)?.into_owned(),
            false => Vec::new(),
        };
        Ok(FilePart { bytes, file_len, version })
    }

    /// The files and folders in the folder `name`, sorted by name. The empty name is this folder itself.
    ///
    /// # Errors
    ///
    /// [`Error::Outside`], and [`Error::Io`] if the folder does not exist, cannot be read, or is not a folder.
    pub fn list(&self, name: impl AsRef<str>) -> Result<Vec<FolderEntry>> {
        let name = to_path(name.as_ref());
        let path = self.path.join(&name);
        let dir = self.dir()?;
        let entries = self.follow(&name, |name| match name.as_os_str().is_empty() {
            true => dir.entries(),
            false => dir.read_dir(name),
        });
        let mut found = Vec::new();
        for entry in entries.map_err(outside_or(&path, "list"))? {
            let entry = entry.map_err(Error::io(&path, "list"))?;
            let file_name = entry.file_name();
            let kind = self.kind_of_entry(&dir, &name, &entry, &file_name);
            found.extend(to_name(file_name).map(|name| FolderEntry { name, kind }));
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The target of a path with an absolute link, if it is inside the folder. It is opened with the same checks as any
    /// other path.
    fn inside(&self, name: &Path) -> Option<PathBuf> {
        let (root, target) =
            (self.absolute.canonicalize().ok()?, self.absolute.join(name).canonicalize().ok()?);
        let inside = target.strip_prefix(root).ok()?;
        Some(if inside.as_os_str().is_empty() { ".".into() } else { inside.into() })
    }

    /// Opens a path, or the target of its absolute link, if that is inside the folder.
    fn follow<T>(&self, name: &Path, open: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
        match open(name) {
            Err(error) if is_outside(&error) => self.inside(name).map_or(Err(error), |inside| open(&inside)),
            opened => opened,
        }
    }

    fn kind_of_entry(
        &self,
        dir: &Dir,
        folder: &Path,
        entry: &DirEntry,
        file_name: &OsStr,
    ) -> FolderEntryKind {
        let target = || self.follow(&folder.join(file_name), |path| dir.metadata(path));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => FolderEntryKind::Folder,
            Ok(kind) if kind.is_symlink() => match target() {
                Ok(meta) if meta.is_dir() && is_above(dir, folder, &meta) => FolderEntryKind::Loop,
                Ok(meta) if meta.is_dir() => FolderEntryKind::Folder,
                _ => FolderEntryKind::File,
            },
            _ => FolderEntryKind::File,
        }
    }

    fn open_file(&self, name: &Path, path: &Path) -> Result<OpenFile> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            options.custom_flags(crate::file::open_flags());
        }
        let dir = self.dir()?;
        match self.follow(name, |name| dir.open_with(name, &options)) {
            Ok(file) => OpenFile::of(file.into_std(), path),
            Err(error) => {
                // Opening a folder or a socket fails with an unspecific error, so its kind is checked.
                let meta = dir.metadata(name).ok();
                Err(match meta {
                    Some(meta) if meta.is_dir() => Error::Folder { path: path.into() },
                    Some(meta) if !meta.is_file() => {
                        Error::NotRegular { path: path.into(), kind: kind(&meta) }
                    }
                    _ => outside_or(path, "open")(error),
                })
            }
        }
    }
}

/// Whether `meta` describes the folder or a folder that contains it.
fn is_above(dir: &Dir, folder: &Path, meta: &Metadata) -> bool {
    folder.ancestors().any(|above| {
        let here = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        dir.metadata(here).is_ok_and(|above| is_same(&above, meta))
    })
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;

    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Files have no identity on this system, so links to folders are never followed.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// The kind of a file that cannot be opened for reading.
fn kind(meta: &Metadata) -> &'static str {
    #[cfg(unix)]
    return kind_of(cap_std::fs::MetadataExt::mode(meta));
    #[cfg(not(unix))]
    return kind_of(meta);
}

/// Whether the error means that a path leads out of its folder or is absolute: the sandbox reports this without an
/// error code of the operating system.
fn is_outside(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Converts an error, to [`Error::Outside`] for a path that leads out of its folder.
fn outside_or(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path: Box<Path> = path.into();
    move |error| {
        if is_outside(&error) { Error::Outside { path } } else { Error::Io { path, action, error } }
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Folder").field("path", &self.path).finish()
    }
}
