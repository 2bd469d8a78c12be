//! Conversion under faults: output appears whole or not at all, and nothing is left beside it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use meshlens_testkit::{real, sparse};

use super::{MESHLENS, assert_code, folder, model, shell, signal, stderr};

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
    // The count of triangles, in the header of the surface behind that of the model.
    let file = File::options().write(true).open(path).unwrap();
    file.write_at(&1u32.to_le_bytes(), 108 + 84).unwrap();
}

/// Starts to convert a model large enough to be written for a while, waits until some of its output is there, and stops
/// the process in the middle of it.
fn stopped_while_writing(folder: &Path) -> (Child, PathBuf) {
    let large = folder.join("large.md3");
    self::large(&large, 64, 65_536);
    let child = Command::new(MESHLENS)
        .args(["convert", "--force", "-o"])
        .args([&folder.join("large.glb"), &large])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let is_written = || {
        let mut entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries.any(|entry| {
            let is_temporary = entry.file_name().to_string_lossy().starts_with(".meshlens-");
            is_temporary && entry.metadata().is_ok_and(|meta| meta.len() > 0)
        })
    };
    for _ in 0..60_000 {
        if is_written() {
            break;
        }
        sleep(Duration::from_millis(1));
    }
    signal(&child, "STOP");
    assert!(is_written(), "it was done before it was stopped");
    (child, large)
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let (_keep, path) = folder();
        fs::write(path.join("large.glb"), "what was there before").unwrap();
        let (child, _) = stopped_while_writing(&path);
        signal(&child, name);
        signal(&child, "CONT");
        let output = child.wait_with_output().unwrap();
        // Whoever waits for the process is told that a signal ended it, and which.
        assert_eq!(output.status.signal(), Some(number), "{name}: {}", stderr(&output));
        assert_eq!(names(&path), ["large.glb", "large.md3"], "{name}");
        assert_eq!(fs::read(path.join("large.glb")).unwrap(), b"what was there before", "{name}");
    }
}

#[test]
fn a_signal_that_was_ignored_stays_so() {
    let (_keep, path) = folder();
    fs::write(path.join("a.md3"), model()).unwrap();
    let line = r#"trap '' HUP; "$meshlens" convert "$1" & kill -HUP $!; wait $!"#;
    assert_code(&shell(line, &path.join("a.md3")), 0);
    assert_eq!(names(&path), ["a.glb", "a.md3"]);
}

#[test]
fn a_file_cut_short_while_it_is_converted_is_an_error_without_output() {
    let (_keep, path) = folder();
    let (child, large) = stopped_while_writing(&path);
    File::options().write(true).open(large).unwrap().set_len(4096).unwrap();
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    assert_code(&output, 2);
    assert!(stderr(&output).contains("changed while it was being read"), "{}", stderr(&output));
    assert_eq!(names(&path), ["large.md3"]);
}

/// Converts with no file past so many KiB and no signal about it: writing fails as it does on a full disk.
fn on_a_full_disk(kib: u32, target: &str, folder: &Path) {
    let line = format!(
        r#"trap '' XFSZ; ulimit -f {kib}; "$meshlens" convert --out-dir "$1/{target}" --to {target} "$1"/*.md3"#
    );
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
