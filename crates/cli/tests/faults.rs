//! The command under faults and load: files that change or cannot be read, hostile archives and folders, output that
//! cannot be written, and limits of the system. Every promise is that the rest goes on and the exit status tells.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use meshlens_testkit::{real, sparse};
use serde_json::Value;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const MESHLENS: &str = env!("CARGO_BIN_EXE_meshlens");

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    (folder, path)
}

fn model() -> Vec<u8> {
    fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap()
}

/// Runs a line of shell in which `$meshlens` is the command and `$1` the path.
fn shell(line: &str, path: &Path) -> Output {
    Command::new("bash").args(["-c", line, "test"]).arg(path).env("meshlens", MESHLENS).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts the exit status, and that the command came to it by itself.
fn assert_code(output: &Output, code: i32) {
    assert_eq!((output.status.code(), output.status.signal()), (Some(code), None), "{}", stderr(output));
    assert!(!stderr(output).contains("panicked"), "{}", stderr(output));
}

/// Starts `validate` on a large model and a small one, waits until the large one is mapped, and stops the process there.
fn stopped_while_mapped(folder: &Path) -> (Child, PathBuf) {
    let large = folder.join("large.md3");
    sparse::md3(&large, 1024, 65_536, 0).unwrap();
    fs::write(folder.join("small.md3"), model()).unwrap();
    let child = Command::new(MESHLENS)
        .args(["validate", "-j", "1", "--format", "json"])
        .args([&large, &folder.join("small.md3")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let maps = format!("/proc/{}/maps", child.id());
    while !fs::read_to_string(&maps).unwrap().contains("large.md3") {
        sleep(Duration::from_millis(1));
    }
    signal(&child, "STOP");
    assert!(fs::read_to_string(&maps).unwrap().contains("large.md3"), "it was done before it was stopped");
    (child, large)
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_file_cut_short_while_it_is_mapped_is_an_error_and_the_batch_goes_on() {
    let (_keep, path) = folder();
    let (child, large) = stopped_while_mapped(&path);
    File::options().write(true).open(&large).unwrap().set_len(4096).unwrap();
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    assert_code(&output, 2);
    assert_eq!(stderr(&output), format!("meshlens: {}: changed while it was being read\n", large.display()));
    let reports = json(&output);
    assert_eq!(reports[0]["issues"]["messages"][0]["code"], "UNREADABLE");
    assert_eq!(reports[0]["info"], Value::Null);
    assert_eq!(reports[1]["info"]["format"], "md3");
}

#[test]
fn a_file_replaced_by_renaming_is_read_as_it_was() {
    let (_keep, path) = folder();
    let (child, large) = stopped_while_mapped(&path);
    let other = path.join("other");
    fs::write(&other, "no model").unwrap();
    fs::rename(&other, &large).unwrap();
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
    let reports = json(&output);
    assert_eq!(reports[0]["info"]["vertices"], 65_536);
    assert_eq!(reports[1]["info"]["format"], "md3");
}

#[test]
fn what_cannot_be_read_is_told_of_and_the_rest_goes_on() {
    let (_keep, path) = folder();
    fs::write(path.join("good.md3"), model()).unwrap();
    symlink("/proc/self/mem", path.join("fails.md3")).unwrap();
    symlink("nowhere", path.join("dangling.md3")).unwrap();
    symlink("itself.md3", path.join("itself.md3")).unwrap();
    symlink(".", path.join("circle")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(path.join("socket.md3")).unwrap();
    assert!(Command::new("mkfifo").arg(path.join("pipe.md3")).status().unwrap().success());
    fs::write(path.join("no_archive.pk3"), "PK").unwrap();
    fs::write(path.join("empty.md3"), "").unwrap();

    let output = shell(r#""$meshlens" inspect --format json "$1""#, &path);
    assert_code(&output, 2);
    let document = json(&output);
    let files = document["files"].as_array().unwrap();
    let error = |name: &str| {
        let uri = path.join(name).display().to_string();
        let row = files.iter().find(|row| row["uri"] == uri).unwrap_or_else(|| panic!("no {name}"));
        row["error"].as_str().map(str::to_owned)
    };
    assert_eq!(error("good.md3"), None);
    assert!(error("empty.md3").is_some());
    assert!(error("fails.md3").unwrap().contains("cannot read"));
    for name in ["dangling.md3", "itself.md3", "circle", "socket.md3", "pipe.md3", "no_archive.pk3"] {
        assert!(stderr(&output).contains(name), "{name} is not told of: {}", stderr(&output));
    }
}

#[test]
fn a_file_without_permission_is_told_of() {
    use std::os::unix::fs::PermissionsExt;

    let (_keep, path) = folder();
    for name in ["good.md3", "secret.md3"] {
        fs::write(path.join(name), model()).unwrap();
    }
    fs::set_permissions(path.join("secret.md3"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut line = r#""$meshlens" inspect --format json "$1""#.to_owned();
    if File::open(path.join("secret.md3")).is_ok() {
        // Root may read everything, so be nobody.
        line.insert_str(0, "exec setpriv --reuid=65534 --regid=65534 --clear-groups ");
        if !shell("setpriv --reuid=65534 --regid=65534 --clear-groups \"$meshlens\" --version", &path)
            .status
            .success()
        {
            println!("skipped: whoever runs the tests may read everything, and cannot be anybody else");
            return;
        }
    }
    let output = shell(&line, &path);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("secret.md3: cannot open"));
    let files = &json(&output)["files"];
    assert_eq!((&files[0]["format"], &files[1]["format"]), (&"md3".into(), &Value::Null));
}

#[test]
fn names_that_are_not_utf8_are_names_like_any_other() {
    let (_keep, path) = folder();
    let name = path.join(OsStr::from_bytes(b"m\xff\xfe.md3"));
    fs::write(&name, model()).unwrap();
    for given in [&path, &name] {
        for command in ["inspect --format json", "inspect", "validate --format json", "inspect --format csv"]
        {
            let output = shell(&format!(r#""$meshlens" {command} "$1""#), given);
            assert_code(&output, 0);
            assert!(String::from_utf8(output.stdout).unwrap().contains(".md3"));
        }
    }
    assert_code(&shell(r#""$meshlens" dump "$1""#, &name), 0);
}

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
        // A reader that is gone before the first byte.
        let line = format!(r#""$meshlens" {command} {path} | true; exit "${{PIPESTATUS[0]}}""#);
        let output = shell(&line, &corpus);
        assert_code(&output, 0);
        assert_eq!(stderr(&output), "", "{command}");
    }
}

#[test]
fn a_standard_error_that_takes_nothing_changes_nothing() {
    let (_keep, path) = folder();
    for how in ["2>/dev/full", "2>&-", "2> >(true)"] {
        let output = shell(&format!(r#""$meshlens" inspect "$1" no/such/file.md3 {how}"#), &path);
        assert_eq!(output.status.code(), Some(2), "{how}");
    }
}

/// An archive whose entries are added by `add`.
fn archive(path: &Path, add: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    add(&mut zip);
    fs::write(path, zip.finish().unwrap().into_inner()).unwrap();
}

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

#[test]
fn a_bomb_does_not_go_off() {
    let (_keep, path) = folder();
    let pak = path.join("bomb.pk3");
    archive(&pak, |zip| {
        let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file("models/bomb.md3", deflated).unwrap();
        for _ in 0..300 {
            zip.write_all(&vec![0; 1 << 20]).unwrap();
        }
        zip.start_file("models/good.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    assert!(pak.metadata().unwrap().len() < 1 << 20);
    // 64 MiB of memory, where the bomb would take 300.
    let output = shell(r#"ulimit -d 65536; "$meshlens" inspect -j 1 --format json "$1""#, &pak);
    assert_code(&output, 2);
    let document = json(&output);
    assert!(document["files"][0]["error"].as_str().unwrap().contains("bomb.md3: "), "{document}");
    assert_eq!(document["files"][1]["format"], "md3");
}

#[test]
fn an_archive_of_a_hundred_thousand_entries_is_listed() {
    let (_keep, path) = folder();
    let pak = path.join("many.pk3");
    archive(&pak, |zip| {
        for number in 0..100_000 {
            zip.start_file(format!("textures/{number:06}.txt"), stored()).unwrap();
        }
        zip.start_file("models/only.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    let output = shell(r#"ulimit -d 262144; "$meshlens" inspect -j 1 --format json "$1""#, &pak);
    assert_code(&output, 0);
    assert_eq!(json(&output)["totals"]["files"], 1);
    let one = PathBuf::from(format!("{}!MODELS\\ONLY.md3", pak.display()));
    assert_code(&shell(r#""$meshlens" dump "$1""#, &one), 0);
}

#[test]
fn names_in_an_archive_do_not_lead_out_of_it_and_may_be_there_twice() {
    let (_keep, path) = folder();
    let pak = path.join("names.pk3");
    let deep = format!("{}deep.md3", "a/".repeat(500));
    archive(&pak, |zip| {
        for name in ["../up.md3", "/root.md3", "c:\\drive.md3", "Twice.md3", "twice.MD3", deep.as_str()] {
            zip.start_file(name, stored()).unwrap();
            zip.write_all(&model()).unwrap();
        }
        zip.start_file("inner.pk3", stored()).unwrap();
        zip.write_all(b"an archive in an archive is bytes").unwrap();
    });
    let output = shell(r#""$meshlens" inspect --format json "$1""#, &pak);
    assert_code(&output, 2);
    for name in ["up.md3", "root.md3", "drive.md3"] {
        assert!(stderr(&output).contains(name), "{}", stderr(&output));
    }
    let document = json(&output);
    let uris: Vec<&str> =
        document["files"].as_array().unwrap().iter().map(|file| file["uri"].as_str().unwrap()).collect();
    let expected = [deep.as_str(), "Twice.md3", "twice.MD3"].map(|name| format!("{}!{name}", pak.display()));
    assert_eq!(uris, expected);
    assert!(fs::read_dir(&path).unwrap().count() == 1, "something was written beside the archive");
}

#[test]
fn ten_thousand_files_with_sixty_four_descriptors() {
    let (_keep, path) = folder();
    fs::write(path.join("model.md3"), model()).unwrap();
    // As large as it takes to be mapped, so that maps are made and dropped as well.
    sparse::md3(&path.join("mapped.md3"), 16, 8192, 0).unwrap();
    for number in 0..100 {
        let folder = path.join(format!("{number:02}"));
        fs::create_dir(&folder).unwrap();
        for number in 0..100 {
            let target = if number == 50 { "mapped.md3" } else { "model.md3" };
            fs::hard_link(path.join(target), folder.join(format!("{number:02}.md3"))).unwrap();
        }
    }
    let output = shell(r#"ulimit -n 64; "$meshlens" inspect -j 8 --format json "$1""#, &path);
    assert_code(&output, 0);
    assert_eq!(stderr(&output), "");
    let totals = &json(&output)["totals"];
    assert_eq!((&totals["files"], &totals["invalid"]), (&10_002.into(), &0.into()));
}

#[test]
fn four_gibibytes_open_in_flat_memory() {
    let (_keep, path) = folder();
    let table = path.join("table.md3");
    let len = sparse::md3(&table, 8192, 65_536, 0).unwrap();
    assert!(len > 4 << 30);
    // All of the table is one model's: its headers are all that opening reads.
    let output = shell(r#"ulimit -d 65536; "$meshlens" dump --arrays none "$1""#, &table);
    assert_code(&output, 0);
    assert_eq!(json(&output)["surfaces"][0]["positions"]["shape"], serde_json::json!([8192, 65_536, 3]));

    // Reading it does not fit, and says so.
    let output = shell(r#"ulimit -d 65536; "$meshlens" dump --no-mmap --arrays none "$1""#, &table);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("table.md3: cannot read: "), "{}", stderr(&output));

    let behind = path.join("behind.md3");
    sparse::md3(&behind, 1, 3, 4 << 30).unwrap();
    let output = shell(r#"ulimit -d 65536; "$meshlens" inspect -j 1 --format json "$1""#, &behind);
    assert_code(&output, 0);
    assert_eq!(json(&output)["totals"]["vertices"], 3);
}
