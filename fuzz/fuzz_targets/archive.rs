//! Archives: listing, finding and reading every entry.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::archive(bytes));
