//! Real files, if the machine has them, and the results of independent readers.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder of the workspace.
pub fn workspace_root() -> PathBuf {
    let this = Path::new(env!("CARGO_MANIFEST_DIR"));
    this.ancestors().nth(2).expect("this crate lies two folders below the workspace").to_owned()
}

/// The folder that `MESHLENS_REAL` names; a relative path starts at the workspace.
pub fn folder() -> Option<PathBuf> {
    let folder = workspace_root().join(std::env::var_os("MESHLENS_REAL")?);
    assert!(folder.is_dir(), "MESHLENS_REAL is not a folder: {}", folder.display());
    Some(folder)
}

/// Every file below `folder`, sorted.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The documents in `expected/<format>.jsonl`, one for each file; `uri` names the file.
pub fn expected(folder: &Path, format: &str) -> Vec<Value> {
    let path = folder.join("expected").join(format).with_extension("jsonl");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON document")).collect()
}

/// Asserts that `found` contains every member of `expected`. Numbers may differ by 1e-5 relative or 1e-6 absolute;
/// everything else is equal. Additional members of `found` are ignored.
pub fn assert_matches(expected: &Value, found: &Value, uri: &str) {
    if let Some(difference) = difference(expected, found, String::new()) {
        panic!("{uri}{difference}");
    }
}

/// The first difference at or below `place` that [`assert_matches`] reports; `None` if there is none.
pub fn difference(expected: &Value, found: &Value, place: String) -> Option<String> {
    match (expected, found) {
        (Value::Object(members), Value::Object(found)) => members.iter().find_map(|(name, value)| {
            let place = format!("{place}/{name}");
            match found.get(name) {
                Some(found) => difference(value, found, place),
                None if name == "uri" => None,
                None => Some(format!("{place}: missing")),
            }
        }),
        (Value::Array(items), Value::Array(found)) if items.len() == found.len() => items
            .iter()
            .zip(found)
            .enumerate()
            .find_map(|(index, (item, found))| difference(item, found, format!("{place}/{index}"))),
        (Value::Number(_), Value::Number(_)) => {
            let (expected, found) = (expected.as_f64()?, found.as_f64()?);
            let close = (expected - found).abs() <= 1e-6_f64.max(1e-5 * expected.abs());
            (!close).then(|| format!("{place}: expected {expected}, found {found}"))
        }
        _ => (expected != found).then(|| format!("{place}: expected {expected:.200}, found {found:.200}")),
    }
}
