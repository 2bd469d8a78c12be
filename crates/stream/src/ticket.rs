//! The state of a request, which its handle shares with the streamer.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

use crate::sync::{Arc, AtomicU8, Condvar, Mutex, Ordering, lock};
use crate::{Error, Failed, Outcome, Part};

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The request waits for its turn, or for the plan of its model.
    Queued,
    /// Its bytes are being read.
    Loading,
    /// Its bytes are loaded and are being decoded.
    Decoding,
    /// The request succeeded.
    Ready,
    /// The request failed.
    Failed,
    /// The request was cancelled.
    Cancelled,
}

impl State {
    const ALL: [State; 6] =
        [State::Queued, State::Loading, State::Decoding, State::Ready, State::Failed, State::Cancelled];

    fn of(code: u8) -> State {
        State::ALL.get(usize::from(code)).copied().unwrap_or(State::Failed)
    }

    /// Whether the state can no longer change.
    pub const fn is_final(self) -> bool {
        matches!(self, State::Ready | State::Failed | State::Cancelled)
    }

    /// The name in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Loading => "loading",
            State::Decoding => "decoding",
            State::Ready => "ready",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The number of a request, unique within its streamer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub(crate) u64);

impl RequestId {
    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The state that a handle shares with the streamer.
pub(crate) struct Shared {
    pub(crate) id: RequestId,
    pub(crate) part: Part,
    state: AtomicU8,
    slot: Mutex<Slot>,
    /// Signalled when the outcome is stored. Only for threads that block.
    done: Condvar,
}

#[derive(Default)]
struct Slot {
    outcome: Option<Outcome>,
    /// Whether an outcome was stored, even if it has been taken.
    is_done: bool,
    waker: Option<Waker>,
}

impl Shared {
    pub(crate) fn new(id: RequestId, part: Part) -> Self {
        let state = AtomicU8::new(State::Queued as u8);
        Shared { id, part, state, slot: Mutex::default(), done: Condvar::new() }
    }

    pub(crate) fn state(&self) -> State {
        State::of(self.state.load(Ordering::Acquire))
    }

    /// Changes to another state, unless the request has ended.
    pub(crate) fn advance(&self, to: State) -> bool {
        let advance = |code| (!State::of(code).is_final()).then_some(to as u8);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, advance).is_ok()
    }

    /// Stores the outcome and wakes the waiting tasks. The state must already be set.
    pub(crate) fn finish(&self, outcome: Outcome) {
        let mut slot = lock(&self.slot);
        slot.outcome = Some(outcome);
        slot.is_done = true;
        let waker = slot.waker.take();
        drop(slot);
        self.done.notify_all();
        if let Some(waker) = waker {
            // An executor that panics must not end the streamer.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }

    /// Takes the outcome. `None` if it is not stored, or was already taken.
    pub(crate) fn take(&self) -> Option<Outcome> {
        lock(&self.slot).outcome.take()
    }

    /// Blocks until the outcome is stored, and takes it. `None` if it was already taken.
    pub(crate) fn wait(&self) -> Option<Outcome> {
        let mut slot = lock(&self.slot);
        while !slot.is_done {
            slot = self.done.wait(slot).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        slot.outcome.take()
    }

    /// Takes the outcome, or stores the waker of the task that waits for it.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<Outcome> {
        let mut slot = lock(&self.slot);
        if let Some(outcome) = slot.outcome.take() {
            return Poll::Ready(outcome);
        }
        match &mut slot.waker {
            Some(waker) => waker.clone_from(context.waker()),
            empty => *empty = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

/// A request on its way to the scheduler. If it is dropped before it arrives, the request ends.
pub(crate) struct Ticket(Option<Arc<Shared>>);

impl Ticket {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Ticket(Some(shared))
    }

    /// Takes the request; the caller must now end it.
    pub(crate) fn redeem(mut self) -> Option<Arc<Shared>> {
        self.0.take()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            shared.advance(State::Failed);
            shared.finish(Err(Failed { error: Error::Closed, request: None }));
        }
    }
}

/// A request that has ended, as listed by [`Streamer::poll_completed`](crate::Streamer::poll_completed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completed {
    /// The request.
    pub id: RequestId,
    /// The requested part.
    pub part: Part,
    /// The final state.
    pub state: State,
}
