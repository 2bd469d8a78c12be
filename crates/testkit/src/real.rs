//! Real files, if the machine has them, and the results of independent readers, in `expected/<format>.jsonl`.

use std::fs;
use std::path::{Path, PathBuf};

pub use meshlens_fixtures::real::*;
use meshlens_unreal::pairing::{FileKind, FileName, companion};
use serde_json::Value;

use crate::corpus;

/// Every pair of Unreal files of `MESHLENS_REAL` with matching names, or of the corpus if the variable is not set: the
/// path of the geometry file, and the content of both.
pub fn unreal_pairs_or_corpus() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let Some(folder) = folder() else { return corpus::unreal_pairs() };
    let geometry = files_below(&folder.join("unreal")).into_iter().filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(FileName::parse);
        name.is_some_and(|name| name.kind == FileKind::Geometry)
    });
    let pair = |path: PathBuf| {
        let frames = unreal_frames(&path)?;
        Some((path.display().to_string(), read(&path), frames))
    };
    geometry.filter_map(pair).collect()
}

/// The content of the frames file beside a geometry file of an Unreal mesh.
pub fn unreal_frames(geometry: &Path) -> Option<Vec<u8>> {
    let beside = fs::read_dir(geometry.parent()?).expect("the folder of a file");
    let names: Vec<String> =
        beside.filter_map(|entry| entry.expect("a folder entry").file_name().into_string().ok()).collect();
    let name = companion(geometry.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(read(&geometry.with_file_name(name)))
}

/// Asserts that `dump` of each file of a format in `MESHLENS_REAL` contains the results of an independent reader.
/// Without the variable, prints that nothing was compared.
pub fn assert_expected(format: &str, dump: impl Fn(&Path) -> Value) {
    let Some(folder) = folder() else {
        println!("skipped: MESHLENS_REAL is not set");
        return;
    };
    let expected = expected(&folder, format);
    assert!(!expected.is_empty(), "{format}: there is nothing to compare with");
    for expected in expected {
        let uri = expected["uri"].as_str().expect("the path of a file");
        assert_matches(&expected, &dump(&folder.join(uri)), uri);
    }
}

/// The documents in `expected/<format>.jsonl`, one for each file. `uri` is the name of the file.
pub fn expected(folder: &Path, format: &str) -> Vec<Value> {
    let path = folder.join("expected").join(format).with_extension("jsonl");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON document")).collect()
}

/// Asserts that `found` contains every member of `expected`. Numbers may differ by 1e-5 relative or 1e-6 absolute;
/// everything else must be equal. Additional members of `found` are ignored.
pub fn assert_matches(expected: &Value, found: &Value, uri: &str) {
    if let Some(difference) = difference(expected, found, String::new()) {
        panic!("{uri}{difference}");
    }
}

/// The first difference at `place` or below it that [`assert_matches`] reports; `None` if there is none.
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
