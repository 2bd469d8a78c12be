//! Files that appear whole or not at all: written beside their place, then renamed into it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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
        let file = beside().tempfile_in(folder).map_err(Error::io(path, "create"))?;
        Ok(AtomicFile { writer: BufWriter::new(file), path: path.into(), overwrite })
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
        let AtomicFile { writer, path, overwrite } = self;
        let file = match writer.into_inner() {
            Ok(file) => file,
            Err(error) => return Err(Error::io(&path, "write")(error.into_error())),
        };
        let placed = if overwrite { file.persist(&path) } else { file.persist_noclobber(&path) };
        match placed {
            Ok(_) => Ok(()),
            Err(error) if !overwrite && error.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Error::Exists { path: path.into() })
            }
            Err(error) => Err(Error::io(&path, "rename the finished file to it")(error.error)),
        }
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
