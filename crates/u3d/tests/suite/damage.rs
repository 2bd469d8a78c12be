//! Damaged files. `crates/testkit/tests/mutation/main.rs` applies every other small damage to every file of the corpus.

use meshlens_fixtures::{corpus, mutate};
use meshlens_u3d::U3d;

#[test]
fn no_prefix_of_a_model_of_version_1_parses() {
    for (path, bytes) in corpus::with_extension(&[".u3d"]) {
        // If the last material is opaque, it ends at the end of the file.
        if path.contains("/v1_") && !path.contains("opaque") {
            mutate::prefixes(&bytes, |prefix| {
                assert!(U3d::parse(prefix).is_err(), "{path}: {} bytes parse", prefix.len());
            });
        }
    }
}

#[test]
fn a_prefix_of_a_model_of_version_2_parses_only_at_the_end_of_a_chunk() {
    for (path, bytes) in corpus::with_extension(&[".u3d"]) {
        let Ok(u3d) = U3d::parse(&bytes) else { continue };
        let ends: Vec<u64> = u3d.sections().filter(|s| s.depth == 0).map(|section| section.end()).collect();
        if path.contains("/v2_") {
            mutate::prefixes(&bytes, |prefix| {
                let len = prefix.len() as u64;
                // The model header is the second chunk.
                assert_eq!(U3d::parse(prefix).is_ok(), ends[1..].contains(&len), "{path}: {len} bytes");
            });
        }
    }
}
