//! A file that is read piece by piece through one buffer.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;

use crate::file::OpenFile;
use crate::read::read_file;
use crate::{Error, Result};

/// An open file, and a buffer with a part of its bytes, which moves on demand.
///
/// A large file that is read whole and then decoded passes through memory twice. Pieces that fit in the processor's cache are
/// decoded from there. A file of up to [`FileWindow::LEN`] bytes is read whole when it is opened. `cargo bench -p
/// meshlens-benches --bench files -- --table` compares both ways.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("heights.bin");
/// # std::fs::write(&path, [7u16; 100_000].map(u16::to_le_bytes).concat())?;
/// use meshlens_source::{Error, FileWindow};
///
/// let mut window = FileWindow::open(&path, Vec::new())?;
/// let mut sum = 0;
/// let whole = 0..window.size();
/// window.for_each_piece(whole, 2, |_offset, bytes| {
///     sum += bytes.chunks_exact(2).map(|height| u64::from(u16::from_le_bytes([height[0], height[1]]))).sum::<u64>();
///     Ok::<(), Error>(())
/// })?;
/// let buffer = window.close()?; // for the next file
/// assert_eq!(sum, 700_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileWindow {
    path: Box<Path>,
    opened: OpenFile,
    size: u64,
    /// The offset of the first byte of the window in the file.
    start: u64,
    /// The number of bytes of the buffer that are in the window.
    filled: usize,
    /// Its length is the number of bytes that it has room for, so that reused buffers are not filled with zeros.
    buffer: Vec<u8>,
}

impl FileWindow {
    /// The number of bytes that are read at a time: 128 KiB, which the second-level cache of most processors has room for.
    /// A longer range of [`bytes`](Self::bytes) is read at once.
    pub const LEN: usize = 128 << 10;

    /// Opens a regular file, and reads its first [`LEN`](Self::LEN) bytes into `buffer`, whose content is lost.
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`](crate::Source::read).
    pub fn open(path: impl AsRef<Path>, buffer: Vec<u8>) -> Result<FileWindow> {
        let path = path.as_ref();
        let opened = OpenFile::open(path)?;
        let size = opened.len;
        let mut window =
            FileWindow { path: path.into(), opened, size: size.unwrap_or(0), start: 0, filled: 0, buffer };
        if size.is_some() {
            window.load(0, 0)?;
        } else {
            read_file(&window.opened, path, None, &mut window.buffer)?;
            window.filled = window.buffer.len();
            window.size = window.filled as u64;
        }
        Ok(window)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of bytes of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The whole file, if the window has all of its bytes.
    pub fn whole(&self) -> Option<&[u8]> {
        (self.start == 0 && self.filled as u64 == self.size).then(|| &self.buffer[..self.filled])
    }

    /// The bytes of a range. If the window does not have all of them, it moves to the start of the range and reads
    /// [`LEN`](Self::LEN) bytes or the length of the range, whichever is larger.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the range does not lie in the file, or if there is not enough memory. [`Error::Changed`] if the file
    /// has become shorter.
    pub fn bytes(&mut self, range: Range<u64>) -> Result<&[u8]> {
        self.check(&range)?;
        let len = range.end - range.start;
        if len == 0 {
            return Ok(&[]);
        }
        if self.available(range.start) < len {
            self.load(range.start, len)?;
        }
        let at = (range.start - self.start) as usize;
        Ok(&self.buffer[at..at + len as usize])
    }

    /// Calls `f` with consecutive pieces of a range and their offsets, in order. The length of a piece is a multiple of
    /// `stride`, the size of an element in bytes; the last piece has the rest. Pieces that were read before come from the
    /// window.
    ///
    /// # Errors
    ///
    /// Same as [`bytes`](Self::bytes), and the first error that `f` returns.
    pub fn for_each_piece<E: From<Error>>(
        &mut self,
        range: Range<u64>,
        stride: usize,
        mut f: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check(&range)?;
        let stride = (stride as u64).max(1);
        let mut at = range.start;
        while at < range.end {
            let left = range.end - at;
            let mut piece = self.available(at).min(left);
            if piece < left {
                piece -= piece % stride;
                if piece == 0 {
                    self.load(at, stride.min(left))?;
                    continue;
                }
            }
            f(at, self.bytes(at..at + piece)?)?;
            at += piece;
        }
        Ok(())
    }

    /// Closes the file and returns the buffer, for the next file.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if the file has changed since it was opened: the bytes may then be of different times.
    pub fn close(self) -> Result<Vec<u8>> {
        self.opened.check_unchanged(&self.path)?;
        Ok(self.buffer)
    }

    /// Returns an error if the range does not lie in the file.
    fn check(&self, range: &Range<u64>) -> Result<()> {
        if range.start <= range.end && range.end <= self.size {
            return Ok(());
        }
        let error = format!("{}..{} is not a range of its {} bytes", range.start, range.end, self.size);
        Err(Error::io(&self.path, "read")(io::Error::new(ErrorKind::UnexpectedEof, error)))
    }

    /// The number of bytes of the window from `offset` on.
    fn available(&self, offset: u64) -> u64 {
        let end = self.start + self.filled as u64;
        if offset < self.start { 0 } else { end.saturating_sub(offset) }
    }

    /// Moves the window to `start`, which lies in the file, and reads at least `least` bytes, or to the end of the file.
    fn load(&mut self, start: u64, least: u64) -> Result<()> {
        self.filled = 0;
        self.start = start;
        let wanted = least.max(Self::LEN as u64).min(self.size - start);
        let io = Error::io(&self.path, "read");
        let wanted = match usize::try_from(wanted) {
            Ok(wanted) if self.buffer.try_reserve(wanted.saturating_sub(self.buffer.len())).is_ok() => wanted,
            _ => return Err(io(ErrorKind::OutOfMemory.into())),
        };
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while self.filled < wanted {
            let offset = start + self.filled as u64;
            match read_at(&mut self.opened.file, &mut self.buffer[self.filled..wanted], offset) {
                Ok(0) => return Err(Error::Changed { path: self.path.clone() }),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(io(error)),
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn read_at(file: &mut File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, offset)
}

#[cfg(not(unix))]
fn read_at(file: &mut File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};

    file.seek(SeekFrom::Start(offset))?;
    file.read(out)
}

impl fmt::Debug for FileWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileWindow")
            .field("path", &self.path)
            .field("size", &self.size)
            .field("window", &(self.start..self.start + self.filled as u64))
            .finish()
    }
}
