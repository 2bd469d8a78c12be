//! Damaged files. Every other small damage to every file of the corpus is done by `crates/testkit/tests/mutation.rs`.

use meshlens_testkit::{check, corpus, mutate};
use meshlens_unigine::{Anim, Mesh};

#[test]
fn no_prefix_of_a_file_parses() {
    for (path, bytes) in corpus::with_extension(&[".mesh", ".anim"]) {
        mutate::prefixes(&bytes, |prefix| {
            let parses = Mesh::parse(prefix).is_ok() || Anim::parse(prefix).is_ok();
            assert!(!parses, "{path}: {} bytes parse", prefix.len());
        });
    }
}

#[test]
fn every_two_bytes_as_a_compact_integer() {
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            for rest in [[0, 0, 0], [0x80, 0, 0], [0xff, 0xff, 0x0f], [0xff, 0xff, 0xff]] {
                let [a, b, c] = rest;
                check::compact_int(&[first, second, a, b, c]);
            }
        }
    }
}
