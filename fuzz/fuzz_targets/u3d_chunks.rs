//! The chunk walker.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::chunks(bytes));
