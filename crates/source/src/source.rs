//! The bytes of one file, read into memory or mapped, depending on its size and use.

use std::fmt;
use std::io::Read;
use std::ops::{Deref, Range};
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

use crate::access::{Access, prefers_map};
use crate::advise::{self, Advice};
use crate::file::OpenFile;
use crate::read::{fill, read_file};
use crate::{Error, Result};

/// The name of a reader in errors, since a reader has no path.
pub const STREAM_NAME: &str = "<stream>";

/// The bytes of a file, owned or mapped. It dereferences to `&[u8]`, so it can be passed to the `parse` function of any
/// format.
///
/// ```
/// use meshlens_source::Source;
///
/// let source = Source::from_vec(b"IDP3".to_vec());
/// assert_eq!(&source[..], b"IDP3");
/// assert!(!source.is_mapped());
/// ```
pub struct Source {
    bytes: Bytes,
    path: Option<Box<Path>>,
}

enum Bytes {
    Owned(Vec<u8>),
    Mapped(Mmap),
}

impl Source {
    /// Reads a whole file into memory. This is the safe way to open a file, and the fastest for small files.
    ///
    /// Only regular files are opened; a pipe is an error at once. A file that does not state its length, such as a file
    /// of `/proc`, is read to its end, up to [`UNSIZED_LIMIT`](crate::UNSIZED_LIMIT). The memory is the length of the
    /// file. For a sparse file of 16 MiB or more it is the stored size, on systems that report the holes.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Folder`] for a folder; [`Error::NotRegular`] for a pipe, a socket or a device;
    /// [`Error::TooLarge`] for a file without an end; and [`Error::Changed`] for a file that is truncated or written to
    /// while it is read.
    pub fn read(path: impl AsRef<Path>) -> Result<Source> {
        let path = path.as_ref();
        Source::read_opened(&OpenFile::open(path)?, path, None)
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`], and [`Error::TooLarge`] if the file has more than `limit` bytes.
    ///
    /// ```no_run
    /// # use meshlens_source::{Error, Source};
    /// let error = Source::read_limited("large.md3", 1 << 20).unwrap_err();
    /// assert!(matches!(error, Error::TooLarge { limit: 0x10_0000, .. }));
    /// ```
    pub fn read_limited(path: impl AsRef<Path>, limit: u64) -> Result<Source> {
        let path = path.as_ref();
        Source::read_opened(&OpenFile::open(path)?, path, Some(limit))
    }

    /// Maps a file of any size. A file that cannot be mapped (because it is empty, or its file system does not support
    /// it) is read instead. [`Source::is_mapped`] returns which of them was done.
    ///
    /// # Safety
    ///
    /// While the source exists, the file must not be truncated or written to, by this process or any other. The
    /// compiler assumes that the bytes of a `&[u8]` do not change, so a change is undefined behavior, and accessing a
    /// page that was truncated ends the process (`SIGBUS`). Nothing can enforce this, so the function is unsafe. Files
    /// that come with a game and are only replaced by renaming satisfy it.
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`].
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("lower.md3");
    /// # std::fs::write(&path, b"IDP3")?;
    /// use meshlens_source::Source;
    ///
    /// // SAFETY: the file is private to this process.
    /// let source = unsafe { Source::map(&path)? };
    /// assert_eq!(&source[..], b"IDP3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Source> {
        // SAFETY: the contract of this function is the same.
        unsafe { load(path.as_ref(), |_| true, None) }
    }

    /// Like [`Source::map`], for a file that is read because it cannot be mapped: only up to `limit` bytes.
    ///
    /// # Safety
    ///
    /// Same as [`Source::map`].
    ///
    /// # Errors
    ///
    /// Same as [`Source::read_limited`] for a file that cannot be mapped.
    pub unsafe fn map_limited(path: impl AsRef<Path>, limit: u64) -> Result<Source> {
        // SAFETY: the contract of this function is the same.
        unsafe { load(path.as_ref(), |_| true, Some(limit)) }
    }

    /// Reads or maps a file, depending on which is faster for its size and use.
    ///
    /// | access | maps from |
    /// |---|---|
    /// | [`Access::Sparse`] | 128 KiB |
    /// | [`Access::Everything`] | 256 KiB |
    ///
    /// To use every byte of many small files, [`read_into`] one buffer is faster.
    ///
    /// # Safety
    ///
    /// Same as [`Source::map`].
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`].
    pub unsafe fn open(path: impl AsRef<Path>, access: Access) -> Result<Source> {
        // SAFETY: the contract of this function is the same.
        unsafe { load(path.as_ref(), |len| prefers_map(len, access), None) }
    }

    /// Reads a reader, such as standard input, to its end.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the reader fails; [`Error::TooLarge`] if it returns more than `limit` bytes.
    ///
    /// ```
    /// use meshlens_source::{Error, Source};
    ///
    /// assert_eq!(&Source::from_reader(&b"IDP3"[..], 4)?[..], b"IDP3");
    /// let endless = std::io::repeat(0);
    /// assert!(matches!(Source::from_reader(endless, 4), Err(Error::TooLarge { limit: 4, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_reader(reader: impl Read, limit: u64) -> Result<Source> {
        let mut bytes = Vec::new();
        fill(reader, Path::new(STREAM_NAME), None, limit, &mut bytes)?;
        Ok(Source::from_vec(bytes))
    }

    /// Makes a source from bytes in memory.
    pub fn from_vec(bytes: Vec<u8>) -> Source {
        Source { bytes: Bytes::Owned(bytes), path: None }
    }

    /// The bytes of the file.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }

    /// Whether the bytes are mapped instead of copied to memory of this process.
    pub fn is_mapped(&self) -> bool {
        !matches!(self.bytes, Bytes::Owned(_))
    }

    /// The path of the file; `None` if the bytes have no path.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Tells the system how a range of a mapped file will be used. It is a hint and does not change the bytes. It does
    /// nothing for bytes in memory, for an empty range, and on systems without `madvise`.
    ///
    /// It has no benefit for a file that is already in the page cache.
    ///
    /// # Errors
    ///
    /// [`Error::Range`] if the source does not have the range; [`Error::Io`] if the system refuses.
    pub fn advise(&self, range: Range<usize>, advice: Advice) -> Result<()> {
        let len = self.len();
        if range.start > range.end || range.end > len {
            return Err(Error::Range { start: range.start, end: range.end, len });
        }
        let Bytes::Mapped(map) = &self.bytes else { return Ok(()) };
        if range.is_empty() {
            return Ok(());
        }
        advise::advise(map, range, advice)
            .map_err(Error::io(self.path().unwrap_or(Path::new(STREAM_NAME)), "advise"))
    }

    /// The bytes as a vector. Mapped bytes are copied.
    pub fn into_vec(self) -> Vec<u8> {
        match self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map.to_vec(),
        }
    }

    fn read_opened(opened: &OpenFile, path: &Path, limit: Option<u64>) -> Result<Source> {
        let mut bytes = Vec::new();
        read_file(opened, path, limit, &mut bytes)?;
        Ok(Source { bytes: Bytes::Owned(bytes), path: Some(path.into()) })
    }
}

impl Deref for Source {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for Source {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for Source {
    fn from(bytes: Vec<u8>) -> Source {
        Source::from_vec(bytes)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path)
            .field("len", &self.len())
            .field("mapped", &self.is_mapped())
            .finish()
    }
}

/// Reads a whole file into the caller's buffer, replacing its content. Nothing is allocated once the buffer is as large
/// as the largest file.
///
/// # Errors
///
/// Same as [`Source::read`]. The buffer is then empty.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lower.md3");
/// # std::fs::write(&path, b"IDP3")?;
/// let mut buffer = Vec::new();
/// meshlens_source::read_into(&path, &mut buffer)?;
/// assert_eq!(buffer, b"IDP3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_into(path: impl AsRef<Path>, buffer: &mut Vec<u8>) -> Result<()> {
    let path = path.as_ref();
    buffer.clear();
    read_file(&OpenFile::open(path)?, path, None, buffer)
}

/// Files up to this size have their pages mapped at once. Without it, Linux maps the same number at the first access,
/// after an exception of the processor.
const POPULATED: usize = 64 << 10;

/// Maps the file if `wants_map` returns true for its length. Otherwise, or if mapping fails, reads it up to `limit`.
///
/// # Safety
///
/// Same as [`Source::map`].
unsafe fn load(path: &Path, wants_map: impl FnOnce(u64) -> bool, limit: Option<u64>) -> Result<Source> {
    let opened = OpenFile::open(path)?;
    let len = opened.len.filter(|&len| wants_map(len)).and_then(|len| usize::try_from(len).ok());
    if let Some(len) = len {
        let mut options = MmapOptions::new();
        options.len(len);
        if len <= POPULATED {
            options.populate();
        }
        // SAFETY: the caller promises that the file is not truncated and does not change while the map exists. The map
        // is read-only, and its length is the length of the open file.
        if let Ok(map) = unsafe { options.map(&opened.file) } {
            return Ok(Source { bytes: Bytes::Mapped(map), path: Some(path.into()) });
        }
    }
    Source::read_opened(&opened, path, limit)
}
