//! What a call may cost: memory and work in proportion to the input, by counters and not by a clock.
//!
//! Memory is counted where a program has installed a [`Meter`] (tests and fuzz targets install
//! `allocation_counter::measure`), work where the feature `steps` is on.

use std::sync::OnceLock;

/// The heap that one call used, on its own thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// The most bytes that were allocated at one time.
    pub peak_bytes: u64,
    /// How many allocations were made.
    pub allocations: u64,
}

/// Runs the closure once and says what heap it used.
pub type Meter = fn(&mut dyn FnMut()) -> Heap;

static METER: OnceLock<Meter> = OnceLock::new();

/// From now on, [`bounded`] holds every call to its memory.
pub fn install(meter: Meter) {
    METER.get_or_init(|| meter);
}

/// Whether memory is counted.
pub fn is_installed() -> bool {
    METER.get().is_some()
}

/// The memory any call may use, whatever the size of its input.
pub const MEMORY_BASE: u64 = 64 << 10;
/// The memory a call may use for each byte of its input.
pub const MEMORY_PER_BYTE: u64 = 4;
/// The steps and allocations any call may take, whatever the size of its input.
pub const STEPS_BASE: u64 = 16 << 10;
/// The steps and allocations a call may take for each byte of its input. Tables of a hostile file may share bytes
/// up to 16 times over, and a validator looks at an element a few times.
pub const STEPS_PER_BYTE: u64 = 64;

/// Calls `run` once, and asserts that neither its memory nor its work is out of proportion to `input_len` bytes.
pub fn bounded<T>(input_len: usize, what: &str, run: impl FnOnce() -> T) -> T {
    bounded_by(MEMORY_PER_BYTE, input_len, what, run)
}

/// As [`bounded`], with so many bytes of memory for each byte of input.
pub fn bounded_by<T>(memory_per_byte: u64, input_len: usize, what: &str, run: impl FnOnce() -> T) -> T {
    let (mut run, mut result) = (Some(run), None);
    let mut once = || {
        if let Some(run) = run.take() {
            result = Some(run());
        }
    };
    let before = steps_taken();
    let heap = match METER.get() {
        Some(meter) => meter(&mut once),
        None => {
            once();
            Heap::default()
        }
    };
    let steps = steps_taken() - before + heap.allocations;
    let input = input_len as u64;
    let memory = MEMORY_BASE + memory_per_byte * input;
    assert!(heap.peak_bytes <= memory, "{what}: {heap:?} for {input_len} bytes, {memory} allowed");
    let work = STEPS_BASE + STEPS_PER_BYTE * input;
    assert!(steps <= work, "{what}: {steps} steps and allocations for {input_len} bytes, {work} allowed");
    result.expect("a meter runs what it measures")
}

/// Calls `run` once, and asserts that it never holds more than `bytes`, which are its product of counts.
pub fn within<T>(bytes: usize, what: &str, run: impl FnOnce() -> T) -> T {
    let (mut run, mut result) = (Some(run), None);
    let mut once = || {
        if let Some(run) = run.take() {
            result = Some(run());
        }
    };
    let heap = METER.get().map_or_else(Heap::default, |meter| meter(&mut once));
    once();
    assert!(heap.peak_bytes <= bytes as u64, "{what}: {heap:?}, {bytes} reserved");
    result.expect("a meter runs what it measures")
}

/// The number of steps this thread has taken; 0 without the feature `steps`.
fn steps_taken() -> u64 {
    #[cfg(feature = "steps")]
    return meshlens_wire::steps::taken();
    #[cfg(not(feature = "steps"))]
    return 0;
}

#[cfg(all(test, feature = "steps"))]
mod tests {
    use meshlens_wire::steps;

    use super::*;

    #[test]
    #[should_panic(expected = "of no end: 16449 steps")]
    fn work_out_of_proportion_is_found() {
        bounded(1, "of no end", || steps::count(STEPS_BASE + STEPS_PER_BYTE + 1));
    }

    #[test]
    fn work_in_proportion_is_fine() {
        assert_eq!(bounded(1, "fine", || steps::count(STEPS_BASE + STEPS_PER_BYTE)), ());
    }
}
