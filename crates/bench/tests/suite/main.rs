//! `meshlens-bench` as a user or a CI job runs it. No test depends on a measured rate.

mod compare;
mod decoders;
mod measure;

use std::process::{Command, Output};

use meshlens_fixtures::real::workspace_root;

/// The program in the folder of the workspace.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens-bench"));
    command.current_dir(workspace_root()).args(arguments).env_remove("MESHLENS_PASSWORD");
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program runs")
}

/// Measures for a short time.
fn measured(arguments: &[&str]) -> Output {
    run(&[&["--seconds", "0.01"], arguments].concat())
}

/// Measures for a short time. The report, and the exit status.
fn json(arguments: &[&str]) -> (serde_json::Value, i32) {
    let output = measured(&[&["--format", "json"], arguments].concat());
    let report = serde_json::from_slice(&output.stdout);
    (report.unwrap_or_else(|error| panic!("{error}: {output:?}")), output.status.code().expect("a status"))
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}
