//! Sets the environment variable `MESHLENS_COMMIT`, from which `meshlens bench` gets the commit that the command is
//! built from.

use std::path::Path;
use std::process::Command;

fn main() {
    // The log of HEAD gets a new line with each commit. If a watched file were missing, cargo would build again each
    // time.
    let log = "../../.git/logs/HEAD";
    println!("cargo::rerun-if-changed={}", if Path::new(log).exists() { log } else { "build.rs" });
    if let Some(commit) = packaged().or_else(checked_out) {
        println!("cargo::rustc-env=MESHLENS_COMMIT={commit}");
    }
}

/// The commit in the file that `cargo package` adds.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    Some(rest.split_once('"')?.0.to_owned())
}

fn checked_out() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| commit.trim().to_owned())
}
