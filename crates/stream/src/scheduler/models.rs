//! The models in use: those with wanted parts.

use meshlens::part::FileRange;

use super::kept::{Kept, Unfinished};
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
    /// What the probe has. `None` before its first read.
    round: Option<Box<Round>>,
}

/// What a probe has before and during a round of reads.
#[derive(Default)]
pub(super) struct Round {
    /// The number of bytes of all files; `None` until it is known.
    pub(super) len: Option<u64>,
    /// `None` until the lengths of the files are known.
    pub(super) probe: Option<Box<Probe>>,
    /// The ranges that the probe requests next.
    pub(super) wants: Few<FileRange>,
    /// The memory of the bytes that the probe has copied.
    pub(super) charge: Option<Charge>,
    /// The answers so far.
    pub(super) answers: Vec<(FileRange, Answer)>,
    pub(super) error: Option<Error>,
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
        let Some(Round { probe, charge, .. }) = self.round.as_deref() else { return 0 };
        let held = probe.as_ref().map_or(0, |probe| probe.files.held_memory());
        held.saturating_add(charge.as_ref().map_or(0, Charge::bytes))
    }

    /// What the probe has.
    pub(super) fn round(&mut self) -> &mut Round {
        self.round.get_or_insert_default()
    }

    /// The number of bytes of all files, if it is known.
    pub(super) fn len(&self) -> Option<u64> {
        self.round.as_ref()?.len
    }

    /// Whether there is a probe: the lengths of the files are known.
    pub(super) fn has_probe(&self) -> bool {
        self.round.as_ref().is_some_and(|round| round.probe.is_some())
    }

    /// Drops the probe.
    pub(super) fn reset(&mut self, generation: u64) {
        self.generation = generation;
        self.inner.probe.store(generation, Ordering::Relaxed);
        self.probing = Probing::No;
        let len = self.len();
        self.round = len.map(|len| Box::new(Round { len: Some(len), ..Round::default() }));
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
        let key = self.models.insert(ModelState {
            inner: streamed.clone(),
            loads: Few::new(),
            probing: Probing::No,
            queued: None,
            generation,
            place: None,
            round: None,
        });
        streamed.key.store(key.to_bits(), Ordering::Relaxed);
        streamed.probe.store(generation, Ordering::Relaxed);
        // A probe goes on where it ended. After the plan, its bytes stay with the kept ones.
        if streamed.plan().is_none()
            && let Some(kept) = self.kept.take(streamed)
        {
            self.go_on(key, kept);
        }
        key
    }

    /// Gives a model the probe whose bytes were kept.
    pub(super) fn go_on(&mut self, model: Key, Kept { files, charge, unfinished }: Kept) {
        let options =
            self.models.get(model).map(|state| self.probe_options(model, &state.inner, files.len()));
        let (Some(options), Some(state)) = (options, self.models.get_mut(model)) else { return };
        let (probe, wants) = match unfinished.map(|unfinished| *unfinished) {
            Some(Unfinished { mut probe, wants }) => {
                probe.files = files;
                (probe, wants)
            }
            None => (Box::new(Probe::again(files, options)), Few::new()),
        };
        let round = state.round();
        (round.probe, round.wants, round.charge) = (Some(probe), wants, charge);
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
