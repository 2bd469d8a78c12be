//! The probes of models whose plans are needed.

use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicBool;

use meshlens::part::FileRange;

use super::kept::Kept;
use super::loads::LoadState;
use super::reads::{Prepared, Target};
use super::{BackendId, Job, LoadId, Scheduler, Start, id_of};
use crate::backend::{Answer, describe};
use crate::event::Event;
use crate::pool::{Charge, Pool};
use crate::queue::QueuePosition;
use crate::streamed::{self, ModelId};
use crate::sync::{Arc, Ordering};
use crate::{Error, Part, Priority, Probe, ProbeOptions, Step};

/// The largest number of bytes of the first read of a file whose length is not known.
const MOST_FIRST: u64 = 256 << 10;

/// A model in use.
pub(super) struct ModelState {
    inner: Arc<streamed::Inner>,
    /// The loads of wanted parts.
    pub(super) loads: Vec<LoadId>,
    probing: Probing,
    /// Distinguishes probes: reads of an earlier, abandoned probe are ignored.
    generation: u64,
    place: Option<QueuePosition>,
    /// `None` until the lengths of the files are known.
    probe: Option<Box<Probe>>,
    /// The ranges that the probe requests next.
    wants: Vec<FileRange>,
    /// The memory of the probe's bytes.
    charges: Vec<Charge>,
    /// The answers of this round.
    answers: Vec<(FileRange, Answer)>,
    error: Option<Error>,
    is_cancelled: StdArc<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Probing {
    /// The plan is known, or not needed.
    No,
    /// Waiting for its turn.
    Queued,
    /// The number of reads that are not yet answered.
    Reading(usize),
    /// A worker has the probe.
    AtWork,
}

impl ModelState {
    /// Notifies backends that the reads of the probe are no longer needed.
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// The memory of the probe's bytes.
    fn memory(&self) -> usize {
        self.charges.iter().map(Charge::bytes).fold(0, usize::saturating_add)
    }

    /// Drops the probe.
    fn reset(&mut self, generation: u64) {
        self.cancel();
        self.generation = generation;
        self.is_cancelled = StdArc::default();
        self.probing = Probing::No;
        self.probe = None;
        self.wants.clear();
        self.charges.clear();
        self.answers.clear();
        self.error = None;
    }
}

impl Scheduler {
    /// The state of a model, which is now in use.
    pub(super) fn state_of(&mut self, streamed: &Arc<streamed::Inner>) -> &mut ModelState {
        let generation = self.number();
        let kept = &mut self.kept;
        self.models.entry(streamed.id).or_insert_with(|| {
            // A probe goes on where it ended. After the plan, its bytes stay with the kept ones.
            let kept = if streamed.plan().is_none() { kept.take(streamed.id) } else { None };
            let (probe, wants, charges) = match kept {
                Some(Kept { probe, wants, charges }) => (Some(probe), wants, charges),
                None => Default::default(),
            };
            ModelState {
                inner: streamed.clone(),
                loads: Vec::new(),
                probing: Probing::No,
                generation,
                place: None,
                probe,
                wants,
                charges,
                answers: Vec::new(),
                error: None,
                is_cancelled: StdArc::default(),
            }
        })
    }

    /// Removes a finished load. A model without loads is removed, except for its plan.
    pub(super) fn leave_model(&mut self, streamed: &streamed::Inner, load: LoadId) {
        let Some(state) = self.models.get_mut(&streamed.id) else { return };
        state.loads.retain(|other| *other != load);
        if state.loads.is_empty() {
            state.cancel();
            let is_queued = state.probing == Probing::Queued;
            self.models.remove(&streamed.id);
            if is_queued {
                self.unqueue(streamed, Job::Probe(streamed.id));
            }
        }
    }

    /// The priority of the most urgent load that waits for a plan.
    pub(super) fn probe_priority(&self, streamed: ModelId) -> Priority {
        let loads = self.models.get(&streamed).map(|state| state.loads.as_slice()).unwrap_or_default();
        let waiting = loads.iter().filter_map(|load| self.loads.get(load));
        let waiting = waiting.filter(|load| load.state == LoadState::Planning);
        waiting.map(|load| load.priority).max().unwrap_or(Priority::LOWEST)
    }

    /// Queues the probe of a model, unless it is already in progress.
    pub(super) fn want_plan(&mut self, streamed: &Arc<streamed::Inner>) {
        let state = self.state_of(streamed);
        if state.probing != Probing::No {
            return;
        }
        state.probing = Probing::Queued;
        let place = state.place;
        let priority = self.probe_priority(streamed.id);
        let place = self.enqueue(streamed, Job::Probe(streamed.id), priority, place);
        self.state_of(streamed).place = Some(place);
    }

    /// Starts the reads that a probe requests.
    pub(super) fn start_probe(&mut self, backend: BackendId, id: ModelId) -> Start {
        let Some(state) = self.models.get(&id) else { return Start::Gone };
        let inner = state.inner.clone();
        let wants = match &state.probe {
            Some(_) => state.wants.clone(),
            None => self.first_reads(&inner),
        };
        let size = |want: &FileRange| Pool::size_of(usize::try_from(want.len()).unwrap_or(usize::MAX));
        let buffer = |want: &FileRange| match describe(&*inner.backend, &inner.file(want.file)).is_mapped {
            true => 0,
            false => size(want),
        };
        // Memory for the buffers, and for the bytes that the probe keeps, which may be many short ranges.
        let kept = wants.iter().map(|want| usize::try_from(want.len()).unwrap_or(usize::MAX));
        let kept = Pool::size_of(kept.fold(0, usize::saturating_add));
        let sizes: Vec<usize> = wants.iter().map(buffer).chain([kept]).collect();
        let needed = sizes.iter().copied().fold(state.memory(), usize::saturating_add);
        if needed > self.pool.limit() {
            let (bytes, limit) = (needed as u64, self.pool.limit());
            self.fail_probe(id, &Error::OverBudget { file: inner.file(0), bytes, limit });
            return Start::Gone;
        }
        let Some(mut charges) = self.pool.charge_all(&sizes) else { return Start::NoMemory };
        let copies = charges.split_off(wants.len());
        if let Some(state) = self.backends.get_mut(&backend) {
            state.queue.take(Job::Probe(id));
        }
        let Some(state) = self.models.get_mut(&id) else { return Start::Gone };
        state.probing = Probing::Reading(wants.len());
        state.charges.extend(copies);
        let (generation, is_cancelled) = (state.generation, state.is_cancelled.clone());
        let priority = self.probe_priority(id);
        if wants.is_empty() {
            self.end_round(id);
        }
        for (range, charge) in wants.into_iter().zip(charges) {
            let prepared = Prepared {
                streamed: inner.clone(),
                range,
                priority,
                charge,
                is_cancelled: is_cancelled.clone(),
            };
            self.prepare(backend, prepared, Target::Probe(id, generation));
        }
        self.begin_pending(backend);
        Start::Started
    }

    /// The options of the probe of a model whose files have this many bytes.
    fn probe_options(&self, streamed: &streamed::Inner, len: u64) -> ProbeOptions {
        if let Some(options) = self.options.probe {
            return options;
        }
        let by_kind = match describe(&*streamed.backend, &streamed.file(0)).is_remote {
            true => ProbeOptions::REMOTE,
            false => ProbeOptions::default(),
        };
        let measured = self
            .latency_options(streamed)
            .filter(|_| len <= self.pool.limit() as u64 / 64)
            .unwrap_or(by_kind);
        let options = if measured.whole > by_kind.whole { measured } else { by_kind };
        // The rest of a file is not requested if the budget may not have room for it, and for a copy.
        let has_room = len <= self.pool.limit() as u64 / 4;
        ProbeOptions { whole: if has_room { options.whole } else { 0 }, ..options }
    }

    /// The options for the latency of a model's backend, if half of the budget is free. With less, bytes that are read ahead
    /// could take the memory of what was requested first.
    fn latency_options(&self, streamed: &streamed::Inner) -> Option<ProbeOptions> {
        let [used, ..] = self.pool.usage();
        self.latencies.options(id_of(&streamed.backend)).filter(|_| used <= self.pool.limit() / 2)
    }

    /// The first reads of the files of a model: whole files, if they are small for the latency of the backend.
    fn first_reads(&self, streamed: &streamed::Inner) -> Vec<FileRange> {
        let first = self.probe_options(streamed, 0).read.max(1);
        let measured = self.latency_options(streamed).filter(|_| self.options.probe.is_none());
        let ahead = measured.map_or(0, |options| options.whole.min(self.pool.limit() as u64 / 256));
        let reads = streamed.files.iter().enumerate().map(|(index, file)| {
            let described = describe(&*streamed.backend, file);
            match described.file_len.filter(|len| described.is_whole || *len <= ahead) {
                Some(len) => FileRange::new(index, 0..len),
                None => FileRange::new(index, 0..first.max(ahead.min(MOST_FIRST))),
            }
        });
        reads.collect()
    }

    pub(super) fn on_probe_read(
        &mut self,
        id: ModelId,
        generation: u64,
        range: FileRange,
        answer: Result<Answer, Error>,
    ) {
        let Some(state) = self.models.get_mut(&id).filter(|state| state.generation == generation) else {
            return;
        };
        match answer {
            Ok(answer) => state.answers.push((range, answer)),
            Err(error) => state.error = state.error.take().or(Some(error)),
        }
        let Probing::Reading(left) = state.probing else { return };
        state.probing = Probing::Reading(left.saturating_sub(1));
        if left <= 1 {
            self.end_round(id);
        }
    }

    /// Ends a round: all reads of the probe have succeeded or failed.
    fn end_round(&mut self, id: ModelId) {
        let Some(state) = self.models.get_mut(&id) else { return };
        let (generation, inner) = (state.generation, state.inner.clone());
        if let Some(error) = state.error.take() {
            return self.fail_probe(id, &error);
        }
        let mut answers = std::mem::take(&mut state.answers);
        answers.sort_by_key(|(range, _)| *range);
        let lens: Vec<u64> = (0..inner.files.len())
            .map(|file| {
                answers.iter().find(|(range, _)| range.file == file).map_or(0, |(_, answer)| answer.file_len)
            })
            .collect();
        let options = self.probe_options(&inner, lens.iter().copied().fold(0, u64::saturating_add));
        let Some(state) = self.models.get_mut(&id) else { return };
        let probe = state.probe.get_or_insert_with(|| Box::new(Probe::new(&lens, options)));
        for (range, answer) in answers {
            if probe.file_len(range.file) != Some(answer.file_len) {
                let error = Error::Changed { file: state.inner.file(range.file) };
                return self.fail_probe(id, &error);
            }
            // The bytes are copied, so that the buffer returns to its pool.
            let mut copy = Vec::new();
            if copy.try_reserve_exact(answer.bytes.len()).is_err() {
                let bytes = answer.bytes.len() as u64;
                let error = Error::NoMemory { file: state.inner.file(range.file), bytes };
                return self.fail_probe(id, &error);
            }
            copy.extend_from_slice(&answer.bytes);
            probe.feed(range.file, range.start, copy);
        }
        let Some(mut probe) = state.probe.take() else { return };
        state.probing = Probing::AtWork;
        self.at_work += 1;
        let (priority, events) = (self.probe_priority(id), self.events.clone());
        self.workers.add(priority, move || {
            let step = probe.step();
            events.send(Event::Probed { model: id, generation, probe, step });
        });
    }

    pub(super) fn on_probed(
        &mut self,
        id: ModelId,
        generation: u64,
        probe: Box<Probe>,
        step: meshlens::Result<Step>,
    ) {
        self.at_work -= 1;
        let Some(state) = self.models.get_mut(&id).filter(|state| state.generation == generation) else {
            return;
        };
        let inner = state.inner.clone();
        let charges = std::mem::take(&mut state.charges);
        if let Some(format) = probe.format() {
            inner.set_format(format);
        }
        // Bounds that are answered now may be the only part that was requested.
        if let Ok(Step::Plan(plan)) = &step {
            inner.set_plan(plan.clone());
        }
        if let Some(bounds) = probe.front_bounds() {
            inner.set_bounds(bounds);
            self.answer_bounds(&inner);
        }
        let number = self.number();
        // The model has been removed if nothing but its bounds was requested. Often, more is requested later.
        let Some(state) = self.models.get_mut(&id) else {
            let wants = match step {
                Ok(Step::Wants(wants)) => wants,
                Ok(Step::Plan(_)) => Vec::new(),
                Err(_) => return,
            };
            return self.kept.add(id, number, Kept { probe, wants, charges }, self.pool.limit());
        };
        match step {
            Ok(Step::Wants(wants)) => {
                state.wants = wants;
                state.probe = Some(probe);
                state.charges = charges;
                state.probing = Probing::No;
                self.want_plan(&inner);
            }
            Ok(Step::Plan(plan)) => {
                state.reset(number);
                let mut loads = state.loads.clone();
                loads.sort_by_key(|load| std::cmp::Reverse(self.loads.get(load).map(|load| load.priority)));
                for load in loads {
                    if self.loads.get(&load).is_some_and(|load| load.state == LoadState::Planning)
                        && self.plan_load(load, &plan)
                    {
                        self.fill(load, probe.files());
                    }
                }
                drop((probe, charges));
            }
            Err(error) => {
                let file = inner.file(meshlens::Parts::file_of(&error));
                self.fail_probe(id, &Error::format(&file, error));
            }
        }
    }

    /// Answers requests for bounds that are known before the plan.
    fn answer_bounds(&mut self, streamed: &streamed::Inner) {
        let Some(load) = self.by_part.get(&(streamed.id, Part::Bounds)).copied() else { return };
        let waiters = self.remove_load(load).map(|load| load.waiters).unwrap_or_default();
        for waiter in waiters {
            self.hand_over(waiter, None, None);
        }
    }

    /// Fails all loads that wait for a plan.
    fn fail_probe(&mut self, id: ModelId, error: &Error) {
        let next = self.number();
        let Some(state) = self.models.get_mut(&id) else { return };
        state.reset(next);
        let (inner, loads) = (state.inner.clone(), state.loads.clone());
        self.unqueue(&inner, Job::Probe(id));
        for load in loads {
            if self.loads.get(&load).is_some_and(|load| load.state == LoadState::Planning) {
                self.fail(load, error);
            }
        }
    }

    /// Drops the least urgent probe with memory, except the probe of `job`. It starts again later. Returns false if
    /// there is no such probe.
    pub(super) fn evict(&mut self, job: Job) -> bool {
        let has_memory = |(id, state): &(&ModelId, &ModelState)| {
            Job::Probe(**id) != job && state.probing == Probing::Queued && !state.charges.is_empty()
        };
        let least = self.models.iter().filter(has_memory).min_by_key(|(id, _)| self.probe_priority(**id));
        let Some(id) = least.map(|(id, _)| *id) else { return false };
        let next = self.number();
        if let Some(state) = self.models.get_mut(&id) {
            state.reset(next);
            state.probing = Probing::Queued;
        }
        true
    }
}
