//! Limits on the cost of a call: memory and work in proportion to the input, measured by counters and not by a clock.
//!
//! Memory is counted in programs that install a [`Meter`] (tests and fuzz targets install
//! `allocation_counter::measure`). Work is counted with the feature `steps`.

use std::sync::OnceLock;

/// The heap memory that one call used on its own thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// The largest number of bytes that were allocated at one time.
    pub peak_bytes: u64,
    /// The number of allocations.
    pub allocations: u64,
}

/// Runs the closure once and returns the heap memory that it used.
pub type Meter = fn(&mut dyn FnMut()) -> Heap;

static METER: OnceLock<Meter> = OnceLock::new();

/// Installs a meter: after this call, [`bounded`] checks the memory of every call.
pub fn install(meter: Meter) {
    METER.get_or_init(|| meter);
}

/// Whether memory is counted.
pub fn is_installed() -> bool {
    METER.get().is_some()
}

/// The memory that any call may use, whatever the size of its input, in bytes.
pub const MEMORY_BASE: u64 = 64 << 10;
/// The memory that a call may use for each byte of its input, in bytes.
pub const MEMORY_PER_BYTE: u64 = 4;
/// The number of steps and allocations that any call may take, whatever the size of its input.
pub const STEPS_BASE: u64 = 16 << 10;
/// The number of steps and allocations that a call may take for each byte of its input. Tables of a hostile file may
/// share bytes up to 16 times, and a validator reads an element a few times.
pub const STEPS_PER_BYTE: u64 = 64;

/// Calls `run` once, and asserts that its memory and its work are in proportion to `input_len` bytes.
pub fn bounded<T>(input_len: usize, what: &str, run: impl FnOnce() -> T) -> T {
    bounded_by(MEMORY_PER_BYTE, input_len, what, run)
}

/// Like [`bounded`], with `memory_per_byte` bytes of memory for each byte of input.
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

/// Calls `run` once, and asserts that it never holds more than `bytes`, a product of counts.
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

/// The number of steps that this thread has taken; 0 without the feature `steps`.
fn steps_taken() -> u64 {
    #[cfg(feature = "steps")]
    return meshlens_wire::steps::taken();
    #[cfg(not(feature = "steps"))]
    return 0;
}
