//! Reads open files and streams to their end.

use std::io::{self, Read};
use std::path::Path;

use crate::file::OpenFile;
use crate::{Error, Result};

/// The largest number of bytes that [`Source::read`](crate::Source::read) and similar functions read from a file that does
/// not state its length, such as a file of `/proc`: 1 GiB. [`Source::read_limited`](crate::Source::read_limited) takes
/// another limit.
pub const UNSIZED_LIMIT: u64 = 1 << 30;

/// The largest amount of memory that is reserved because of a stated length.
const RESERVE_LIMIT: u64 = 1 << 30;

/// The largest size of one system call, so that signals are handled before gigabytes have been read.
const CHUNK: u64 = 8 << 20;

/// The file size (16 MiB) from which the holes of a sparse file are left out.
const SPARSE_FROM: u64 = 16 << 20;

/// Reads a whole file into `out`, replacing its content. After an error, `out` is empty.
pub(crate) fn read_file(opened: &OpenFile, path: &Path, limit: Option<u64>, out: &mut Vec<u8>) -> Result<()> {
    out.clear();
    if let (Some(len), Some(limit)) = (opened.len, limit)
        && len > limit
    {
        return Err(Error::TooLarge { path: path.into(), limit });
    }
    let sparse = opened.len.filter(|&len| len >= SPARSE_FROM && opened.is_sparse());
    if let Some(bytes) = sparse.and_then(|len| read_data(opened, len)) {
        *out = bytes.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Changed { path: path.into() },
            _ => Error::io(path, "read")(error),
        })?;
    } else if let Some(len) = opened.len.filter(|&len| len <= CHUNK) {
        read_at_once(opened, path, len, out)?;
    } else {
        let unsized_limit = if opened.len.is_some() { u64::MAX } else { UNSIZED_LIMIT };
        fill(&opened.file, path, opened.len, limit.unwrap_or(unsized_limit), out)?;
    }
    let outcome = opened.check_unchanged(path).and_then(|()| match opened.len {
        Some(len) if len != out.len() as u64 => Err(Error::Changed { path: path.into() }),
        _ => Ok(()),
    });
    if outcome.is_err() {
        out.clear();
    }
    outcome
}

/// Reads a file of `len` bytes, usually with one system call. The caller must compare the number of bytes that were
/// read.
#[cfg(unix)]
fn read_at_once(opened: &OpenFile, path: &Path, len: u64, out: &mut Vec<u8>) -> Result<()> {
    use rustix::buffer::spare_capacity;

    let len = len as usize;
    out.try_reserve_exact(len).map_err(|_| Error::io(path, "read")(io::ErrorKind::OutOfMemory.into()))?;
    let read = |out: &mut Vec<u8>| Ok(rustix::io::read(&opened.file, spare_capacity(out))?);
    read_up_to(len, out, read).map_err(|error| {
        out.clear();
        Error::io(path, "read")(error)
    })
}

/// Calls `read`, which adds bytes to `out`, until there are `len`, or no more.
#[cfg(unix)]
fn read_up_to(
    len: usize,
    out: &mut Vec<u8>,
    mut read: impl FnMut(&mut Vec<u8>) -> io::Result<usize>,
) -> io::Result<()> {
    while out.len() < len {
        match read(out) {
            // The file was truncated.
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn read_at_once(opened: &OpenFile, path: &Path, len: u64, out: &mut Vec<u8>) -> Result<()> {
    fill(&opened.file, path, Some(len), u64::MAX, out)
}

/// Reads to the end. `len` only determines the size of the buffer: the file may be longer or shorter.
pub(crate) fn fill(
    mut reader: impl Read,
    path: &Path,
    len: Option<u64>,
    limit: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    let ahead = len.unwrap_or(0).min(RESERVE_LIMIT).min(limit) as usize;
    let mut read = || -> io::Result<()> {
        out.try_reserve_exact(ahead).map_err(|_| io::ErrorKind::OutOfMemory)?;
        loop {
            // One byte more than the limit shows that it is exceeded.
            let room = limit.saturating_add(1).saturating_sub(out.len() as u64);
            if reader.by_ref().take(room.min(CHUNK)).read_to_end(out)? == 0 {
                return Ok(());
            }
        }
    };
    let outcome = match read() {
        Ok(()) if out.len() as u64 > limit => Err(Error::TooLarge { path: path.into(), limit }),
        Ok(()) => Ok(()),
        Err(error) => Err(Error::io(path, "read")(error)),
    };
    if outcome.is_err() {
        out.clear();
    }
    outcome
}

/// Reads the stored parts of a sparse file. Holes are memory that is never accessed and takes no space. `None` if the
/// system does not report the holes.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple"))]
fn read_data(opened: &OpenFile, len: u64) -> Option<io::Result<Vec<u8>>> {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;

    let file = &opened.file;
    let next = |from| match seek(file, SeekFrom::Data(from)) {
        Ok(start) => Ok(Some((start, seek(file, SeekFrom::Hole(start))?.min(len)))),
        // Only a hole is left after `from`.
        Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error),
    };
    let mut extent = next(0).ok()?;
    let mut read = || {
        let memory = usize::try_from(len).ok().and_then(|len| bytemuck::allocation::try_zeroed_vec(len).ok());
        let mut bytes: Vec<u8> = memory.ok_or(io::ErrorKind::OutOfMemory)?;
        while let Some((start, end)) = extent {
            seek(file, SeekFrom::Start(start))?;
            // A file that was truncated in the meantime ends early, which the caller detects.
            let room = bytes.get_mut(start as usize..end as usize).unwrap_or_default();
            for chunk in room.chunks_mut(CHUNK as usize) {
                let mut file = file;
                file.read_exact(chunk)?;
            }
            extent = next(end)?;
        }
        Ok(bytes)
    };
    Some(read())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple")))]
fn read_data(_opened: &OpenFile, _len: u64) -> Option<io::Result<Vec<u8>>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_length_only_affects_the_buffer_size() {
        for stated in [None, Some(1), Some(3), Some(u64::MAX)] {
            let mut out = Vec::new();
            let filled = fill(&b"abc"[..], Path::new("x"), stated, 3, &mut out);
            assert!(filled.is_ok(), "{stated:?}");
            assert_eq!(out, b"abc", "{stated:?}");
        }
    }

    /// Gives one byte at a time, each after a signal.
    struct Signals(usize);

    impl Read for Signals {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            if self.0 % 2 == 1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            [7; 5].get(self.0 / 2 - 1..).unwrap_or_default().take(1).read(out)
        }
    }

    #[test]
    fn a_read_goes_on_after_a_signal() {
        let mut out = Vec::new();
        fill(Signals(0), Path::new("x"), Some(5), 5, &mut out).unwrap();
        assert_eq!(out, [7; 5]);
        #[cfg(unix)]
        for len in [3, 5, 9] {
            let (mut signals, mut out) = (Signals(0), Vec::new());
            let read = |out: &mut Vec<u8>| {
                let mut byte = [0];
                let read = signals.read(&mut byte)?;
                out.extend_from_slice(&byte[..read]);
                Ok(read)
            };
            read_up_to(len, &mut out, read).unwrap();
            assert_eq!(out, vec![7; len.min(5)]);
        }
    }

    #[test]
    fn exceeding_a_limit_leaves_no_bytes() {
        let mut out = Vec::new();
        assert!(fill(&b"abc"[..], Path::new("x"), None, 2, &mut out).is_err());
        assert!(out.is_empty());
    }

    #[test]
    fn more_than_one_chunk_is_read() {
        let mut out = Vec::new();
        fill(io::repeat(7).take(2 * CHUNK + 1), Path::new("x"), None, u64::MAX, &mut out).unwrap();
        assert_eq!(out.len() as u64, 2 * CHUNK + 1);
    }

    /// The results of reading a file of 7s that is changed between opening and reading it. The file is read with one
    /// call, in chunks, or without its holes.
    fn changed(change: impl Fn(&Path)) -> Vec<Result<Vec<u8>>> {
        let read = |len: u64, is_sparse: bool| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            if is_sparse {
                std::fs::write(&path, [7; 100]).unwrap();
                open_for_writing(&path).set_len(len).unwrap();
            } else {
                std::fs::write(&path, vec![7; len as usize]).unwrap();
            }
            let opened = OpenFile::open(&path).unwrap();
            change(&path);
            let mut out = Vec::new();
            let outcome = read_file(&opened, &path, None, &mut out);
            assert!(outcome.is_ok() || out.is_empty(), "a part of the file was taken for the whole");
            outcome.map(|()| out)
        };
        vec![read(10_000, false), read(2 * CHUNK + 1, false), read(SPARSE_FROM, true)]
    }

    fn open_for_writing(path: &Path) -> std::fs::File {
        std::fs::File::options().write(true).open(path).unwrap()
    }

    #[test]
    fn a_file_that_changes_during_a_read_is_an_error() {
        let cut = changed(|path| open_for_writing(path).set_len(4096).unwrap());
        let emptied = changed(|path| open_for_writing(path).set_len(0).unwrap());
        let longer = changed(|path| {
            let file = open_for_writing(path);
            file.set_len(file.metadata().unwrap().len() + 1).unwrap();
        });
        // The length does not change.
        let written = changed(|path| {
            let file = open_for_writing(path);
            let modified = file.metadata().unwrap().modified().unwrap();
            file.set_modified(modified + std::time::Duration::from_secs(1)).unwrap();
        });
        for outcome in [cut, emptied, longer, written].into_iter().flatten() {
            let error = outcome.unwrap_err().to_string();
            assert!(error.ends_with("file: changed while it was being read"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_or_removed_keeps_its_old_content() {
        let replaced = changed(|path| {
            let other = path.with_extension("other");
            std::fs::write(&other, "no model").unwrap();
            std::fs::rename(&other, path).unwrap();
        });
        let removed = changed(|path| std::fs::remove_file(path).unwrap());
        for read in [replaced, removed] {
            let read: Vec<Vec<u8>> = read.into_iter().map(|outcome| outcome.unwrap()).collect();
            assert!(read[0] == [7; 10_000]);
            assert!(read[1] == vec![7; 2 * CHUNK as usize + 1]);
            assert!(read[2].len() as u64 == SPARSE_FROM && read[2].starts_with(&[7; 100]));
        }
    }
}
