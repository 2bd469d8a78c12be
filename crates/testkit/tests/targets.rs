//! The list of targets, the files of `fuzz/`, and what was kept for them, all speak of the same targets.

use std::collections::BTreeSet;
use std::fs;

use meshlens_testkit::real;
use meshlens_testkit::targets::{TARGETS, regressions_folder};

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
        assert!(text.ends_with(&format!("\nmeshlens_fuzz::target!({name});\n")), "{}", path.display());
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
