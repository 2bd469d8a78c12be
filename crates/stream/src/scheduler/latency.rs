//! How long the reads of a backend take until their first byte, and how many bytes that is worth.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::BackendId;
use crate::ProbeOptions;
use crate::backend::Backend;
use crate::numbers::HashMap;

/// Longer reads take a part of their time for their bytes.
const LONGEST: u64 = 64 << 10;

/// The latencies of backends that were read from.
#[derive(Default)]
pub(super) struct Latencies(HashMap<BackendId, (Weak<dyn Backend>, Duration)>);

impl Latencies {
    /// Notes the time of a read of this many bytes.
    pub(super) fn note(&mut self, id: BackendId, backend: &Arc<dyn Backend>, bytes: u64, time: Duration) {
        // Schedules that are replayed have no times.
        if bytes > LONGEST || cfg!(shuttle) {
            return;
        }
        if !self.0.contains_key(&id) {
            self.0.retain(|_, (backend, _)| backend.strong_count() > 0);
        }
        // While there is a weak reference, no other backend has the same address.
        let (_, latency) = self.0.entry(id).or_insert_with(|| (Arc::downgrade(backend), time));
        // Mostly the shortest time: others have waited for one another, or for a processor.
        *latency = if time < *latency { time } else { *latency + (time - *latency) / 16 };
    }

    /// The options for a latency that is worth reading ahead for. `None` if it is short, or not known yet.
    pub(super) fn options(&self, id: BackendId) -> Option<ProbeOptions> {
        let (_, latency) = self.0.get(&id)?;
        Some(ProbeOptions::for_latency(*latency)).filter(|options| options.whole > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::BlockingBackend;

    #[test]
    fn the_shortest_reads_count_most() {
        let backend: Arc<dyn Backend> = Arc::new(BlockingBackend::new(1, |_| {}).unwrap());
        let mut latencies = Latencies::default();
        let ahead = |latencies: &Latencies| latencies.options(0).map(|options| options.whole);
        assert_eq!(ahead(&latencies), None, "not known yet");
        let note = |latencies: &mut Latencies, bytes, micros| {
            latencies.note(0, &backend, bytes, Duration::from_micros(micros));
        };
        note(&mut latencies, 4096, 500_000);
        note(&mut latencies, 4096, 8_000);
        assert_eq!(ahead(&latencies), Some((128 << 20) / 125));
        note(&mut latencies, 4096, 24_000);
        assert_eq!(ahead(&latencies), Some((128 << 20) * 9 / 1000), "a sixteenth of 16 ms more");
        note(&mut latencies, 1 << 20, 1);
        assert_eq!(ahead(&latencies), Some((128 << 20) * 9 / 1000), "a long read tells nothing");
        note(&mut latencies, 4096, 30);
        assert_eq!(ahead(&latencies), None, "too short to read ahead");
    }
}
