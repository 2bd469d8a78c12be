//! The parser and writer of animation.cfg.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::animation_config(bytes));
