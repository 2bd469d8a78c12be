//! Files that are read by callbacks of the caller, on threads of the streamer.

use std::collections::VecDeque;
use std::ffi::CString;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};

use meshlens_stream::backend::{Backend, Read, Version};
use meshlens_stream::{Error, FileName};

use crate::assets::Callbacks;
use crate::result::{Failure, Result, ml_result};

/// A backend that reads on threads of its own, which wait for the callbacks.
pub(super) struct CallbackFiles {
    shared: Arc<Shared>,
    files: Weak<Callbacks>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    count: usize,
}

struct Shared {
    queue: Mutex<Queue>,
    /// A read was added, or the backend was closed.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    reads: VecDeque<Read>,
    is_closed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CallbackFiles {
    pub(super) fn new(files: Callbacks, count: usize) -> Result<CallbackFiles> {
        let shared = Arc::new(Shared { queue: Mutex::default(), changed: Condvar::new() });
        // The threads own the callbacks: the last of them to end releases the file system.
        let files = Arc::new(files);
        let backend =
            CallbackFiles { shared, files: Arc::downgrade(&files), threads: Mutex::default(), count };
        for _ in 0..count {
            let (shared, files) = (backend.shared.clone(), files.clone());
            let run = move || {
                while let Some(read) = shared.next() {
                    answer(&files, read);
                }
            };
            let thread = thread::Builder::new().name("meshlens-read".into()).spawn(run);
            let thread =
                thread.map_err(|_| Failure::new(ml_result::ML_ERROR_MEMORY, "no thread can be started"))?;
            lock(&backend.threads).push(thread);
        }
        Ok(backend)
    }

    /// From now on the file system is released when the threads end.
    pub(super) fn take_over(&self) {
        if let Some(files) = self.files.upgrade() {
            files.take_over();
        }
    }

    /// Ends the threads, and waits for running callbacks. Later reads fail.
    pub(super) fn close(&self) {
        let mut queue = lock(&self.shared.queue);
        queue.is_closed = true;
        let reads = std::mem::take(&mut queue.reads);
        drop(queue);
        drop(reads);
        self.shared.changed.notify_all();
        let threads = std::mem::take(&mut *lock(&self.threads));
        for thread in threads {
            // `answer` does not panic, and a panic would end only that thread.
            let _ = thread.join();
        }
    }
}

impl Drop for CallbackFiles {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn next(&self) -> Option<Read> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(read) = queue.reads.pop_front() {
                return Some(read);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Backend for CallbackFiles {
    fn begin(&self, read: Read) {
        let mut queue = lock(&self.shared.queue);
        if queue.is_closed {
            drop(queue);
            drop(read);
            return;
        }
        queue.reads.push_back(read);
        drop(queue);
        self.shared.changed.notify_one();
    }

    fn max_reads(&self) -> usize {
        // One more for each thread, so that none waits for its next read.
        self.count.saturating_mul(2)
    }
}

/// Reads through the callbacks. A read that is cancelled is dropped.
fn answer(files: &Callbacks, mut read: Read) {
    if read.is_cancelled() {
        return;
    }
    let name = read.file().clone();
    let known = read.version().and_then(|version| version.downcast_ref::<u64>().copied());
    match fill(files, &name, known, &mut read) {
        Ok((len, size, version)) => {
            let version: Version = Arc::new(version);
            read.finish(len, size, Some(version));
        }
        Err(Some(error)) => read.fail(Error::read(&name, &error)),
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
