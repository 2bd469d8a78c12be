//! The number of worker threads.

use std::num::NonZero;
use std::thread;

/// The number of workers that `--jobs` requests: 0 means one per core.
pub(crate) fn count(jobs: usize) -> usize {
    if jobs == 0 { thread::available_parallelism().map_or(1, NonZero::get) } else { jobs }
}
