//! Files that appear whole or not at all: written beside their place, then renamed into it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::{Error, Result};

/// A file being written. It is a temporary file in the folder of its destination until
/// [`AtomicFile::commit`] renames it there; dropped before that, it leaves no trace.
///
/// Its bytes are buffered here, and not forced to the disk: an interrupted program leaves the old file or the
/// new one, a power failure may leave less. The new file has the permissions of any new file; a link at the
/// destination is replaced by the file.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lower.glb");
/// use std::io::Write;
/// use meshlens_source::AtomicFile;
///
/// let mut file = AtomicFile::create(&path, false)?;
/// file.write_all(b"glTF")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"glTF");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<NamedTempFile<File>>,
    path: PathBuf,
    overwrite: bool,
    unfinished: Unfinished,
}

/// The temporary files that are there, for [`discard_unfinished`].
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn all_unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file's entry among [`UNFINISHED`].
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        all_unfinished().remove(&self.0);
    }
}

/// Removes every file that is being written. No file is begun or put in its place afterwards: threads that try wait
/// for ever. For programs that a signal is about to end, from a thread of their own (not from a signal handler);
/// nothing else runs before `SIGKILL`, which leaves the temporary files.
pub fn discard_unfinished() {
    let unfinished = all_unfinished();
    for path in unfinished.iter() {
        // It may be gone already, and there is nobody left to tell.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

impl AtomicFile {
    /// Begins to write a file. Its folder has to exist.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] when there is such a file and `overwrite` is false, [`Error::Folder`] and
    /// [`Error::NotRegular`] when there is something else, [`Error::Io`] when the folder cannot be written to.
    pub fn create(path: impl AsRef<Path>, overwrite: bool) -> Result<AtomicFile> {
        let path = path.as_ref();
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => return Err(Error::Folder { path: path.into() }),
            Ok(meta) if !meta.is_file() => return Err(Error::NotRegular { path: path.into() }),
            Ok(_) if !overwrite => return Err(Error::Exists { path: path.into() }),
            // Whatever else is wrong with the path, creating the file will say.
            _ => {}
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut all = all_unfinished();
        let file = beside().tempfile_in(folder).map_err(Error::io(path, "create"))?;
        all.insert(file.path().into());
        let unfinished = Unfinished(file.path().into());
        Ok(AtomicFile { writer: BufWriter::new(file), path: path.into(), overwrite, unfinished })
    }

    /// Where the file will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the finished file in its place.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the last bytes cannot be written or the file cannot be renamed, and [`Error::Exists`]
    /// when somebody else has put a file there meanwhile that must not be overwritten. Nothing remains then.
    pub fn commit(self) -> Result<()> {
        AtomicFile::commit_all([self])
    }

    /// Puts finished files in their places, one after the other, which [`discard_unfinished`] does not come between. All
    /// their bytes are written before the first is in its place.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit); files before the one that fails are in their places then.
    pub fn commit_all(files: impl IntoIterator<Item = AtomicFile>) -> Result<()> {
        let mut finished = Vec::new();
        for AtomicFile { writer, path, overwrite, unfinished } in files {
            match writer.into_inner() {
                Ok(file) => finished.push((file, path, overwrite, unfinished)),
                Err(error) => return Err(Error::io(&path, "write")(error.into_error())),
            }
        }
        let mut all = all_unfinished();
        let mut outcome = Ok(());
        // Entries are taken off the list here: while it is locked they cannot do so themselves.
        let mut entries = Vec::new();
        for (file, path, overwrite, unfinished) in finished {
            if outcome.is_ok() {
                outcome = place(file, &path, overwrite);
            }
            all.remove(&unfinished.0);
            entries.push(unfinished);
        }
        drop(all);
        outcome
    }
}

fn place(file: NamedTempFile<File>, path: &Path, overwrite: bool) -> Result<()> {
    let placed = if overwrite { file.persist(path) } else { file.persist_noclobber(path) };
    match placed {
        Ok(_) => Ok(()),
        Err(error) if !overwrite && error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::Exists { path: path.into() })
        }
        Err(error) => Err(Error::io(path, "rename the finished file to it")(error.error)),
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Writes a file in one go: what `write` writes appears at `path` when it succeeds, and nothing does when it fails.
///
/// # Errors
///
/// As [`AtomicFile::create`] and [`AtomicFile::commit`]; what `write` returns becomes [`Error::Io`].
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lower.glb");
/// use std::io::{Write, Error};
///
/// let failed = meshlens_source::write_atomic(&path, false, |out| {
///     out.write_all(b"glT")?;
///     Err(Error::other("out of ideas"))
/// });
/// assert!(failed.unwrap_err().to_string().ends_with("cannot write: out of ideas"));
/// assert!(!path.exists());
/// # Ok::<(), Error>(())
/// ```
pub fn write_atomic(
    path: impl AsRef<Path>,
    overwrite: bool,
    write: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    let mut file = AtomicFile::create(path, overwrite)?;
    write(&mut file).map_err(Error::io(path, "write"))?;
    file.commit()
}

/// Temporary files are private by default; the finished file should be as open as the user's mask lets it.
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
