//! The bytes that probes have read, and files that were read as a whole for a part, kept for the parts that are requested next.
//! Nothing waits for their memory: they are dropped, the least urgent first, if anything else needs it.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use meshlens::part::FileRange;

use crate::numbers::HashMap;
use crate::pieces::FilePieces;
use crate::pool::{Charge, Pool};
use crate::statistics::Counters;
use crate::streamed::ModelId;
use crate::sync::{Arc, Ordering};
use crate::{Few, Priority, Probe, ProbeOptions};

/// The share of the budget.
const SHARE: usize = 2;

/// A probe that is not in progress.
pub(super) struct Kept {
    pub(super) probe: Box<Probe>,
    /// The ranges that the probe requests next. Empty after the plan.
    pub(super) wants: Few<FileRange>,
    /// The memory of the bytes that the probe has copied.
    pub(super) charge: Option<Charge>,
}

impl Kept {
    fn memory(&self) -> usize {
        self.probe.held_memory().saturating_add(self.charge.as_ref().map_or(0, Charge::bytes))
    }
}

/// The priority of the last request, and a number that grows with time.
type Rank = (Priority, u64);

pub(super) struct KeptProbes {
    by_model: HashMap<ModelId, (Rank, Kept)>,
    /// The models of each priority, those that were used first before the others. May contain some that were taken or used again.
    order: BTreeMap<Priority, VecDeque<(u64, ModelId)>>,
    /// The number of models in `order`.
    ordered: usize,
    memory: usize,
    counters: Arc<Counters>,
}

impl KeptProbes {
    pub(super) fn new(counters: Arc<Counters>) -> KeptProbes {
        KeptProbes { by_model: HashMap::default(), order: BTreeMap::new(), ordered: 0, memory: 0, counters }
    }

    /// Keeps a probe, and drops others.
    pub(super) fn add(&mut self, model: ModelId, rank: Rank, kept: Kept, budget: usize) {
        self.take(model);
        if kept.memory() > budget / SHARE {
            return;
        }
        self.count(self.memory + kept.memory());
        self.by_model.insert(model, (rank, kept));
        self.set_rank(model, rank);
        while self.memory > budget / SHARE && self.drop_one() {}
    }

    /// Keeps a whole file of a model, beside its others, if there is room for it. `lens` are the lengths of its files.
    pub(super) fn add_file(
        &mut self,
        model: ModelId,
        rank: Rank,
        lens: &[u64],
        file: usize,
        bytes: Bytes,
        budget: usize,
    ) {
        let memory = Pool::size_of(bytes.len());
        let before = self.by_model.get(&model).map_or(0, |(_, kept)| kept.memory());
        if before.saturating_add(memory) > budget / SHARE {
            return;
        }
        let mut kept = self.take(model).unwrap_or_else(|| {
            let files = lens.iter().map(|len| FilePieces::new(*len)).collect();
            let probe = Box::new(Probe::known(files, ProbeOptions::default()));
            Kept { probe, wants: Few::new(), charge: None }
        });
        kept.probe.hold(file, bytes, memory);
        self.add(model, rank, kept, budget);
    }

    /// Notes that kept bytes of a model were used.
    pub(super) fn touch(&mut self, model: ModelId, rank: Rank) {
        if let Some((now, _)) = self.by_model.get_mut(&model) {
            *now = rank;
            self.set_rank(model, rank);
        }
    }

    fn set_rank(&mut self, model: ModelId, rank: Rank) {
        let (priority, number) = rank;
        self.order.entry(priority).or_default().push_back((number, model));
        self.ordered += 1;
        if self.ordered > 2 * self.by_model.len() + 64 {
            let kept = &self.by_model;
            self.order.retain(|priority, models| {
                models.retain(|(number, model)| {
                    kept.get(model).is_some_and(|(now, _)| *now == (*priority, *number))
                });
                !models.is_empty()
            });
            self.ordered = self.order.values().map(VecDeque::len).sum();
        }
    }

    pub(super) fn take(&mut self, model: ModelId) -> Option<Kept> {
        let (_, kept) = self.by_model.remove(&model)?;
        self.count(self.memory - kept.memory());
        Some(kept)
    }

    /// The bytes of a model's files.
    pub(super) fn files(&self, model: ModelId) -> &[FilePieces] {
        self.by_model.get(&model).map(|(_, kept)| kept.probe.files()).unwrap_or_default()
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
            let Some((number, model)) = least.get_mut().pop_front() else {
                least.remove();
                continue;
            };
            self.ordered -= 1;
            if self.by_model.get(&model).is_some_and(|(now, _)| *now == (priority, number)) {
                return self.take(model).is_some();
            }
        }
        false
    }
}
