//! Rounds of work that are repeated on the same threads.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Builder};

/// Threads that repeat a round of work. Starting a thread takes longer than a short round.
pub(crate) struct Team<'t> {
    workers: &'t [(Sender<()>, Receiver<()>)],
}

impl Team<'_> {
    /// Runs one round on every thread and waits for its end.
    pub(crate) fn round(&self) {
        for (start, _) in self.workers {
            // A thread that panicked is reported when the team ends.
            let _ = start.send(());
        }
        for (_, end) in self.workers {
            let _ = end.recv();
        }
    }
}

/// Starts `jobs` threads and calls `lead` with them. In each round, each thread calls `work` with its own number.
///
/// # Errors
///
/// An error of the system if it cannot start a thread.
pub(crate) fn team<R>(
    jobs: usize,
    work: &(dyn Fn(usize) + Sync),
    lead: impl FnOnce(&Team<'_>) -> R,
) -> io::Result<R> {
    thread::scope(|scope| {
        let mut workers = Vec::with_capacity(jobs);
        for worker in 0..jobs {
            let ((start, started), (end, ended)) = (channel(), channel());
            let rounds = move || {
                while started.recv().is_ok() {
                    work(worker);
                    let _ = end.send(());
                }
            };
            Builder::new().spawn_scoped(scope, rounds)?;
            workers.push((start, ended));
        }
        Ok(lead(&Team { workers: &workers }))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_thread_of_a_team_works_once_in_each_round() {
        let calls: Vec<AtomicUsize> = (0..3).map(|_| AtomicUsize::new(0)).collect();
        let work = |worker: usize| {
            calls[worker].fetch_add(1, Ordering::Relaxed);
        };
        let counts = || calls.iter().map(|calls| calls.load(Ordering::Relaxed)).collect::<Vec<_>>();
        team(3, &work, |team| {
            team.round();
            assert_eq!(counts(), [1, 1, 1]);
            team.round();
            assert_eq!(counts(), [2, 2, 2]);
        })
        .unwrap();
    }
}
