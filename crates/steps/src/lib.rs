//! A counter of work, so that tests can hold a parser to work linear in its input without looking at a clock.
//!
//! `meshlens-wire` and `meshlens-lens` count with it when their feature `steps` is on, and do not know it when it is
//! off, as it is by default. A step is one record or name read, one byte of text scanned, one element decoded, or one
//! finding made.
//!
//! ```
//! let before = meshlens_steps::taken();
//! meshlens_steps::count(3);
//! assert_eq!(meshlens_steps::taken() - before, 3);
//! ```
#![forbid(unsafe_code)]

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Adds `steps` to those of this thread.
pub fn count(steps: u64) {
    STEPS.set(STEPS.get().saturating_add(steps));
}

/// The steps this thread has taken so far.
pub fn taken() -> u64 {
    STEPS.get()
}
