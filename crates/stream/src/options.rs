//! The options of a streamer.

use std::num::NonZeroUsize;

use crate::ProbeOptions;
use crate::queue::Ageing;

/// The options of a streamer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamerOptions {
    /// The memory budget in bytes: for bytes that are read and not yet dropped by the caller, for buffers that are kept
    /// for reuse, and for decoding. Plans, tables of packs, buffers of the caller and bytes of files that are mapped or in memory do
    /// not count.
    pub memory: usize,
    /// The number of threads that decode.
    pub decode_threads: NonZeroUsize,
    /// The limit on the time for which a request can be delayed by requests of higher priority.
    pub ageing: Ageing,
    /// The options of probes. `None`: those [for the latency](ProbeOptions::for_latency) that the reads of a backend had so
    /// far, and at least [`ProbeOptions::REMOTE`] for files that it [describes](crate::backend::Backend::describe) as remote.
    pub probe: Option<ProbeOptions>,
    /// The largest gap in bytes between ranges of a file that are read together.
    pub join_gap: u64,
    /// The largest size in bytes of a read that joins ranges.
    pub join_size: u64,
    /// Whether ended requests are listed for [`Streamer::poll_completed`](crate::Streamer::poll_completed). If so, call it regularly: the list grows
    /// until it is called. Futures do not need it.
    pub lists_completed: bool,
}

impl Default for StreamerOptions {
    /// 64 MiB, half of the processors, gaps of 4 KiB, and joined reads of 1 MiB.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        StreamerOptions {
            memory: 64 << 20,
            decode_threads: NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN),
            ageing: Ageing::default(),
            probe: None,
            join_gap: 4096,
            join_size: 1 << 20,
            lists_completed: true,
        }
    }
}
