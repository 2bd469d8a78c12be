//! The parser and validator of .uc scripts.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::uc_script(bytes));
