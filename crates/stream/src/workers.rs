//! Threads that run the most urgent task first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::sync::thread::JoinHandle;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, lock, spawn, thread};
use crate::{Priority, helping};

/// A pool of threads. They end when the pool is dropped, which does not wait for them; tasks that have not started are
/// dropped.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    tasks: Mutex<Tasks>,
    /// A task was added, or the pool was dropped.
    changed: Condvar,
}

#[derive(Default)]
struct Tasks {
    waiting: BinaryHeap<Task>,
    added: u64,
    is_closed: bool,
    /// The number of threads that wait for a task.
    idle: usize,
    /// Whether one of them was notified and has not looked yet. It notifies the next one, so that threads wake one after the
    /// other, and only as many as find tasks.
    is_waking: bool,
}

struct Task {
    priority: Priority,
    number: u64,
    run: Box<dyn FnOnce() + Send>,
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Task {}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Task {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.cmp(&other.priority).then(other.number.cmp(&self.number))
    }
}

impl Workers {
    /// Starts `count` threads, at least one. They [take turns](crate::turns) to run schedulers, if their tasks end soon after they
    /// have sent an event.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub(crate) fn new(name: &str, count: usize, takes_turns: bool) -> io::Result<Self> {
        let shared = Arc::new(Shared { tasks: Mutex::default(), changed: Condvar::new() });
        // Dropping the pool ends the other threads if one cannot be started.
        let workers = Workers { shared, threads: Mutex::default() };
        for _ in 0..count.max(1) {
            let shared = workers.shared.clone();
            let thread = spawn(name, move || {
                if takes_turns {
                    helping::become_worker(&*shared);
                }
                shared.run();
            })?;
            lock(&workers.threads).push(thread);
        }
        Ok(workers)
    }

    /// Adds a task. Among tasks of the same priority, the one that was added first runs first. A panic in a task does
    /// not affect others. If the threads have ended, the task is dropped.
    pub(crate) fn add(&self, priority: Priority, run: impl FnOnce() + Send + 'static) {
        let mut tasks = lock(&self.shared.tasks);
        if tasks.is_closed {
            // Outside the lock, because the drop of a task can run arbitrary code.
            drop(tasks);
            return drop(run);
        }
        let number = tasks.added;
        tasks.added += 1;
        tasks.waiting.push(Task { priority, number, run: Box::new(run) });
        // A worker that takes a turn looks for a task itself after it.
        let own = usize::from(helping::is_turn_of(&*self.shared));
        self.shared.wake_next(tasks, own);
    }

    /// Ends the threads. Tasks that have not started are dropped.
    fn end(&self) {
        let mut tasks = lock(&self.shared.tasks);
        tasks.is_closed = true;
        let waiting = std::mem::take(&mut tasks.waiting);
        drop(tasks);
        // Outside the lock, because the drop of a task can run arbitrary code.
        drop(waiting);
        self.shared.changed.notify_all();
    }

    /// Ends the threads and waits for them: for the tasks that are running. Must not be called by a task.
    pub(crate) fn close(&self) {
        self.end();
        let threads = std::mem::take(&mut *lock(&self.threads));
        // A thread that runs a scheduler may drop the last owner of a backend that closes itself.
        for thread in threads.into_iter().filter(|other| other.thread().id() != thread::current().id()) {
            // A task that panics does not end its thread.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn run(&self) {
        while let Some(task) = self.next() {
            // Other threads detect the panic when the values of the task are dropped.
            let _ = catch_unwind(AssertUnwindSafe(task.run));
            helping::after_task();
        }
    }

    /// Blocks until there is a task; `None` once the pool is dropped.
    fn next(&self) -> Option<Task> {
        let mut tasks = lock(&self.tasks);
        loop {
            if tasks.is_closed {
                return None;
            }
            if let Some(task) = tasks.waiting.pop() {
                self.wake_next(tasks, 0);
                return Some(task);
            }
            tasks.idle += 1;
            tasks = self.changed.wait(tasks).unwrap_or_else(|poisoned| poisoned.into_inner());
            tasks.idle -= 1;
            tasks.is_waking = false;
        }
    }

    /// Wakes a thread if there is a task for it, beside this number of tasks that others take.
    fn wake_next(&self, mut tasks: MutexGuard<'_, Tasks>, others: usize) {
        let wakes = tasks.waiting.len() > others && tasks.idle > 0 && !tasks.is_waking;
        tasks.is_waking |= wakes;
        drop(tasks);
        if wakes {
            self.changed.notify_one();
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn as_many_tasks_run_at_once_as_there_are_threads() {
        for takes_turns in [false, true] {
            let workers = Workers::new("test", 4, takes_turns).unwrap();
            for _ in 0..100 {
                // Every task waits for all others.
                let barrier = Arc::new(Barrier::new(5));
                for _ in 0..4 {
                    let barrier = barrier.clone();
                    workers.add(Priority::NORMAL, move || {
                        barrier.wait();
                    });
                }
                barrier.wait();
            }
            workers.close();
        }
    }
}
