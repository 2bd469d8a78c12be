//! The models in use: those with wanted parts.

use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicBool;

use meshlens::part::FileRange;

use super::kept::Kept;
use super::{Job, LoadId, Scheduler};
use crate::backend::Answer;
use crate::pool::Charge;
use crate::queue::QueuePosition;
use crate::streamed;
use crate::sync::{Arc, Ordering};
use crate::{Error, Probe};

/// A model in use.
pub(super) struct ModelState {
    pub(super) inner: Arc<streamed::Inner>,
    /// The loads of wanted parts.
    pub(super) loads: Vec<LoadId>,
    pub(super) probing: Probing,
    /// Distinguishes probes: reads of an earlier, abandoned probe are ignored.
    pub(super) generation: u64,
    pub(super) place: Option<QueuePosition>,
    /// The number of bytes of all files; `None` until it is known.
    pub(super) len: Option<u64>,
    /// `None` until the lengths of the files are known.
    pub(super) probe: Option<Box<Probe>>,
    /// The ranges that the probe requests next.
    pub(super) wants: Vec<FileRange>,
    /// The memory of the probe's bytes.
    pub(super) charges: Vec<Charge>,
    /// The answers of this round.
    pub(super) answers: Vec<(FileRange, Answer)>,
    pub(super) error: Option<Error>,
    /// The mark of the reads of the probe, once there are some.
    pub(super) is_cancelled: Option<StdArc<AtomicBool>>,
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
        self.is_cancelled.iter().for_each(|mark| mark.store(true, Ordering::Relaxed));
    }

    /// The memory of the probe's bytes.
    pub(super) fn memory(&self) -> usize {
        self.charges.iter().map(Charge::bytes).fold(0, usize::saturating_add)
    }

    /// Drops the probe.
    pub(super) fn reset(&mut self, generation: u64) {
        self.cancel();
        self.generation = generation;
        self.is_cancelled = None;
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
            Box::new(ModelState {
                inner: streamed.clone(),
                loads: Vec::new(),
                probing: Probing::No,
                generation,
                place: None,
                len: None,
                probe,
                wants,
                charges,
                answers: Vec::new(),
                error: None,
                is_cancelled: None,
            })
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
            self.probing.remove(&streamed.id);
            if is_queued {
                self.unqueue(streamed, Job::Probe(streamed.id));
            }
        }
    }
}
