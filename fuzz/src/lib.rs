//! Code shared by the fuzz targets. Each target is one line: a checker of `meshlens-testkit`, with limits for memory
//! and work.

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

/// Defines the fuzz target with this name in the list of `meshlens-testkit`.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        libfuzzer_sys::fuzz_target!(init: $crate::install_meter(), |bytes: &[u8]| {
            $crate::check(stringify!($name), bytes)
        });
    };
}
