//! The formats of `meshlens validate`, and the findings that they omit.

use std::fs;
use std::path::PathBuf;

use meshlens_testkit::real;
use serde_json::Value;

use crate::shared::{meshlens, stdout, utf8};

/// A model with 4 bytes after its end, and a truncated model.
fn folder() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (odd, broken) = (folder.path().join("odd.md3"), folder.path().join("broken.md3"));
    let model = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    fs::write(&odd, [&model[..], &[1; 4]].concat()).unwrap();
    fs::write(&broken, &model[..200]).unwrap();
    (folder, odd, broken)
}

#[test]
fn less_severe_findings_are_left_out() {
    let (folder, odd, _) = folder();
    let path = utf8(folder.path());
    for (least, odd_has) in [("info", true), ("error", false)] {
        let validate =
            |format: &str| meshlens(&["validate", "--min-severity", least, "--format", format, path]);
        let text = validate("text");
        assert_eq!(stdout(&text).contains("odd.md3: "), odd_has, "{}", stdout(&text));
        assert!(stdout(&text).contains("broken.md3: 1 error"), "{}", stdout(&text));
        let json: Value = serde_json::from_slice(&validate("json").stdout).unwrap();
        assert_eq!(json[1]["uri"], utf8(&odd));
        assert_eq!(json[1]["issues"]["messages"].as_array().unwrap().len(), usize::from(odd_has));
        let sarif: Value = serde_json::from_slice(&validate("sarif").stdout).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1 + usize::from(odd_has));
        // The most severe finding is listed first, even if it belongs to a later file.
        assert_eq!(results[0]["level"], "error");
    }
    // Omitted findings still determine the status.
    let output = meshlens(&["validate", "--min-severity", "error", "--fail-on", "info", utf8(&odd)]);
    let text = "no findings\n  findings below --min-severity are at or above --fail-on\n";
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), &*format!("{}: {text}", utf8(&odd))));
}

#[test]
fn reports_are_lines() {
    let (folder, odd, broken) = folder();
    let validate = |format: &str| meshlens(&["validate", "--format", format, utf8(folder.path())]);
    let output = validate("jsonl");
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let array: Vec<Value> = serde_json::from_slice(&validate("json").stdout).unwrap();
    assert_eq!((lines.len(), output.status.code()), (2, Some(1)));
    assert_eq!(lines, array);
    let output = validate("csv");
    let rows: Vec<Vec<&str>> = stdout(&output).lines().map(|line| line.splitn(7, ',').collect()).collect();
    assert_eq!(rows[0], ["uri", "severity", "code", "offset", "pointer", "count", "message"]);
    assert_eq!((rows.len(), &rows[1][..2], rows[2][0]), (3, &[utf8(&broken), "error"][..], utf8(&odd)));
    assert_eq!(rows[2][2], "TRAILING_BYTES");
}
