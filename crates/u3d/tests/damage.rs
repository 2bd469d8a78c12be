//! Damaged files: every corpus file at every prefix, and with every byte changed.

use meshlens_testkit::{check, corpus, mutate};
use meshlens_u3d::U3d;

fn files(version: &str) -> Vec<(String, Vec<u8>)> {
    let files = corpus::with_extension(&[".u3d"]);
    let files: Vec<_> = files.into_iter().filter(|(path, _)| path.contains(version)).collect();
    assert!(!files.is_empty());
    files
}

#[test]
fn every_prefix_of_every_model() {
    for (path, bytes) in files("/v") {
        // An opaque last material has no end but that of the file, and chunks may end with any chunk.
        mutate::prefixes(&bytes, |prefix| check::u3d(prefix));
        for len in 0..41.min(bytes.len()) {
            assert!(U3d::parse(&bytes[..len]).is_err(), "{path}: {len} bytes parse");
        }
    }
}

#[test]
fn a_model_of_version_1_parses_at_no_prefix() {
    for (path, bytes) in files("/v1") {
        if !path.contains("opaque") {
            mutate::prefixes(&bytes, |prefix| {
                assert!(U3d::parse(prefix).is_err(), "{path}: {} bytes parse", prefix.len());
            });
        }
    }
}

#[test]
fn every_byte_of_every_model_of_version_1() {
    for (_, bytes) in files("/v1") {
        mutate::bytes(&bytes, check::u3d);
    }
}

#[test]
fn every_byte_of_every_model_of_version_2() {
    for (_, bytes) in files("/v2") {
        mutate::bytes(&bytes, check::u3d);
    }
}

#[test]
fn every_prefix_of_chunks() {
    for (_, bytes) in files("/v2") {
        mutate::prefixes(&bytes, check::chunks);
    }
}

#[test]
fn every_byte_of_headers_and_every_prefix_of_encrypted_files() {
    for (_, bytes) in files("_aes") {
        mutate::prefixes(&bytes, check::u3d_decrypt);
        mutate::bytes(&bytes[..400], check::u3d_decrypt);
    }
}
