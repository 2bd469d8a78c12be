//! The parser and writer of .skin files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::skin(bytes));
