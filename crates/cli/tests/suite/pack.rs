//! `meshlens pack`.

use std::path::Path;
use std::process::Command;

use meshlens_testkit::real;
use serde_json::Value;

use crate::shared::{meshlens, stderr, stdout, utf8 as text};

/// The names in an archive, in the order of its entries.
fn names(path: &Path) -> Vec<String> {
    let zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    (0..zip.len()).map(|number| zip.name_for_index(number).unwrap().unwrap().into_owned()).collect()
}

#[test]
fn a_folder_is_packed_whole_in_the_order_of_loading() {
    let folder = tempfile::tempdir().unwrap();
    let (path, again) = (folder.path().join("a.pk3"), folder.path().join("b.pk3"));
    let output =
        meshlens(&["pack", text(&path), "corpus/md3", "corpus/unreal", "--list", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let entries = report["entries"].as_array().unwrap();
    let listed: Vec<&str> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    let mut found = names(&path);
    assert_eq!(found.pop().as_deref(), Some("meshlens.plans"));
    assert_eq!(found, listed);
    assert!(report["plans"].as_u64() > Some(10) && report["files"] == found.len(), "{report}");
    let kinds: Vec<u8> = entries
        .iter()
        .map(|entry| match (&entry["format"], entry["name"].as_str().unwrap()) {
            (Value::String(_), _) => 1,
            (_, name) if [".cfg", ".skin", ".shader", ".uc"].iter().any(|end| name.ends_with(end)) => 0,
            _ => 2,
        })
        .collect();
    assert!(kinds.is_sorted() && kinds.contains(&0) && kinds.contains(&1), "{listed:?}");
    assert_eq!(meshlens(&["pack", text(&again), "corpus/md3", "corpus/unreal"]).status.code(), Some(0));
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());
    // The pack replaces the folders, and so does a pack of it.
    let inspect = |paths: &[&str]| {
        let output = meshlens(&[&["inspect", "--format", "csv"], paths].concat());
        let mut lines: Vec<String> =
            stdout(&output).lines().map(|line| line.replace("a.pk3!", "b.pk3!")).collect();
        lines.sort();
        lines
    };
    let packed = inspect(&[text(&path)]);
    assert!(packed.len() > 10);
    assert_eq!(meshlens(&["pack", text(&again), text(&path), "--force"]).status.code(), Some(0));
    assert_eq!(packed, inspect(&[text(&again)]));
}

#[test]
fn other_programs_read_a_pack() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pk3");
    assert_eq!(meshlens(&["pack", text(&path), "corpus/md3"]).status.code(), Some(0));
    let python = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()))";
    for (program, arguments) in [("unzip", &["-tq"][..]), ("zip", &["-T"]), ("python3", &["-c", python])] {
        match Command::new(program).args(arguments).arg(&path).output() {
            Ok(output) => assert!(output.status.success(), "{program}: {}", stdout(&output)),
            Err(_) => println!("skipped: there is no {program}"),
        }
    }
}

#[test]
fn invalid_models_are_packed_or_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (path, source) = (folder.path().join("a.pk3"), folder.path().join("source"));
    std::fs::create_dir(&source).unwrap();
    std::fs::copy(real::workspace_root().join("corpus/md3/animated.md3"), source.join("good.md3")).unwrap();
    std::fs::write(source.join("bad.md3"), b"IDP3\x0f\0\0\0").unwrap();
    let output = meshlens(&["pack", text(&path), text(&source)]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("bad.md3: warning: packed without a plan"), "{}", stderr(&output));
    assert_eq!(names(&path), ["good.md3", "bad.md3", "meshlens.plans"]);
    let output = meshlens(&["pack", text(&path), text(&source), "--leave-out", "error"]);
    assert_eq!(output.status.code(), Some(2), "it exists");
    let output = meshlens(&["pack", text(&path), text(&source), "--leave-out", "error", "--force"]);
    assert_eq!(
        (output.status.code(), names(&path)),
        (Some(1), vec!["good.md3".into(), "meshlens.plans".into()])
    );
    assert!(stdout(&output).contains("1 left out"), "{}", stdout(&output));
    // A pack in the folder that is packed.
    let inside = source.join("inside.pk3");
    for _ in 0..2 {
        assert_eq!(meshlens(&["pack", text(&inside), text(&source), "--force"]).status.code(), Some(0));
        assert_eq!(names(&inside), ["good.md3", "bad.md3", "meshlens.plans"]);
    }
    let output = meshlens(&["pack", text(&path), text(&source.join("none.md3")), "--force"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn files_keep_their_paths_and_the_last_of_a_name_is_packed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pk3");
    std::fs::create_dir_all(folder.path().join("MD3")).unwrap();
    let other = folder.path().join("MD3/Animated.md3");
    std::fs::copy(real::workspace_root().join("corpus/md3/static.md3"), &other).unwrap();
    let output = meshlens(&["pack", text(&path), "corpus/md3/static.md3", text(&other)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(names(&path), ["Animated.md3", "corpus/md3/static.md3", "meshlens.plans"]);
    let output = meshlens(&["pack", text(&path), "corpus", text(folder.path()), "--force", "--list"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let list: Vec<&str> =
        stdout(&output).lines().filter(|line| line.to_lowercase().ends_with("md3/animated.md3")).collect();
    assert_eq!(list.len(), 1, "{list:?}");
    let len = std::fs::metadata(&other).unwrap().len().to_string();
    assert!(list[0].contains(&len) && list[0].contains("md3 "), "{list:?}");
}

#[test]
fn an_archive_is_not_replaced_by_one_without_the_files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (good, damaged) = (folder.path().join("good.pk3"), folder.path().join("damaged.pk3"));
    let out = folder.path().join("out.pk3");
    assert_eq!(meshlens(&["pack", text(&good), "corpus/md3/static.md3"]).status.code(), Some(0));
    let mut bytes = std::fs::read(&good).unwrap();
    let model = bytes.windows(4).position(|bytes| bytes == b"IDP3").unwrap();
    bytes[model + 8] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    // A new archive has what could be read.
    for _ in 0..2 {
        let output = meshlens(&["pack", text(&out), text(&damaged), "corpus/md3/tagged.md3", "--force"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stderr(&output).matches("static.md3: ").count(), 1, "{}", stderr(&output));
        assert_eq!(names(&out), ["corpus/md3/tagged.md3", "meshlens.plans"]);
        std::fs::remove_file(&out).unwrap();
    }
    std::fs::copy(&good, &out).unwrap();
    let output = meshlens(&["pack", text(&out), text(&damaged), "corpus/md3/tagged.md3", "--force"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("out.pk3: not replaced"), "{}", stderr(&output));
    assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(&good).unwrap());
}
