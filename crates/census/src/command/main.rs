//! `meshlens-census`: the commands `meshlens census` and `meshlens list`, which are started by `meshlens`.
//!
//! A census is planned before it runs: the list of files is written to the output folder, and divided into parts by row
//! numbers. Each part becomes one Parquet file, which only appears when it is complete. If a run ends early, the next
//! run makes the missing parts.

mod args;
mod fetch;
mod listing;
mod manifest;
mod parquet_columns;
mod part;
mod place;
mod plan;
mod product;
mod run;
mod server;
mod stop;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Check, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Census(census) => match census.check {
            Some(Check::Verify(verify)) => verify::run(&verify),
            Some(Check::Convert(products)) => run::products(&products, false),
            Some(Check::Thumb(products)) => run::products(&products, true),
            None => run::census(&census),
        },
        Command::List(list) => listing::run(&list),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(stop) => {
            eprintln!("meshlens: {stop}");
            ExitCode::from(2)
        }
    }
}
