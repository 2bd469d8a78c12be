//! The mounts of a search path: they are added, removed, and opened again if they have changed.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use meshlens_source::{Folder, RandomAccessFile};

use crate::filesystem::FileSystem;
use crate::mount::{ArchiveOrigin, Mount, MountKind};
use crate::open_archive::open_archive;
use crate::{Assets, Error, FoundFile};

impl Assets {
    /// Mounts a folder of the operating system. Files outside it are never read, even through symbolic links.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] if the path is not a folder or cannot be opened.
    pub fn mount_folder(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.push(Mount::of_folder(Folder::open(path)?));
        Ok(())
    }

    /// Mounts a PK3 or zip archive.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] if the file cannot be read or is not an archive.
    pub fn mount_archive(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.push_archive(ArchiveOrigin::System(path.as_ref().into()))
    }

    /// Mounts an archive that is a file of the mounts, such as a PK3 in a file system of the program. The name of the
    /// mount is the [`FoundFile`] as text.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] or [`Error::Read`] if the file cannot be read or is not an archive.
    pub fn mount_inner_archive(&mut self, file: &FoundFile) -> Result<(), Error> {
        self.push_archive(ArchiveOrigin::Inner(Arc::new(file.clone())))
    }

    fn push_archive(&mut self, origin: ArchiveOrigin) -> Result<(), Error> {
        self.push(self.opened(origin)?);
        Ok(())
    }

    /// Opens an archive, so that it can be opened again from the same place.
    fn opened(&self, origin: ArchiveOrigin) -> Result<Mount, Error> {
        let mut mount = match &origin {
            ArchiveOrigin::Inner(file) => self.open_inner(file)?,
            ArchiveOrigin::System(path) => {
                open_archive(RandomAccessFile::open(path)?, &path.display().to_string(), self.budget())?
            }
        };
        mount.origin = Some(origin);
        Ok(mount)
    }

    /// Removes the mount with this name, as [`mounts`](Self::mounts) returns it, or the folder or archive that was mounted with
    /// this path, which need not be Unicode: the one that was added last, if there are several. Returns whether there was one.
    /// Clones keep it, and so do assets that were opened from it.
    pub fn unmount(&mut self, name: impl AsRef<OsStr>) -> bool {
        let name = name.as_ref();
        let is_it = |mount: &Mount| *mount.name == *name || mount.os_path().is_some_and(|path| path == name);
        let Some(number) = self.mounts.iter().rposition(is_it) else { return false };
        Arc::make_mut(&mut self.mounts).remove(number);
        self.forget();
        true
    }

    /// Mounts any other file system. Errors refer to it by `name`, which may be empty.
    pub fn mount(&mut self, name: &str, files: impl FileSystem + 'static) {
        self.push(Mount::new(name, MountKind::Other, files));
    }

    pub(crate) fn push(&mut self, mount: Mount) {
        Arc::make_mut(&mut self.mounts).push(mount);
        self.forget();
    }

    /// The same search path with one more mount, which is searched first.
    pub(crate) fn with(&self, mount: Mount) -> Assets {
        let mut assets = self.clone();
        assets.push(mount);
        assets
    }

    /// A search path with only the first mount.
    pub(crate) fn first_mount(&self) -> Assets {
        match self.mounts.last() {
            Some(mount) => self.only(mount.clone()),
            None => self.clone(),
        }
    }

    /// A search path with only this mount.
    pub(crate) fn only(&self, mount: Mount) -> Assets {
        let mut assets = self.clone();
        assets.mounts = Arc::new(vec![mount]);
        assets.forget();
        assets
    }

    /// The names of the mounts in search order: the mount that was added last comes first.
    pub fn mounts(&self) -> impl Iterator<Item = &str> {
        self.mounts.iter().rev().map(|mount| &*mount.name)
    }

    /// Clears the cached folder listings, so that added and removed files are noticed, and opens mounted archives again
    /// that have changed. One that cannot be opened stays as it was, and reading from it is an error. An archive that is
    /// mounted from inside another is not opened again. Does not affect clones.
    pub fn refresh(&mut self) {
        let opened = self.mounts.iter().enumerate();
        let opened = opened.filter_map(|(at, mount)| Some((at, self.opened(mount.changed()?.clone()).ok()?)));
        for (at, mount) in opened.collect::<Vec<_>>() {
            if let Some(changed) = Arc::make_mut(&mut self.mounts).get_mut(at) {
                *changed = mount;
            }
        }
        self.forget();
    }
}
