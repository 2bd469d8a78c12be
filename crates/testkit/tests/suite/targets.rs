//! The list of targets, the files in `fuzz/` and the kept inputs name the same targets.

use std::collections::BTreeSet;
use std::fs;

use meshlens_testkit::targets::{TARGETS, regressions_folder};
use meshlens_testkit::{kept, real};

fn names() -> BTreeSet<String> {
    TARGETS.iter().map(|target| target.name.to_owned()).collect()
}

#[test]
fn every_target_is_one_line_and_none_is_missing() {
    let folder = real::workspace_root().join("fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let mut found = BTreeSet::new();
    for path in real::files_below(&folder.join("fuzz_targets")) {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let begins = format!("\nmeshlens_fuzz::target!({name}");
        assert!(text.contains(&begins) && text.ends_with(");\n"), "{}", path.display());
        assert!(manifest.contains(&format!("\nname = \"{name}\"\n")), "{name} is not in fuzz/Cargo.toml");
        found.insert(name);
    }
    assert_eq!(found, names());
}

#[test]
fn every_regression_belongs_to_a_target_and_is_small() {
    for entry in fs::read_dir(regressions_folder()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            assert!(names().contains(&name), "{name} is no target");
            for path in real::files_below(&entry.path()) {
                assert!(path.metadata().unwrap().len() <= 64 << 10, "{}: minimise it", path.display());
            }
        }
    }
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let root = real::workspace_root();
    let security = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let sources: Vec<String> = real::files_below(&root.join("crates"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs" || extension == "py"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let (_, promises) = security.split_once("\n## Guarantees\n").expect("the guarantees");
    let (promises, _) = promises.split_once("\n## ").expect("the end of the guarantees");
    let promises = promises.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| guarantee"));
    let mut count = 0;
    for promise in promises {
        let held_by = promise.trim_end_matches(" |").rsplit_once(" | ").expect("two columns").1;
        let mut tests = 0;
        for name in quoted(held_by) {
            if name.contains('/') {
                assert!(root.join(name).exists(), "there is no {name}");
                tests += usize::from(name.contains("/tests/"));
            } else if name.matches('_').count() > 2 {
                let test = format!("#[test]\nfn {name}() {{");
                let nested = format!("#[test]\n    fn {name}() {{");
                let python = format!("\ndef {name}(");
                let is_there =
                    |text: &String| [&test, &nested, &python].iter().any(|start| text.contains(*start));
                let is_there = sources.iter().any(is_there);
                assert!(is_there, "there is no test {name}");
                tests += 1;
            }
        }
        assert!(tests > 0, "no test holds: {promise}");
        count += 1;
    }
    assert!(count > 10, "{count} promises");
}

#[test]
fn every_dictionary_belongs_to_a_target() {
    for path in real::files_below(&real::workspace_root().join("fuzz/dictionaries")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(names().contains(name), "{name} is no target");
        for line in fs::read_to_string(&path).unwrap().lines() {
            let is_entry = line.starts_with('"') || line.contains("=\"");
            assert!(line.is_empty() || line.starts_with('#') || is_entry && line.ends_with('"'), "{line}");
        }
    }
}

#[test]
fn kept_inputs_belong_to_targets_and_are_small() {
    let mut all = 0;
    for path in real::files_below(&kept::folder()) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(names().contains(name), "{name} is no target");
        let bytes: usize = kept::of(name).iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes <= kept::MAX_BYTES, "{name}: {bytes}");
        all += path.metadata().unwrap().len();
    }
    assert!(all <= 4 << 20, "{all} bytes");
}
