//! The bytes that probes have read for bounds, kept for the next request of the same model. They take at most an eighth of the
//! budget, and are dropped if anything else needs the memory.

use std::collections::{BTreeMap, HashMap};

use meshlens::part::FileRange;

use crate::Probe;
use crate::pool::Charge;
use crate::statistics::Counters;
use crate::streamed::ModelId;
use crate::sync::{Arc, Ordering};

/// The share of the budget.
const SHARE: usize = 8;

/// A probe that is not in progress.
pub(super) struct Kept {
    pub(super) probe: Box<Probe>,
    /// The ranges that the probe requests next. Empty after the plan.
    pub(super) wants: Vec<FileRange>,
    pub(super) charges: Vec<Charge>,
}

impl Kept {
    fn memory(&self) -> usize {
        self.charges.iter().map(Charge::bytes).fold(0, usize::saturating_add)
    }
}

pub(super) struct KeptProbes {
    by_model: HashMap<ModelId, (u64, Kept)>,
    /// The oldest first.
    order: BTreeMap<u64, ModelId>,
    memory: usize,
    counters: Arc<Counters>,
}

impl KeptProbes {
    pub(super) fn new(counters: Arc<Counters>) -> KeptProbes {
        KeptProbes { by_model: HashMap::new(), order: BTreeMap::new(), memory: 0, counters }
    }

    /// Keeps a probe, and drops others. `number` grows with time.
    pub(super) fn add(&mut self, streamed: ModelId, number: u64, kept: Kept, budget: usize) {
        self.take(streamed);
        if kept.memory() > budget / SHARE {
            return;
        }
        self.count(self.memory + kept.memory());
        self.by_model.insert(streamed, (number, kept));
        self.order.insert(number, streamed);
        while self.memory > budget / SHARE && self.drop_oldest() {}
    }

    pub(super) fn take(&mut self, streamed: ModelId) -> Option<Kept> {
        let (number, kept) = self.by_model.remove(&streamed)?;
        self.order.remove(&number);
        self.count(self.memory - kept.memory());
        Some(kept)
    }

    fn count(&mut self, memory: usize) {
        self.memory = memory;
        self.counters.probes_kept.store(memory, Ordering::Relaxed);
    }

    /// Returns false if there is none.
    pub(super) fn drop_oldest(&mut self) -> bool {
        let oldest = self.order.first_key_value().map(|(_, streamed)| *streamed);
        oldest.is_some_and(|streamed| self.take(streamed).is_some())
    }
}
