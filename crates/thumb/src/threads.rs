//! Parallel work, for pictures and for the command. Not public API.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Calls a function with each item, on at most `threads` threads, and returns the results in the order of the items.
/// The calling thread works too. If no thread can be started, as in browsers, it does all the work.
pub fn map<T: Send, R: Send>(items: Vec<T>, threads: usize, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(items.len());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for threads in [0, 1, 3, 2000] {
            let squares = map((0u32..1000).collect(), threads, |item| item * item);
            assert!(squares.iter().copied().eq((0..1000).map(|item| item * item)), "{threads} threads");
        }
        assert!(map(Vec::new(), 4, |item: u32| item).is_empty());
    }
}
