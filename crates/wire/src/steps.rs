//! A counter of work. With it, tests can check that the work of a parser is linear in its input, without a clock.
//!
//! Only for the tests of meshlens, and not part of the public interface: it counts in debug builds with the feature `std`,
//! and is empty in all others. A step is one record or name read, one byte of text scanned, one element decoded, or one
//! finding made.

#[cfg(all(feature = "std", debug_assertions))]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Adds `steps` to the counter of this thread.
#[inline]
pub fn count(steps: u64) {
    #[cfg(all(feature = "std", debug_assertions))]
    STEPS.set(STEPS.get().saturating_add(steps));
    #[cfg(not(all(feature = "std", debug_assertions)))]
    let _ = steps;
}

/// The number of steps this thread has taken so far; 0 if they are not counted.
pub fn taken() -> u64 {
    #[cfg(all(feature = "std", debug_assertions))]
    return STEPS.get();
    #[cfg(not(all(feature = "std", debug_assertions)))]
    return 0;
}
