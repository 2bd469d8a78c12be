//! Every getter, lens, validator, dump and rewrite of an MD3 model.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::md3(bytes));
