//! `compare`: two reports of the same files.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::{run, stderr, stdout};

const RATE: &str = "/arrays/0/levels/0/of_copy/median";

/// A report of one array at one level, which is as fast as the copy.
fn report() -> Value {
    let rate =
        json!({"melements_per_second": 100.0, "spread": 0.01, "of_copy": {"median": 1.0, "spread": 0.01}});
    let mut level = rate.clone();
    level["level"] = "scalar".into();
    json!({
        "build": {"rustc": "rustc 1.95.0"}, "machine": {"architecture": "x86_64"}, "load": 0.5, "bytes": 3860, "files_crc32": 7,
        "arrays": [{"format": "md3", "name": "triangles", "elements": 36, "kernel": true, "crc32": 8, "levels": [level], "memcpy": rate}],
        "whole": {"levels": [{"level": "scalar", "one_core": rate, "all_cores": rate}], "memcpy": rate},
    })
}

fn change(pointer: &str, value: impl Into<Value>) -> Value {
    let mut report = report();
    *report.pointer_mut(pointer).unwrap() = value.into();
    report
}

/// Compares two reports.
fn compare(before: &Value, after: &Value, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, report: &Value| {
        let path = folder.path().join(name);
        fs::write(&path, report.to_string()).unwrap();
        path.to_str().expect("UTF-8").to_owned()
    };
    let paths = [write("before.json", before), write("after.json", after)];
    run(&[&["compare"], arguments, &[&*paths[0], &*paths[1]]].concat())
}

#[test]
fn equal_reports_have_no_difference() {
    let output = compare(&report(), &report(), &[]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let text = stdout(&output);
    assert!(
        text.contains("\nwhole files, scalar, one core ") && text.ends_with("\nno difference\n"),
        "{text}"
    );
}

#[test]
fn a_report_of_this_program_can_be_compared() {
    let (report, _) = crate::json(&["--level", "scalar", "corpus/md3/static.md3"]);
    let output = compare(&report, &report, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_share_of_the_copy_that_fell_is_slower() {
    let slower = compare(&report(), &change(RATE, 0.9), &[]);
    assert_eq!(slower.status.code(), Some(1));
    let line = stdout(&slower).lines().find(|line| line.ends_with("slower")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        words,
        ["md3", "triangles,", "scalar", "100.0", "100.0", "1.00", ">", "0.90", "-10.0", "%", "slower"]
    );
    assert_eq!(compare(&report(), &change(RATE, 0.9), &["--tolerance", "11"]).status.code(), Some(0));
    assert_eq!(compare(&report(), &report(), &["--tolerance", "-1"]).status.code(), Some(2));
    let rows = compare(&change(RATE, 0.9), &report(), &["--format", "json"]);
    assert_eq!(rows.status.code(), Some(0));
    let rows: Value = serde_json::from_slice(&rows.stdout).unwrap();
    assert_eq!((&rows[0]["what"], &rows[0]["verdict"]), (&"md3 triangles, scalar".into(), &"faster".into()));
}

#[test]
fn a_machine_that_slows_the_copy_too_is_no_difference() {
    let busy = change("/arrays/0/levels/0/melements_per_second", 30.0);
    assert!(stdout(&compare(&report(), &busy, &[])).ends_with("\nno difference\n"));
    // The quartiles of one measurement are 40 % apart.
    let mut noisy = change(RATE, 0.7);
    noisy["arrays"][0]["levels"][0]["of_copy"]["spread"] = 0.4.into();
    assert_eq!(compare(&report(), &noisy, &[]).status.code(), Some(0));
}

#[test]
fn other_values_files_and_builds_are_told() {
    let mut other = change("/arrays/0/crc32", 1);
    (other["load"], other["build"]["rustc"]) = (3.5.into(), "rustc 1.96.0".into());
    let output = compare(&report(), &other, &[]);
    assert_eq!(output.status.code(), Some(1));
    for told in [
        "md3 triangles: the values are other ones than before",
        "the load after was 3.5",
        "the builds differ: ",
    ] {
        assert!(stderr(&output).contains(told), "{output:?}");
    }
    for pointer in ["/bytes", "/files_crc32"] {
        let output = compare(&report(), &change(pointer, 1), &[]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("the reports are of other files: "), "{output:?}");
    }
}

#[test]
fn what_is_no_report_is_refused() {
    let mut wrong = vec![Value::Null];
    wrong.extend([0.0, -1.0, 1e-300, 1e300].map(|rate| change(RATE, rate)));
    wrong.extend([
        change("/whole/memcpy/melements_per_second", 0.0),
        change("/arrays/0/memcpy/of_copy/spread", -1.0),
    ]);
    for wrong in wrong {
        for (before, after) in [(&wrong, &report()), (&report(), &wrong)] {
            let output = compare(before, after, &[]);
            assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{wrong}");
            assert!(stderr(&output).contains(".json: not a report of "), "{output:?}");
        }
    }
}

#[test]
fn a_report_has_at_most_a_mebibyte() {
    let path = tempfile::NamedTempFile::new().expect("a temporary file").into_temp_path();
    let text = report().to_string();
    for (len, status) in [(1 << 20, 0), ((1 << 20) + 1, 2)] {
        fs::write(&path, [&*text, &*" ".repeat(len - text.len())].concat()).unwrap();
        let name = path.to_str().expect("UTF-8");
        let output = run(&["compare", name, name]);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert_eq!(stderr(&output).contains("1048576"), status == 2, "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [Path::new("/dev/zero"), &pipe] {
        let path = path.to_str().expect("UTF-8");
        let output = run(&["compare", path, path]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
        assert!(stderr(&output).contains("not a regular file"), "{output:?}");
    }
}
