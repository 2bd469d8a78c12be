//! A backend that reads ranges of files on blocking threads.

use std::io;
use std::path::Path;
use std::sync::Arc;

use meshlens_source::OpenedFile;

use super::{Backend, BlockingBackend, Read, Version};
use crate::Error;

/// The system copies so many bytes at once.
const ONE_PAGE: u64 = 4096;

/// A backend that reads files of the file system. The name of a file is its path.
///
/// Each read opens the file, reads a range, and checks that length and modification time are the same as at the first
/// read, before and after it. If the first read is the start of a file, only the next read checks that. No descriptor stays open.
pub struct FileBackend {
    reads: BlockingBackend,
}

impl FileBackend {
    /// Makes a backend that reads on `threads` threads, at least one. They block on the disk, which serves several reads at
    /// the same time: 16 threads read small files that are not in memory in less than half of the time of two. While files are in
    /// memory, as many threads as there are processors read them, and the others sleep.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(threads: usize) -> io::Result<Self> {
        Ok(FileBackend { reads: BlockingBackend::named("meshlens-read", threads, |read, _| run(read))? })
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
        // The threads start the next read themselves. The most urgent read runs first.
        self.reads.max_reads().max(16)
    }
}

debug_fields!(self, FileBackend { threads: self.reads.threads() });

fn run(read: Read) {
    let file = read.file().clone();
    let mut opened = match OpenedFile::open(Path::new(&*file)) {
        Ok(opened) => opened,
        Err(error) => return fail(read, &error),
    };
    let version = match read.version().cloned() {
        Some(known) if known.downcast_ref() == Some(&opened.state()) => known,
        Some(_) => return read.fail(Error::Changed { file }),
        None => Arc::new(opened.state()),
    };
    let size = opened.size();
    let is_start =
        read.version().is_none() && read.range().end.saturating_sub(read.range().start) <= ONE_PAGE;
    // The file is closed before the answer.
    fill(read, size, Some(version), move |start, room| {
        let len = room.len() as u64;
        // The next read compares the version, which is older than these bytes.
        if is_start && start.saturating_add(len) < size {
            opened.read_exact_at_unchecked(start, room)?;
        } else {
            opened.read_exact_at(start, room)?;
        }
        Ok(room.len())
    });
}

/// Answers a read with as many bytes as `get` reads from an offset to the buffer, which is not longer than the file.
pub(super) fn fill(
    mut read: Read,
    file_len: u64,
    version: Option<Version>,
    get: impl FnOnce(u64, &mut [u8]) -> meshlens_source::Result<usize>,
) {
    read.clamp(file_len);
    let start = read.range().start;
    let found = match read.try_buffer() {
        Ok(room) => get(start, room),
        Err(error) => return read.fail(error),
    };
    match found {
        Ok(len) => read.finish(len, file_len, version),
        Err(error) => fail(read, &error),
    }
}

/// Answers a read with the error of a file.
pub(super) fn fail(read: Read, error: &meshlens_source::Error) {
    let file = read.file().clone();
    match error {
        meshlens_source::Error::Changed { .. } => read.fail(Error::Changed { file }),
        error => read.fail_with(error),
    }
}
