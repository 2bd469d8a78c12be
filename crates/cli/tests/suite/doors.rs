//! The command says about each model what every interface says, whether it is a path or at a URL.

use meshlens_gltf::{ImportOptions, import};
use meshlens_testkit::doors::{self, Answer, Bounds};
use serde_json::Value;

use crate::shared::{meshlens, stderr, utf8};

/// Checks the rows of `inspect`, the findings of `validate` and the model of `convert`. `run` runs the command.
pub(crate) fn check(answer: &Answer, path: &str, run: &dyn Fn(&[&str]) -> std::process::Output) {
    let output = run(&["inspect", "--format", "json", path]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{path}: {}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).expect(path);
    // The parts of a player are files of their own.
    let rows = document["files"].as_array().expect(path);
    for (name, expected) in answer.counts.as_object().expect("counts") {
        let counts = rows.iter().map(|row| row[name].as_u64());
        let found = if name == "frames" { counts.max().flatten() } else { counts.sum() };
        // The attachments of an Unreal mesh at a URL are unknown without its triangles.
        assert!(found.is_none() && name == "tags" || found == expected.as_u64(), "{path}, {name}: {found:?}");
    }
    assert!(rows.iter().all(|row| row["format"] == answer.format), "{path}: {rows:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("converted.glb");
    let output = run(&["convert", path, "-o", utf8(&to), "--textures", "none"]);
    assert_eq!(output.status.code(), Some(0), "{path}: {}", stderr(&output));
    let options = ImportOptions { at_rest: true, ..ImportOptions::default() };
    let scene = import(&std::fs::read(&to).expect(path), &options, &|_, _| None).expect(path).0;
    answer.bounds.assert(&Bounds::of(&scene), path);
    let Some(findings) = answer.findings else { return };
    let output = run(&["validate", "--all", "--format", "jsonl", path]);
    let reports = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let reports: Vec<Value> = reports.map(|line| serde_json::from_slice(line).expect(path)).collect();
    let count =
        |name: &str| reports.iter().map(|report| report["issues"][name].as_u64().expect(path)).sum::<u64>();
    assert_eq!(["numErrors", "numWarnings", "numInfos", "numHints"].map(count), findings, "{path}");
}

#[test]
fn every_model_is_what_other_interfaces_say() {
    for answer in doors::answers() {
        check(&answer, utf8(&doors::path(&answer.name)), &|arguments| meshlens(arguments));
    }
}
