//! Reads: prepared with their memory, started when the backend accepts them, and answered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use meshlens::part::FileRange;

use super::first_step::First;
use super::{BackendId, FirstStep, LoadId, Scheduler};
use crate::backend::{Answer, Read, ReadMemory, max_reads};
use crate::event::{Event, ReadId};
use crate::helping;
use crate::pool::Pool;
use crate::streamed::{self, ModelId};
use crate::sync::{Arc, Ordering};
use crate::{Error, Priority};

/// The memory for a round: of its buffers, and last of the bytes that the probe keeps, which may be many short ranges.
pub(super) fn memory_of_round(streamed: &streamed::Inner, wants: &[FileRange]) -> Vec<usize> {
    let len = |want: &FileRange| usize::try_from(want.len()).unwrap_or(usize::MAX);
    let buffer = |want: &FileRange| match streamed.described(want.file).is_mapped {
        true => 0,
        false => Pool::size_of(len(want)),
    };
    let kept = Pool::size_of(wants.iter().map(len).fold(0, usize::saturating_add));
    wants.iter().map(buffer).chain([kept]).collect()
}

/// The receiver of a read.
pub(super) enum Target {
    /// The probe of a model, with its generation.
    Probe(ModelId, u64),
    Loads(Vec<LoadId>),
}

/// A read that is not yet answered.
pub(super) struct ReadState {
    backend: BackendId,
    streamed: Arc<streamed::Inner>,
    range: FileRange,
    /// The number of bytes that are not read, because they are known.
    before: usize,
    target: Target,
    /// When the backend got it.
    begun: Option<Instant>,
    /// The error, if the backend panicked when the read started.
    panic: Option<Error>,
}

/// A read with its memory.
pub(super) struct Prepared {
    pub(super) streamed: Arc<streamed::Inner>,
    pub(super) range: FileRange,
    pub(super) priority: Priority,
    pub(super) memory: ReadMemory,
    pub(super) is_cancelled: StdArc<AtomicBool>,
    /// The first step of a probe, if the thread that has the bytes can make it.
    pub(super) first: Option<First>,
}

impl Scheduler {
    /// Adds a read, which [`begin_pending`](Self::begin_pending) starts.
    pub(super) fn prepare(&mut self, backend: BackendId, prepared: Prepared, target: Target) {
        let id = self.read_id();
        let (streamed, range, before) = (prepared.streamed.clone(), prepared.range, prepared.memory.before());
        let state = ReadState { backend, streamed, range, before, target, begun: None, panic: None };
        self.reads.insert(id, state);
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
            state.in_flight += 1;
            let backend = state.backend.clone();
            let Prepared { streamed, range, priority, memory, is_cancelled, first } = prepared;
            let missing = range.start + memory.before() as u64..range.end;
            let events = self.events.clone();
            let read = Read::marked(streamed.file(range.file), missing, is_cancelled, move |answer| {
                let step = |first: First| first.step(answer.as_ref().ok()?);
                helping::send_last(&events, Event::Read { id, probed: first.and_then(step), answer });
            });
            let read = read.prepared(streamed.version(range.file), priority, memory);
            self.counters.reads.fetch_add(1, Ordering::Relaxed);
            if let Some(read) = self.reads.get_mut(&id) {
                read.begun = Some(Instant::now());
            }
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| backend.begin(read))) {
                // The dropped read is already answered with an error, but this error has the reason.
                if let Some(read) = self.reads.get_mut(&id) {
                    read.panic = Some(Error::panicked("a backend", &*payload));
                }
            }
        }
    }

    pub(super) fn on_read(
        &mut self,
        id: ReadId,
        probed: Option<Box<FirstStep>>,
        answer: Result<Answer, Error>,
    ) {
        let Some(read) = self.reads.remove(&id) else { return };
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
            if let Some(begun) = begun {
                self.latencies.note(backend, &streamed.backend, bytes, begun.elapsed());
            }
        }
        match (target, answer) {
            (Target::Probe(streamed, generation), answer) => {
                self.on_probe_read(streamed, generation, range, answer, probed)
            }
            (Target::Loads(loads), Ok(answer)) => self.on_bytes(&loads, range, &answer),
            (Target::Loads(loads), Err(error)) => self.on_load_error(&loads, &error),
        }
        self.begin_pending(backend);
    }
}
