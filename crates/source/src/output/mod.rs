//! Output files that appear whole or not at all: they are written without a name, or with a temporary one, and then
//! moved to their path.

mod temporary;

use std::fs::Permissions;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf, is_separator};

use crate::file::not_regular;
use crate::{Error, Result};
use temporary::{Temporary, all_unfinished};

/// An output file that appears at its path only after [`AtomicFile::commit`]. If it is dropped earlier, nothing
/// remains.
///
/// On Linux it has no name until then (`O_TMPFILE`), so nothing remains however the process ends. If the file system
/// does not support such files, it is a temporary file in the destination folder, which [`discard_unfinished`] removes.
/// When a file is replaced, the new one has a temporary name between the two system calls that put it in place.
///
/// Its bytes are buffered and, without [`AtomicFile::sync`], not forced to the disk: an interrupted program leaves the old
/// file or the new one, but a power failure may lose data. The new file has the default permissions of new files, or those of
/// [`AtomicFile::set_permissions`]. A link at the destination is replaced by the file.
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
    writer: BufWriter<Temporary>,
    path: PathBuf,
    overwrite: bool,
}

/// Removes all unfinished files that have names. After this call, no file is put in place: threads that try to commit
/// wait forever. Use it in programs that a signal is about to end, on an ordinary thread and not in a signal handler.
/// `SIGKILL` cannot be caught, so it leaves temporary files with names.
pub fn discard_unfinished() {
    let unfinished = all_unfinished();
    for path in unfinished.iter() {
        // The file may be gone already, and there is no way to report an error.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

impl AtomicFile {
    /// Starts writing a file. Its folder must exist.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] if the file exists and `overwrite` is false; [`Error::Folder`] or [`Error::NotRegular`] if the
    /// path is something else; [`Error::Io`] if the folder cannot be written to.
    pub fn create(path: impl AsRef<Path>, overwrite: bool) -> Result<AtomicFile> {
        AtomicFile::create_by(Temporary::new, path.as_ref(), overwrite)
    }

    fn create_by(
        make: impl FnOnce(&Path) -> io::Result<Temporary>,
        path: &Path,
        overwrite: bool,
    ) -> Result<AtomicFile> {
        // Other problems of the path are reported when the file is created.
        if let Ok(meta) = std::fs::metadata(path) {
            if let Some(error) = not_regular(path, &meta) {
                return Err(error);
            }
            if !overwrite {
                return Err(Error::Exists { path: path.into() });
            }
        } else if path.as_os_str().as_encoded_bytes().last().is_some_and(|last| is_separator((*last).into()))
        {
            return Err(Error::Folder { path: path.into() });
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = make(folder).map_err(Error::io(path, "create"))?;
        Ok(AtomicFile { writer: BufWriter::new(file), path: path.into(), overwrite })
    }

    /// The path of the finished file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file these permissions, such as those of the file that it replaces.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the system refuses.
    pub fn set_permissions(&mut self, permissions: Permissions) -> Result<()> {
        let set = self.writer.get_mut().file().and_then(|file| file.set_permissions(permissions));
        set.map_err(Error::io(&self.path, "set the permissions of"))
    }

    /// Forces the bytes that have been written so far to the disk, so that a file is complete even after a power
    /// failure. The name of the file may be written later. To force it to the disk, synchronize the folder.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the last bytes cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        let path = &self.path;
        self.writer.flush().map_err(Error::io(path, "write"))?;
        self.writer.get_mut().file().and_then(|file| file.sync_all()).map_err(Error::io(path, "write"))
    }

    /// Closes a file after all bytes were written, so that it holds no file descriptor until it is committed. It then
    /// has a temporary name, which [`discard_unfinished`] removes. Writing to it afterwards is an error.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the last bytes cannot be written or the file cannot be named. It cannot be committed then.
    pub fn close(&mut self) -> Result<()> {
        self.writer.flush().map_err(Error::io(&self.path, "write"))?;
        let open = std::mem::replace(self.writer.get_mut(), Temporary::Failed);
        *self.writer.get_mut() = open.close().map_err(Error::io(&self.path, "create"))?;
        Ok(())
    }

    /// Puts the finished file in place.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the last bytes cannot be written or the file cannot be renamed; [`Error::Exists`] if another
    /// file that must not be overwritten appeared in the meantime. Nothing remains after an error.
    pub fn commit(self) -> Result<()> {
        AtomicFile::commit_all([self])
    }

    /// Puts finished files in place, one after the other, without interruption by [`discard_unfinished`]. All bytes of
    /// all files are written before the first file is put in place.
    ///
    /// # Errors
    ///
    /// Same as [`commit`](Self::commit). Files before the one that fails remain in place.
    pub fn commit_all(files: impl IntoIterator<Item = AtomicFile>) -> Result<()> {
        let mut finished = Vec::new();
        for AtomicFile { writer, path, overwrite } in files {
            match writer.into_inner() {
                Ok(file) => finished.push((file, path, overwrite)),
                Err(error) => return Err(Error::io(&path, "write")(error.into_error())),
            }
        }
        let mut all = all_unfinished();
        let mut finished = finished.into_iter();
        let outcome = finished.try_for_each(|(file, path, overwrite)| {
            file.place(&path, overwrite, &mut all).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists if !overwrite => Error::Exists { path: path.into() },
                _ => Error::io(&path, "put the finished file there")(error),
            })
        });
        // The remaining files remove themselves from the list.
        drop(all);
        outcome
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

/// Bytes that were written can be written again, such as a header that is known last.
impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.writer.seek(to)
    }
}

/// Writes a file with one function call. If `write` succeeds, its output appears at `path`; if it fails, nothing does.
///
/// # Errors
///
/// Same as [`AtomicFile::create`] and [`AtomicFile::commit`]. An error of `write` becomes [`Error::Io`].
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

#[cfg(test)]
mod tests;
