//! The committed corpus equals the output of its writers, and is small.

use std::collections::BTreeMap;
use std::fs;

use meshlens_testkit::{corpus, real};

#[test]
fn the_committed_corpus_is_fresh() {
    let root = real::workspace_root().join("corpus");
    let committed: BTreeMap<String, Vec<u8>> = real::files_below(&root)
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            (name, fs::read(path).unwrap())
        })
        .collect();
    let written: BTreeMap<String, Vec<u8>> = corpus::files().into_iter().collect();
    assert_eq!(committed.keys().collect::<Vec<_>>(), written.keys().collect::<Vec<_>>());
    for (name, bytes) in &written {
        assert!(committed[name] == *bytes, "{name} is stale: cargo run -p meshlens-testkit -- corpus");
    }
    assert!(written.values().map(Vec::len).sum::<usize>() < 2 << 20);
}
