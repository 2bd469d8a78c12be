//! Lists of paths, and reading only the headers of models.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use meshlens_testkit::real;
use serde_json::Value;

use crate::shared::{meshlens, stderr, stdout, utf8};

const MODEL: &[u8] = b"corpus/md3/static.md3\n";

fn reading_a_list(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.current_dir(real::workspace_root()).args(arguments).args(["--files-from", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The list stays open until the first line is printed.
#[test]
fn the_first_lines_do_not_wait_for_the_end_of_the_list() {
    for arguments in
        [&["inspect", "--format", "jsonl"][..], &["inspect", "--format", "csv"], &["validate", "-v"]]
    {
        let mut child = reading_a_list(arguments).spawn().unwrap();
        let mut list = child.stdin.take().unwrap();
        list.write_all(&MODEL.repeat(2000)).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().is_ok(), "{arguments:?}");
        drop(list);
        assert!(lines.count() >= 1999, "{arguments:?}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
}

/// The list is endless, and writing to it fails only after the command has ended.
#[test]
fn a_reader_that_closes_the_output_ends_the_command() {
    for arguments in [&["inspect", "--format", "jsonl"][..], &["inspect"], &["validate", "-v"]] {
        let mut child = reading_a_list(arguments).spawn().unwrap();
        let mut list = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || while list.write_all(MODEL).is_ok() {});
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().is_ok(), "{arguments:?}");
        drop(lines);
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn names_in_lists_have_a_limit() {
    let mut child = reading_a_list(&["inspect"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&[b'x'; (1 << 16) + 1]).unwrap();
    let output = child.wait_with_output().unwrap();
    let message = "meshlens: -: a path of more than 65536 bytes, which is the limit\n";
    assert_eq!((output.status.code(), stderr(&output)), (Some(2), message));
}

/// The file has 1 GiB, which exceeds the memory limit.
#[test]
fn headers_are_read_without_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.md3");
    fs::copy(real::workspace_root().join("corpus/md3/tagged.md3"), &path).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(1 << 30).unwrap();
    let inspect = ["inspect", "--max-memory", "1M", "--format", "jsonl", utf8(&path)];
    assert_eq!(meshlens(&inspect).status.code(), Some(2));
    let output = meshlens(&[&inspect[..], &["--headers"]].concat());
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let row: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(
        (row["frames"].as_u64(), row["vertices"].as_u64(), row["tags"].as_u64()),
        (Some(3), Some(72), Some(2))
    );
    assert_eq!((row["bytes"].as_u64(), &row["errors"]), (Some(1 << 30), &Value::Null));
}

#[test]
fn headers_have_the_counts_of_the_files_in_every_format() {
    let counts = |arguments: &[&str]| -> Vec<Value> {
        let files = ["corpus/md3", "corpus/u3d", "corpus/unigine", "corpus/gallery"];
        let output = meshlens(&[&["inspect", "--format", "jsonl"][..], arguments, &files[..]].concat());
        let row = |line: &str| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            for unknown in ["errors", "warnings", "infos", "hints", "tags"] {
                row[unknown] = Value::Null;
            }
            row
        };
        stdout(&output).lines().map(row).collect()
    };
    let (headers, whole) = (counts(&["--headers"]), counts(&[]));
    assert!(whole.len() > 20);
    assert_eq!(headers, whole);
}

#[test]
fn a_byte_order_mark_is_not_a_part_of_the_first_path() {
    let mut child = reading_a_list(&["inspect"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&[b"\xef\xbb\xbf", MODEL].concat()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}
