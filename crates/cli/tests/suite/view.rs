//! `meshlens view`, `bench`, `census` and `list`, which start other programs.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Copies a program in a process of its own: a file that this process has open for writing cannot be executed, and a process that
/// another test starts meanwhile inherits the file.
fn copy_program(from: &Path, to: &Path) {
    if cfg!(unix) {
        assert!(Command::new("cp").args([from, to]).status().unwrap().success());
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// A copy of the command in an otherwise empty folder.
fn lone() -> (tempfile::TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("meshlens");
    copy_program(Path::new(env!("CARGO_BIN_EXE_meshlens")), &copy);
    let mut command = Command::new(copy);
    command.env("PATH", folder.path().join("bin"));
    (folder, command)
}

/// A program next to the command that prints its arguments.
#[cfg(unix)]
fn stand_in(folder: &tempfile::TempDir, name: &str, status: u8) {
    use std::os::unix::fs::PermissionsExt;

    let program = folder.path().join(name);
    let text = folder.path().join("text");
    fs::write(&text, format!("#!/bin/sh\nprintf '<%s>' \"$@\"\nexit {status}\n")).unwrap();
    copy_program(&text, &program);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn without_the_viewer_the_message_says_how_to_install_it() {
    let (_keep, mut command) = lone();
    let output = command.args(["view", "x.md3"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cargo install --path crates/viewer/app"), "{message}");
}

#[cfg(unix)]
#[test]
fn the_viewer_next_to_the_command_gets_the_paths_after_the_options() {
    let (folder, mut command) = lone();
    stand_in(&folder, "meshlens-view", 3);
    let output = command.args(["view", "-", "a b.md3", "--", "--theme", "light"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "<--theme><light><--><-><a b.md3>");
    // The command exits with 2 for any status of the viewer.
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn the_program_that_measures_gets_all_arguments() {
    let (folder, mut command) = lone();
    stand_in(&folder, "meshlens-bench", 1);
    let output = command.args(["bench", "compare", "--help", "-q"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "<compare><--help><-q>");
    assert_eq!(output.status.code(), Some(1));
    let (_keep, mut command) = lone();
    let output = command.args(["bench", "x.md3"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cargo install meshlens-bench installs it"), "{message}");
}

#[cfg(unix)]
#[test]
fn the_program_of_tables_gets_all_arguments() {
    for (name, status) in [("census", 1), ("list", 0)] {
        let (folder, mut command) = lone();
        stand_in(&folder, "meshlens-census", status);
        let output = command.args([name, "models/", "-o", "a b", "--help"]).output().unwrap();
        let expected = format!("<{name}><models/><-o><a b><--help>");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert_eq!(output.status.code(), Some(status.into()));
    }
    let (_keep, mut command) = lone();
    let output = command.args(["census", "--help"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cargo install --path crates/census"), "{message}");
}
