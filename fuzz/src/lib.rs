//! Code shared by the fuzz targets. Each target is one line: a checker of `meshlens-testkit`, with limits for memory
//! and work.

use meshlens_mutate::{Kind, Mutator};
use meshlens_testkit::meter::{self, Heap};
use meshlens_testkit::targets;

/// Makes the checkers count heap memory.
pub fn install_meter() {
    meter::install(|run| {
        let found = allocation_counter::measure(run);
        Heap { peak_bytes: found.bytes_max, allocations: found.count_total }
    });
}

/// Calls the checker of the target with this name.
pub fn check(name: &str, bytes: &[u8]) {
    let target = targets::find(name).unwrap_or_else(|| panic!("{name} is not in testkit's list of targets"));
    (target.check)(bytes);
}

/// The mutator of a kind of files; of any kind for `None`.
fn mutator(kind: Option<Kind>) -> Mutator {
    kind.map_or(Mutator::detecting(), Mutator::new)
}

/// Changes an input by the structure of its format, or one of four times as libFuzzer does. Returns its new length.
pub fn mutate(kind: Option<Kind>, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    if seed % 4 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let file = mutator(kind).mutate(&data[..size], max_size, seed.into());
    data[..file.len()].copy_from_slice(&file);
    file.len()
}

/// Puts a part of one input into another. Returns the length of the result.
pub fn cross_over(kind: Option<Kind>, first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let file = mutator(kind).cross_over(first, second, out.len(), seed.into());
    out[..file.len()].copy_from_slice(&file);
    file.len()
}

/// Defines the fuzz target with this name in the list of `meshlens-testkit`. For a target whose input is a model, the second
/// argument is its kind.
#[macro_export]
macro_rules! target {
    ($name:ident, $kind:expr) => {
        $crate::target!($name);
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate($kind, data, size, max_size, seed)
        });
        libfuzzer_sys::fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
            $crate::cross_over($kind, first, second, out, seed)
        });
    };
    ($name:ident) => {
        libfuzzer_sys::fuzz_target!(init: $crate::install_meter(), |bytes: &[u8]| {
            $crate::check(stringify!($name), bytes)
        });
    };
}
