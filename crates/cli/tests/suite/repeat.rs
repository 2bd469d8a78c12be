//! Conversions that run again: resumed, and after changes.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use meshlens_testkit::real;

use crate::shared::{meshlens, stderr, stdout, utf8};

fn models(folder: &Path, names: &[&str]) {
    fs::create_dir_all(folder).unwrap();
    for name in names {
        fs::copy(real::workspace_root().join("corpus/md3/static.md3"), folder.join(name)).unwrap();
    }
}

/// The totals of a conversion of a folder, and its status.
fn convert(models: &Path, out: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let all = [&["convert", utf8(models), "--out-dir", utf8(out)][..], arguments].concat();
    let output = meshlens(&all);
    assert_eq!(stderr(&output), "", "{all:?}");
    let totals = stdout(&output).lines().last().unwrap_or_default();
    (totals.split(", ").take(3).collect::<Vec<_>>().join(", "), output.status.code())
}

#[test]
fn a_resumed_run_writes_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (from, out) = (folder.path().join("in"), folder.path().join("out"));
    models(&from, &["a.md3", "b.md3", "c.md3"]);
    let resume = |arguments: &[&str]| convert(&from, &out, &[&["--skip-existing"], arguments].concat());
    assert_eq!(resume(&[]), ("3 files, 0 failed, 3 kinds of losses".into(), Some(0)));
    // An existing output is not changed.
    fs::write(out.join("a.glb"), "mine").unwrap();
    fs::remove_file(out.join("b.glb")).unwrap();
    assert_eq!(resume(&[]), ("1 file, 2 left out, 0 failed".into(), Some(0)));
    assert!(fs::read(out.join("a.glb")).unwrap() == b"mine");
    assert!(fs::read(out.join("b.glb")).unwrap().starts_with(b"glTF"));
    assert_eq!(resume(&[]), ("0 files, 3 left out, 0 failed".into(), Some(0)));
    // The file that refers to the other files is written last. If it is missing, all files are written again.
    for (target, main, other) in [("gltf", "a.gltf", "a.bin"), ("unreal", "a_d.3d", "a_a.3d")] {
        resume(&["--to", target]);
        fs::remove_file(out.join(main)).unwrap();
        fs::write(out.join(other), "half").unwrap();
        assert_eq!(
            resume(&["--to", target]).0.split(", ").take(2).collect::<Vec<_>>(),
            ["1 file", "2 left out"]
        );
        assert!(out.join(main).exists() && fs::read(out.join(other)).unwrap() != b"half", "{target}");
    }
}

/// The outputs of the first run are in the folder of the inputs.
#[test]
fn a_run_beside_its_inputs_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let source = real::workspace_root().join("corpus/md3/static.md3");
    assert_eq!(meshlens(&["convert", utf8(&source), "-o", utf8(&path("a.glb"))]).status.code(), Some(0));
    fs::copy(path("a.glb"), path("b.glb")).unwrap();
    for (target, end) in [("md3", ".md3"), ("unreal", "_d.3d"), ("u3d", ".u3d")] {
        assert_eq!(meshlens(&["convert", "--to", target, utf8(&path("a.glb"))]).status.code(), Some(0));
        let arguments = ["convert", "--to", target, "--skip-existing", utf8(folder.path())];
        for written in ["1 file, ", "0 files, "] {
            let output = meshlens(&arguments);
            let totals = stdout(&output).lines().last().unwrap();
            assert!(totals.starts_with(written), "{totals}");
        }
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        // Levels of detail become files of their own.
        names.retain(|name| name.to_str().is_some_and(|name| name.ends_with(end) && !name.contains('1')));
        names.sort();
        assert_eq!(names, [format!("a{end}"), format!("b{end}")].map(OsString::from));
        for name in fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()) {
            if name.extension().unwrap() != "glb" {
                fs::remove_file(name).unwrap();
            }
        }
    }
}

#[test]
fn models_that_changed_are_converted_again() {
    let folder = tempfile::tempdir().unwrap();
    let (from, out, stamp) =
        (folder.path().join("in"), folder.path().join("out"), folder.path().join("stamp"));
    models(&from, &["a.md3", "b.md3"]);
    File::create(&stamp).unwrap();
    let set = |path: &Path, seconds: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    // 2001-09-09T01:46:40.
    set(&from.join("a.md3"), 1_000_000_000);
    set(&from.join("b.md3"), 1_000_000_001);
    set(&stamp, 1_000_000_000);
    for since in [utf8(&stamp), "2001-09-09T01:46:40Z"] {
        let changed = convert(&from, &out, &["--force", "--changed-since", since]);
        assert_eq!(changed, ("1 file, 1 left out, 0 failed".into(), Some(0)), "{since}");
        assert!(out.join("b.glb").exists() && !out.join("a.glb").exists());
    }
    let all = convert(&from, &out, &["--force", "--changed-since", "2001-09-09"]);
    assert_eq!(all, ("2 files, 0 failed, 2 kinds of losses".into(), Some(0)));
    let output = meshlens(&["convert", "--changed-since", "yesterday", utf8(&from)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected a file, or a time such as 2026-11-24"), "{}", stderr(&output));
}
