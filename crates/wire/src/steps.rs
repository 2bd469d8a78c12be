//! A counter of work. With it, tests can check that the work of a parser is linear in its input, without a clock.
//!
//! Only for the tests of meshlens: it requires the feature `steps` and `std`, and is not part of the public interface.
//! A step is one record or name read, one byte of text scanned, one element decoded, or one finding made.
//! `meshlens-lens` also counts here if its own feature `steps` is enabled.

use core::cell::Cell;

std::thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Adds `steps` to the counter of this thread.
pub fn count(steps: u64) {
    STEPS.set(STEPS.get().saturating_add(steps));
}

/// The number of steps this thread has taken so far.
pub fn taken() -> u64 {
    STEPS.get()
}
