//! The `meshlens` command: arguments in, an exit status out. Each subcommand has a module of its own.
#![deny(unsafe_code)]

mod args;
mod batch;
mod bench;
mod convert;
mod details;
mod dump;
mod inputs;
mod inspect;
mod open;
mod pairs;
mod status;
mod tell;
mod validate;

use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use status::Status;
use tell::tell;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = BufWriter::new(stdout().lock());
    let outcome = match arguments.command {
        Command::Inspect(arguments) => inspect::run(&arguments, &mut out),
        Command::Validate(arguments) => validate::run(&arguments, &mut out),
        Command::Dump(arguments) => dump::run(&arguments, &mut out),
        Command::Convert(arguments) => convert::run(&arguments, &mut out),
        Command::Bench(arguments) => bench::run(&arguments, &mut out),
    };
    match outcome.and_then(|status| out.flush().map(|()| status)) {
        Ok(status) => status.into(),
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            tell!("cannot write the output: {error}");
            Status::Failed.into()
        }
    }
}
