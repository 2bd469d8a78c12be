//! What a thread does for schedulers, beside its tasks: whether it runs one now, and which one it runs after its task.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::sync::{Sender, thread_local};

/// A scheduler that is run in turns.
pub(crate) trait Turn {
    /// Handles all events, unless another thread does that.
    fn take(&self);
}

/// What a thread does for schedulers.
#[derive(Default)]
pub(crate) struct Here {
    /// The address of the scheduler that it runs now.
    pub(crate) running: Cell<usize>,
    /// Whether a bell of that scheduler rang on this thread.
    pub(crate) is_rung: Cell<bool>,
    /// The address of the workers that it belongs to.
    workers: Cell<usize>,
    /// Whether they take turns.
    takes_turns: Cell<bool>,
    /// Whether it takes a turn soon, instead of ringing a bell now.
    pub(crate) is_helping: Cell<bool>,
    /// The scheduler that it runs after its task.
    pub(crate) owed: RefCell<Option<Arc<dyn Turn>>>,
}

thread_local!(pub(crate) static HERE: Here = Here::default());

/// Makes this thread one of these workers. If it takes turns, it calls [`after_task`], and then looks for the next task.
pub(crate) fn become_worker<W>(workers: &W, takes_turns: bool) {
    HERE.with(|here| {
        here.workers.set(std::ptr::from_ref(workers).addr());
        here.takes_turns.set(takes_turns);
    });
}

/// Whether this thread is one of these workers.
pub(crate) fn is_worker_of<W>(workers: &W) -> bool {
    HERE.with(|here| here.workers.get() == std::ptr::from_ref(workers).addr())
}

/// Whether this thread is one of these workers, and takes a turn.
pub(crate) fn is_turn_of<W>(workers: &W) -> bool {
    is_scheduling() && is_worker_of(workers)
}

/// Sends the last event of a task. A worker then runs the scheduler after its task, if nobody else does that.
pub(crate) fn send_last<E>(events: &Sender<E>, event: E) {
    HERE.with(|here| here.is_helping.set(here.takes_turns.get()));
    events.send(event);
    HERE.with(|here| here.is_helping.set(false));
}

/// Takes the turn that this thread owes.
pub(crate) fn after_task() {
    if let Some(turns) = HERE.with(|here| here.owed.take()) {
        turns.take();
    }
}

/// Whether this thread runs a scheduler.
pub(crate) fn is_scheduling() -> bool {
    HERE.with(|here| here.running.get() != 0)
}
