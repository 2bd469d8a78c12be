//! A backend that reads ranges of files on blocking threads.

use std::io;
use std::path::Path;
use std::sync::Arc;

use meshlens_source::RandomAccessFile;

use super::{Backend, Read, Version};
use crate::workers::Workers;
use crate::{Error, Priority};

/// A backend that reads files of the file system. The name of a file is its path.
///
/// Each read opens the file, reads a range, and checks that length and modification time are the same as at the first
/// read. No descriptor stays open.
pub struct FileBackend {
    workers: Workers,
    threads: usize,
}

impl FileBackend {
    /// Makes a backend that reads on `threads` threads, at least one. They block on the disk; a few threads for each
    /// disk are enough.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(threads: usize) -> io::Result<Self> {
        Ok(FileBackend { workers: Workers::new("meshlens-read", threads)?, threads: threads.max(1) })
    }
}

impl FileBackend {
    /// Ends the threads and waits for the reads that are running. Other reads fail.
    pub fn close(&self) {
        self.workers.close();
    }
}

impl Backend for FileBackend {
    fn begin(&self, read: Read) {
        // Reads arrive in order of priority.
        self.workers.add(Priority::NORMAL, move || {
            if !read.is_cancelled() {
                run(read);
            }
        });
    }

    fn max_reads(&self) -> usize {
        // One more for each thread, so that no thread waits for its next read.
        2 * self.threads
    }
}

fn run(mut read: Read) {
    let known = read.version().and_then(|version| version.clone().downcast::<RandomAccessFile>().ok());
    let opened = match known {
        Some(file) => Ok(file),
        None => RandomAccessFile::open(Path::new(&**read.file())).map(Arc::new),
    };
    let range = read.range();
    let outcome = opened.and_then(|file| {
        let size = meshlens_source::ReadAt::size(&*file);
        let wanted = range.end.min(size).saturating_sub(range.start);
        let buffer = read.buffer();
        let room = buffer.get_mut(..usize::try_from(wanted).unwrap_or(usize::MAX)).unwrap_or_default();
        file.read_exact_at(range.start, room)?;
        Ok((room.len(), size, file))
    });
    match outcome {
        Ok((len, size, file)) => {
            let version: Version = file;
            read.finish(len, size, Some(version));
        }
        Err(meshlens_source::Error::Changed { .. }) => {
            let file = read.file().clone();
            read.fail(Error::Changed { file });
        }
        Err(error) => {
            let error = Error::read(read.file(), &error);
            read.fail(error);
        }
    }
}
