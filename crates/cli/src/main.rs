//! The `meshlens` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    meshlens_cli::run(std::env::args_os()).into()
}
