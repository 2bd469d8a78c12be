//! Handles of requests, which the caller keeps.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::scheduler::Event;
use crate::sync::{Arc, AtomicU8, Condvar, Mutex, Ordering, Sender, lock};
use crate::{Error, Failed, Outcome, Part, Priority};

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

/// A handle to a request. It gives the state, changes the priority, and cancels the request. Only [`wait`](Self::wait)
/// blocks.
///
/// It is a [`Future`] for any executor, but none is needed: [`Streamer::poll_completed`] lists the requests that have
/// ended, and [`take`](Self::take) takes the loaded part.
///
/// Dropping a handle cancels its request, unless [`detach`](Self::detach) was called.
///
/// [`Streamer::poll_completed`]: crate::Streamer::poll_completed
#[must_use = "dropping a handle cancels its request"]
pub struct Handle {
    shared: Arc<Shared>,
    events: Sender<Event>,
    is_detached: bool,
}

impl Handle {
    pub(crate) fn new(shared: Arc<Shared>, events: Sender<Event>) -> Self {
        Handle { shared, events, is_detached: false }
    }

    /// The number of the request.
    pub fn id(&self) -> RequestId {
        self.shared.id
    }

    /// The requested part.
    pub fn part(&self) -> Part {
        self.shared.part
    }

    /// The state of the request.
    pub fn state(&self) -> State {
        self.shared.state()
    }

    /// Changes the priority of the request.
    pub fn set_priority(&self, priority: Priority) {
        // Without a scheduler, the request has ended.
        let _ = self.events.send(Event::Priority { id: self.shared.id, priority });
    }

    /// Cancels the request, unless it has ended. The state is [`State::Cancelled`] at once. The outcome follows when
    /// the given buffers are no longer in use; it returns them. Bytes that no other request needs are not read, or are
    /// dropped.
    pub fn cancel(&self) {
        if self.shared.advance(State::Cancelled) {
            // Without a scheduler, nothing is left to cancel.
            let _ = self.events.send(Event::Cancel { id: self.shared.id });
        }
    }

    /// Takes the outcome. `None` if the request has not ended, or if the outcome was already taken.
    pub fn take(&mut self) -> Option<Outcome> {
        lock(&self.shared.slot).outcome.take()
    }

    /// Blocks until the outcome is there. Meant for tools and tests; an engine polls or awaits. `None` if the outcome
    /// was already taken.
    pub fn wait(mut self) -> Option<Outcome> {
        let mut slot = lock(&self.shared.slot);
        while !slot.is_done {
            slot = self.shared.done.wait(slot).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        drop(slot);
        self.take()
    }

    /// Drops the handle and keeps the request. Only [`Request::then`] then receives the loaded part.
    ///
    /// [`Request::then`]: crate::Request::then
    pub fn detach(mut self) {
        self.is_detached = true;
    }
}

impl Future for Handle {
    type Output = Outcome;

    /// Ready with the outcome. Pending forever if the outcome was already taken.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let mut slot = lock(&self.shared.slot);
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

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.is_detached {
            self.cancel();
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("id", &self.shared.id)
            .field("part", &self.shared.part)
            .field("state", &self.state())
            .finish_non_exhaustive()
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
