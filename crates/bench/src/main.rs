//! `meshlens-bench`, which `meshlens bench` starts: measures how fast the user's files open and their arrays decode on this
//! machine.
#![deny(unsafe_code)]

mod args;
mod arrays;
mod compare;
mod decoders;
mod library;
mod machine;
mod measure;
mod models;
mod print;
mod report;
mod team;
mod turns;

use std::io::{self, Write, stdout};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use meshlens::lens::Level;
use meshlens_terminal::status::Status;
use meshlens_terminal::{Output, escape_panics, signals, tell, told, usage};

use args::{Arguments, Command, Written};
use models::Model;
use report::{ArrayReport, Report};

fn main() -> ExitCode {
    escape_panics();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage::print(error).into(),
    };
    if let Err(error) = signals::survive_file_size_limit() {
        tell!("writing past the limit on file sizes would end the command: {error}");
    }
    let mut out = Output::new(stdout());
    let outcome = match &arguments.command {
        Some(Command::Compare(arguments)) => compare::run(arguments, &mut out),
        None => measure(&arguments, &mut out),
    };
    Status::finish(outcome, &mut out).into()
}

fn measure(arguments: &Arguments, out: &mut Output) -> io::Result<Status> {
    let limit = Duration::from_secs_f32(arguments.decoder_limit);
    let Some(decoders) = told(decoders::load(&arguments.decoder, limit)) else { return Ok(Status::Failed) };
    let Some(password) = told(arguments.password()) else { return Ok(Status::Failed) };
    let (loaded, mut status) = models::load(arguments, password.as_deref());
    if loaded.is_empty() {
        return Ok(status);
    }
    let models: Vec<Model<'_>> =
        loaded.iter().filter_map(|loaded| Model::parse(loaded, &mut status)).collect();
    if models.is_empty() {
        tell!("nothing to measure");
        return Ok(status.max(Status::Findings));
    }
    let levels = arguments.level.map_or_else(|| Level::all().collect(), |level| vec![level]);
    let mut report = Report::new(arguments, password.as_deref(), &models, &levels)?;
    let (level, duration) = (arguments.level.unwrap_or(Level::current()), arguments.seconds);
    report.decoders = decoders::measure(&decoders, &models, level, Duration::from_secs_f32(duration))?;
    for ArrayReport { format, name, different, .. } in &report.arrays {
        for level in different {
            tell!("{format} {name}: {level} decodes to other values than the scalar code");
            status = status.max(Status::Findings);
        }
    }
    if report.decoders.iter().any(|decoder| decoder.difference.is_some()) {
        status = status.max(Status::Findings);
    }
    match arguments.format {
        Written::Text => print::text(&report, out)?,
        Written::Json => json(&report, out)?,
        Written::Csv => print::csv(&report, out)?,
    }
    Ok(status)
}

fn json(result: &impl serde::Serialize, out: &mut Output) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, result)?;
    writeln!(out)
}
