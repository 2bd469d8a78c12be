//! The command under faults and load: files that change or cannot be read, hostile archives and folders, output that cannot
//! be written, and limits of the system. The other files are processed, and the exit status reports the fault.
#![cfg(target_os = "linux")]

mod archives;
mod buffers;
mod convert;
mod load;
mod output;
mod pipes;
mod textures;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use meshlens_testkit::real;
use serde_json::Value;
use tempfile::TempDir;

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

/// Asserts the exit status, and that no signal ended the command.
fn assert_code(output: &Output, code: i32) {
    assert_eq!((output.status.code(), output.status.signal()), (Some(code), None), "{}", stderr(output));
    assert!(!stderr(output).contains("panicked"), "{}", stderr(output));
}

/// Makes `changes.md3`, which has fewer bytes than its stated length, like a file that is truncated during reading: the
/// kernel states the length of some files as a page. `None` if this system has no such file.
fn changing(folder: &Path) -> Option<PathBuf> {
    let files = ["/sys/devices/system/cpu/online", "/sys/kernel/uevent_seqnum", "/sys/power/state"];
    let is_shorter = |path: &&str| {
        let stated = fs::metadata(path).map_or(0, |meta| meta.len());
        fs::read(path).is_ok_and(|bytes| (bytes.len() as u64) < stated)
    };
    let Some(file) = files.into_iter().find(is_shorter) else {
        println!("skipped: no file of /sys states more than it contains");
        return None;
    };
    let path = folder.join("changes.md3");
    symlink(file, &path).unwrap();
    Some(path)
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_file_that_changes_during_reading_is_an_error_and_the_batch_continues() {
    let (_keep, path) = folder();
    let Some(changing) = changing(&path) else { return };
    fs::write(path.join("small.md3"), model()).unwrap();
    let output = shell(r#""$meshlens" validate -j 1 --format json "$1"/*.md3"#, &path);
    assert_code(&output, 2);
    assert_eq!(
        stderr(&output),
        format!("meshlens: {}: changed while it was being read\n", changing.display())
    );
    let reports = json(&output);
    assert_eq!(reports[0]["issues"]["messages"][0]["code"], "UNREADABLE");
    assert_eq!(reports[0]["info"], Value::Null);
    assert_eq!(reports[1]["info"]["format"], "md3");
}

#[test]
fn files_that_cannot_be_read_are_reported_and_the_others_are_read() {
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
    assert!(error("fails.md3").unwrap().contains("leads out of its folder"));
    for name in ["dangling.md3", "itself.md3", "circle", "socket.md3", "pipe.md3", "no_archive.pk3"] {
        assert!(stderr(&output).contains(name), "{name} is not told of: {}", stderr(&output));
    }
}

#[test]
fn a_file_without_permission_is_reported() {
    use std::os::unix::fs::PermissionsExt;

    let (_keep, path) = folder();
    for name in ["good.md3", "secret.md3"] {
        fs::write(path.join(name), model()).unwrap();
    }
    fs::set_permissions(path.join("secret.md3"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut line = r#""$meshlens" inspect --format json "$1""#.to_owned();
    if File::open(path.join("secret.md3")).is_ok() {
        // Root can read every file, so the test runs as the user nobody.
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
fn names_that_are_not_utf8_are_accepted() {
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
