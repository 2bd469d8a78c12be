//! Parts that are wanted, from their plan to their bytes.

use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicBool;

use meshlens::part::{FileRange, PartInfo};

use super::reads::{Prepared, ReadId, Target};
use super::{BackendId, Job, Scheduler, Start};
use crate::asset;
use crate::backend::Answer;
use crate::pieces::FilePieces;
use crate::pool::{Charge, Pool};
use crate::queue::Place;
use crate::sync::{Arc, Ordering};
use crate::{Error, Part, PartialModel, Plan, Priority, RequestId, State};

/// The number of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LoadId(u64);

/// A part that is wanted.
pub(super) struct Load {
    pub(super) asset: Arc<asset::Inner>,
    pub(super) part: Part,
    pub(super) state: LoadState,
    pub(super) priority: Priority,
    pub(super) waiters: Vec<RequestId>,
    place: Option<Place>,
    /// What is there so far; `None` as long as there is no plan.
    model: Option<PartialModel>,
    info: Option<PartInfo>,
    /// Memory for decoding, one for each request that needs some.
    scratch: Vec<Charge>,
    /// The number of reads that have not been answered.
    reads: usize,
    is_cancelled: StdArc<AtomicBool>,
}

/// How far a load is. Once its bytes are there, it is none any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadState {
    /// It waits for the plan.
    Planning,
    /// It waits for its turn.
    Queued,
    Reading,
}

impl Load {
    /// Tells backends that nobody wants its reads any more.
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// What is not there yet.
    fn missing(&self) -> Vec<FileRange> {
        self.model.as_ref().map(|model| model.missing(self.part)).unwrap_or_default()
    }
}

/// A read in the making: bytes of one file, and the loads that they are for.
struct Joined {
    range: FileRange,
    loads: Vec<LoadId>,
}

impl Scheduler {
    /// A load for a part of an asset that nobody has wanted so far.
    pub(super) fn add_load(&mut self, asset: Arc<asset::Inner>, part: Part, priority: Priority) -> LoadId {
        let id = LoadId(self.number());
        let load = Load {
            asset: asset.clone(),
            part,
            state: LoadState::Planning,
            priority,
            waiters: Vec::new(),
            place: None,
            model: None,
            info: None,
            scratch: Vec::new(),
            reads: 0,
            is_cancelled: StdArc::default(),
        };
        self.loads.insert(id, load);
        self.by_part.insert((asset.id, part), id);
        self.asset(&asset).loads.push(id);
        if asset.plan().is_none() {
            self.want_plan(&asset);
        }
        id
    }

    /// A load that has just got its plan, or its first request after that, is queued. True if it still waits.
    pub(super) fn plan_load(&mut self, id: LoadId, plan: &Plan) -> bool {
        let limit = self.pool.limit();
        let Some(load) = self.loads.get_mut(&id) else { return false };
        let asset = load.asset.clone();
        let Some(info) = plan.part(load.part) else {
            let error = Error::NoPart { file: asset.file(0), part: load.part };
            self.fail(id, &error);
            return false;
        };
        let mut reads: Vec<FileRange> = info.ranges().iter().map(|range| whole(&asset, *range)).collect();
        reads.dedup();
        let bytes = reads.iter().map(|range| memory_of(range.len())).fold(0, usize::saturating_add);
        if bytes > limit && !asset.backend.describe(&asset.file(0)).is_mapped {
            let error = Error::OverBudget { file: asset.file(0), bytes: info.stored_size(), limit };
            self.fail(id, &error);
            return false;
        }
        load.info = Some(info);
        load.model = Some(PartialModel::new(plan.clone()));
        load.state = LoadState::Queued;
        let (priority, place) = (load.priority, load.place);
        let place = self.enqueue(&asset, Job::Load(id), priority, place);
        if let Some(load) = self.loads.get_mut(&id) {
            load.place = Some(place);
        }
        true
    }

    /// Takes all that a load needs from the bytes that a probe has read, if they are there and there is memory for copies.
    pub(super) fn fill(&mut self, id: LoadId, files: &[FilePieces]) {
        let Some(load) = self.loads.get_mut(&id) else { return };
        let Some(model) = &mut load.model else { return };
        let missing = model.missing(load.part);
        // A load that waits has no memory, so that loads cannot wait for each other.
        let found = missing.iter().map(|range| files.get(range.file)?.get(range.range()));
        let Some(found) = found.collect::<Option<Vec<_>>>() else { return };
        let sizes: Vec<usize> = missing.iter().map(|range| memory_of(range.len())).collect();
        let Some(charges) = self.pool.charge_all(&sizes) else { return };
        for ((range, bytes), charge) in missing.iter().zip(found).zip(charges) {
            model.insert(range.file, range.start, copy(charge, &bytes));
        }
        self.finish_load(id);
    }

    /// Reads what is missing of a load, and what lies next to it of other loads of the same asset.
    pub(super) fn start_load(&mut self, backend: BackendId, id: LoadId) -> Start {
        let Some(load) = self.loads.get(&id) else { return Start::Gone };
        if load.missing().is_empty() {
            return Start::Gone;
        }
        let asset = load.asset.clone();
        let is_mapped = asset.backend.describe(&asset.file(0)).is_mapped;
        let sizes = |reads: &[Joined]| -> Vec<usize> {
            let size = |read: &Joined| if is_mapped { 0 } else { memory_of(read.range.len()) };
            reads.iter().map(size).collect()
        };
        let limit = self.pool.limit();
        let mut joined = self.join_reads(id, &asset);
        if sizes(&joined).iter().sum::<usize>() > limit {
            joined = self.own_reads(id, &asset, false);
        }
        let mut wanted = sizes(&joined);
        let reads = wanted.len();
        // Requests for which there is no memory to decode at the same time begin again later.
        let left = limit.saturating_sub(wanted.iter().sum());
        wanted.extend(self.scratch_for(id, left));
        let Some(mut charges) = self.pool.charge_all(&wanted) else { return Start::NoMemory };
        let scratch = charges.split_off(reads);
        let mut loads: Vec<LoadId> = joined.iter().flat_map(|read| read.loads.clone()).collect();
        loads.sort_unstable_by_key(|load| load.0);
        loads.dedup();

        if let Some(state) = self.backends.get_mut(&backend) {
            state.queue.take(Job::Load(id));
        }
        for other in &loads {
            if let Some(state) = self.backends.get_mut(&backend) {
                state.queue.remove(Job::Load(*other));
            }
            let Some(load) = self.loads.get_mut(other) else { continue };
            load.state = LoadState::Reading;
            load.reads = joined.iter().filter(|read| read.loads.contains(other)).count();
            for waiter in &load.waiters {
                if let Some(active) = self.requests.get(waiter) {
                    active.advance(State::Loading);
                }
            }
        }
        let Some(load) = self.loads.get_mut(&id) else { return Start::Gone };
        load.scratch = scratch;
        let cancelled = load.is_cancelled.clone();
        for (read, charge) in joined.into_iter().zip(charges) {
            // Others may still want a read that goes with a load that is cancelled.
            let is_shared = read.loads.len() > 1;
            let is_cancelled = if is_shared { StdArc::default() } else { cancelled.clone() };
            let prepared = Prepared { asset: asset.clone(), range: read.range, charge, is_cancelled };
            self.prepare(backend, prepared, Target::Loads(read.loads));
        }
        self.begin_pending(backend);
        Start::Started
    }

    /// The reads of a load: neighbouring ranges are joined, and other loads of the asset that wait join them if all they
    /// need lies next to it.
    fn join_reads(&self, id: LoadId, asset: &asset::Inner) -> Vec<Joined> {
        let mut joined = self.own_reads(id, asset, true);
        let whole = |range: FileRange| whole(asset, range);
        let others = self.assets.get(&asset.id).map(|state| state.loads.as_slice()).unwrap_or_default();
        let mut others: Vec<(&LoadId, &Load)> = others
            .iter()
            .filter(|other| **other != id)
            .filter_map(|other| Some((other, self.loads.get(other)?)))
            .filter(|(_, other)| other.state == LoadState::Queued)
            .collect();
        others.sort_by_key(|(id, other)| (std::cmp::Reverse(other.priority), id.0));
        for (other, load) in others {
            let missing = load.missing();
            let read_of =
                |range: &FileRange| joined.iter().position(|read| self.is_near(&read.range, &whole(*range)));
            let reads: Option<Vec<usize>> = missing.iter().map(read_of).collect();
            for (read, range) in reads.into_iter().flatten().zip(&missing) {
                let read = &mut joined[read];
                let range = whole(*range);
                read.range.start = read.range.start.min(range.start);
                read.range.end = read.range.end.max(range.end);
                if !read.loads.contains(other) {
                    read.loads.push(*other);
                }
            }
        }
        joined
    }

    /// The reads of a load alone. Neighbouring ranges are joined if there is memory for the gaps between them.
    fn own_reads(&self, id: LoadId, asset: &asset::Inner, joins: bool) -> Vec<Joined> {
        let missing = self.loads.get(&id).map(Load::missing).unwrap_or_default();
        let mut joined: Vec<Joined> = Vec::new();
        for range in missing.into_iter().map(|range| whole(asset, range)) {
            let is_joined =
                |last: &&mut Joined| last.range == range || joins && self.is_near(&last.range, &range);
            match joined.last_mut().filter(is_joined) {
                Some(last) => last.range.end = last.range.end.max(range.end),
                None => joined.push(Joined { range, loads: vec![id] }),
            }
        }
        joined
    }

    /// Whether one read of both ranges is better than two.
    fn is_near(&self, a: &FileRange, b: &FileRange) -> bool {
        let gap = b.start.saturating_sub(a.end).max(a.start.saturating_sub(b.end));
        let len = a.end.max(b.end) - a.start.min(b.start);
        let is_inside = a.start <= b.start && b.end <= a.end;
        a.file == b.file && gap <= self.options.join_gap && (is_inside || len <= self.options.join_size)
    }

    /// Memory for what decoding the requests of a load makes besides its output, for as many of them as `left` bytes are
    /// enough for.
    fn scratch_for(&self, id: LoadId, left: usize) -> Vec<usize> {
        let Some(load) = self.loads.get(&id) else { return Vec::new() };
        let needs = |id: &&RequestId| {
            let request = self.requests.get(id).and_then(|active| active.request.as_ref());
            request.is_some_and(|request| request.vertices.is_some() || request.indices.is_some())
        };
        let size = load.scratch_size(self.pool.limit());
        let count = load.waiters.iter().filter(needs).count();
        vec![size; left.checked_div(size).map_or(count, |most| most.min(count))]
    }

    /// Bytes have come for loads.
    pub(super) fn on_bytes(&mut self, loads: &[LoadId], range: FileRange, answer: &Answer) {
        for id in loads {
            let Some(load) = self.loads.get_mut(id) else { continue };
            load.reads = load.reads.saturating_sub(1);
            let Some(model) = &mut load.model else { continue };
            if model.plan().file_lens().get(range.file) != Some(&answer.file_len) {
                let error = Error::Changed { file: load.asset.file(range.file) };
                self.fail(*id, &error);
                continue;
            }
            for missing in model.missing(load.part) {
                let is_here =
                    missing.file == range.file && range.start <= missing.start && missing.end <= range.end;
                if !is_here {
                    continue;
                }
                let (start, end) =
                    ((missing.start - range.start) as usize, (missing.end - range.start) as usize);
                let bytes = answer.bytes.slice(start..end);
                // A small part must not keep a large read alive.
                let is_small = Pool::size_of(bytes.len()) < Pool::size_of(answer.bytes.len()) / 2;
                let charge = if is_small { self.pool.charge(Pool::size_of(bytes.len())) } else { None };
                let bytes = match charge {
                    Some(charge) => copy(charge, &bytes),
                    None => bytes,
                };
                model.insert(missing.file, missing.start, bytes);
            }
            if load.reads == 0 {
                self.finish_load(*id);
            }
        }
    }

    /// Hands the requests of a load whose bytes are there over to the workers.
    fn finish_load(&mut self, id: LoadId) {
        let Some(mut load) = self.remove_load(id) else { return };
        let size = load.scratch_size(self.pool.limit());
        let mut late = Vec::new();
        for waiter in std::mem::take(&mut load.waiters) {
            let request = self.requests.get(&waiter).and_then(|active| active.request.as_ref());
            let needs_scratch =
                request.is_some_and(|request| request.vertices.is_some() || request.indices.is_some());
            let scratch =
                if needs_scratch { load.scratch.pop().or_else(|| self.pool.charge(size)) } else { None };
            if needs_scratch && scratch.is_none() {
                late.push(waiter);
                continue;
            }
            self.hand_over(waiter, load.model.clone(), scratch);
        }
        // Requests that joined while the bytes were read, and for which there is no memory to decode: they begin again.
        let (asset, part, priority) = (load.asset.clone(), load.part, load.priority);
        drop(load);
        for waiter in late {
            self.want(asset.clone(), part, waiter, priority);
        }
    }

    /// Forgets a load that nobody wants any more.
    pub(super) fn abandon(&mut self, id: LoadId) {
        if let Some(load) = self.remove_load(id) {
            load.cancel();
        }
    }

    /// Takes a load out of everything that knows it.
    pub(super) fn remove_load(&mut self, id: LoadId) -> Option<Load> {
        let load = self.loads.remove(&id)?;
        self.by_part.remove(&(load.asset.id, load.part));
        if load.state == LoadState::Queued {
            self.unqueue(&load.asset, Job::Load(id));
        }
        self.leave_asset(&load.asset, id);
        Some(load)
    }

    /// Reads of a load that has failed or has been abandoned are answered to nobody.
    pub(super) fn on_load_error(&mut self, loads: &[LoadId], error: &Error) {
        for id in loads {
            if let Some(load) = self.loads.get(id) {
                load.cancel();
            }
            self.fail(*id, error);
        }
    }

    /// A number for a read.
    pub(super) fn read_id(&mut self) -> ReadId {
        ReadId(self.number())
    }
}

impl Load {
    /// Decoding takes at most as much memory besides its output as the part decodes to.
    fn scratch_size(&self, limit: usize) -> usize {
        let decoded = self.info.as_ref().map_or(0, PartInfo::decoded_size);
        let ranges = self.info.as_ref().map(PartInfo::ranges).unwrap_or_default();
        let stored = ranges.iter().map(|range| memory_of(range.len())).fold(0, usize::saturating_add);
        // A part that can be read is decoded, too, with what is left.
        let left = limit.saturating_sub(stored);
        usize::try_from(decoded).unwrap_or(usize::MAX).min(left)
    }
}

/// The memory that a read of so many bytes takes.
fn memory_of(bytes: u64) -> usize {
    Pool::size_of(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// The whole file instead of a range, where a backend reads it anyway.
fn whole(asset: &asset::Inner, range: FileRange) -> FileRange {
    let described = asset.backend.describe(&asset.file(range.file));
    match described.file_len.filter(|_| described.is_whole) {
        Some(len) => FileRange::new(range.file, 0..len),
        None => range,
    }
}

/// A copy in memory of the pool.
fn copy(charge: Charge, bytes: &[u8]) -> bytes::Bytes {
    let mut buffer = charge.into_buffer(bytes.len());
    buffer.as_mut().copy_from_slice(bytes);
    bytes::Bytes::from_owner(buffer)
}
