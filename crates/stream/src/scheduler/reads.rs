//! Reads: prepared with their memory, started when the backend accepts them, and answered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use meshlens::part::FileRange;

use super::first_step::{First, Reply};
use super::{BackendId, Scheduler};
use crate::backend::{Answer, Done, Mark, Read, ReadMemory, Receive, max_reads};
use crate::event::Event;
use crate::pool::Pool;
use crate::probe::Stepped;
use crate::slab::Key;
use crate::streamed;
use crate::sync::{Arc, Ordering, Sender};
use crate::{Error, Few, Priority, helping};

/// The memory for this many bytes.
pub(super) fn memory_of(bytes: u64) -> usize {
    Pool::size_of(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// The memory for the buffer of a read.
pub(super) fn memory_of_read(streamed: &streamed::Inner, want: &FileRange) -> usize {
    if streamed.described(want.file).is_mapped { 0 } else { memory_of(want.len()) }
}

/// Whether a probe holds the bytes of a read instead of a copy: the backend reads the whole file for any range of it.
pub(super) fn is_held(streamed: &streamed::Inner, want: &FileRange) -> bool {
    let described = streamed.described(want.file);
    described.is_whole && described.file_len.is_some_and(|len| want.range() == (0..len))
}

/// The memory for a round: of its buffers, and of the bytes that the probe copies, which may be many short ranges.
pub(super) fn memory_of_round(streamed: &streamed::Inner, wants: &[FileRange]) -> usize {
    let buffers = wants.iter().map(|want| memory_of_read(streamed, want)).fold(0, usize::saturating_add);
    let copied = wants.iter().filter(|want| !is_held(streamed, want));
    buffers.saturating_add(memory_of(copied.map(FileRange::len).fold(0, u64::saturating_add)))
}

/// The receiver of a read.
pub(super) enum Target {
    /// The probe of a model, with its generation.
    Probe(Key, u64),
    Loads(Few<Key>),
}

/// A read that is not yet answered.
pub(super) struct ReadState {
    backend: BackendId,
    streamed: Arc<streamed::Inner>,
    range: FileRange,
    /// The number of bytes that are not read, because they are known.
    before: usize,
    target: Target,
    /// When the backend got it, since the streamer was started.
    begun: Duration,
    /// The error, if the backend panicked when the read started.
    panic: Option<Error>,
}

/// What a backend gets with a read.
pub(super) struct Prepared {
    pub(super) priority: Priority,
    pub(super) memory: ReadMemory,
    pub(super) mark: Mark,
    /// The first step of a probe, if the thread that has the bytes can make it.
    pub(super) first: Option<First>,
}

impl Receive for Sender<Event> {
    fn receive(&self, read: Key, stepped: Option<Stepped>, answer: Result<Answer, Error>) {
        helping::send_last(self, Event::Read { read, stepped, answer });
    }
}

impl Scheduler {
    /// Adds a read, which [`begin_pending`](Self::begin_pending) starts.
    pub(super) fn prepare(
        &mut self,
        backend: BackendId,
        streamed: Arc<streamed::Inner>,
        range: FileRange,
        prepared: Prepared,
        target: Target,
    ) {
        let before = prepared.memory.before();
        let state =
            ReadState { backend, streamed, range, before, target, begun: Duration::ZERO, panic: None };
        let id = self.reads.insert(state);
        if let Some(backend) = self.backends.get_mut(&backend) {
            backend.pending.push_back((id, prepared));
        }
    }

    /// Starts as many reads as the backend takes at one time.
    pub(super) fn begin_pending(&mut self, backend: BackendId) {
        while let Some(state) = self.backends.get_mut(&backend)
            && state.in_flight < max_reads(&*state.backend)
            && let Some((id, prepared)) = state.pending.pop_front()
        {
            let Some(ReadState { streamed, range, begun, .. }) = self.reads.get_mut(id) else { continue };
            state.in_flight += 1;
            let backend = state.backend.clone();
            let Prepared { priority, memory, mark, first } = prepared;
            let missing = range.start + memory.before() as u64..range.end;
            let reply = Reply { to: self.answers.clone(), read: id, first };
            let read = Read::marked(streamed.file(range.file), missing, mark, Done::Reply(reply));
            let read = read.prepared(streamed.version(range.file), priority, memory);
            self.counters.reads.fetch_add(1, Ordering::Relaxed);
            *begun = self.started.elapsed();
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| backend.begin(read))) {
                // The dropped read is already answered with an error, but this error has the reason.
                if let Some(read) = self.reads.get_mut(id) {
                    read.panic = Some(Error::panicked("a backend", &*payload));
                }
            }
        }
    }

    pub(super) fn on_read(&mut self, id: Key, stepped: Option<Stepped>, answer: Result<Answer, Error>) {
        let Some(read) = self.reads.remove(id) else { return };
        let ReadState { backend, streamed, range, before, target, begun, panic } = read;
        if let Some(state) = self.backends.get_mut(&backend) {
            state.in_flight -= 1;
        }
        let answer = match (answer, panic) {
            (Err(_), Some(panic)) => Err(panic),
            (answer, _) => answer,
        };
        if let Ok(answer) = &answer {
            let bytes = answer.bytes.len().saturating_sub(before) as u64;
            self.counters.bytes_read.fetch_add(bytes, Ordering::Relaxed);
            streamed.set_version(range.file, answer.version.clone());
            // The clock is read once for all events that are handled together.
            if let Some(time) = self.now.checked_sub(begun) {
                self.latencies.note(backend, &streamed.backend, bytes, time);
            }
        }
        match (target, answer) {
            (Target::Probe(model, generation), answer) => {
                self.on_probe_read(model, generation, &streamed, range, answer, stepped)
            }
            (Target::Loads(loads), Ok(answer)) => self.on_bytes(&loads, &streamed, range, answer),
            (Target::Loads(loads), Err(error)) => self.on_load_error(&loads, &error),
        }
        self.begin_pending(backend);
    }
}
