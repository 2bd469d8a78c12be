//! The `meshlens` command as a function, for programs that contain the command. Each subcommand is a module.
#![forbid(unsafe_code)]

mod animations;
mod args;
mod batch;
mod codes;
mod complete;
mod convert;
mod details;
mod dump;
mod engines;
mod errors;
mod explain;
mod failure;
mod findings;
mod fix;
mod forward;
mod hash;
mod headers;
mod html;
mod inputs;
mod inspect;
mod item;
mod json;
mod memory;
mod outputs;
mod pack;
mod paths;
mod plan;
mod program;
mod progress;
mod remote;
mod sarif;
mod shader;
mod sink;
mod stdout;
mod table;
mod thumb;
mod validate;
mod workers;

use std::ffi::OsString;
use std::io::{IsTerminal, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Parser;
// Everything is printed through this crate.
use meshlens_terminal as terminal;
use meshlens_terminal::{signals, status, usage};

use args::{Arguments, Command};
use status::Status;
use terminal::{Output, tell};

/// Runs the command with `arguments`, the first of which is the name of the program, and returns its exit status. Prints to
/// the standard output and the standard error of the process, and changes its panic hook and some of its signal handlers:
/// call it once, in a process that does nothing else.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    terminal::escape_panics();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage::print(error),
    };
    terminal::set_verbosity(arguments.verbosity.level());
    let mut command = arguments.command;
    if let Err(message) = command.prepare() {
        tell!("{message}");
        return Status::Failed.code();
    }
    if let Err(error) = signals::survive_file_size_limit() {
        tell!("writing past the limit on file sizes would end the command: {error}");
    }
    let mut out = Output::new(stdout());
    out.set_color(arguments.color, stdout().is_terminal());
    // Where no single file is at fault, such as while an archive is listed.
    let outcome = catch_unwind(AssertUnwindSafe(|| match command {
        Command::Inspect(arguments) => inspect::run(&arguments, &mut out),
        Command::Validate(arguments) => validate::run(&arguments, &mut out),
        Command::Dump(arguments) => dump::run(&arguments, &mut out),
        Command::Convert(arguments) => convert::run(&arguments, &mut out),
        Command::Fix(arguments) => fix::run(&arguments, &mut out),
        Command::Thumb(arguments) => thumb::run(&arguments, &mut out),
        Command::Plan(arguments) => plan::run(&arguments, &mut out),
        Command::Pack(arguments) => pack::run(&arguments, &mut out),
        Command::Explain(arguments) => explain::run(&arguments, &mut out),
        Command::Bench(arguments) => program::bench(&arguments.arguments),
        Command::Shader(arguments) => shader::run(&arguments, &mut out),
        Command::View(arguments) => program::view(&arguments),
        Command::Census(arguments) => program::census("census", &arguments.arguments),
        Command::List(arguments) => program::census("list", &arguments.arguments),
        Command::Completions(arguments) => complete::completions(&arguments),
        Command::Man(arguments) => complete::man(&arguments),
    }));
    // The hook has told about the panic.
    let outcome = outcome.unwrap_or(Ok(Status::Failed));
    Status::finish(outcome, &mut out)
}

/// For commands that write files: a signal that ends the command first removes those that are incomplete.
fn clean_up_on_signals() {
    if let Err(error) = signals::clean_up() {
        tell!("cannot handle signals; an interrupted run may leave temporary files: {error}");
    }
}
