//! The models in use: those with wanted parts.

use meshlens::part::FileRange;

use super::kept::Kept;
use super::{Job, Scheduler, id_of};
use crate::backend::Answer;
use crate::pool::Charge;
use crate::queue::{Queue, QueuePosition};
use crate::slab::Key;
use crate::streamed;
use crate::sync::{Arc, Ordering};
use crate::{Error, Few, Part, Probe};

/// A model in use.
pub(super) struct ModelState {
    pub(super) inner: Arc<streamed::Inner>,
    /// The loads of wanted parts.
    pub(super) loads: Few<(Part, Key)>,
    pub(super) probing: Probing,
    /// The key of the probe in the queue of its backend.
    pub(super) queued: Option<Key>,
    /// Distinguishes probes: reads of an earlier, abandoned probe are ignored.
    pub(super) generation: u64,
    pub(super) place: Option<QueuePosition>,
    /// The number of bytes of all files; `None` until it is known.
    pub(super) len: Option<u64>,
    /// `None` until the lengths of the files are known.
    pub(super) probe: Option<Box<Probe>>,
    /// The ranges that the probe requests next.
    pub(super) wants: Few<FileRange>,
    /// The memory of the bytes that the probe has copied.
    pub(super) charge: Option<Charge>,
    /// The answers of this round.
    pub(super) answers: Vec<(FileRange, Answer)>,
    pub(super) error: Option<Box<Error>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Probing {
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
        self.inner.probe.store(0, Ordering::Relaxed);
    }

    /// The memory of the probe's bytes.
    pub(super) fn memory(&self) -> usize {
        let held = self.probe.as_ref().map_or(0, |probe| probe.held_memory());
        held.saturating_add(self.charge.as_ref().map_or(0, Charge::bytes))
    }

    /// Drops the probe.
    pub(super) fn reset(&mut self, generation: u64) {
        self.generation = generation;
        self.inner.probe.store(generation, Ordering::Relaxed);
        self.probing = Probing::No;
        self.probe = None;
        self.wants.clear();
        self.charge = None;
        self.answers.clear();
        self.error = None;
    }
}

impl Scheduler {
    /// The state of a model, which is now in use.
    pub(super) fn state_of(&mut self, streamed: &Arc<streamed::Inner>) -> Key {
        let key = Key::of_bits(streamed.key.load(Ordering::Relaxed));
        if self.models.get(key).is_some_and(|state| Arc::ptr_eq(&state.inner, streamed)) {
            return key;
        }
        let generation = self.number();
        // A probe goes on where it ended. After the plan, its bytes stay with the kept ones.
        let kept = if streamed.plan().is_none() { self.kept.take(streamed.id) } else { None };
        let (probe, wants, charge) = match kept {
            Some(Kept { probe, wants, charge }) => (Some(probe), wants, charge),
            None => Default::default(),
        };
        let key = self.models.insert(ModelState {
            inner: streamed.clone(),
            loads: Few::new(),
            probing: Probing::No,
            queued: None,
            generation,
            place: None,
            len: None,
            probe,
            wants,
            charge,
            answers: Vec::new(),
            error: None,
        });
        streamed.key.store(key.to_bits(), Ordering::Relaxed);
        streamed.probe.store(generation, Ordering::Relaxed);
        key
    }

    /// The load of a wanted part.
    pub(super) fn load_of(&self, model: Key, part: Part) -> Option<Key> {
        self.models.get(model)?.loads.iter().find(|(other, _)| *other == part).map(|(_, load)| *load)
    }

    /// Removes a finished load. A model without loads is removed, except for its plan.
    pub(super) fn leave_model(&mut self, model: Key, load: Key) {
        let Some(state) = self.models.get_mut(model) else { return };
        state.loads.retain(|(_, other)| *other != load);
        if state.loads.is_empty() {
            state.cancel();
            let backend = id_of(&state.inner.backend);
            self.unqueue(backend, Job::Probe(model), Queue::remove);
            self.models.remove(model);
            self.probing.remove(&model);
        }
    }
}
