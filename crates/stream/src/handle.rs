//! Handles of requests.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::event::Event;
use crate::sync::{Arc, Sender};
use crate::ticket::Shared;
use crate::{Error, Failed, Outcome, Part, Priority, RequestId, State};

/// A handle to a request. It returns the state, changes the priority, and cancels the request. Only
/// [`wait`](Self::wait) blocks.
///
/// It is a [`Future`] for any executor, but none is needed: [`Streamer::poll_completed`] lists the requests that have
/// ended, and [`take`](Self::take) takes the loaded part.
///
/// Dropping a handle cancels its request, unless [`detach`](Self::detach) was called.
///
/// [`Streamer::poll_completed`]: crate::Streamer::poll_completed
#[must_use = "dropping a handle cancels its request"]
pub struct Handle {
    pub(crate) shared: Arc<Shared>,
    pub(crate) events: Sender<Event>,
    is_detached: bool,
}

impl Handle {
    pub(crate) const fn new(shared: Arc<Shared>, events: Sender<Event>) -> Self {
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

    /// Changes the priority of the request. Has no effect if it is the same, or if the request has ended.
    /// [`Streamer::set_priorities`] changes the priorities of many requests at once.
    ///
    /// [`Streamer::set_priorities`]: crate::Streamer::set_priorities
    pub fn set_priority(&self, priority: Priority) {
        if let Some(key) = self.shared.set_priority(priority) {
            self.events.send(Event::Priority(key));
        }
    }

    /// Cancels the request, unless it has ended. The state is [`State::Cancelled`] at once. The outcome is available
    /// when the given buffers are no longer in use, and it returns them. Bytes that no other request needs are not
    /// read, or are dropped.
    pub fn cancel(&self) {
        if self.shared.advance(State::Cancelled)
            && let Some(key) = self.shared.key()
        {
            self.events.send(Event::Cancel(key));
        }
    }

    /// Takes the outcome. `None` if the request has not ended, or if the outcome was already taken.
    pub fn take(&self) -> Option<Outcome> {
        self.shared.take()
    }

    /// Blocks until the request has ended, and returns the outcome. It is meant for tools and tests; an engine polls or
    /// awaits.
    ///
    /// # Errors
    ///
    /// The request failed; [`Error::Taken`] if the outcome was already taken.
    pub fn wait(self) -> Outcome {
        let taken = || Failed { error: Error::Taken, request: None };
        self.shared.wait().unwrap_or_else(|| Err(taken()))
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
        match self.shared.poll(context) {
            Poll::Ready(Some(outcome)) => Poll::Ready(outcome),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.is_detached {
            self.cancel();
        }
    }
}

debug_fields!(self, Handle { id: self.shared.id, part: self.shared.part, state: self.state() });
