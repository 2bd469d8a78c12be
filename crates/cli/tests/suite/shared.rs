//! Helpers for the tests of several commands.

use std::path::Path;
use std::process::{Command, Output};

use meshlens_testkit::real;

/// Runs the command in the folder of the workspace.
pub(crate) fn meshlens(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.current_dir(real::workspace_root()).args(arguments).output().expect("the command runs")
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

pub(crate) fn utf8(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
