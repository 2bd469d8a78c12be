//! Damaged files: every corpus file at every prefix, and with every byte changed.

use meshlens_testkit::{check, corpus, mutate};
use meshlens_unigine::{Anim, Mesh};

#[test]
fn every_prefix_of_every_file() {
    for (path, bytes) in corpus::with_extension(&[".mesh", ".anim"]) {
        mutate::prefixes(&bytes, |prefix| {
            check::unigine(prefix);
            let parses = Mesh::parse(prefix).is_ok() || Anim::parse(prefix).is_ok();
            assert!(!parses, "{path}: {} bytes parse", prefix.len());
        });
    }
}

#[test]
fn every_byte_of_every_mesh() {
    for (_, bytes) in corpus::with_extension(&[".mesh"]) {
        mutate::bytes(&bytes, check::unigine_mesh);
    }
}

#[test]
fn every_byte_of_every_animation() {
    for (_, bytes) in corpus::with_extension(&[".anim"]) {
        mutate::bytes(&bytes, check::unigine_anim);
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
