//! `meshlens view`, which starts another program.

use std::fs;
use std::process::Command;

/// A copy of the command in a folder of its own, where nothing is next to it.
fn lone() -> (tempfile::TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("meshlens");
    fs::copy(env!("CARGO_BIN_EXE_meshlens"), &copy).unwrap();
    let mut command = Command::new(copy);
    command.env("PATH", folder.path().join("bin")).arg("view");
    (folder, command)
}

#[test]
fn without_the_viewer_it_says_how_to_install_it() {
    let (_keep, mut command) = lone();
    let output = command.arg("x.md3").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cargo install --path crates/viewer/app"), "{message}");
}

#[cfg(unix)]
#[test]
fn the_viewer_next_to_the_command_gets_the_paths_after_the_options() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, mut command) = lone();
    let viewer = folder.path().join("meshlens-view");
    fs::write(&viewer, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 3\n").unwrap();
    fs::set_permissions(&viewer, fs::Permissions::from_mode(0o755)).unwrap();
    let output = command.args(["-", "a b.md3", "--", "--theme", "light"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "<--theme><light><--><-><a b.md3>");
    // Whatever the viewer fails with, the command fails.
    assert_eq!(output.status.code(), Some(2));
}
