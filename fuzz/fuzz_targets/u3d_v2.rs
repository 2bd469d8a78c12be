//! Every getter, lens, pose, validator, dump and rewrite of an Ultimate 3D model of version 2.0.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::u3d(bytes));
