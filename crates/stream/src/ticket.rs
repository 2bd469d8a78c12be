//! The state of a request, which its handle shares with the streamer.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_channel::oneshot;

use crate::sync::{Arc, AtomicBool, AtomicI32, AtomicU8, Mutex, Ordering};
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
    priority: AtomicI32,
    /// Whether the scheduler was notified of a new priority and has not read it yet.
    is_told: AtomicBool,
}

impl Shared {
    pub(crate) fn state(&self) -> State {
        State::of(self.state.load(Ordering::Acquire))
    }

    /// Changes to another state, unless the request has ended.
    pub(crate) fn advance(&self, to: State) -> bool {
        let advance = |code| (!State::of(code).is_final()).then_some(to as u8);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, advance).is_ok()
    }

    /// Stores a priority. Returns whether the scheduler must be notified.
    pub(crate) fn set_priority(&self, priority: Priority) -> bool {
        self.priority.swap(priority.0, Ordering::SeqCst) != priority.0
            && !self.is_told.swap(true, Ordering::SeqCst)
            && !self.state().is_final()
    }

    /// The priority, which the scheduler reads after a notification. Later changes cause a new notification.
    pub(crate) fn take_priority(&self) -> Priority {
        // The order matters: a priority that is stored after it is read causes a new notification.
        self.is_told.store(false, Ordering::SeqCst);
        self.priority()
    }

    pub(crate) fn priority(&self) -> Priority {
        Priority(self.priority.load(Ordering::SeqCst))
    }
}

/// The streamer's end of a request. If it is dropped, the request ends.
pub(crate) struct Ticket {
    pub(crate) shared: Arc<Shared>,
    outcome: Option<oneshot::Sender<Outcome>>,
}

impl Ticket {
    /// Makes a request, and the receiver of its outcome.
    pub(crate) fn new(id: RequestId, part: Part, priority: Priority) -> (Self, oneshot::Receiver<Outcome>) {
        let (outcome, receiver) = oneshot::channel();
        let (state, priority) = (AtomicU8::new(State::Queued as u8), AtomicI32::new(priority.0));
        let shared = Arc::new(Shared { id, part, state, priority, is_told: AtomicBool::new(false) });
        (Ticket { shared, outcome: Some(outcome) }, receiver)
    }

    /// Stores the outcome and wakes the task or thread that waits for it. The state must already be set.
    pub(crate) fn finish(&mut self, outcome: Outcome) {
        if let Some(sender) = self.outcome.take() {
            // A panic of an executor must not end the streamer. Without a handle, the outcome is dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(sender.send(outcome))));
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.outcome.is_some() {
            self.shared.advance(State::Failed);
            self.finish(Err(Failed { error: Error::Closed, request: None }));
        }
    }
}

/// The requests that have ended and are not yet listed.
pub(crate) type CompletedList = Mutex<VecDeque<Completed>>;

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
