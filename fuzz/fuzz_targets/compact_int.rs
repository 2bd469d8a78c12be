//! A compact integer, read, written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::compact_int(bytes));
