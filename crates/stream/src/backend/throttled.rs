//! A backend that delays another backend, to measure and test the effects of latency and bandwidth.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use super::{Backend, Description, Read};
use crate::sync::{Arc, Condvar, Mutex, lock, spawn};
use crate::{FileName, Known};

/// The speed of a [`Throttled`] backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttle {
    /// The time from the start of a read to its first byte.
    pub latency: Duration,
    /// The bandwidth in bytes per second, shared by all reads; `None` for no limit.
    pub bandwidth: Option<u64>,
    /// The largest number of reads at one time.
    pub max_reads: usize,
}

impl Throttle {
    /// The time at which the last byte of a read that begins `now` arrives. The last byte of earlier reads arrives at
    /// `free_at`.
    fn arrival(&self, now: Instant, free_at: Instant, bytes: u64) -> Instant {
        let transfer = self.bandwidth.map_or(Duration::ZERO, |bandwidth| {
            let time = Duration::try_from_secs_f64(bytes as f64 / bandwidth.max(1) as f64);
            time.unwrap_or(LONGEST).min(LONGEST)
        });
        // The first byte arrives after the latency, and not before the last byte of earlier reads.
        (now + self.latency.min(LONGEST)).max(free_at) + transfer
    }
}

/// A backend that delays another backend, like a slow disk or a server. The latencies of several reads overlap; their
/// bytes arrive one after the other.
pub struct Throttled<B> {
    backend: Arc<B>,
    throttle: Throttle,
    line: Arc<Line>,
}

/// The state of the simulated connection.
struct Line {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

struct Waiting {
    /// By the time at which they are passed on, and by their number.
    reads: BTreeMap<(Instant, u64), Read>,
    begun: u64,
    /// The time at which the last byte of all reads so far arrives.
    free_at: Instant,
    is_closed: bool,
}

/// The longest delay of a read, so that no sum of times overflows.
const LONGEST: Duration = Duration::from_secs(1 << 32);

impl<B: Backend> Throttled<B> {
    /// Makes a backend that delays `backend`.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(backend: B, throttle: Throttle) -> io::Result<Self> {
        let waiting = Waiting { reads: BTreeMap::new(), begun: 0, free_at: Instant::now(), is_closed: false };
        let line = Arc::new(Line { waiting: Mutex::new(waiting), changed: Condvar::new() });
        let backend = Arc::new(backend);
        let (run, passed_to) = (line.clone(), backend.clone());
        spawn("meshlens-throttle", move || run.run(&*passed_to))?;
        Ok(Throttled { backend, throttle, line })
    }

    /// The delayed backend.
    pub fn inner(&self) -> &B {
        &self.backend
    }
}

impl<B: Backend> Backend for Throttled<B> {
    fn begin(&self, read: Read) {
        let now = Instant::now();
        let range = read.range();
        let len = self.describe(read.file()).file_len.map_or(range.end, |len| range.end.min(len));
        let bytes = len.saturating_sub(range.start);
        let mut waiting = lock(&self.line.waiting);
        let at = self.throttle.arrival(now, waiting.free_at, bytes);
        waiting.free_at = at;
        let number = waiting.begun;
        waiting.begun += 1;
        waiting.reads.insert((at, number), read);
        drop(waiting);
        self.line.changed.notify_one();
    }

    fn max_reads(&self) -> usize {
        self.throttle.max_reads
    }

    fn describe(&self, file: &FileName) -> Description {
        self.backend.describe(file)
    }

    fn known(&self, files: &[FileName]) -> Option<Known> {
        self.backend.known(files)
    }
}

impl<A: ?Sized, B: AsRef<A>> AsRef<A> for Throttled<B> {
    /// The reference of the delayed backend.
    fn as_ref(&self) -> &A {
        (*self.backend).as_ref()
    }
}

impl Line {
    fn run(&self, backend: &impl Backend) {
        let mut waiting = lock(&self.waiting);
        loop {
            if waiting.is_closed {
                return;
            }
            let now = Instant::now();
            let next = waiting.reads.first_key_value();
            let left = next.map(|((at, _), _)| at.saturating_duration_since(now));
            match left {
                Some(Duration::ZERO) => {
                    let Some((_, read)) = waiting.reads.pop_first() else { continue };
                    drop(waiting);
                    backend.begin(read);
                    waiting = lock(&self.waiting);
                }
                Some(left) => {
                    let woken = self.changed.wait_timeout(waiting, left);
                    waiting = woken.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
                }
                None => {
                    waiting = self.changed.wait(waiting).unwrap_or_else(|poisoned| poisoned.into_inner());
                }
            }
        }
    }
}

impl<B> Drop for Throttled<B> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.line.waiting);
        waiting.is_closed = true;
        let reads = std::mem::take(&mut waiting.reads);
        drop(waiting);
        drop(reads);
        self.line.changed.notify_all();
    }
}

debug_fields!(self, Throttled<B> { throttle: self.throttle });

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrival times after `now`, in milliseconds, of reads that begin together.
    fn arrivals(throttle: Throttle, sizes: &[u64]) -> Vec<u128> {
        let now = Instant::now();
        let mut free_at = now;
        let arrival = |bytes: &u64| {
            free_at = throttle.arrival(now, free_at, *bytes);
            (free_at - now).as_millis()
        };
        sizes.iter().map(arrival).collect()
    }

    #[test]
    fn latencies_overlap_and_transfers_do_not() {
        let throttle = Throttle { latency: Duration::from_millis(30), bandwidth: None, max_reads: 4 };
        assert_eq!(arrivals(throttle, &[500, 1, 0, u64::MAX]), [30, 30, 30, 30]);
        let throttle = Throttle { bandwidth: Some(1000), ..throttle };
        assert_eq!(arrivals(throttle, &[500, 1500, 0]), [530, 2030, 2030]);
    }

    #[test]
    fn a_read_does_not_wait_for_bytes_that_have_arrived() {
        let throttle = Throttle { latency: Duration::from_millis(30), bandwidth: Some(1000), max_reads: 4 };
        let free_at = Instant::now();
        let now = free_at + Duration::from_millis(10);
        assert_eq!(throttle.arrival(now, free_at, 100) - now, Duration::from_millis(130));
    }
}
