//! Files that are not yet in place: without a name, or with a temporary one.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempPath};

/// A file that is not yet in place.
#[derive(Debug)]
pub(super) enum Temporary {
    /// A file without a name.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    Unnamed { file: File, folder: PathBuf },
    /// A file with a temporary name.
    Named { file: NamedTempFile<File>, unfinished: Unfinished },
    /// A complete file with a temporary name, which is not open.
    Closed { path: TempPath, unfinished: Unfinished },
    /// A file that could not be closed.
    Failed,
}

impl Temporary {
    pub(super) fn new(folder: &Path) -> io::Result<Temporary> {
        match Temporary::unnamed(folder) {
            Some(unnamed) => Ok(unnamed),
            None => Temporary::named(folder),
        }
    }

    pub(super) fn named(folder: &Path) -> io::Result<Temporary> {
        let mut all = all_unfinished();
        let file = beside().tempfile_in(folder)?;
        all.insert(file.path().into());
        let unfinished = Unfinished(file.path().into());
        Ok(Temporary::Named { file, unfinished })
    }

    /// Makes a file without a name; `None` if the system or the file system does not support it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn unnamed(folder: &Path) -> Option<Temporary> {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;

        let mut options = File::options();
        options.write(true).mode(0o666).custom_flags(OFlags::TMPFILE.bits() as i32);
        let file = options.open(folder).ok()?;
        // The file gets its name through /proc.
        std::fs::symlink_metadata(descriptor(&file)).ok()?;
        Some(Temporary::Unnamed { file, folder: folder.into() })
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn unnamed(_folder: &Path) -> Option<Temporary> {
        None
    }

    /// The file, if it is open.
    pub(super) fn file(&mut self) -> io::Result<&mut File> {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Temporary::Unnamed { file, .. } => Ok(file),
            Temporary::Named { file, .. } => Ok(file.as_file_mut()),
            Temporary::Closed { .. } | Temporary::Failed => Err(io::Error::other("the file is closed")),
        }
    }

    /// Closes a complete file, which then has a temporary name.
    pub(super) fn close(self) -> io::Result<Temporary> {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Temporary::Unnamed { file, folder } => {
                let mut all = all_unfinished();
                let path = beside().make_in(folder, |temporary| link(&file, temporary))?.into_temp_path();
                all.insert(path.to_path_buf());
                let unfinished = Unfinished(path.to_path_buf());
                Ok(Temporary::Closed { path, unfinished })
            }
            Temporary::Named { file, unfinished } => {
                Ok(Temporary::Closed { path: file.into_temp_path(), unfinished })
            }
            closed => Ok(closed),
        }
    }

    /// Moves the file to its path. The caller has locked `all`.
    pub(super) fn place(self, path: &Path, overwrite: bool, all: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        let named: TempPath = match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Temporary::Unnamed { file, folder: _ } if !overwrite => return link(&file, path),
            // A link cannot replace a file, so the file must be renamed.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Temporary::Unnamed { file, folder } => {
                beside().make_in(folder, |temporary| link(&file, temporary))?.into_temp_path()
            }
            Temporary::Named { file, unfinished } => {
                unfinished.leave(all);
                file.into_temp_path()
            }
            Temporary::Closed { path, unfinished } => {
                unfinished.leave(all);
                path
            }
            Temporary::Failed => return Err(io::Error::other("the file is closed")),
        };
        let placed = if overwrite { named.persist(path) } else { named.persist_noclobber(path) };
        placed.map_err(|error| error.error)
    }
}

/// Gives a name to an open file.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};

    Ok(linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// The path of an open file of this process in `/proc`.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Temporary::Closed { .. } => Ok(()),
            open => open.file()?.flush(),
        }
    }
}

impl Seek for Temporary {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file()?.seek(to)
    }
}

/// The temporary files that have names, for [`discard_unfinished`](super::discard_unfinished).
pub(super) static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

pub(super) fn all_unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An entry in [`UNFINISHED`].
#[derive(Debug)]
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Removes the entry while the list is locked, which dropping it cannot do. No entry has an empty path.
    fn leave(mut self, all: &mut BTreeSet<PathBuf>) {
        all.remove(&std::mem::take(&mut self.0));
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            all_unfinished().remove(&self.0);
        }
    }
}

/// Temporary files are private by default, but the finished file should have the permissions that the user's mask
/// allows.
fn beside() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".meshlens-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}
