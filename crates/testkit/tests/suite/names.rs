//! The names in the table of docs/names.md exist in their interfaces.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use meshlens_testkit::real;

/// The words of the files below a folder that have one of the extensions.
fn words(path: &Path, extensions: &[&str], found: &mut BTreeSet<String>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.for_each(|entry| words(&entry, extensions, found));
    } else if extensions.iter().any(|known| path.extension().is_some_and(|extension| extension == *known)) {
        let text = fs::read_to_string(path).expect("a text");
        found.extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase));
    }
}

#[test]
fn every_name_in_the_table_exists() {
    let root = real::workspace_root();
    let columns: [(&[&str], &[&str]); 5] = [
        (
            &[
                "crates/meshlens/src",
                "crates/assets/src",
                "crates/wire/src",
                "crates/gltf/src",
                "crates/stream/src",
            ],
            &["rs"],
        ),
        (&["crates/capi/include"], &["h"]),
        (&["crates/python/python"], &["py", "pyi"]),
        (&["crates/bevy/src"], &["rs"]),
        (&["crates/cli/src/args"], &["rs"]),
    ];
    let known = columns.map(|(folders, extensions)| {
        let mut found = BTreeSet::new();
        folders.iter().for_each(|folder| words(&root.join(folder), extensions, &mut found));
        found
    });
    let table = fs::read_to_string(root.join("docs/names.md")).expect("the table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
    let mut names = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').skip(1).collect();
        assert!(cells.len() == 6, "{row}");
        for (cell, known) in cells.iter().zip(&known) {
            for name in cell.split('`').skip(1).step_by(2) {
                assert!(known.contains(&name.to_lowercase()), "there is no {name}: {row}");
                names += 1;
            }
        }
    }
    assert!(names > 50, "{names}");
}
