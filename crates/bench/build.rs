//! Sets the environment variables from which reports get the commit that the program is built from, the compiler and the
//! profile.

use std::path::Path;
use std::process::Command;

fn main() {
    // The log of HEAD gets a new line with each commit. If a watched file were missing, cargo would build again each
    // time.
    let log = "../../.git/logs/HEAD";
    println!("cargo::rerun-if-changed={}", if Path::new(log).exists() { log } else { "build.rs" });
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version =
        Command::new(rustc).arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    println!("cargo::rustc-env=MESHLENS_RUSTC={}", String::from_utf8_lossy(&version).trim());
    for name in ["PROFILE", "OPT_LEVEL"] {
        println!("cargo::rustc-env=MESHLENS_{name}={}", std::env::var(name).unwrap_or_default());
    }
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
