//! Work on several threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Calls a function with each item, on as many threads as there are items, and returns the results in the order of the
/// items. Where no thread can be started, as in browsers, the calling thread does all the work.
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = items.len();
    let waiting = Mutex::new(items.into_iter().enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_through = || {
        let mut done = Vec::new();
        while let Some((number, item)) = next() {
            done.push((number, work(item)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, work_through).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let mut done = work_through();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
