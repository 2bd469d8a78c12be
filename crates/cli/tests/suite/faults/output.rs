//! Standard output and standard error that are closed or full.

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
