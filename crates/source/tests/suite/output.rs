//! Output appears whole or not at all.

use std::fs;
use std::io::{self, Write};

use meshlens_source::{AtomicFile, Error, write_atomic};

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_committed_file_is_the_only_file_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    write_atomic(&path, false, |out| out.write_all(b"glTF")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"glTF");
    assert_eq!(names(folder.path()), ["out.glb"]);
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    fs::write(&path, b"old").unwrap();
    let error = write_atomic(&path, true, |out| {
        out.write_all(&[0; 100_000])?;
        Err(io::Error::other("no more"))
    })
    .unwrap_err();
    assert!(matches!(error, Error::Io { action: "write", .. }), "{error}");
    drop(AtomicFile::create(&path, true).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["out.glb"]);
}

#[test]
fn overwriting_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    fs::write(&path, b"old").unwrap();
    let error = write_atomic(&path, false, |out| out.write_all(b"new")).unwrap_err();
    assert!(matches!(error, Error::Exists { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    write_atomic(&path, true, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn a_file_that_appears_meanwhile_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    let mut file = AtomicFile::create(&path, false).unwrap();
    file.write_all(b"ours").unwrap();
    fs::write(&path, b"theirs").unwrap();
    assert!(matches!(file.commit(), Err(Error::Exists { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    assert_eq!(names(folder.path()), ["out.glb"]);
}

#[test]
fn folders_are_neither_replaced_nor_made() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(AtomicFile::create(folder.path(), true), Err(Error::Folder { .. })));
    let missing = AtomicFile::create(folder.path().join("missing/out.glb"), true).unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
}

#[cfg(unix)]
#[test]
fn devices_are_not_replaced() {
    assert!(matches!(AtomicFile::create("/dev/null", true), Err(Error::NotRegular { .. })));
}

#[cfg(unix)]
#[test]
fn the_file_is_as_open_as_any_other() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
    write_atomic(&ours, false, |out| out.write_all(b"x")).unwrap();
    fs::write(&plain, b"x").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&plain));
}
