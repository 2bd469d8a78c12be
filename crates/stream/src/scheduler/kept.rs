//! The bytes that probes have read, and files that were read as a whole for a part, kept for the parts that are requested next.
//! Nothing waits for their memory: they are dropped, the least urgent first, if anything else needs it.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use meshlens::part::FileRange;

use crate::pieces::FilePieces;
use crate::pool::{Charge, Pool};
use crate::probe::ProbeFiles;
use crate::slab::{Key, Slab};
use crate::statistics::Counters;
use crate::streamed::{self, ModelId};
use crate::sync::{Arc, Ordering};
use crate::{Few, Priority, Probe};

/// The share of the budget.
const SHARE: usize = 2;

/// The bytes that a probe has read.
pub(super) struct Kept {
    pub(super) files: ProbeFiles,
    /// The memory of the bytes that the probe has copied.
    pub(super) charge: Option<Charge>,
    /// `None` if the probe has taken only its first step, or has found the plan.
    pub(super) unfinished: Option<Box<Unfinished>>,
}

/// What a probe goes on with.
pub(super) struct Unfinished {
    /// The probe, without its files.
    pub(super) probe: Box<Probe>,
    /// The ranges that it requests next.
    pub(super) wants: Few<FileRange>,
}

impl Kept {
    /// What a probe has read. It requests these ranges next; `None` after the plan.
    pub(super) fn of(mut probe: Box<Probe>, wants: Option<Vec<FileRange>>, charge: Option<Charge>) -> Kept {
        let files = std::mem::take(&mut probe.files);
        let wants = wants.filter(|wants| !wants.is_empty() || !probe.is_new());
        let unfinished = wants.map(|wants| Box::new(Unfinished { probe, wants: wants.into() }));
        Kept { files, charge, unfinished }
    }

    fn memory(&self) -> usize {
        self.files.held_memory().saturating_add(self.charge.as_ref().map_or(0, Charge::bytes))
    }
}

/// The priority of the last request, and a number that grows with time.
type Rank = (Priority, u64);

struct Entry {
    model: ModelId,
    rank: Rank,
    kept: Kept,
}

pub(super) struct KeptProbes {
    /// Each model knows the key of its own.
    entries: Slab<Entry>,
    /// The entries of each priority, those that were used first before the others. May contain some that were taken or used again.
    order: BTreeMap<Priority, VecDeque<(u64, Key)>>,
    /// The number of keys in `order`.
    ordered: usize,
    memory: usize,
    counters: Arc<Counters>,
}

impl KeptProbes {
    pub(super) fn new(counters: Arc<Counters>) -> KeptProbes {
        KeptProbes { entries: Slab::new(), order: BTreeMap::new(), ordered: 0, memory: 0, counters }
    }

    /// Keeps a probe, and drops others.
    pub(super) fn add(&mut self, streamed: &streamed::Inner, rank: Rank, kept: Kept, budget: usize) {
        self.take(streamed);
        if kept.memory() > budget / SHARE {
            return;
        }
        self.count(self.memory + kept.memory());
        let key = self.entries.insert(Entry { model: streamed.id, rank, kept });
        streamed.kept.store(key.to_bits(), Ordering::Relaxed);
        self.note(key, rank);
        while self.memory > budget / SHARE && self.drop_one() {}
    }

    /// Keeps a whole file of a model, beside its others, if there is room for it. `lens` are the lengths of its files.
    pub(super) fn add_file(
        &mut self,
        streamed: &streamed::Inner,
        rank: Rank,
        lens: &[u64],
        file: usize,
        bytes: Bytes,
        budget: usize,
    ) {
        let memory = Pool::size_of(bytes.len());
        let before = self.entry(streamed).map_or(0, |(_, entry)| entry.kept.memory());
        if before.saturating_add(memory) > budget / SHARE {
            return;
        }
        let new = || Kept { files: ProbeFiles::new(lens), charge: None, unfinished: None };
        let mut kept = self.take(streamed).unwrap_or_else(new);
        kept.files.hold(file, bytes, memory);
        self.add(streamed, rank, kept, budget);
    }

    /// Notes that kept bytes of a model were used.
    pub(super) fn touch(&mut self, streamed: &streamed::Inner, rank: Rank) {
        if let Some((key, entry)) = self.entry(streamed) {
            entry.rank = rank;
            self.note(key, rank);
        }
    }

    fn entry(&mut self, streamed: &streamed::Inner) -> Option<(Key, &mut Entry)> {
        let key = key_of(streamed);
        Some((key, self.entries.get_mut(key).filter(|entry| entry.model == streamed.id)?))
    }

    /// Notes the rank of an entry.
    fn note(&mut self, key: Key, (priority, number): Rank) {
        self.order.entry(priority).or_default().push_back((number, key));
        self.ordered += 1;
        if self.ordered > 2 * self.entries.len() + 64 {
            let entries = &self.entries;
            self.order.retain(|priority, keys| {
                let is_current = |(number, key): &(u64, Key)| {
                    entries.get(*key).is_some_and(|entry| entry.rank == (*priority, *number))
                };
                keys.retain(is_current);
                !keys.is_empty()
            });
            self.ordered = self.order.values().map(VecDeque::len).sum();
        }
    }

    pub(super) fn take(&mut self, streamed: &streamed::Inner) -> Option<Kept> {
        let (key, _) = self.entry(streamed)?;
        self.remove(key)
    }

    fn remove(&mut self, key: Key) -> Option<Kept> {
        let Entry { kept, .. } = self.entries.remove(key)?;
        self.count(self.memory - kept.memory());
        Some(kept)
    }

    /// The bytes of a model's files.
    pub(super) fn files(&self, streamed: &streamed::Inner) -> &[FilePieces] {
        let entry = self.entries.get(key_of(streamed)).filter(|entry| entry.model == streamed.id);
        entry.map(|entry| &*entry.kept.files.pieces).unwrap_or_default()
    }

    /// The number of bytes of memory.
    pub(super) const fn memory(&self) -> usize {
        self.memory
    }

    fn count(&mut self, memory: usize) {
        self.memory = memory;
        self.counters.probes_kept.store(memory, Ordering::Relaxed);
    }

    /// Drops the least urgent probe. Returns false if there is none.
    pub(super) fn drop_one(&mut self) -> bool {
        while let Some(mut least) = self.order.first_entry() {
            let priority = *least.key();
            let Some((number, key)) = least.get_mut().pop_front() else {
                least.remove();
                continue;
            };
            self.ordered -= 1;
            if self.entries.get(key).is_some_and(|entry| entry.rank == (priority, number)) {
                return self.remove(key).is_some();
            }
        }
        false
    }
}

fn key_of(streamed: &streamed::Inner) -> Key {
    Key::of_bits(streamed.kept.load(Ordering::Relaxed))
}
