//! `meshlens-census`: the commands `meshlens census` and `meshlens list`, which `meshlens` starts.
//!
//! A census is planned before it runs: the list of the files is written to the output folder, and divided into parts by the
//! numbers of its rows. Each part becomes one Parquet file, which appears whole. A run that ends early is continued by the
//! parts that are missing.

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
