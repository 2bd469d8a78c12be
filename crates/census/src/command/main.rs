//! `meshlens-census`: the commands `meshlens census` and `meshlens list`, which are started by `meshlens`.
//!
//! A census is planned before it runs: the list of files is written to the output folder, and divided into parts by row
//! numbers. Each part becomes one Parquet file, which only appears when it is complete. If a run ends early, the next
//! run makes the missing parts.

mod args;
mod beside;
mod fetch;
mod listing;
mod local;
mod manifest;
mod memory;
mod pack;
mod parquet_columns;
mod part;
mod place;
mod plan;
mod product;
mod run;
mod server;
mod stop;
mod verify;

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::Parser;
use meshlens_terminal::{signals, tell, usage};

use args::{Arguments, Check, Command};

fn main() -> ExitCode {
    meshlens_terminal::escape_panics();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage::print(error).into(),
    };
    if let Err(error) = signals::survive_file_size_limit().and_then(|()| signals::clean_up()) {
        tell!("signals would leave unfinished files: {error}");
    }
    let outcome = catch_unwind(|| match arguments.command {
        Command::Census(census) => match census.check {
            Some(Check::Verify(verify)) => verify::run(&verify),
            Some(Check::Convert(products)) => run::products(&products, false),
            Some(Check::Thumb(products)) => run::products(&products, true),
            None => run::census(&census),
        },
        Command::List(list) => listing::run(&list),
    });
    match outcome {
        Ok(Ok(code)) => return ExitCode::from(code),
        Ok(Err(stop)) => tell!("{stop}"),
        // The hook has told about the panic.
        Err(_) => {}
    }
    ExitCode::from(2)
}
