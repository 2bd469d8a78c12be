//! What the targets share: each is one line, a checker of `meshlens-testkit` with its memory and work counted.

use meshlens_testkit::meter::{self, Heap};

/// From now on, the checkers count the heap.
pub fn install_meter() {
    meter::install(|run| {
        let found = allocation_counter::measure(run);
        Heap { peak_bytes: found.bytes_max, allocations: found.count_total }
    });
}

/// The fuzz target over the checker of this name.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        libfuzzer_sys::fuzz_target!(init: $crate::install_meter(), |bytes: &[u8]| {
            meshlens_testkit::check::$name(bytes)
        });
    };
}
