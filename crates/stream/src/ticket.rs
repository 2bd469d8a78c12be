//! The state of a request, which its handle shares with the streamer.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

use crate::slab::Key;
use crate::streamed;
use crate::sync::{
    Arc, AtomicBool, AtomicI32, AtomicU8, AtomicU64, Mutex, MutexGuard, Ordering, block_on, lock, try_lock,
};
use crate::{Error, Failed, Outcome, Part, Priority, Request};

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

/// A request, which its handle shares with the streamer.
pub(crate) struct Shared {
    pub(crate) id: RequestId,
    pub(crate) part: Part,
    state: AtomicU8,
    priority: AtomicI32,
    /// Whether the scheduler was notified of a new priority and has not read it yet.
    is_told: AtomicBool,
    /// Where the scheduler finds it; 0 before it has it.
    key: AtomicU64,
    /// Whether there was an outcome. Nobody else locks `end` afterwards.
    has_ended: AtomicBool,
    end: Mutex<End>,
}

struct End {
    /// Until the scheduler takes it.
    asked: Option<(Arc<streamed::Inner>, Request)>,
    /// Until the caller takes it.
    outcome: Option<Outcome>,
    waker: Option<Waker>,
}

impl Shared {
    pub(crate) fn state(&self) -> State {
        State::of(self.state.load(Ordering::SeqCst))
    }

    /// Changes to another state, unless the request has ended.
    pub(crate) fn advance(&self, to: State) -> bool {
        let advance = |code| (!State::of(code).is_final()).then_some(to as u8);
        self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, advance).is_ok()
    }

    /// Stores a priority. Returns the key if the scheduler must be notified.
    pub(crate) fn set_priority(&self, priority: Priority) -> Option<Key> {
        let is_new = self.priority.swap(priority.0, Ordering::SeqCst) != priority.0
            && !self.is_told.swap(true, Ordering::SeqCst)
            && !self.state().is_final();
        if is_new { self.key() } else { None }
    }

    /// The key by which the scheduler finds the request. `None` before it has it: it then looks at the priority and the state
    /// itself. An event with the request in it could be its last owner, and free what the caller has allocated.
    pub(crate) fn key(&self) -> Option<Key> {
        Some(self.key.load(Ordering::SeqCst)).filter(|key| *key != 0).map(Key::of_bits)
    }

    /// Sets the key. The priority and the state must be looked at afterwards.
    pub(crate) fn set_key(&self, key: Key) {
        self.key.store(key.to_bits(), Ordering::SeqCst);
    }

    /// The priority, which the scheduler reads after a notification. Later changes cause a new notification.
    pub(crate) fn take_priority(&self) -> Priority {
        // The order matters: a priority that is stored after it is read causes a new notification.
        self.is_told.store(false, Ordering::SeqCst);
        Priority(self.priority.load(Ordering::SeqCst))
    }
}

/// The streamer's end of a request. If it is dropped, the request ends.
pub(crate) struct Ticket(pub(crate) Arc<Shared>);

impl Ticket {
    /// Makes a request.
    pub(crate) fn new(
        id: RequestId,
        model: Arc<streamed::Inner>,
        request: Request,
        priority: Priority,
    ) -> Ticket {
        let part = request.part;
        let end = Mutex::new(End { asked: Some((model, request)), outcome: None, waker: None });
        Ticket(Arc::new(Shared {
            id,
            part,
            state: AtomicU8::new(State::Queued as u8),
            priority: AtomicI32::new(priority.0),
            is_told: AtomicBool::new(false),
            key: AtomicU64::new(0),
            has_ended: AtomicBool::new(false),
            end,
        }))
    }

    /// Takes what was asked for.
    pub(crate) fn take_asked(&self) -> Option<(Arc<streamed::Inner>, Request)> {
        lock(&self.0.end).asked.take()
    }

    /// Stores the outcome and wakes the task or thread that waits for it. The state must already be set.
    pub(crate) fn finish(&self, outcome: Outcome) {
        let mut end = lock(&self.0.end);
        let waker = end.waker.take();
        end.outcome = Some(outcome);
        self.0.has_ended.store(true, Ordering::Release);
        drop(end);
        // A panic of an executor must not end the streamer.
        let _ = catch_unwind(AssertUnwindSafe(|| waker.map(Waker::wake)));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.0.has_ended.load(Ordering::Acquire) {
            self.0.advance(State::Failed);
            self.finish(Err(Failed { error: Error::Closed, request: None }));
        }
    }
}

impl Shared {
    /// Takes the outcome. `None` if there is none, or if it was already taken. Never blocks.
    pub(crate) fn take(&self) -> Option<Outcome> {
        if self.has_ended.load(Ordering::Acquire) { try_lock(&self.end)?.outcome.take() } else { None }
    }

    /// Takes the outcome, or has the task of this context woken when there is one. `None` if it was already taken.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<Option<Outcome>> {
        match try_lock(&self.end) {
            Some(end) => self.poll_locked(end, context),
            None => {
                // The outcome is being stored.
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }

    /// Blocks until there is an outcome. `None` if it was already taken.
    pub(crate) fn wait(&self) -> Option<Outcome> {
        block_on(std::future::poll_fn(|context| self.poll_locked(lock(&self.end), context)))
    }

    fn poll_locked(&self, mut end: MutexGuard<'_, End>, context: &Context<'_>) -> Poll<Option<Outcome>> {
        if self.has_ended.load(Ordering::Acquire) {
            return Poll::Ready(end.outcome.take());
        }
        end.waker = Some(context.waker().clone());
        Poll::Pending
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
