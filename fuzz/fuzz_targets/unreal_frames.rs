//! Every getter, validator and dump of an Unreal frames file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::unreal_frames(bytes));
