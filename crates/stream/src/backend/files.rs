//! Files of the file system, read range by range on threads that may wait.

use std::io;
use std::path::Path;
use std::sync::Arc;

use meshlens_source::RandomAccessFile;

use super::{Backend, Read, Version};
use crate::workers::Workers;
use crate::{Error, Priority};

/// Files of the file system. A file's name is its path.
///
/// Each read opens the file, reads at a position, and checks that the file is the one that it was in the first read: same
/// length, same time of the last change. No descriptor stays open.
pub struct FileBackend {
    workers: Workers,
    threads: usize,
}

impl FileBackend {
    /// Reads on `threads` threads, at least one. They wait for the disk; a few for each disk are enough.
    ///
    /// # Errors
    ///
    /// The system has no thread left.
    pub fn new(threads: usize) -> io::Result<Self> {
        Ok(FileBackend { workers: Workers::new("meshlens-read", threads)?, threads: threads.max(1) })
    }
}

impl Backend for FileBackend {
    fn begin(&self, read: Read) {
        // Reads come in the order in which they are wanted.
        self.workers.add(Priority::NORMAL, move || {
            if !read.is_cancelled() {
                run(read);
            }
        });
    }

    fn max_reads(&self) -> usize {
        // One more for each thread, so that none waits for its next read.
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
