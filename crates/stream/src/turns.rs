//! Who runs a scheduler: its own thread, or a thread that has just ended a task and would have to wake it. One at a time.
//!
//! Waking a thread and changing to it takes longer than deciding what an answer means, so the threads of workers decide
//! that themselves. Other threads, such as those of callers, wake the scheduler's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};

use crate::event::Event;
use crate::helping::{HERE, Turn};
use crate::scheduler::Scheduler;
use crate::sync::{AtomicBool, Mutex, Ordering, Receiver, lock, thread, try_lock};

/// A scheduler that is run in turns.
struct Turns {
    /// `None` once the streamer was dropped.
    state: Mutex<Option<State>>,
    /// Whether somebody wants a turn whom its present owner does not know.
    is_wanted: AtomicBool,
    /// Whether the streamer was dropped.
    is_closed: AtomicBool,
}

struct State {
    scheduler: Scheduler,
    events: Receiver<Event>,
    bell: Arc<Bell>,
    waker: Waker,
}

/// Rung by the first event after a turn.
struct Bell {
    turns: Weak<Turns>,
    thread: thread::Thread,
}

/// Runs a scheduler until its streamer is dropped. Called by its thread.
pub(crate) fn run(scheduler: Scheduler, events: Receiver<Event>) {
    let turns = Arc::new(Turns {
        state: Mutex::new(None),
        is_wanted: AtomicBool::new(false),
        is_closed: AtomicBool::new(false),
    });
    let bell = Arc::new(Bell { turns: Arc::downgrade(&turns), thread: thread::current() });
    let waker = Waker::from(bell.clone());
    *lock(&turns.state) = Some(State { scheduler, events, bell, waker });
    loop {
        turns.take();
        if turns.is_closed.load(Ordering::Acquire) {
            let ended = lock(&turns.state).take();
            // There is none after a panic.
            return ended.into_iter().for_each(|state| state.scheduler.shut_down());
        }
        // Returns at once if the bell rang in the meantime.
        thread::park();
    }
}

impl Turn for Turns {
    fn take(&self) {
        while !self.is_closed.load(Ordering::Acquire) {
            // Whoever has the state now looks at this afterwards.
            self.is_wanted.swap(true, Ordering::AcqRel);
            let Some(mut state) = try_lock(&self.state) else { return };
            self.is_wanted.swap(false, Ordering::AcqRel);
            let before = HERE.with(|here| here.running.replace(std::ptr::from_ref(self).addr()));
            let turn = AssertUnwindSafe(|| state.as_mut().is_none_or(State::turn));
            let goes_on = catch_unwind(turn);
            HERE.with(|here| here.running.set(before));
            if !matches!(goes_on, Ok(true)) {
                self.is_closed.store(true, Ordering::Release);
                let bell = state.as_ref().map(|state| state.bell.clone());
                // The drop of a scheduler ends all requests.
                let lost = if goes_on.is_err() { state.take() } else { None };
                drop(state);
                drop(lost);
                return bell.into_iter().for_each(|bell| bell.thread.unpark());
            }
            drop(state);
            if !self.is_wanted.swap(false, Ordering::AcqRel) {
                return;
            }
        }
    }
}

impl State {
    /// Returns false once the streamer was dropped.
    fn turn(&mut self) -> bool {
        while self.scheduler.turn(&mut self.events, &self.waker) {
            // A receiver that finds a sender at work rings itself, and nobody will do it later.
            if !HERE.with(|here| here.is_rung.take()) {
                return true;
            }
        }
        false
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let is_heard = HERE.with(|here| {
            if here.running.get() == self.turns.as_ptr().addr() {
                here.is_rung.set(true);
                return true;
            }
            here.is_helping.get()
                && here.owed.borrow().is_none()
                && here.owed.replace(self.turns.upgrade().map(|turns| turns as _)).is_none()
        });
        if !is_heard {
            self.thread.unpark();
        }
    }
}
