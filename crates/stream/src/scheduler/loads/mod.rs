//! Loads: wanted parts, from their plan to their bytes.

mod joins;
mod memory;

use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicBool;

use meshlens::part::{FileRange, PartInfo};

use super::reads::{Prepared, Target, is_held, memory_of};
use super::{BackendId, Job, Scheduler, Start, id_of};
use crate::backend::{Answer, Mark};
use crate::pool::Charge;
use crate::queue::{Queue, QueuePosition, urgency};
use crate::slab::Key;
use crate::streamed;
use crate::sync::{Arc, Ordering};
use crate::{Error, Few, Part, PartialModel, Plan, Priority, State};
use joins::{Joined, whole};
use memory::{insert_of, memory_with};

/// A wanted part.
pub(super) struct Load {
    pub(super) streamed: Arc<streamed::Inner>,
    /// The key of the model.
    pub(super) of: Key,
    pub(super) part: Part,
    pub(super) state: LoadState,
    /// Its key in the queue of its backend.
    pub(super) queued: Option<Key>,
    pub(super) priority: Priority,
    pub(super) waiters: Few<Key>,
    pub(super) place: QueuePosition,
    /// `None` until there is a plan.
    loading: Option<Box<Loading>>,
}

/// What a load has so far.
#[derive(Default)]
struct Loading {
    model: Option<PartialModel>,
    info: Option<PartInfo>,
    /// Memory for decoding, one charge for each request that needs it.
    scratch: Vec<Charge>,
    /// The number of reads that are not yet answered.
    reads: usize,
    /// The mark of its reads, once there are some.
    is_cancelled: Option<StdArc<AtomicBool>>,
}

/// The state of a load. A load whose bytes are complete no longer exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadState {
    /// Waiting for the plan.
    Planning,
    /// Waiting for its turn.
    Queued,
    Reading,
}

impl Load {
    /// Notifies backends that the reads of this load are no longer needed.
    pub(super) fn cancel(&self) {
        let mark = self.loading.as_ref().and_then(|loading| loading.is_cancelled.as_ref());
        mark.into_iter().for_each(|mark| mark.store(true, Ordering::Relaxed));
    }

    /// The missing ranges.
    pub(super) fn missing(&self) -> Vec<FileRange> {
        let model = self.loading.as_ref().and_then(|loading| loading.model.as_ref());
        model.map(|model| model.missing(self.part)).unwrap_or_default()
    }

    fn loading(&mut self) -> &mut Loading {
        self.loading.get_or_insert_default()
    }
}

impl Scheduler {
    /// Adds a load for a part of a model for which no load exists.
    pub(super) fn add_load(
        &mut self,
        of: Key,
        streamed: &Arc<streamed::Inner>,
        part: Part,
        priority: Priority,
    ) -> Key {
        let load = Load {
            streamed: streamed.clone(),
            of,
            part,
            state: LoadState::Planning,
            queued: None,
            priority,
            waiters: Few::new(),
            place: self.last_place(),
            loading: None,
        };
        let id = self.loads.insert(load);
        if let Some(state) = self.models.get_mut(of) {
            state.loads.push((part, id));
        }
        if streamed.plan().is_none() {
            self.want_plan(of);
        }
        id
    }

    /// Queues a load after its plan becomes known, or after its first request if the plan is known. It keeps the place of that
    /// request.
    pub(super) fn plan_load(&mut self, id: Key, plan: &Plan) {
        let limit = self.pool.limit();
        let Some(load) = self.loads.get_mut(id) else { return };
        let streamed = load.streamed.clone();
        let Some(info) = plan.part(load.part) else {
            let error = Error::NoPart { file: streamed.file(0), part: load.part };
            return self.fail(id, &error);
        };
        let mut reads: Vec<FileRange> = info.ranges().iter().map(|range| whole(&streamed, *range)).collect();
        reads.dedup();
        let mapped = streamed.mapped();
        let charged = reads.iter().filter(|range| mapped.get(range.file) != Some(&true));
        let bytes = charged.map(|range| memory_of(range.len())).fold(0, usize::saturating_add);
        if bytes > limit {
            let error = Error::OverBudget { file: streamed.file(0), bytes: info.stored_size(), limit };
            return self.fail(id, &error);
        }
        let model = PartialModel::new(plan.clone()).freed_by(self.discard.clone());
        let is_empty = model.missing(load.part).is_empty();
        (load.loading().info, load.loading().model) = (Some(info), Some(model));
        if is_empty {
            // An example is a mesh without vertices.
            return self.finish_load(id, None);
        }
        load.state = LoadState::Queued;
        let (priority, place) = (load.priority, load.place);
        self.enqueue(&streamed, Job::Load(id), priority, place);
    }

    /// Takes the bytes of a load that a probe has read, and reads the other missing ranges, and adjacent ranges of other loads of
    /// the same model.
    pub(super) fn start_load(&mut self, backend: BackendId, id: Key) -> Start {
        let Some(load) = self.loads.get(id) else { return Start::Gone };
        let (streamed, of, priority) = (load.streamed.clone(), load.of, load.priority);
        let urgency = urgency(priority, load.place);
        let mapped = streamed.mapped();
        let is_mapped = |range: &FileRange| mapped.get(range.file) == Some(&true);
        let mut missing = load.missing();
        if missing.is_empty() {
            return Start::Gone;
        }
        let files = self.kept.files(&streamed);
        let known = |range: &FileRange| Some((*range, files.get(range.file)?.get(range.range())?));
        let copied = missing.iter().filter(|range| !is_mapped(range));
        let found: Vec<(FileRange, bytes::Bytes)> = copied.filter_map(known).collect();
        missing.retain(|range| !found.iter().any(|(found, _)| found == range));
        if !found.is_empty() {
            let number = self.number();
            self.kept.touch(&streamed, (priority, number));
        }
        let sizes = |reads: &[Joined]| -> Vec<usize> {
            let size = |read: &Joined| if is_mapped(&read.range) { 0 } else { memory_of(read.range.len()) };
            reads.iter().map(size).collect()
        };
        let copies: Vec<usize> = found.iter().map(|(range, _)| memory_of(range.len())).collect();
        let limit = self.pool.limit();
        let left = limit.saturating_sub(copies.iter().sum::<usize>());
        let mut joined = self.join_reads(id, &missing, &streamed);
        if sizes(&joined).iter().sum::<usize>() > left {
            joined = self.own_reads(id, &missing, &streamed, false);
        }
        let reads = sizes(&joined);
        let sum = |sizes: &[usize]| sizes.iter().copied().fold(0, usize::saturating_add);
        // Requests for which there is no memory to decode at the same time start again later.
        let bytes = sum(&reads).saturating_add(sum(&copies));
        let scratch = self.scratch_for(id, limit.saturating_sub(bytes));
        let bytes = bytes.saturating_add(sum(&scratch));
        let free = limit.saturating_sub(self.memory_used());
        let reserved = self.reserved_before(of, urgency);
        if bytes <= free && bytes.saturating_add(reserved) > free {
            return Start::NotYet;
        }
        let Some(mut charge) = self.pool.charge(bytes) else { return Start::NoMemory };
        let mut split = |sizes: Vec<usize>| -> Vec<Charge> {
            sizes.into_iter().map(|bytes| charge.split(bytes)).collect()
        };
        let (charges, copies, scratch) = (split(reads), split(copies), split(scratch));
        if let Some(load) = self.loads.get_mut(id)
            && let Err(error) = load.insert(found, copies)
        {
            self.fail(id, &error);
            return Start::Gone;
        }
        // Its size is known, so that it does not grow.
        let mut loads = Vec::with_capacity(joined.iter().map(|read| read.loads.len()).sum());
        joined.iter().for_each(|read| loads.extend_from_slice(&read.loads));
        loads.sort_unstable();
        loads.dedup();

        self.unqueue(backend, Job::Load(id), Queue::take);
        if joined.is_empty() {
            if let Some(load) = self.loads.get_mut(id) {
                load.loading().scratch = scratch;
            }
            self.finish_load(id, None);
            return Start::Started;
        }
        for other in &loads {
            self.unqueue(backend, Job::Load(*other), Queue::remove);
            let Some(load) = self.loads.get_mut(*other) else { continue };
            load.state = LoadState::Reading;
            load.loading().reads = joined.iter().filter(|read| read.loads.contains(other)).count();
            for waiter in &load.waiters {
                if let Some(active) = self.requests.get(*waiter) {
                    active.advance(State::Loading);
                }
            }
        }
        let Some(load) = self.loads.get_mut(id) else { return Start::Gone };
        let (priority, loading) = (load.priority, load.loading());
        loading.scratch = scratch;
        let cancelled = loading.is_cancelled.get_or_insert_default().clone();
        for (read, charge) in joined.into_iter().zip(charges) {
            // Other loads may still need a read that they share with a cancelled load.
            let is_shared = read.loads.len() > 1;
            let mark = Mark::Flag(if is_shared { StdArc::default() } else { cancelled.clone() });
            let (streamed, range) = (streamed.clone(), read.range);
            let before = if is_mapped(&range) { None } else { self.known_start(&streamed, range) };
            let Some(memory) = memory_with(charge, range, before.as_deref()) else {
                let error = Error::NoMemory { file: streamed.file(range.file), bytes: range.len() };
                self.on_load_error(&read.loads, &error);
                continue;
            };
            let prepared = Prepared { priority, memory, mark, first: None };
            self.prepare(backend, streamed, range, prepared, Target::Loads(read.loads));
        }
        self.begin_pending(backend);
        Start::Started
    }

    /// The bytes at the start of a range that a probe has read. `None` if there are none, or if the backend reads whole files.
    fn known_start(&self, streamed: &streamed::Inner, range: FileRange) -> Option<bytes::Bytes> {
        let file = self.kept.files(streamed).get(range.file)?;
        let end = file.gaps(range.range()).next()?.start;
        let is_whole = streamed.described(range.file).is_whole;
        if is_whole { None } else { file.get(range.start..end).filter(|bytes| !bytes.is_empty()) }
    }

    /// Handles bytes that have arrived for loads. A file that was read as a whole for a small part is kept for the next one.
    pub(super) fn on_bytes(
        &mut self,
        loads: &[Key],
        streamed: &streamed::Inner,
        range: FileRange,
        answer: Answer,
    ) {
        let is_mapped = streamed.described(range.file).is_mapped;
        let (mut is_lent, mut used_by) = (is_mapped || !is_held(streamed, &range), None);
        for id in loads {
            let Some(load) = self.loads.get_mut(*id) else { continue };
            let Some(loading) = &mut load.loading else { continue };
            loading.reads = loading.reads.saturating_sub(1);
            let Some(model) = &mut loading.model else { continue };
            if model.plan().file_lens().get(range.file) != Some(&answer.file_len) {
                let error = Error::Changed { file: load.streamed.file(range.file) };
                self.fail(*id, &error);
                continue;
            }
            is_lent |= !insert_of(model, load.part, range, &answer.bytes, &self.pool);
            used_by = used_by.max(Some(load.priority));
            if loading.reads == 0 {
                // The model joins adjacent bytes, if there is memory.
                let missing = model.missing(load.part);
                if let Some(range) = missing.first() {
                    let error = Error::NoMemory { file: load.streamed.file(range.file), bytes: range.len() };
                    self.fail(*id, &error);
                    continue;
                }
                self.finish_load(*id, None);
            }
        }
        if let (false, Some(priority), Some(plan)) = (is_lent, used_by, streamed.plan()) {
            let (rank, limit) = ((priority, self.number()), self.pool.limit());
            self.kept.add_file(streamed, rank, plan.file_lens(), range.file, answer.bytes, limit);
        }
    }

    /// Passes the requests of a complete load to the workers, with this model, or with what it has loaded.
    pub(super) fn finish_load(&mut self, id: Key, whole: Option<PartialModel>) {
        let Some(mut load) = self.remove_load(id) else { return };
        let size = load.scratch_size(self.pool.limit());
        let mut loading = load.loading.take().map(|loading| *loading).unwrap_or_default();
        loading.model = whole.or(loading.model);
        let mut late = Vec::new();
        let mut waiters = std::mem::take(&mut load.waiters).into_iter().peekable();
        while let Some(waiter) = waiters.next() {
            let needs_scratch = self.requests.get(waiter).is_some_and(|request| request.needs_scratch());
            let scratch =
                if needs_scratch { loading.scratch.pop().or_else(|| self.pool.charge(size)) } else { None };
            if needs_scratch && scratch.is_none() {
                late.push(waiter);
                continue;
            }
            let model = if waiters.peek().is_some() { loading.model.clone() } else { loading.model.take() };
            self.hand_over(waiter, &load.streamed, model, scratch);
        }
        // Requests that joined while the bytes were read and have no memory to decode start again.
        let (streamed, part, priority) = (load.streamed.clone(), load.part, load.priority);
        drop((load, loading));
        for waiter in late {
            self.want(&streamed, part, waiter, priority);
        }
    }

    /// Removes a load from all tables.
    pub(super) fn remove_load(&mut self, id: Key) -> Option<Load> {
        let backend = id_of(&self.loads.get(id)?.streamed.backend);
        self.unqueue(backend, Job::Load(id), Queue::remove);
        let load = self.loads.remove(id)?;
        self.leave_model(load.of, id);
        Some(load)
    }

    /// Handles the error of a read. Reads of loads that have already failed or were removed have no receiver.
    pub(super) fn on_load_error(&mut self, loads: &[Key], error: &Error) {
        for id in loads {
            if let Some(load) = self.loads.get(*id) {
                load.cancel();
            }
            self.fail(*id, error);
        }
    }
}
