//! Every getter, player, validator, dump and rewrite of a UNIGINE animation.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::unigine_anim(bytes));
