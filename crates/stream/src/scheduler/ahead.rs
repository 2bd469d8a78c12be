//! How far probes read ahead, and the memory that they leave for what was requested first.

use meshlens::part::FileRange;

use super::models::{ModelState, Probing};
use super::{Job, Scheduler, id_of};
use crate::pieces::FilePieces;
use crate::queue::{self, Urgency};
use crate::slab::Key;
use crate::streamed;
use crate::{Few, Part, Probe, ProbeOptions};

/// The largest number of bytes of the first read of a file whose length is not known.
const MOST_FIRST: u64 = 256 << 10;
/// The memory that a part takes, in lengths of the files, if its plan is not known: its bytes, and what they are decoded to.
const MOST_OF_A_PART: usize = 4;

impl Scheduler {
    /// The options of the probe of a model whose files have this many bytes.
    pub(super) fn probe_options(&self, model: Key, streamed: &streamed::Inner, len: u64) -> ProbeOptions {
        let options = self.options.probe.unwrap_or_else(|| {
            let by_kind = match streamed.described(0).is_remote {
                true => ProbeOptions::REMOTE,
                false => ProbeOptions::default(),
            };
            let measured = self.latencies.options(id_of(&streamed.backend)).unwrap_or(by_kind);
            if measured.whole > by_kind.whole { measured } else { by_kind }
        });
        let is_whole = self.wants_whole(model) && len <= self.room_ahead() as u64 / 2;
        ProbeOptions { whole: if is_whole { u64::MAX } else { options.whole }, ..options }
    }

    /// Begins the probe of a model with the headers that are known: its first round reads nothing.
    pub(super) fn begin_known(&mut self, model: Key, streamed: &streamed::Inner) {
        let Some(files) = streamed.take_headers() else { return };
        let len = files.iter().map(FilePieces::file_len).fold(0, u64::saturating_add);
        let options = self.probe_options(model, streamed, len);
        if let Some(state) = self.models.get_mut(model).filter(|state| !state.has_probe()) {
            let round = state.round();
            round.len = Some(len);
            round.probe = Some(Box::new(Probe::known(files.into(), options)));
        }
    }

    /// Whether a request waits for all bytes of a model.
    pub(super) fn wants_whole(&self, model: Key) -> bool {
        self.load_of(model, Part::Whole).is_some()
    }

    /// Whether requests wait for the bounds of a model, and for nothing else.
    pub(super) fn wants_bounds_only(&self, model: Key) -> bool {
        self.models.get(model).is_some_and(|state| state.loads.iter().all(|(part, _)| *part == Part::Bounds))
    }

    /// The memory for bytes that are read ahead: it is free, and a quarter of the budget stays free.
    pub(super) fn room_ahead(&self) -> usize {
        (self.pool.limit() / 4 * 3).saturating_sub(self.memory_used())
    }

    /// The memory that is used and cannot be dropped.
    pub(super) fn memory_used(&self) -> usize {
        let [used, ..] = self.pool.usage();
        used.saturating_sub(self.kept.memory())
    }

    /// The first reads of the files of a model: whole files, if they are small for the latency of the backend.
    pub(super) fn first_reads(&self, model: Key, streamed: &streamed::Inner) -> Few<FileRange> {
        let options = self.probe_options(model, streamed, u64::MAX);
        let room = self.room_ahead() as u64 / 2;
        let measured =
            self.latencies.options(id_of(&streamed.backend)).filter(|_| self.options.probe.is_none());
        let most = MOST_FIRST.min(self.pool.limit() as u64 / 256).min(room);
        let ahead = measured.map_or(0, |measured| measured.whole.min(most));
        let (whole, ahead) = if self.wants_whole(model) { (room, most) } else { (ahead, ahead) };
        let reads = (0..streamed.files.len()).map(|index| {
            let described = streamed.described(index);
            match described.file_len.filter(|len| described.is_whole || *len <= whole) {
                Some(len) => FileRange::new(index, 0..len),
                None => FileRange::new(index, 0..options.read.max(1).max(ahead)),
            }
        });
        reads.collect()
    }

    /// The memory to leave for models that were requested before a load, and whose plans are not known yet: without it, a caller
    /// that waits for the first model and holds others would wait forever.
    pub(super) fn reserved_before(&self, id: Key, urgency: Urgency) -> usize {
        let limit = self.pool.limit();
        let others = self.probing.iter().filter(|other| **other != id);
        let first = others.filter(|other| self.probe_urgency(**other) > Some(urgency));
        let memory = first.filter_map(|id| self.models.get(*id)).map(|state| match state.len() {
            None => limit / 2,
            Some(len) => usize::try_from(len).unwrap_or(usize::MAX).saturating_mul(MOST_OF_A_PART).min(limit),
        });
        memory.max().unwrap_or(0)
    }

    /// Drops the least urgent probe with memory that is less urgent than `job`, or any other if nothing is in progress that could
    /// release memory. It starts again later. Returns false if there is no such probe.
    pub(super) fn evict(&mut self, job: Job) -> bool {
        let is_idle = self.reads.len() == 0 && self.at_work == 0;
        let own = match job {
            Job::Probe(id) => self.probe_urgency(id),
            Job::Load(id) => self.loads.get(id).map(|load| queue::urgency(load.priority, load.place)),
        };
        let has_memory = |id: Key, state: &ModelState| {
            Job::Probe(id) != job && state.probing == Probing::Queued && state.memory() > 0
        };
        let others = self.models.iter().filter(|(id, state)| has_memory(*id, state));
        let least = others.map(|(id, _)| (self.probe_urgency(id), id)).min();
        let Some((_, id)) = least.filter(|(urgency, _)| is_idle || *urgency < own) else { return false };
        let next = self.number();
        if let Some(state) = self.models.get_mut(id) {
            state.reset(next);
            state.probing = Probing::Queued;
        }
        true
    }

    /// The urgency of a model's probe; `None` if it was never queued.
    fn probe_urgency(&self, id: Key) -> Option<Urgency> {
        Some(queue::urgency(self.probe_priority(id), self.models.get(id)?.place?))
    }
}
