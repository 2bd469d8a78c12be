//! The streamer: its threads, its memory and its statistics.

use std::num::NonZeroUsize;
use std::sync::{Arc, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::Duration;

use meshlens_stream::backend::{AssetsBackend, BlockingBackend, FileBackend};
use meshlens_stream::{Priority, Streamer, StreamerOptions};

use super::backend::answer;
use crate::assets::{Callbacks, ml_assets, ml_file_system};
use crate::call::{call, check_place, output, put};
use crate::error::ml_error;
use crate::handle;
use crate::memory::{Allocator, ml_allocator};
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// Loads parts of models in the order in which they are needed.
pub struct ml_streamer {
    pub(super) shared: Arc<Shared>,
    lists: bool,
    /// The longest time that freeing it waits.
    patience: Option<Duration>,
}

/// The state that a streamer shares with its streams and requests, which may outlive it.
pub(crate) struct Shared {
    /// `None` after the streamer was freed.
    streamer: RwLock<Option<Streamer>>,
    pub(super) readers: Readers,
    pub(super) allocator: Allocator,
}

/// The threads that read.
pub(super) enum Readers {
    Callbacks(Arc<BlockingBackend>),
    System(Arc<FileBackend>),
    Assets(Arc<AssetsBackend>),
}

handle::opaque!(ml_streamer: shared.allocator);

impl Shared {
    pub(super) fn with<R>(&self, then: impl FnOnce(&Streamer) -> Result<R>) -> Result<R> {
        let freed = || Err(Failure::new(ml_result::ML_ERROR_CANCELLED, "the streamer was freed"));
        self.unless_freed(then).unwrap_or_else(freed)
    }

    pub(super) fn unless_freed<R>(&self, then: impl FnOnce(&Streamer) -> R) -> Option<R> {
        let streamer = self.streamer.read().unwrap_or_else(PoisonError::into_inner);
        streamer.as_ref().map(then)
    }

    pub(super) const fn is_callback(&self) -> bool {
        matches!(self.readers, Readers::Callbacks(_))
    }

    /// Ends the streamer, and waits for its threads.
    fn close(&self) {
        let streamer = self.streamer.write().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(streamer) = streamer {
            streamer.shut_down();
        }
        match &self.readers {
            Readers::Callbacks(files) => files.close(),
            Readers::System(files) => files.close(),
            Readers::Assets(files) => files.close(),
        }
    }
}

impl Drop for ml_streamer {
    fn drop(&mut self) {
        let Some(patience) = self.patience else { return self.shared.close() };
        // A read that hangs is left behind, with a thread that owns what it touches.
        let (shared, (ended, end)) = (self.shared.clone(), mpsc::channel::<()>());
        let close = move || {
            shared.close();
            drop(ended);
        };
        match thread::Builder::new().name("meshlens-free".into()).spawn(close) {
            // Nothing is sent: it ends, or the time is over.
            Ok(_) => drop(end.recv_timeout(patience)),
            Err(_) => self.shared.close(),
        }
    }
}

/// A flag of ml_streamer_opts: requests that have ended are listed for ml_poll_streamer. It must then be called
/// regularly, because the list grows until it is.
pub const ML_STREAMER_LIST: u32 = 1;

/// The options of a streamer. All zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_streamer_opts {
    /// sizeof(ml_streamer_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The memory limit in bytes; 0 for 64 MiB. It includes loaded parts that are not closed yet, loaded parts that are
    /// kept for reuse, and memory for decoding, but not the buffers of the caller.
    pub memory_limit: usize,
    /// The number of threads that decode; 0 for half of the processors.
    pub decode_threads: u32,
    /// The number of threads that read; 0 for 2.
    pub read_threads: u32,
    /// ML_STREAMER_LIST, or 0.
    pub flags: u32,
    /// The allocator for handles, or NULL for the library's allocator. It is copied. The bytes of files always come
    /// from the library's allocator.
    pub allocator: *const ml_allocator,
    /// The file system, or NULL for the operating system's. It is copied. `file_size` is called before each
    /// `read`; a file whose version changes fails. `list` is not called and may be NULL. All functions are called on
    /// threads of the streamer, up to `read_threads` at a time.
    pub files: *const ml_file_system,
    /// The search path with the names that ml_open_stream opens, or NULL. `files` is then NULL. The mounts that it has at this
    /// time are used, also after it was freed; its allocator is not.
    pub assets: *const ml_assets,
    /// The longest time in milliseconds that ml_free_streamer waits for the threads, or 0 for no limit.
    pub free_limit_ms: u64,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_streamer_opts {}

/// The maximum number of threads of one kind.
const MOST_THREADS: u32 = 256;

/// Starts a streamer. Calls never wait for files or for decoding, except ml_free_streamer, ml_close_request, and ml_open_stream with a
/// search path, which lists folders and reads scripts. `opts` may be NULL.
///
/// On success, `*streamer` is a new handle, to be freed with ml_free_streamer; otherwise it is NULL, and `release` of the
/// file system is not called.
///
/// Cost: O(threads).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, also if `file_size` or `read` of the file system is NULL, or for more than 256 threads;
/// ML_ERROR_MEMORY if a thread cannot be started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_new_streamer(
    opts: *const ml_streamer_opts,
    streamer: *mut *mut ml_streamer,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(streamer)?;
        let opts = sized::read(opts)?;
        if opts.flags & !ML_STREAMER_LIST != 0 {
            return Err(Failure::argument("options of a streamer have flags that are not known"));
        }
        if opts.decode_threads.max(opts.read_threads) > MOST_THREADS {
            return Err(Failure::argument("a streamer has at most 256 threads of one kind"));
        }
        let allocator = Allocator::new(sized::read(opts.allocator)?)?;
        let lists = opts.flags & ML_STREAMER_LIST != 0;
        let mut options = StreamerOptions { lists_completed: lists, ..StreamerOptions::default() };
        if opts.memory_limit != 0 {
            options.memory = opts.memory_limit;
        }
        if let Some(threads) = NonZeroUsize::new(opts.decode_threads as usize) {
            options.decode_threads = threads;
        }
        let readers = if opts.read_threads == 0 { 2 } else { opts.read_threads as usize };
        let no_threads = |_| Failure::new(ml_result::ML_ERROR_MEMORY, "no thread can be started");
        // The backend shares them, and outlives this call: the file system is released when it is closed or dropped.
        let mut callbacks = None;
        let readers = if !opts.assets.is_null() {
            if !opts.files.is_null() {
                return Err(Failure::argument("a streamer reads from a file system or from a search path"));
            }
            let assets = handle::get(opts.assets)?.now();
            Readers::Assets(Arc::new(AssetsBackend::new(assets, readers).map_err(no_threads)?))
        } else if opts.files.is_null() {
            Readers::System(Arc::new(FileBackend::new(readers).map_err(no_threads)?))
        } else {
            let files = Arc::new(Callbacks::new(sized::read(opts.files)?)?);
            callbacks = Some(files.clone());
            let reads = BlockingBackend::new(readers, move |read| answer(&files, read));
            Readers::Callbacks(Arc::new(reads.map_err(no_threads)?))
        };
        let running = RwLock::new(Some(Streamer::new(options).map_err(no_threads)?));
        let shared = Arc::new(Shared { streamer: running, readers, allocator });
        let patience = (opts.free_limit_ms > 0).then(|| Duration::from_millis(opts.free_limit_ms));
        handle::open(streamer, ml_streamer { shared, lists, patience })?;
        if let Some(callbacks) = callbacks {
            callbacks.take_over();
        }
        Ok(())
    })
}

/// Frees a streamer. Requests that have not ended fail with ML_ERROR_CANCELLED; streams and requests still have to be
/// closed, before or after. NULL is ignored.
///
/// When it returns, all threads of the streamer have ended, no callback is running or will be called, and `release` of the
/// file system has been called. If a callback or a read takes longer than `free_limit_ms` of the options, the function returns
/// without waiting for its thread. That thread ends after the callback or the read, and the last one calls `release`. Do not call
/// this function from a callback.
///
/// Cost: waits for the work of its threads: callbacks, reads, and the decoding of at most one mesh per thread.
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_free_streamer(streamer: *mut ml_streamer) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(streamer))
}

/// Statistics of a streamer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_streamer_info {
    /// sizeof(ml_streamer_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of reads.
    pub read_count: u64,
    /// The number of bytes that were read.
    pub bytes_read: u64,
    /// The number of bytes of memory that are in use.
    pub memory_used: usize,
    /// The number of bytes of memory that are kept for reuse.
    pub memory_kept: usize,
    /// The maximum number of bytes that were in use or kept at one time.
    pub memory_peak: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_streamer_info {}

/// Writes the statistics of a streamer.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_streamer_info(
    streamer: *const ml_streamer,
    info: *mut ml_streamer_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let found = handle::get(streamer)?.shared.with(|streamer| Ok(streamer.statistics()))?;
        let written = ml_streamer_info {
            size: 0,
            read_count: found.reads,
            bytes_read: found.bytes_read,
            memory_used: found.memory_used,
            memory_kept: found.memory_kept,
            memory_peak: found.memory_peak,
        };
        sized::write(info, written)
    })
}

/// Takes the next requests that have ended from the list of a streamer: writes at most `capacity` numbers of requests
/// to `ids`, in the order in which they ended, and their number to `*count`. ml_poll_request returns the state of each.
/// The streamer must have been created with ML_STREAMER_LIST.
///
/// Cost: O(capacity). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_poll_streamer(
    streamer: *const ml_streamer,
    ids: *mut u64,
    capacity: usize,
    count: *mut usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let handle = handle::get(streamer)?;
        if !handle.lists {
            return Err(Failure::argument("the streamer was made without ML_STREAMER_LIST"));
        }
        check_place(count)?;
        let ids = output(ids, capacity)?;
        let found = handle.shared.with(|streamer| {
            let completed = streamer.poll_completed(Duration::MAX);
            let filled = ids.iter_mut().zip(completed).map(|(id, completed)| *id = completed.id.get());
            Ok(filled.count())
        })?;
        put(count, found)
    })
}

/// The priority of an object at a distance from the viewer, in any unit. It decreases with the distance and is never
/// above 0. A negative distance counts as 0, and NaN as infinite.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_priority_by_distance(distance: f32) -> i32 {
    Priority::by_distance(distance).0
}
