//! How a probe requests bytes.

use std::time::Duration;

/// The smallest number of bytes in a request.
pub(crate) const LEAST_READ: u64 = 64;
/// The largest number of headers that are requested ahead, if earlier headers were at equal distances.
pub(crate) const MOST_GUESSES: u64 = 1024;
/// The largest number of bytes that are requested after a missing byte.
pub(crate) const MOST_AHEAD: u64 = 1 << 20;

/// Options that determine how a [`Probe`](crate::Probe) requests bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOptions {
    /// The number of bytes in a request, at least 64: at the start of each file, and at each location with missing
    /// bytes. Consecutive requests grow.
    pub read: u64,
    /// The number of rounds after which every round requests twice as many bytes as the previous one, up to 1 MiB, if
    /// that saves rounds. A file that would need many rounds is then read in large portions.
    pub patience: u32,
    /// The largest number of bytes that are requested in all. A model whose headers need more is an error.
    pub max_bytes: u64,
    /// The number of bytes that a round costs as much as. After the first round, the rest of a file is requested if it has at most
    /// so many bytes, and so many bytes from the next place on if the last places were no further apart. After each further round
    /// the rest may have eight times as many. A small file is then read in two requests, and a large one in three.
    pub whole: u64,
}

impl ProbeOptions {
    /// Options for servers, where a round takes as long as about 1 MiB: 64 KiB per request, which grow from the first round
    /// on, and the rest of a file of up to 1 MiB for each round. Files of up to 1 MiB take at most two rounds.
    pub const REMOTE: ProbeOptions =
        ProbeOptions { read: 64 << 10, patience: 0, max_bytes: 256 << 20, whole: 1 << 20 };

    /// Options for files whose reads take this long until the first byte, during which 128 MiB/s could have been read: the
    /// default up to half a millisecond; [`REMOTE`](Self::REMOTE), with more bytes for each round, from 8 ms on.
    ///
    /// ```
    /// use std::time::Duration;
    /// use meshlens_stream::ProbeOptions;
    ///
    /// let slow = ProbeOptions::for_latency(Duration::from_millis(20));
    /// assert_eq!(slow.whole, 128 * (1 << 20) / 50);
    /// assert_eq!(ProbeOptions::for_latency(Duration::ZERO), ProbeOptions::default());
    /// ```
    pub fn for_latency(latency: Duration) -> ProbeOptions {
        let ahead =
            u64::try_from(latency.as_micros().saturating_mul(AHEAD_A_SECOND) / 1_000_000).unwrap_or(u64::MAX);
        if ahead < LEAST_AHEAD {
            return ProbeOptions::default();
        }
        ProbeOptions { read: (ahead / 16).clamp(4096, 64 << 10), whole: ahead, ..ProbeOptions::REMOTE }
    }

    /// See [`Probe::max_rounds`](crate::Probe::max_rounds).
    pub(crate) fn max_rounds(self, bytes: u64) -> u32 {
        let read = self.read.max(LEAST_READ);
        // After `patience` rounds, each unpredicted round loads twice as many bytes as the previous one, up to the
        // limit. After that, either places are further apart than the limit, or each round loads that many bytes.
        // Parsers pass over a file at most twice.
        let doublings = (bytes.min(MOST_AHEAD) / read).checked_ilog2().map_or(0, |log| log + 1);
        let portions = u32::try_from(bytes / MOST_AHEAD).unwrap_or(u32::MAX);
        let surprises =
            portions.saturating_mul(3).saturating_add(self.patience.saturating_add(doublings + 4));
        // The number of predictions doubles between two unpredicted rounds, and reaches the limit after 10 rounds.
        let predicted = u32::try_from(bytes / (LEAST_READ * MOST_GUESSES)).unwrap_or(u32::MAX);
        surprises.saturating_mul(6).saturating_add(predicted)
    }
}

impl Default for ProbeOptions {
    /// 4 KiB per request, 24 rounds, and 256 MiB in all, for files on this machine.
    fn default() -> Self {
        ProbeOptions { read: 4096, patience: 24, max_bytes: 256 << 20, whole: 0 }
    }
}

/// The number of bytes for each second that a read takes until its first byte.
const AHEAD_A_SECOND: u128 = 128 << 20;
/// The smallest number of bytes that are worth reading ahead.
const LEAST_AHEAD: u64 = 64 << 10;
