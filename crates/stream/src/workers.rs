//! Threads that run the most urgent task first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Priority;
use crate::sync::thread::JoinHandle;
use crate::sync::{Arc, Condvar, Mutex, lock, spawn};

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
    /// Starts `count` threads, at least one.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub(crate) fn new(name: &str, count: usize) -> io::Result<Self> {
        let shared = Arc::new(Shared { tasks: Mutex::default(), changed: Condvar::new() });
        // Dropping the pool ends the other threads if one cannot be started.
        let workers = Workers { shared, threads: Mutex::default() };
        for _ in 0..count.max(1) {
            let shared = workers.shared.clone();
            let thread = spawn(name, move || shared.run())?;
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
        drop(tasks);
        self.shared.changed.notify_one();
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
        for thread in threads {
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
                return Some(task);
            }
            tasks = self.changed.wait(tasks).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.end();
    }
}
