//! The bytes of one file: read into memory or mapped, whichever suits its size and what will be touched of it.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::Read;
use std::ops::{Deref, Range};
use std::path::Path;
use std::time::SystemTime;

use memmap2::Mmap;

use crate::advise::{self, Advice};
use crate::{Error, Result};

/// The most that [`Source::read`] and its relatives take from something that does not say how long it is
/// (a pipe, a device, a file of `/proc`): 1 GiB. [`Source::read_limited`] takes another limit.
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

/// A length stated by the file system reserves at most this much memory ahead of reading.
const RESERVE_LIMIT: u64 = 1 << 30;

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
    Guarded(Box<Guarded>),
}

/// A map that survives its file being cut short. The guard goes before the map does.
struct Guarded {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    guard: crate::guard::Guard,
    map: Mmap,
    state: FileState,
}

/// What tells a file from another one, and from itself after a change.
#[derive(PartialEq)]
struct FileState {
    len: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    identity: (u64, u64),
}

impl FileState {
    fn new(meta: &Metadata) -> FileState {
        FileState {
            len: meta.len(),
            modified: meta.modified().ok(),
            #[cfg(unix)]
            identity: {
                use std::os::unix::fs::MetadataExt;
                (meta.dev(), meta.ino())
            },
        }
    }

    /// Whether `meta` is of the same file, changed. Of another file it says nothing.
    fn has_changed(&self, meta: &Metadata) -> bool {
        let now = FileState::new(meta);
        #[cfg(unix)]
        if now.identity != self.identity {
            return false;
        }
        now != *self
    }
}

impl Source {
    /// Reads a whole file into memory. The safe way in, and the right one for small files.
    ///
    /// Pipes, devices and the files of `/proc` are read until they end, up to [`UNSIZED_LIMIT`].
    /// Opening a named pipe waits for its writer.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Folder`] for a folder, and [`Error::TooLarge`] for an endless file.
    pub fn read(path: impl AsRef<Path>) -> Result<Source> {
        let path = path.as_ref();
        let mut bytes = Vec::new();
        read_into(path, &mut bytes)?;
        Ok(Source::owned(bytes, path))
    }

    /// Reads a whole file of at most `limit` bytes, whatever kind of file it is.
    ///
    /// # Errors
    ///
    /// As [`Source::read`]; [`Error::TooLarge`] when there are more than `limit` bytes.
    ///
    /// ```no_run
    /// # use meshlens_source::{Error, Source};
    /// let error = Source::read_limited("/dev/zero", 1 << 20).unwrap_err();
    /// assert!(matches!(error, Error::TooLarge { limit: 0x10_0000, .. }));
    /// ```
    pub fn read_limited(path: impl AsRef<Path>, limit: u64) -> Result<Source> {
        let path = path.as_ref();
        let (file, len) = open_file(path)?;
        if len.is_some_and(|len| len > limit) {
            return Err(Error::TooLarge { path: path.into(), limit });
        }
        let mut bytes = Vec::new();
        fill(&file, path, len, limit, &mut bytes)?;
        Ok(Source::owned(bytes, path))
    }

    /// Maps a file, whatever its size. What cannot be mapped (a pipe, an empty file, a file system without
    /// maps) is read instead; [`Source::is_mapped`] tells which it was.
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

    /// Like [`Source::open_reusing`], but the process survives when the file is cut short while it is mapped, or its
    /// pages cannot be read: they are zeros then, from the first that is missing to the end. Whoever has read the
    /// bytes asks [`Source::intact`] before the result is believed.
    ///
    /// It is done by a handler for `SIGBUS`, which stays in place for the rest of the process; faults elsewhere go to
    /// the handler that was there before. Where the system has no such signal, the file is read.
    ///
    /// # Safety
    ///
    /// As [`Source::map`], but for the process being killed. A byte that changes under a `&[u8]` is still undefined
    /// behaviour by the letter; zeros that appear in place of a file's end are such a change. Use it where nothing
    /// trusts a byte to be the same when it is read again.
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("lower.md3");
    /// # std::fs::write(&path, vec![7; 1 << 20])?;
    /// use meshlens_source::{Access, Source};
    ///
    /// // SAFETY: nobody writes to the file, and its bytes are read once.
    /// let source = unsafe { Source::open_guarded(&path, Access::Everything, Vec::new())? };
    /// let sum: u64 = source.iter().map(|byte| u64::from(*byte)).sum();
    /// source.intact()?;
    /// assert_eq!(sum, 7 << 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn open_guarded(
        path: impl AsRef<Path>,
        access: Access,
        mut buffer: Vec<u8>,
    ) -> Result<Source> {
        let path = path.as_ref();
        let (file, len) = open_file(path)?;
        let room = buffer.capacity() as u64;
        if len.is_some_and(|len| prefers_map(len, access, room))
            // SAFETY: the caller keeps the contract of a map.
            && let Some(guarded) = unsafe { Guarded::new(&file) }
        {
            return Ok(Source { bytes: Bytes::Guarded(Box::new(guarded)), path: Some(path.into()) });
        }
        buffer.clear();
        fill(&file, path, len, limit_for(len), &mut buffer)?;
        Ok(Source::owned(buffer, path))
    }

    /// Whether everything read so far was the file's own content: an error when a source from
    /// [`Source::open_guarded`] lost pages, or when its file has another length or time of change than when it was
    /// mapped. A file that was replaced by another one under its name is intact, and so are bytes in memory.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`].
    pub fn intact(&self) -> Result<()> {
        let (Bytes::Guarded(guarded), Some(path)) = (&self.bytes, self.path()) else { return Ok(()) };
        let has_changed = std::fs::metadata(path).is_ok_and(|meta| guarded.state.has_changed(&meta));
        if guarded.is_broken() || has_changed {
            return Err(Error::Changed { path: path.into() });
        }
        Ok(())
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
            Bytes::Guarded(guarded) => &guarded.map,
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
        let map = match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Guarded(guarded) => &guarded.map,
            Bytes::Owned(_) => return Ok(()),
        };
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
            Bytes::Guarded(guarded) => guarded.map.to_vec(),
        }
    }

    /// The memory of the source, emptied, for the next [`Source::open_reusing`]. A map has none to give back.
    pub fn into_buffer(self) -> Vec<u8> {
        match self.bytes {
            Bytes::Owned(mut bytes) => {
                bytes.clear();
                bytes
            }
            Bytes::Mapped(_) | Bytes::Guarded(_) => Vec::new(),
        }
    }

    fn owned(bytes: Vec<u8>, path: &Path) -> Source {
        Source { bytes: Bytes::Owned(bytes), path: Some(path.into()) }
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
impl Guarded {
    /// Maps and guards a file, or gives `None` where one of the two does not work.
    ///
    /// # Safety
    ///
    /// As [`Source::open_guarded`].
    unsafe fn new(file: &File) -> Option<Guarded> {
        let state = FileState::new(&file.metadata().ok()?);
        // SAFETY: the caller keeps the contract. The map is read-only, and its length is that of the open file.
        let map = unsafe { Mmap::map(file) }.ok()?;
        let range = map.as_ptr_range();
        // SAFETY: the range is the map, which starts at a page because it starts with the file, and which is ours
        // until `Guarded` is dropped, the guard first.
        let guard = unsafe { crate::guard::Guard::new(range.start as usize..range.end as usize) }?;
        Some(Guarded { guard, map, state })
    }

    fn is_broken(&self) -> bool {
        self.guard.is_broken()
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
impl Guarded {
    /// Without the signal there is no guarding; the file is read.
    unsafe fn new(_file: &File) -> Option<Guarded> {
        None
    }

    fn is_broken(&self) -> bool {
        false
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
    let (file, len) = open_file(path)?;
    fill(&file, path, len, limit_for(len), buffer)
}

/// Opens a file and tells its length, or `None` when it has none that could be trusted: pipes and devices
/// state nothing, and the regular files of `/proc` state zero.
pub(crate) fn open_file(path: &Path) -> Result<(File, Option<u64>)> {
    let file = match File::open(path) {
        Ok(file) => file,
        // Where opening a folder fails, it fails with something about permissions.
        Err(_) if path.is_dir() => return Err(Error::Folder { path: path.into() }),
        Err(error) => return Err(Error::io(path, "open")(error)),
    };
    let meta = file.metadata().map_err(Error::io(path, "inspect"))?;
    if meta.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    Ok((file, Some(meta.len()).filter(|&len| meta.is_file() && len > 0)))
}

fn limit_for(len: Option<u64>) -> u64 {
    if len.is_some() { u64::MAX } else { UNSIZED_LIMIT }
}

/// Reads to the end. `len` only sizes the buffer: the file may have grown, shrunk or lied.
fn fill(reader: impl Read, path: &Path, len: Option<u64>, limit: u64, out: &mut Vec<u8>) -> Result<()> {
    let ahead = len.unwrap_or(0).min(RESERVE_LIMIT).min(limit) as usize;
    let read = match out.try_reserve_exact(ahead) {
        Ok(()) => reader.take(limit.saturating_add(1)).read_to_end(out).map(|_| ()),
        Err(_) => Err(std::io::ErrorKind::OutOfMemory.into()),
    };
    let outcome = match read {
        Ok(()) if out.len() as u64 > limit => Err(Error::TooLarge { path: path.into(), limit }),
        Ok(()) => Ok(()),
        Err(error) => Err(Error::io(path, "read")(error)),
    };
    if outcome.is_err() {
        out.clear();
    }
    outcome
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
    let (file, len) = open_file(path)?;
    if len.is_some_and(wants_map) {
        // SAFETY: the caller promises that the file neither shrinks nor changes while the map lives. The map
        // is read-only, and its length is that of the open file.
        if let Ok(map) = unsafe { Mmap::map(&file) } {
            return Ok(Source { bytes: Bytes::Mapped(map), path: Some(path.into()) });
        }
    }
    buffer.clear();
    fill(&file, path, len, limit_for(len), &mut buffer)?;
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

    #[test]
    fn a_lying_length_only_sizes_the_buffer() {
        for stated in [None, Some(1), Some(3), Some(u64::MAX)] {
            let mut out = Vec::new();
            let filled = fill(&b"abc"[..], Path::new("x"), stated, 3, &mut out);
            assert!(filled.is_ok(), "{stated:?}");
            assert_eq!(out, b"abc", "{stated:?}");
        }
    }

    #[test]
    fn a_limit_is_a_limit_and_leaves_nothing_behind() {
        let mut out = Vec::new();
        assert!(fill(&b"abc"[..], Path::new("x"), None, 2, &mut out).is_err());
        assert!(out.is_empty());
    }
}
