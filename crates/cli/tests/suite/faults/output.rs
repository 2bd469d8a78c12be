//! Standard output and standard error that are closed or full.

use std::fs;

use meshlens_testkit::real;

use super::{assert_code, folder, shell, stderr};

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let corpus = real::workspace_root().join("corpus");
    for command in ["inspect", "inspect --format json", "inspect --format csv", "validate"] {
        let output = shell(&format!(r#""$meshlens" {command} "$1" >/dev/full"#), &corpus);
        assert_code(&output, 2);
        assert!(stderr(&output).contains("cannot write the output"), "{command}: {}", stderr(&output));
    }
    let output = shell(r#""$meshlens" dump "$1/md3/static.md3" >/dev/full"#, &corpus);
    assert_code(&output, 2);
}

#[test]
fn closed_streams_are_quiet() {
    let corpus = real::workspace_root().join("corpus/md3");
    for command in ["inspect", "inspect --format json", "inspect --format csv", "validate", "--help"] {
        let path = if command == "--help" { "" } else { r#""$1""# };
        let output = shell(&format!(r#""$meshlens" {command} {path} >&-"#), &corpus);
        assert_code(&output, 0);
        assert_eq!(stderr(&output), "", "{command}");
        // A reader that closes the pipe before the first byte.
        let line = format!(r#""$meshlens" {command} {path} | true; exit "${{PIPESTATUS[0]}}""#);
        let output = shell(&line, &corpus);
        assert_code(&output, 0);
        assert_eq!(stderr(&output), "", "{command}");
    }
}

#[test]
fn a_closed_or_full_standard_error_has_no_effect() {
    let (_keep, path) = folder();
    for how in ["2>/dev/full", "2>&-", "2> >(true)"] {
        let output = shell(&format!(r#""$meshlens" inspect "$1" no/such/file.md3 {how}"#), &path);
        assert_eq!(output.status.code(), Some(2), "{how}");
    }
}

#[test]
fn a_closed_report_does_not_stop_the_work() {
    let (_keep, path) = folder();
    let copies = |name: &str, folder: &str, count: usize| {
        fs::create_dir(path.join(folder)).unwrap();
        for number in 0..count {
            let copy = path.join(format!("{folder}/a_long_name_of_a_model_{number:03}.md3"));
            fs::copy(real::workspace_root().join("corpus/md3").join(name), copy).unwrap();
        }
    };
    // More output than the writer of a pipe buffers.
    copies("wide_frames.md3", "in", 150);
    copies("tags_only.md3", "few", 20);
    for command in [
        r#"fix "$1/in""#,
        r#"thumb --size 16 --out-dir "$1/out" "$1/in""#,
        r#"inspect --details --html "$1/page" "$1/few""#,
    ] {
        let line = format!(r#""$meshlens" {command} | true; exit "${{PIPESTATUS[0]}}""#);
        let output = shell(&line, &path);
        assert_code(&output, 0);
        assert_eq!(stderr(&output), "", "{command}");
    }
    let count = |folder: &str, end: &str| {
        let entries = fs::read_dir(path.join(folder)).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().ends_with(end)).count()
    };
    assert_eq!((count("in", ".fixed.md3"), count("out", ".png")), (150, 300));
    let page = fs::read_to_string(path.join("page")).unwrap();
    assert!(page.contains("a_long_name_of_a_model_019.md3") && page.trim_end().ends_with("</html>"));
}
