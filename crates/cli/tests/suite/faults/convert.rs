//! Conversion under faults: output appears whole or not at all, and no other files are left.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use meshlens_testkit::{real, sparse};

use super::{MESHLENS, assert_code, folder, model, shell, signal, stderr, stop, stopped_while_reading};

/// The names of what is in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A large model of one triangle, whose corners are zeros like the rest of it.
fn large(path: &Path, frames: u32, vertices: u32) {
    sparse::md3(path, frames, vertices, 0).unwrap();
    // The count of triangles, in the header of the surface, after the header of the model.
    let file = File::options().write(true).open(path).unwrap();
    file.write_at(&1u32.to_le_bytes(), 108 + 84).unwrap();
}

/// Whether a process has a file of `folder` open that is not `large.md3`, and has written to it. The file may have no
/// name yet.
fn is_writing(child: &Child, folder: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    open.map(|entry| entry.path()).any(|entry| {
        let is_output = |path: PathBuf| path.starts_with(folder) && !path.ends_with("large.md3");
        // The metadata are those of the open file.
        fs::read_link(&entry).is_ok_and(is_output) && fs::metadata(&entry).is_ok_and(|meta| meta.len() > 0)
    })
}

/// Starts to convert a model large enough to be written for a while, waits until some of its output is there, and stops
/// the process in the middle of it. `before` are commands of the shell that starts it.
fn stopped_while_writing(folder: &Path, before: &str) -> (Child, PathBuf) {
    let large = folder.join("large.md3");
    self::large(&large, 64, 65_536);
    let output = folder.join("large.glb");
    let content_before = fs::read(&output).ok();
    // Some signals would leave a core.
    let line =
        format!(r#"ulimit -c 0; {before} exec "$meshlens" convert --force -o "$1/large.glb" "$1/large.md3""#);
    // On a busy machine the process may be done before it is looked at again.
    for _ in 0..20 {
        let mut child = Command::new("bash")
            .args(["-c", &line, "test"])
            .arg(folder)
            .env("meshlens", MESHLENS)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !is_writing(&child, folder) && !has_ended(&child) {
            sleep(Duration::from_millis(1));
        }
        stop(&child);
        if is_writing(&child, folder) {
            return (child, large);
        }
        let _ = child.kill();
        child.wait().unwrap();
        match &content_before {
            Some(bytes) => fs::write(&output, bytes).unwrap(),
            None => drop(fs::remove_file(&output)),
        }
    }
    panic!("it was always done before it was stopped");
}

/// Whether a process has ended. It is not waited for, so that its number stays its own.
fn has_ended(child: &Child) -> bool {
    fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap().contains("State:\tZ")
}

/// Whether the tests were started with a signal ignored, as under `nohup`. What they start ignores it too.
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (number - 1) & 1 == 1
}

/// Whether files in a folder can be written without a name.
fn has_unnamed_files(folder: &Path) -> bool {
    use std::os::unix::fs::OpenOptionsExt;

    // O_TMPFILE with O_DIRECTORY, which it includes.
    File::options().write(true).custom_flags(0o20_000_000 | 0o200_000).open(folder).is_ok()
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let (_keep, probe) = folder();
    let signals = [
        ("INT", 2),
        ("TERM", 15),
        ("HUP", 1),
        ("QUIT", 3),
        ("ALRM", 14),
        ("VTALRM", 26),
        ("PROF", 27),
        ("USR1", 10),
        ("USR2", 12),
        ("XCPU", 24),
    ];
    // No program notices these in time, or at all: a file without a name goes with the process.
    let unnoticed = [("KILL", 9), ("ABRT", 6), ("IO", 29)];
    let unnoticed =
        unnoticed.into_iter().filter(|_| cfg!(target_arch = "x86_64") && has_unnamed_files(&probe));
    for (name, number) in signals.into_iter().chain(unnoticed) {
        let (_keep, path) = folder();
        fs::write(path.join("large.glb"), "what was there before").unwrap();
        let (child, _) = stopped_while_writing(&path, "");
        signal(&child, name);
        signal(&child, "CONT");
        let output = child.wait_with_output().unwrap();
        assert_eq!(names(&path), ["large.glb", "large.md3"], "{name}");
        let left = fs::read(path.join("large.glb")).unwrap();
        if is_ignored(number) {
            assert_code(&output, 0);
            assert!(left.starts_with(b"glTF"), "{name}");
            continue;
        }
        // Whoever waits for the process is told that a signal ended it, and which.
        assert_eq!(output.status.signal(), Some(number), "{name}: {}", stderr(&output));
        assert_eq!(left, b"what was there before", "{name}");
    }
}

#[test]
fn a_signal_that_was_ignored_stays_so() {
    let (_keep, path) = folder();
    let (child, _) = stopped_while_writing(&path, "trap '' HUP INT QUIT;");
    for name in ["HUP", "INT", "QUIT", "CONT"] {
        signal(&child, name);
    }
    assert_code(&child.wait_with_output().unwrap(), 0);
    assert_eq!(names(&path), ["large.glb", "large.md3"]);
}

#[test]
fn a_file_cut_short_while_it_is_read_is_an_error_without_output_and_the_rest_goes_on() {
    let (_keep, path) = folder();
    let out = path.join("out");
    let arguments = ["convert", "-j", "1", "--out-dir", out.to_str().unwrap()];
    let (child, large) = stopped_while_reading(&path, &arguments);
    File::options().write(true).open(large).unwrap().set_len(4096).unwrap();
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    assert_code(&output, 2);
    assert!(stderr(&output).contains("changed while it was being read"), "{}", stderr(&output));
    assert_eq!(names(&out), ["small.glb"]);
}

/// Its bytes are in memory by then.
#[test]
fn a_file_cut_short_while_its_output_is_written_is_converted_as_it_was() {
    let (_keep, path) = folder();
    let (child, large) = stopped_while_writing(&path, "");
    File::options().write(true).open(large).unwrap().set_len(4096).unwrap();
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    assert_code(&output, 0);
    assert_eq!(names(&path), ["large.glb", "large.md3"]);
}

/// Converts with no file past so many KiB: writing fails as it does on a full disk.
fn on_a_full_disk(kib: u32, target: &str, folder: &Path) {
    let line =
        format!(r#"ulimit -f {kib}; "$meshlens" convert --out-dir "$1/{target}" --to {target} "$1"/*.md3"#);
    let output = shell(&line, folder);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("File too large"), "{target}: {}", stderr(&output));
}

#[test]
fn a_disk_that_is_full_is_an_error_without_output_and_the_rest_goes_on() {
    let (_keep, path) = folder();
    large(&path.join("large.md3"), 16, 4096);
    fs::write(path.join("small.md3"), model()).unwrap();
    on_a_full_disk(64, "glb", &path);
    assert_eq!(names(&path.join("glb")), ["small.glb"]);
    on_a_full_disk(64, "gltf", &path);
    assert_eq!(names(&path.join("gltf")), ["small.bin", "small.gltf"]);
}

#[test]
fn a_disk_that_is_full_is_an_error_without_output_in_every_format() {
    let (_keep, path) = folder();
    fs::copy(real::workspace_root().join("corpus/md3/multi_surface.md3"), path.join("a.md3")).unwrap();
    for target in ["md3", "unreal", "unigine"] {
        on_a_full_disk(1, target, &path);
        assert!(names(&path.join(target)).is_empty());
    }
}

/// The limit is one for every output.
#[test]
fn a_limit_on_file_sizes_is_an_error_for_standard_output_too() {
    let (_keep, path) = folder();
    large(&path.join("large.md3"), 16, 4096);
    for ignored in ["", "trap '' XFSZ;"] {
        let line =
            format!(r#"{ignored} ulimit -f 64; "$meshlens" convert -o - "$1/large.md3" >"$1/large.glb""#);
        let output = shell(&line, &path);
        assert_code(&output, 2);
        assert!(stderr(&output).contains("File too large"), "{}", stderr(&output));
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    let (_keep, path) = folder();
    fs::write(path.join("a.md3"), model()).unwrap();
    fs::write(path.join("file"), "no folder").unwrap();
    for to in ["no/such/folder/a.glb", "file/a.glb"] {
        let output = shell(&format!(r#"cd "$1"; "$meshlens" convert a.md3 -o {to}"#), &path);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(to), "{}", stderr(&output));
    }
    assert_eq!(names(&path), ["a.md3", "file"]);
}

#[test]
fn output_that_nobody_reads_stops_no_conversion() {
    let (_keep, path) = folder();
    // More than a pipe's writer keeps back.
    fs::create_dir(path.join("in")).unwrap();
    for number in 0..300 {
        fs::write(path.join(format!("in/{number:03}.md3")), model()).unwrap();
    }
    for (number, end) in [r#">&-"#, r#"| true; exit "${PIPESTATUS[0]}""#].into_iter().enumerate() {
        let output = shell(&format!(r#""$meshlens" convert --out-dir "$1/{number}" "$1/in" {end}"#), &path);
        assert_code(&output, 0);
        assert_eq!(stderr(&output), "");
        assert_eq!(names(&path.join(number.to_string())).len(), 300);
    }
    let output = shell(r#""$meshlens" convert --out-dir "$1/full" "$1/in" >/dev/full"#, &path);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("cannot write the output"), "{}", stderr(&output));
}

#[test]
fn inputs_that_cannot_be_converted_are_told_of_and_the_rest_goes_on() {
    let (_keep, path) = folder();
    fs::write(path.join("a.md3"), model()).unwrap();
    fs::write(path.join("broken.md3"), &model()[..200]).unwrap();
    std::os::unix::fs::symlink("itself.md3", path.join("itself.md3")).unwrap();
    let output = shell(r#""$meshlens" convert --out-dir "$1/out" "$1"/*.md3"#, &path);
    assert_code(&output, 2);
    for name in ["broken.md3", "itself.md3"] {
        assert!(stderr(&output).contains(name), "{name} is not told of: {}", stderr(&output));
    }
    assert_eq!(names(&path.join("out")), ["a.glb"]);
}
