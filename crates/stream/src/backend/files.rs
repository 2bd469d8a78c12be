//! A backend that reads ranges of files on blocking threads.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use meshlens_source::{RandomAccessFile, ReadAt};

use super::{Backend, BlockingBackend, Read, Version};
use crate::Error;

/// A backend that reads files of the file system. The name of a file is its path.
///
/// Each read opens the file, reads a range, and checks that length and modification time are the same as at the first
/// read. No descriptor stays open.
pub struct FileBackend {
    reads: BlockingBackend,
}

impl FileBackend {
    /// Makes a backend that reads on `threads` threads, at least one. They block on the disk; a few threads for each
    /// disk are enough.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(threads: usize) -> io::Result<Self> {
        Ok(FileBackend { reads: BlockingBackend::new(threads, run)? })
    }

    /// Ends the threads and waits for the reads that are running. Other reads fail.
    pub fn close(&self) {
        self.reads.close();
    }
}

impl Backend for FileBackend {
    fn begin(&self, read: Read) {
        self.reads.begin(read);
    }

    fn max_reads(&self) -> usize {
        // This is enough that no thread waits for the streamer to handle a finished read and start the next one. The
        // most urgent read runs first.
        (8 * self.reads.threads()).max(16)
    }
}

impl fmt::Debug for FileBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileBackend").field("threads", &self.reads.threads()).finish_non_exhaustive()
    }
}

/// The longest range for which a buffer is allocated before the length of the file is known. It saves opening the file twice.
const AT_ONCE: u64 = 1 << 20;

fn run(mut read: Read) {
    let known = read.version().and_then(|version| version.clone().downcast::<RandomAccessFile>().ok());
    let (path, range) = (read.file().clone(), read.range());
    let known = match known {
        // The length is known before a long range is allocated.
        None if range.end - range.start > AT_ONCE => match RandomAccessFile::open(Path::new(&*path)) {
            Ok(file) => Some(Arc::new(file)),
            Err(error) => return fail(read, &error),
        },
        known => known,
    };
    if let Some(file) = &known {
        read.clamp(file.size());
    }
    let room = match read.try_buffer() {
        Ok(room) => room,
        Err(error) => return read.fail(error),
    };
    let outcome = match known {
        Some(file) => file.read_exact_at(range.start, room).map(|()| (room.len(), file)),
        None => RandomAccessFile::open_and_read(Path::new(&*path), range.start, room)
            .map(|(file, len)| (len, Arc::new(file))),
    };
    match outcome {
        Ok((len, file)) => {
            let size = file.size();
            let version: Version = file;
            read.finish(len, size, Some(version));
        }
        Err(error) => fail(read, &error),
    }
}

fn fail(read: Read, error: &meshlens_source::Error) {
    let file = read.file().clone();
    match error {
        meshlens_source::Error::Changed { .. } => read.fail(Error::Changed { file }),
        error => read.fail_with(error),
    }
}
