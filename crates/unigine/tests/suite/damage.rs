//! Damaged files. `crates/testkit/tests/mutation/main.rs` applies every other small damage to every file of the corpus.

use meshlens_fixtures::{corpus, mutate};
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
