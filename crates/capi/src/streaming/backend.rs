//! Files that are read by callbacks of the caller, on threads of the streamer.

use std::ffi::CString;
use std::io;
use std::sync::{Arc, Weak};

use meshlens_stream::backend::{Backend, BlockingBackend, Read, Version};
use meshlens_stream::{Error, FileName};

use crate::assets::Callbacks;

/// A backend that reads by calling the callbacks on its own threads.
pub(super) struct CallbackFiles {
    reads: BlockingBackend,
    files: Weak<Callbacks>,
}

impl CallbackFiles {
    pub(super) fn new(files: Callbacks, threads: usize) -> io::Result<CallbackFiles> {
        // The backend owns the callbacks: the file system is released when it is closed or dropped.
        let files = Arc::new(files);
        let weak = Arc::downgrade(&files);
        let reads = BlockingBackend::new(threads, move |read| answer(&files, read))?;
        Ok(CallbackFiles { reads, files: weak })
    }

    /// From now on the file system is released when the backend is closed or dropped.
    pub(super) fn take_over(&self) {
        if let Some(files) = self.files.upgrade() {
            files.take_over();
        }
    }

    /// Ends the threads, waits for running callbacks, and releases the file system. Later reads fail.
    pub(super) fn close(&self) {
        self.reads.close();
    }
}

impl Drop for CallbackFiles {
    fn drop(&mut self) {
        self.close();
    }
}

impl Backend for CallbackFiles {
    fn begin(&self, read: Read) {
        self.reads.begin(read);
    }

    fn max_reads(&self) -> usize {
        self.reads.max_reads()
    }
}

/// Reads through the callbacks.
fn answer(files: &Callbacks, mut read: Read) {
    let name = read.file().clone();
    let known = read.version().and_then(|version| version.downcast_ref::<u64>().copied());
    match fill(files, &name, known, &mut read) {
        Ok((len, size, version)) => {
            let version: Version = Arc::new(version);
            read.finish(len, size, Some(version));
        }
        Err(Some(error)) => read.fail_with(&error),
        Err(None) => read.fail(Error::Changed { file: name }),
    }
}

/// Returns the number of bytes read, the length of the file and its version, or `None` if the file has changed.
fn fill(
    files: &Callbacks,
    name: &FileName,
    known: Option<u64>,
    read: &mut Read,
) -> Result<(usize, u64, u64), Option<io::Error>> {
    let path = CString::new(&**name).map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
    let (size, version) = files.size_of(&path)?;
    if known.is_some_and(|known| known != version) {
        return Err(None);
    }
    let range = read.range();
    let wanted = range.end.min(size).saturating_sub(range.start);
    let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
    let wanted = usize::try_from(wanted).map_err(|_| no_memory())?;
    let buffer = read.try_buffer().map_err(|_| no_memory())?;
    let room = buffer.get_mut(..wanted).ok_or_else(no_memory)?;
    if !room.is_empty() {
        files.read_into(&path, range.start, room)?;
    }
    Ok((wanted, size, version))
}
