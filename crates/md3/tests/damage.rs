//! Damaged files: every corpus file at every prefix, and with every byte changed.

use meshlens_testkit::{check, corpus, mutate};

#[test]
fn every_prefix_of_every_model() {
    for (path, bytes) in corpus::with_extension(&[".md3"]) {
        mutate::prefixes(&bytes, |prefix| {
            check::md3(prefix);
            assert!(meshlens_md3::Md3::parse(prefix).is_err(), "{path}: {} bytes parse", prefix.len());
        });
    }
}

#[test]
fn every_byte_of_every_model() {
    for (_, bytes) in corpus::with_extension(&[".md3"]) {
        mutate::bytes(&bytes, check::md3);
    }
}

#[test]
fn every_prefix_and_byte_of_every_companion() {
    for (_, bytes) in corpus::with_extension(&[".cfg"]) {
        mutate::prefixes(&bytes, check::animation_config);
        mutate::bytes(&bytes, check::animation_config);
    }
    for (_, bytes) in corpus::with_extension(&[".skin"]) {
        mutate::prefixes(&bytes, check::skin);
        mutate::bytes(&bytes, check::skin);
    }
}
