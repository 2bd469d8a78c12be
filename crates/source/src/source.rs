//! The bytes of one file: read into memory or mapped, whichever suits its size and what will be touched of it.

use std::fmt;
use std::io::Read;
use std::ops::{Deref, Range};
use std::path::Path;

use memmap2::Mmap;

use crate::advise::{self, Advice};
use crate::file::OpenFile;
use crate::read::{fill, read_file};
use crate::{Error, Result};

/// The most that [`Source::read`] and its relatives take from a file that does not state its length, as the files of
/// `/proc` do not: 1 GiB. [`Source::read_limited`] takes another limit.
pub const UNSIZED_LIMIT: u64 = 1 << 30;

/// From this size on (128 KiB), [`Source::open`] maps a file of which little will be touched ([`Access::Sparse`]).
///
/// `cargo bench -p meshlens-benches --bench source`: mapping and touching the first 4 KiB takes 5 to 9 us at any
/// size, reading 6 to 8 us at 128 KiB, 10 to 16 at 256 KiB and 49 to 74 at 1 MiB. On two cores of a Zen 5, Linux
/// 6.18, warm page cache of ext4 and of tmpfs; the ranges span both and two runs, here and below.
pub const MAP_SPARSE_FROM: u64 = 128 << 10;

/// From this size on (512 KiB), [`Source::open_reusing`] maps a file that will be touched from end to end
/// ([`Access::Everything`]), although the caller's buffer could hold it.
///
/// `cargo bench -p meshlens-benches --bench source`, reading into a reused buffer against mapping, touching all,
/// in us: 128 KiB 6 to 8 against 12 to 15; 256 KiB 10 to 15 against 10 to 16; 512 KiB 18 to 28 against 17 to 24;
/// 1 MiB 49 to 74 against 31 to 47; 2 MiB 196 to 270 against 59 to 130. Where the page cache has small folios
/// and faults come one by one the lines cross later, near 2 MiB, but stay within a third of each other; mapping
/// too late is the greater loss.
pub const MAP_EVERYTHING_FROM: u64 = 512 << 10;

/// From this size on (256 KiB), [`Source::open`] maps a file that will be touched from end to end
/// ([`Access::Everything`]) when reading it would need fresh memory.
///
/// `cargo bench -p meshlens-benches --bench source`, reading into memory that is kept against mapping, touching
/// all, in us: 128 KiB 6 to 8 against 12 to 15; 256 KiB 13 to 21 against 10 to 16; 512 KiB 106 to 119 against
/// 17 to 24; 1 MiB 286 to 329 against 31 to 47.
pub const MAP_EVERYTHING_FRESH_FROM: u64 = 256 << 10;

/// The name that errors give to a reader, which has no path.
pub const STREAM_NAME: &str = "<stream>";

/// How much of a file the caller is going to touch.
///
/// For the first bytes alone use [`read_head`](crate::read_head), which costs the same at every file size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Headers and a few arrays, or one frame of many.
    Sparse,
    /// Every byte, about once.
    Everything,
}

/// The bytes of a file, owned or mapped. It derefs to `&[u8]`, so it goes wherever a format's `parse` wants bytes.
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
    /// Reads a whole file into memory. The safe way in, and the right one for small files.
    ///
    /// Only regular files are opened; a pipe is neither waited for nor read. A file that states no length, as those of
    /// `/proc` do not, is read until it ends, up to [`UNSIZED_LIMIT`]. Memory is the length of the file; of a sparse
    /// file of 16 MiB or more it is what the file stores, on systems that tell where the holes are.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Folder`] for a folder, [`Error::NotRegular`] for a pipe, a socket or a device,
    /// [`Error::TooLarge`] for a file that does not end, and [`Error::Changed`] for a file that is cut short or
    /// written to meanwhile.
    pub fn read(path: impl AsRef<Path>) -> Result<Source> {
        Source::read_reusing(path, Vec::new())
    }

    /// Like [`Source::read`], but reads into `buffer` (its content is lost). [`Source::into_buffer`] gives the buffer
    /// back.
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let paths = ["head.md3", "lower.md3", "upper.md3"].map(|name| folder.path().join(name));
    /// # for path in &paths { std::fs::write(path, b"IDP3")?; }
    /// use meshlens_source::Source;
    ///
    /// let mut buffer = Vec::new();
    /// for path in &paths {
    ///     let source = Source::read_reusing(path, buffer)?;
    ///     assert_eq!(&source[..4], b"IDP3");
    ///     buffer = source.into_buffer();
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_reusing(path: impl AsRef<Path>, mut buffer: Vec<u8>) -> Result<Source> {
        let path = path.as_ref();
        read_into(path, &mut buffer)?;
        Ok(Source::owned(buffer, path))
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// As [`Source::read`]; [`Error::TooLarge`] when there are more than `limit` bytes.
    ///
    /// ```no_run
    /// # use meshlens_source::{Error, Source};
    /// let error = Source::read_limited("large.md3", 1 << 20).unwrap_err();
    /// assert!(matches!(error, Error::TooLarge { limit: 0x10_0000, .. }));
    /// ```
    pub fn read_limited(path: impl AsRef<Path>, limit: u64) -> Result<Source> {
        let path = path.as_ref();
        let mut bytes = Vec::new();
        read_file(&OpenFile::open(path)?, path, Some(limit), &mut bytes)?;
        Ok(Source::owned(bytes, path))
    }

    /// Maps a file, whatever its size. What cannot be mapped (an empty file, a file system without maps) is read
    /// instead; [`Source::is_mapped`] tells which it was.
    ///
    /// # Safety
    ///
    /// While the source lives, nobody may shorten the file or write to it: not this process, nor another one.
    /// The compiler takes `&[u8]` to be frozen, so a byte that changes under it is undefined behaviour, and
    /// touching a page that was cut off kills the process (`SIGBUS`). Nothing can enforce this, which is why
    /// the function is unsafe; files that come with a game and are only ever replaced by renaming qualify.
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("lower.md3");
    /// # std::fs::write(&path, b"IDP3")?;
    /// use meshlens_source::Source;
    ///
    /// // SAFETY: nobody else knows the file.
    /// let source = unsafe { Source::map(&path)? };
    /// assert_eq!(&source[..], b"IDP3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Source> {
        // SAFETY: the caller keeps this function's contract, which is the same.
        unsafe { load(path.as_ref(), |_| true, Vec::new()) }
    }

    /// Reads or maps a file, whichever is faster for its size and for what will be touched of it.
    ///
    /// | access | maps from |
    /// |---|---|
    /// | [`Access::Sparse`] | [`MAP_SPARSE_FROM`] |
    /// | [`Access::Everything`] | [`MAP_EVERYTHING_FRESH_FROM`] |
    ///
    /// Who opens many files does better with [`Source::open_reusing`].
    ///
    /// # Safety
    ///
    /// As [`Source::map`].
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    pub unsafe fn open(path: impl AsRef<Path>, access: Access) -> Result<Source> {
        // SAFETY: the caller keeps this function's contract, which is the same.
        unsafe { Source::open_reusing(path, access, Vec::new()) }
    }

    /// Like [`Source::open`], but reads into `buffer` (its content is lost), and prefers reading up to
    /// [`MAP_EVERYTHING_FROM`] when the buffer has room for the file. [`Source::into_buffer`] gives the buffer back.
    ///
    /// # Safety
    ///
    /// As [`Source::map`].
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let paths = ["head.md3", "lower.md3", "upper.md3"].map(|name| folder.path().join(name));
    /// # for path in &paths { std::fs::write(path, b"IDP3")?; }
    /// use meshlens_source::{Access, Source};
    ///
    /// let mut buffer = Vec::new();
    /// for path in &paths {
    ///     // SAFETY: nobody else knows the files.
    ///     let source = unsafe { Source::open_reusing(path, Access::Everything, buffer)? };
    ///     assert_eq!(&source[..4], b"IDP3");
    ///     buffer = source.into_buffer();
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn open_reusing(path: impl AsRef<Path>, access: Access, buffer: Vec<u8>) -> Result<Source> {
        let room = buffer.capacity() as u64;
        // SAFETY: the caller keeps this function's contract, which is the same.
        unsafe { load(path.as_ref(), |len| prefers_map(len, access, room), buffer) }
    }

    /// Reads a reader to its end, for standard input and the like.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the reader fails, [`Error::TooLarge`] when it gives more than `limit` bytes.
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
        Ok(Source { bytes: Bytes::Owned(bytes), path: None })
    }

    /// Takes bytes that are in memory already.
    pub fn from_vec(bytes: Vec<u8>) -> Source {
        Source { bytes: Bytes::Owned(bytes), path: None }
    }

    /// The bytes, as the file has them.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }

    /// True when the bytes lie in the page cache and not in memory of our own.
    pub fn is_mapped(&self) -> bool {
        !matches!(self.bytes, Bytes::Owned(_))
    }

    /// Where the bytes came from, if it was a path.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Tells the system what will happen to a range of a map; advice, so the bytes stay the same.
    /// Does nothing for bytes in memory, for an empty range, and on systems without `madvise`.
    ///
    /// It does not help a file that is in the page cache already.
    ///
    /// # Errors
    ///
    /// [`Error::Range`] when the source does not have these bytes, [`Error::Io`] when the system refuses.
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

    /// The bytes as a vector: without a copy when they were read, by a copy when they are mapped.
    pub fn into_vec(self) -> Vec<u8> {
        match self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map.to_vec(),
        }
    }

    /// The memory of the source, emptied, for the next [`Source::open_reusing`]. A map has none to give back.
    pub fn into_buffer(self) -> Vec<u8> {
        match self.bytes {
            Bytes::Owned(mut bytes) => {
                bytes.clear();
                bytes
            }
            Bytes::Mapped(_) => Vec::new(),
        }
    }

    fn owned(bytes: Vec<u8>, path: &Path) -> Source {
        Source { bytes: Bytes::Owned(bytes), path: Some(path.into()) }
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

/// Reads a whole file into the caller's buffer, replacing its content. Once the buffer is as large as the
/// largest file, reading allocates nothing.
///
/// # Errors
///
/// As [`Source::read`]; the buffer is then left empty.
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

/// Whether mapping beats reading for a file of `len` bytes, when a buffer of `room` bytes lies ready.
fn prefers_map(len: u64, access: Access, room: u64) -> bool {
    let from = match access {
        Access::Sparse => MAP_SPARSE_FROM,
        Access::Everything if room >= len => MAP_EVERYTHING_FROM,
        Access::Everything => MAP_EVERYTHING_FRESH_FROM,
    };
    len >= from
}

/// Maps the file if `wants_map` says so for its length, and reads it otherwise or when mapping fails.
///
/// # Safety
///
/// As [`Source::map`].
unsafe fn load(path: &Path, wants_map: impl FnOnce(u64) -> bool, mut buffer: Vec<u8>) -> Result<Source> {
    let opened = OpenFile::open(path)?;
    if opened.len.is_some_and(wants_map) {
        // SAFETY: the caller promises that the file neither shrinks nor changes while the map lives. The map
        // is read-only, and its length is that of the open file.
        if let Ok(map) = unsafe { Mmap::map(&opened.file) } {
            return Ok(Source { bytes: Bytes::Mapped(map), path: Some(path.into()) });
        }
    }
    read_file(&opened, path, None, &mut buffer)?;
    Ok(Source::owned(buffer, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_decide_between_reading_and_mapping() {
        let sparse = |len| prefers_map(len, Access::Sparse, 0);
        assert!(!sparse(MAP_SPARSE_FROM - 1));
        assert!(sparse(MAP_SPARSE_FROM));

        let fresh = |len| prefers_map(len, Access::Everything, len - 1);
        assert!(!fresh(MAP_EVERYTHING_FRESH_FROM - 1));
        assert!(fresh(MAP_EVERYTHING_FRESH_FROM));

        let reused = |len| prefers_map(len, Access::Everything, len);
        assert!(!reused(MAP_EVERYTHING_FROM - 1));
        assert!(reused(MAP_EVERYTHING_FROM));
    }
}
