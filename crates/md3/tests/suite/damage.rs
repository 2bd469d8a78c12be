//! Damaged files. `crates/testkit/tests/mutation/main.rs` does all other small damage to every file of the corpus.

use meshlens_fixtures::{corpus, mutate};

#[test]
fn no_prefix_of_a_model_parses() {
    for (path, bytes) in corpus::with_extension(&[".md3"]) {
        mutate::prefixes(&bytes, |prefix| {
            assert!(meshlens_md3::Md3::parse(prefix).is_err(), "{path}: {} bytes parse", prefix.len());
        });
    }
}
