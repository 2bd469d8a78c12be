//! Every getter, lens, validator, dump and rewrite of a UNIGINE mesh, welded, animated and skinned.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::unigine_mesh(bytes));
