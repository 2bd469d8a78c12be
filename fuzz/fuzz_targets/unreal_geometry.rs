//! Every getter, lens, validator and dump of an Unreal geometry file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::unreal_geometry(bytes));
