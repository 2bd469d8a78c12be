//! The statistics of a streamer.

use crate::sync::{AtomicU64, AtomicUsize};

/// The counters of a streamer.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) reads: AtomicU64,
    pub(crate) bytes_read: AtomicU64,
    /// The memory of the bytes of probes that are kept.
    pub(crate) probes_kept: AtomicUsize,
}

/// The statistics of a streamer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of reads from all backends.
    pub reads: u64,
    /// The number of bytes that were read.
    pub bytes_read: u64,
    /// The number of bytes of memory in use.
    pub memory_used: usize,
    /// The number of bytes of memory that are kept for reuse.
    pub memory_kept: usize,
    /// The peak of memory in use or kept, in bytes.
    pub memory_peak: usize,
}
