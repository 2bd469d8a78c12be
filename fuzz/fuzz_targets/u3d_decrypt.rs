//! Decryption of Ultimate 3D models.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| meshlens_testkit::check::u3d_decrypt(bytes));
