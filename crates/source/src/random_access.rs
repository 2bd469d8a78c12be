//! Bytes that are read in ranges, from memory or from a file.

use std::borrow::Cow;
use std::fmt;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::file::{FileState, OpenFile};
use crate::read::fill;
use crate::{Error, Result};

/// Bytes that can be read at any offset. Implemented for every type that is a slice of bytes.
pub trait ReadAt {
    /// The number of bytes.
    fn size(&self) -> u64;

    /// Reads `len` bytes at `offset`, or fewer if the bytes end earlier.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Changed`] for a file. Bytes in memory can always be read.
    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>>;

    /// The opened file, for several reads. `None` for bytes that need not be opened.
    ///
    /// # Errors
    ///
    /// Same as [`RandomAccessFile::reopen`].
    fn opened(&self) -> Result<Option<OpenedFile<'_>>> {
        Ok(None)
    }
}

impl<T: AsRef<[u8]>> ReadAt for T {
    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.as_ref().get(offset..));
        let rest = rest.unwrap_or_default();
        let len = usize::try_from(len).unwrap_or(usize::MAX).min(rest.len());
        Ok(Cow::Borrowed(&rest[..len]))
    }
}

/// A file that is read in ranges on demand. Use it for large archives from which a few entries are needed. It keeps no
/// file descriptor open and no bytes in memory. Every read opens the file again, and fails with [`Error::Changed`] if
/// the file has changed.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lower.md3");
/// # std::fs::write(&path, b"IDP3\x0f")?;
/// use meshlens_source::{RandomAccessFile, ReadAt};
///
/// let file = RandomAccessFile::open(&path)?;
/// assert_eq!(file.size(), 5);
/// assert_eq!(&file.read_at(2, 100)?[..], b"P3\x0f");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RandomAccessFile {
    path: Box<Path>,
    state: FileState,
}

impl RandomAccessFile {
    /// Opens a regular file to get its length and its state, and closes it again. A file that does not state its length,
    /// such as a file of `/proc`, counts as empty.
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`](crate::Source::read).
    pub fn open(path: impl AsRef<Path>) -> Result<RandomAccessFile> {
        let path = path.as_ref();
        Ok(RandomAccessFile { path: path.into(), state: OpenFile::open(path)?.state() })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fills `out` with the bytes at `offset`, without allocating.
    ///
    /// # Errors
    ///
    /// Same as [`read_at`](ReadAt::read_at), and [`Error::Io`] if the file has fewer bytes.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("lower.md3");
    /// # std::fs::write(&path, b"IDP3\x0f")?;
    /// use meshlens_source::RandomAccessFile;
    ///
    /// let file = RandomAccessFile::open(&path)?;
    /// let mut magic = [0; 4];
    /// file.read_exact_at(0, &mut magic)?;
    /// assert_eq!(&magic, b"IDP3");
    /// assert!(file.read_exact_at(2, &mut magic).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.reopen()?.read_exact_at(offset, out)
    }

    /// Opens the file again, for one read.
    ///
    /// # Errors
    ///
    /// Same as [`open`](Self::open), and [`Error::Changed`] if the file has changed.
    pub fn reopen(&self) -> Result<OpenedFile<'_>> {
        let opened = OpenedFile::open(&self.path)?;
        if opened.opened.state() == self.state {
            Ok(opened)
        } else {
            Err(Error::Changed { path: self.path.clone() })
        }
    }
}

/// A regular file that is open, for a caller who needs its length before its bytes and opens it only once.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lower.md3");
/// # std::fs::write(&path, b"IDP3\x0f")?;
/// use meshlens_source::{OpenedFile, ReadAt};
///
/// let mut opened = OpenedFile::open(&path)?;
/// let mut bytes = vec![0; opened.size() as usize];
/// opened.read_exact_at(0, &mut bytes)?;
/// assert_eq!(bytes, b"IDP3\x0f");
/// assert_eq!(&opened.close().read_at(2, 100)?[..], b"P3\x0f");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OpenedFile<'p> {
    pub(crate) path: &'p Path,
    pub(crate) opened: OpenFile,
}

impl<'p> OpenedFile<'p> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Same as [`RandomAccessFile::open`].
    pub fn open(path: &'p Path) -> Result<Self> {
        Ok(OpenedFile { path, opened: OpenFile::open(path)? })
    }

    /// The number of bytes.
    pub fn size(&self) -> u64 {
        self.opened.len.unwrap_or(0)
    }

    /// Fills `out` with the bytes at `offset`.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if the file has changed since it was opened, and [`Error::Io`] if it has fewer bytes.
    pub fn read_exact_at(&mut self, offset: u64, out: &mut [u8]) -> Result<()> {
        let outcome = self.read_exact_at_unchecked(offset, out);
        // A file that was truncated in the meantime ends early, too.
        self.opened.check_unchanged(self.path)?;
        outcome
    }

    /// Like [`read_exact_at`](Self::read_exact_at), but does not check whether the file has changed since it was opened. Checking
    /// takes about as long as reading a few bytes. If the file is read again later, comparing the two [states](Self::state) finds a
    /// change as well.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file has fewer bytes.
    pub fn read_exact_at_unchecked(&mut self, offset: u64, out: &mut [u8]) -> Result<()> {
        // The system refuses offsets that are too large for a file.
        let outcome = if out.is_empty() { Ok(()) } else { self.read(offset, out) };
        outcome.map_err(Error::io(self.path, "read"))
    }

    #[cfg(unix)]
    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.opened.file, out, offset)
    }

    #[cfg(not(unix))]
    fn read(&mut self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.opened.file.seek(SeekFrom::Start(offset))?;
        self.opened.file.read_exact(out)
    }

    /// The state of the file when it was opened.
    pub fn state(&self) -> FileState {
        self.opened.state()
    }

    /// Closes the file, which then is opened again for each read.
    pub fn close(self) -> RandomAccessFile {
        RandomAccessFile { state: self.state(), path: self.path.into() }
    }
}

/// So many bytes are read by one call of the system.
#[cfg(unix)]
const SMALL: u64 = 256 << 10;

impl ReadAt for RandomAccessFile {
    fn size(&self) -> u64 {
        self.state.len
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        Ok(Cow::Owned(self.reopen()?.read_at(offset, len)?.into_owned()))
    }

    fn opened(&self) -> Result<Option<OpenedFile<'_>>> {
        self.reopen().map(Some)
    }
}

impl ReadAt for OpenedFile<'_> {
    fn size(&self) -> u64 {
        OpenedFile::size(self)
    }

    fn read_at(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>> {
        let path = self.path;
        let offset = offset.min(self.size());
        let len = len.min(self.size() - offset);
        #[cfg(unix)]
        if len <= SMALL {
            let mut bytes = vec![0; len as usize];
            let outcome = self.read(offset, &mut bytes);
            self.opened.check_unchanged(path)?;
            return outcome.map(|()| Cow::Owned(bytes)).map_err(Error::io(path, "read"));
        }
        let mut file = &self.opened.file;
        file.seek(SeekFrom::Start(offset)).map_err(Error::io(path, "read"))?;
        let mut bytes = Vec::new();
        fill(file.take(len), path, Some(len), len, &mut bytes)?;
        self.opened.check_unchanged(path)?;
        if bytes.len() as u64 != len {
            return Err(Error::Changed { path: path.into() });
        }
        Ok(Cow::Owned(bytes))
    }
}

impl fmt::Debug for RandomAccessFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RandomAccessFile").field("path", &self.path).field("size", &self.size()).finish()
    }
}

impl fmt::Debug for OpenedFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedFile").field("path", &self.path).finish_non_exhaustive()
    }
}
