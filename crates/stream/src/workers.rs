//! Threads that pass the most urgent task to a function first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::slab::{Key, Slab};
use crate::sync::thread::JoinHandle;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, lock, spawn, thread};
use crate::{Priority, helping};

/// The largest number of short tasks, such as reads of files in memory, after which a thread tells the scheduler about all of them.
/// Schedules that are replayed have no times.
const MOST_AT_ONCE: u32 = if cfg!(shuttle) { 1 } else { 4 };
/// They end within this time.
const SOON: Duration = Duration::from_micros(50);
/// A task is brief if it ends within this time, such as a read of a file in memory: it waits for nothing but a processor.
const BRIEF: Duration = Duration::from_micros(30);
/// Tasks are expected to be brief after this many rounds of brief ones. A long one counts twice.
const EXPECTED: u32 = 4;
/// If tasks wait and none was taken for this time, the threads that have tasks wait for something else than a processor.
const STUCK: Duration = Duration::from_millis(1);

/// A task that is a function.
pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// A pool of threads. They end when the pool is dropped, which does not wait for them; tasks that have not started are
/// dropped.
pub(crate) struct Workers<T> {
    shared: Arc<Shared<T>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared<T> {
    tasks: Mutex<Tasks<T>>,
    /// A task was added, or the pool was dropped.
    changed: Condvar,
}

struct Tasks<T> {
    waiting: BinaryHeap<Task>,
    values: Slab<T>,
    added: u64,
    taken: u64,
    is_closed: bool,
    /// The number of threads that have brief tasks at one time: more would only take processors from each other.
    processors: usize,
    /// The number of threads that have tasks.
    running: usize,
    /// How often tasks were brief lately.
    brief: u32,
    /// The number of threads whose tasks turned out to wait for something else than a processor.
    stuck: usize,
    /// Whether an idle thread looks after a while whether tasks are taken.
    is_watched: bool,
    /// The number of threads that wait for a task.
    idle: usize,
    /// Whether one of them was notified and has not looked yet. It notifies the next one, so that threads wake one after the
    /// other, and only as many as find tasks.
    is_waking: bool,
}

/// The tasks that no thread has, for a thread that takes several.
pub(crate) struct Waiting<'w, T>(&'w Shared<T>);

impl<T> Waiting<'_, T> {
    /// Takes the most urgent task, if it is wanted.
    pub(crate) fn take_if(&self, is_wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        let mut tasks = lock(&self.0.tasks);
        let first = tasks.waiting.peek()?.value;
        if !is_wanted(tasks.values.get(first)?) {
            return None;
        }
        tasks.taken += 1;
        tasks.waiting.pop();
        tasks.values.remove(first)
    }
}

/// A queue moves its tasks, but not their values.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    priority: Priority,
    /// No two tasks have the same one.
    number: Reverse<u64>,
    value: Key,
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `count` threads, at least one, which pass tasks to `run`, with those that wait. They [take turns](crate::turns) to run schedulers, if their
    /// tasks end soon after they have sent an event.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub(crate) fn new(
        name: &str,
        count: usize,
        takes_turns: bool,
        run: impl Fn(T, &Waiting<'_, T>) + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let tasks = Tasks {
            waiting: BinaryHeap::new(),
            values: Slab::new(),
            added: 0,
            taken: 0,
            is_closed: false,
            processors: std::thread::available_parallelism().map_or(usize::MAX, NonZero::get),
            running: 0,
            brief: 0,
            stuck: 0,
            is_watched: false,
            idle: 0,
            is_waking: false,
        };
        let shared = Arc::new(Shared { tasks: Mutex::new(tasks), changed: Condvar::new() });
        // Dropping the pool ends the other threads if one cannot be started.
        let workers = Workers { shared, threads: Mutex::default() };
        for _ in 0..count.max(1) {
            let (shared, run) = (workers.shared.clone(), run.clone());
            let thread = spawn(name, move || {
                helping::become_worker(&*shared, takes_turns);
                shared.run(run);
            })?;
            lock(&workers.threads).push(thread);
        }
        Ok(workers)
    }

    /// Adds a task. Among tasks of the same priority, the one that was added first runs first. A panic in a task does
    /// not affect others. If the threads have ended, the task is dropped.
    pub(crate) fn add(&self, priority: Priority, value: T) {
        let mut tasks = lock(&self.shared.tasks);
        if tasks.is_closed {
            // Outside the lock, because the drop of a task can run arbitrary code.
            drop(tasks);
            return drop(value);
        }
        let number = Reverse(tasks.added);
        tasks.added += 1;
        let value = tasks.values.insert(value);
        tasks.waiting.push(Task { priority, number, value });
        // A worker that takes a turn looks for a task itself after it.
        let own = usize::from(helping::is_turn_of(&*self.shared));
        self.shared.wake_next(tasks, own);
    }

    /// Ends the threads and waits for them: for the tasks that are running. Must not be called by a task.
    pub(crate) fn close(&self) {
        self.shared.end();
        let threads = std::mem::take(&mut *lock(&self.threads));
        // A thread that runs a scheduler may drop the last owner of a backend that closes itself. Threads of callers are not asked
        // for their number: the standard library would keep it for them until the program ends.
        let own = helping::is_worker_of(&*self.shared).then(|| thread::current().id());
        for thread in threads.into_iter().filter(|other| Some(other.thread().id()) != own) {
            // A task that panics does not end its thread.
            let _ = thread.join();
        }
    }
}

impl<T> Shared<T> {
    /// Ends the threads. Tasks that have not started are dropped.
    fn end(&self) {
        let mut tasks = lock(&self.tasks);
        tasks.is_closed = true;
        tasks.waiting.clear();
        let waiting = std::mem::take(&mut tasks.values);
        drop(tasks);
        // Outside the lock, because the drop of a task can run arbitrary code.
        drop(waiting);
        self.changed.notify_all();
    }

    fn run(&self, run: impl Fn(T, &Waiting<'_, T>)) {
        let mut round = None;
        while let Some(mut task) = self.next(round) {
            let begun = Instant::now();
            for count in 1..=MOST_AT_ONCE {
                // Other threads detect the panic when the values of the task are dropped.
                let _ = catch_unwind(AssertUnwindSafe(|| run(task, &Waiting(self))));
                let time = begun.elapsed();
                round = Some((count, time, begun));
                if count == MOST_AT_ONCE || time >= SOON {
                    break;
                }
                let Some(next) = Waiting(self).take_if(|_| true) else { break };
                task = next;
            }
            helping::after_task();
        }
    }

    /// Blocks until there is a task; `None` once the pool is dropped. `round` has the number of tasks that this thread has ended, the
    /// time that they took, and when the first one began.
    fn next(&self, round: Option<(u32, Duration, Instant)>) -> Option<T> {
        let mut tasks = lock(&self.tasks);
        if let Some((count, time, begun)) = round {
            tasks.running -= 1;
            // It may have run a scheduler after its tasks.
            let is_late = begun.elapsed() >= STUCK;
            tasks.stuck = tasks.stuck.saturating_sub(usize::from(is_late)).min(tasks.running);
            tasks.brief = if time < BRIEF * count { tasks.brief + 1 } else { tasks.brief.saturating_sub(2) };
            tasks.brief = tasks.brief.min(2 * EXPECTED);
        }
        loop {
            if tasks.is_closed {
                return None;
            }
            if self.takes_another(&tasks)
                && let Some(task) = tasks.waiting.pop()
                && let Some(value) = tasks.values.remove(task.value)
            {
                tasks.running += 1;
                tasks.taken += 1;
                self.wake_next(tasks, 0);
                return Some(value);
            }
            tasks.idle += 1;
            tasks = if tasks.waiting.is_empty() || tasks.is_watched {
                self.changed.wait(tasks).unwrap_or_else(|poisoned| poisoned.into_inner())
            } else {
                self.watch(tasks)
            };
            tasks.idle -= 1;
            tasks.is_waking = false;
        }
    }

    /// Waits for a change, or until it is clear that no thread takes the tasks that wait.
    fn watch<'t>(&'t self, mut tasks: MutexGuard<'t, Tasks<T>>) -> MutexGuard<'t, Tasks<T>> {
        tasks.is_watched = true;
        let before = tasks.taken;
        let waited = self.changed.wait_timeout(tasks, STUCK);
        let (mut tasks, timeout) = waited.unwrap_or_else(|poisoned| poisoned.into_inner());
        tasks.is_watched = false;
        if timeout.timed_out() && tasks.taken == before && !tasks.waiting.is_empty() {
            tasks.stuck += 1;
        }
        tasks
    }

    /// Whether another thread should have a task.
    fn takes_another(&self, tasks: &Tasks<T>) -> bool {
        // Schedules that are replayed have no times.
        cfg!(shuttle)
            || tasks.brief < EXPECTED
            || tasks.running < tasks.processors.saturating_add(tasks.stuck)
    }

    /// Wakes a thread if there is a task for it, beside this number of tasks that others take.
    fn wake_next(&self, mut tasks: MutexGuard<'_, Tasks<T>>, others: usize) {
        let is_wanted = !tasks.is_watched || self.takes_another(&tasks);
        let wakes = tasks.waiting.len() > others && tasks.idle > 0 && !tasks.is_waking && is_wanted;
        tasks.is_waking |= wakes;
        drop(tasks);
        if wakes {
            self.changed.notify_one();
        }
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        self.shared.end();
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::sync::{Barrier, mpsc};

    use super::*;

    #[test]
    fn as_many_tasks_run_at_once_as_there_are_threads() {
        for takes_turns in [false, true] {
            let workers =
                Workers::new("test", 4, takes_turns, |work: Work, _: &Waiting<'_, Work>| work()).unwrap();
            for _ in 0..100 {
                // Every task waits for all others.
                let barrier = Arc::new(Barrier::new(5));
                for _ in 0..4 {
                    let barrier = barrier.clone();
                    let wait = move || {
                        barrier.wait();
                    };
                    workers.add(Priority::NORMAL, Box::new(wait));
                }
                barrier.wait();
            }
            workers.close();
        }
    }

    #[test]
    fn brief_tasks_get_as_many_threads_as_processors_unless_one_waits() {
        let workers = Workers::new("test", 3, false, |work: Work, _: &Waiting<'_, Work>| work()).unwrap();
        {
            let mut tasks = lock(&workers.shared.tasks);
            (tasks.processors, tasks.brief) = (1, 2 * EXPECTED);
        }
        let (began, begun) = mpsc::channel();
        let mut ends = Vec::new();
        for _ in 0..3 {
            let (end, ended) = mpsc::channel::<()>();
            let began = began.clone();
            let work = move || {
                began.send(()).unwrap();
                let _ = ended.recv();
            };
            workers.add(Priority::NORMAL, Box::new(work));
            // The first task has the only processor. The others begin because it does not end.
            begun.recv().unwrap();
            ends.push(end);
        }
        let tasks = lock(&workers.shared.tasks);
        assert_eq!((tasks.running, tasks.stuck), (3, 2));
        drop(tasks);
        drop(ends);
        workers.close();
        let tasks = lock(&workers.shared.tasks);
        assert_eq!((tasks.running, tasks.stuck), (0, 0));
    }
}
