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
fn files_are_only_overwritten_on_request() {
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
fn a_file_that_appears_before_the_commit_is_kept() {
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
fn the_file_has_default_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
    write_atomic(&ours, false, |out| out.write_all(b"x")).unwrap();
    fs::write(&plain, b"x").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&plain));
}

#[test]
fn a_closed_file_stays_closed_and_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    let mut file = AtomicFile::create(&path, false).unwrap();
    assert_eq!(file.path(), path);
    file.write_all(b"glTF").unwrap();
    file.sync().unwrap();
    file.close().unwrap();
    file.close().unwrap();
    file.flush().unwrap();
    assert!(matches!(file.sync(), Err(Error::Io { action: "write", .. })));
    file.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"glTF");
    assert_eq!(names(folder.path()), ["out.glb"]);
}

#[test]
fn changes_of_folders_before_the_commit_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    let file = AtomicFile::create(&path, true).unwrap();
    fs::create_dir(&path).unwrap();
    let error = file.commit().unwrap_err();
    assert!(matches!(error, Error::Io { action: "put the finished file there", .. }), "{error}");
    assert_eq!(names(folder.path()), ["out.glb"]);

    for is_written in [false, true] {
        let gone = folder.path().join("gone");
        fs::create_dir(&gone).unwrap();
        let mut file = AtomicFile::create(gone.join("out.glb"), false).unwrap();
        fs::remove_dir_all(&gone).unwrap();
        // On some systems, the file has no name before this call.
        let _ = file.close();
        if is_written {
            file.write_all(b"glTF").unwrap();
        }
        assert!(matches!(file.commit(), Err(Error::Io { .. })));
        assert!(!gone.exists());
    }
}

#[test]
fn a_name_without_a_folder_is_in_the_current_folder() {
    let name = "a file that no test writes.glb";
    let file = AtomicFile::create(name, false).unwrap();
    assert_eq!(file.path(), std::path::Path::new(name));
    drop(file);
    assert!(!fs::exists(name).unwrap());
}

/// Runs in a separate process with a limit on the size of files. The process ignores the signal of the limit.
#[cfg(target_os = "linux")]
#[test]
fn bytes_that_cannot_be_written_are_an_error() {
    use std::process::Command;

    const FOLDER: &str = "MESHLENS_TEST_OUTPUT_LIMITED";
    // The limit is set in units of 512 bytes. It is larger than the results of coverage tests, which are also written.
    const LIMIT: usize = 32 << 20;
    let Some(folder) = std::env::var_os(FOLDER) else {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", LIMIT / 512);
        let mut command = Command::new("sh");
        command.args(["-c", &script]).arg(std::env::current_exe().unwrap());
        command.args(["--exact", "output::bytes_that_cannot_be_written_are_an_error", "--nocapture"]);
        let output = command.env(FOLDER, folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
        assert!(names(folder.path()).is_empty());
        return;
    };
    // The last byte is still in the buffer.
    let full = || {
        let mut file = AtomicFile::create(std::path::Path::new(&folder).join("out"), false).unwrap();
        file.write_all(&vec![7; LIMIT]).unwrap();
        file.write_all(b"7").unwrap();
        file
    };
    let refused = |result| matches!(result, Err(Error::Io { action: "write", .. }));
    assert!(refused(full().sync()));
    assert!(refused(full().close()));
    assert!(refused(full().commit()));
    assert!(full().write_all(&vec![7; LIMIT]).is_err());
}
