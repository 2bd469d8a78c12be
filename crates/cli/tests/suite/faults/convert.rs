//! Conversion under faults: output appears complete or not at all, and no other files are left.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use meshlens_testkit::share::few_or_all;
use meshlens_testkit::{real, sparse};

use super::{MESHLENS, assert_code, changing, folder, model, shell, signal, stderr};

/// The names of the files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A large model with one triangle. All other bytes are zero.
fn large(path: &Path, frames: u32, vertices: u32) {
    sparse::md3(path, frames, vertices, 0).unwrap();
    // The number of triangles is in the header of the surface, after the header of the model.
    let file = File::options().write(true).open(path).unwrap();
    file.write_at(&1u32.to_le_bytes(), 108 + 84).unwrap();
}

/// Starts a conversion to standard output. Nobody reads the output, so the command blocks in the middle of it. Also
/// returns the model. `before` are shell commands that run first.
fn writing(folder: &Path, before: &str) -> (Child, PathBuf) {
    let path = folder.join("large.md3");
    large(&path, 3, 20_000);
    // Some signals would write a core dump.
    let line = format!(r#"ulimit -c 0; {before} exec "$meshlens" convert -o - "$1""#);
    let child = Command::new("bash")
        .args(["-c", &line, "test"])
        .arg(&path)
        .env("meshlens", MESHLENS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    (after_its_first_byte(child.unwrap()), path)
}

fn after_its_first_byte(mut child: Child) -> Child {
    let mut first = [0];
    if child.stdout.as_mut().unwrap().read(&mut first).unwrap() == 0 {
        panic!("there is no output: {:?}", child.wait_with_output());
    }
    assert_eq!(first, *b"g");
    child
}

/// Reads the rest of the output of a command that `writing` started. It is larger than the buffer of a pipe.
fn rest(child: Child) -> Output {
    let mut output = child.wait_with_output().unwrap();
    output.stdout.insert(0, b'g');
    assert!(output.stdout.len() > 1 << 19, "{} bytes: {}", output.stdout.len(), stderr(&output));
    output
}

/// Whether the tests were started with a signal ignored, as under `nohup`. Child processes inherit this.
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (number - 1) & 1 == 1
}

/// Files that remain are tested in `src/signals.rs`.
#[test]
fn an_interrupted_run_ends_with_the_signal() {
    let (_keep, path) = folder();
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
    let some = signals.into_iter().step_by(few_or_all(4, 1));
    for (name, number) in some.filter(|(_, number)| !is_ignored(*number)) {
        let (mut child, _) = writing(&path, "");
        signal(&child, name);
        // Nobody reads the output before the command ends, so the command cannot continue.
        let status = child.wait().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(status.signal(), Some(number), "{name}: {status}: {}", stderr(&output));
    }
}

#[test]
fn an_ignored_signal_remains_ignored() {
    let (_keep, path) = folder();
    let (child, _) = writing(&path, "trap '' HUP INT QUIT;");
    for name in ["HUP", "INT", "QUIT"] {
        signal(&child, name);
    }
    assert_code(&rest(child), 0);
}

#[test]
fn a_file_that_changes_during_reading_is_an_error_without_output_and_the_batch_continues() {
    let (_keep, path) = folder();
    let Some(changing) = changing(&path) else { return };
    fs::write(path.join("small.md3"), model()).unwrap();
    let output = shell(r#""$meshlens" convert -j 1 --out-dir "$1/out" "$1"/*.md3"#, &path);
    assert_code(&output, 2);
    let told = format!("{}: changed while it was being read", changing.display());
    assert!(stderr(&output).contains(&told), "{}", stderr(&output));
    assert_eq!(names(&path.join("out")), ["small.glb"]);
}

/// The whole input is in memory by then.
#[test]
fn truncating_the_input_during_output_does_not_change_the_output() {
    let (_keep, path) = folder();
    let (child, _) = writing(&path, "");
    let undisturbed = rest(child);
    assert_code(&undisturbed, 0);
    let (child, large) = writing(&path, "");
    File::options().write(true).open(large).unwrap().set_len(4096).unwrap();
    let output = rest(child);
    assert_code(&output, 0);
    assert!(output.stdout == undisturbed.stdout);
}

/// Converts with a limit of `kib` KiB on file sizes: writing fails like on a full disk.
fn on_a_full_disk(kib: u32, target: &str, folder: &Path) {
    let line =
        format!(r#"ulimit -f {kib}; "$meshlens" convert --out-dir "$1/{target}" --to {target} "$1"/*.md3"#);
    let output = shell(&line, folder);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("File too large"), "{target}: {}", stderr(&output));
}

#[test]
fn a_full_disk_does_not_stop_other_conversions() {
    let (_keep, path) = folder();
    large(&path.join("large.md3"), 16, 4096);
    fs::write(path.join("small.md3"), model()).unwrap();
    on_a_full_disk(64, "glb", &path);
    assert_eq!(names(&path.join("glb")), ["small.glb"]);
    on_a_full_disk(64, "gltf", &path);
    assert_eq!(names(&path.join("gltf")), ["small.bin", "small.gltf"]);
}

#[test]
fn a_full_disk_is_an_error_without_output_in_every_format() {
    let (_keep, path) = folder();
    fs::copy(real::workspace_root().join("corpus/md3/multi_surface.md3"), path.join("a.md3")).unwrap();
    for target in ["md3", "unreal", "unigine"] {
        on_a_full_disk(1, target, &path);
        assert!(names(&path.join(target)).is_empty());
    }
}

/// The limit applies to every output.
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
fn a_closed_output_does_not_stop_conversions() {
    let (_keep, path) = folder();
    // More output than the writer of a pipe buffers.
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
fn inputs_that_cannot_be_converted_are_reported_and_the_others_are_converted() {
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
