//! `meshlens convert`: writes models to files of another format.

mod clips;
mod job;
mod notes;
mod textures;
mod write;
mod write_back;
mod write_gltf;
mod written;

use std::io::{self, Write};
use std::time::Instant;

use meshlens::Report;
use meshlens::wire::Budget;
use meshlens_gltf::ImportLimits;

use crate::args::Convert;
use crate::memory::Memory;
use crate::status::Status;
use crate::terminal::{Output, is_quiet, is_verbose, tell};
use crate::{batch, findings, sink};

use job::Job;

/// The result of a job.
#[derive(Default)]
struct Outcome {
    bytes_in: u64,
    bytes_out: u64,
    losses: Report,
    warnings: Vec<String>,
    /// Notes on a result without errors: its size, and assumptions that were made.
    notes: Vec<String>,
    /// Whether a warning already suggests a scale.
    scale_is_named: bool,
    /// The width, height and depth of the output.
    size: Option<String>,
}

/// The memory that a job may use.
struct Share<'b> {
    budget: &'b Budget,
    /// The limit for one imported file.
    limit: usize,
}

pub(crate) fn run(arguments: &Convert, out: &mut Output) -> io::Result<Status> {
    let start = Instant::now();
    if let Err(error) = crate::signals::clean_up() {
        tell!("cannot handle signals; an interrupted run may leave temporary files: {error}");
    }
    // With -o -, the model goes to standard output and the report to standard error.
    let is_stdout = arguments.output.as_deref().is_some_and(sink::is_stdout);
    let out = if is_stdout { &mut Output::new(io::stderr()) } else { out };
    // A reader that closes the report does not stop the conversions.
    out.ignore_closed();
    let memory = Memory::new(arguments.max_memory);
    let (jobs, status) = match job::plan(arguments, &memory) {
        Ok(planned) => planned,
        Err(message) => {
            tell!("{message}");
            return Ok(Status::Failed);
        }
    };
    let (mut written, mut failed, mut losses, mut bytes_in, mut bytes_out) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut worst = status;
    let work = |job: &Job| {
        let one = |budget: &Budget| {
            let limit = memory.of_one_file(ImportLimits::DEFAULT.bytes);
            write::convert(arguments, job, &Share { budget, limit })
        };
        memory.run(one, |failure| failure.waits)
    };
    let done = batch::map(&jobs, arguments.inputs.jobs, status, work, |job, outcome| {
        match outcome {
            Ok(outcome) => {
                written += 1;
                losses += outcome.losses.groups().count() as u64;
                bytes_in += outcome.bytes_in;
                bytes_out += outcome.bytes_out;
                if arguments.strict && !outcome.warnings.is_empty() {
                    worst = worst.max(Status::Findings);
                }
                // With --strict, warnings determine the status, so they are always printed.
                if !is_quiet() || arguments.strict {
                    for warning in &outcome.warnings {
                        tell!("{}: warning: {warning}", job.uri);
                    }
                }
                if is_quiet() {
                    return Ok(());
                }
                let to = job.output.display();
                let size = outcome.size.map(|size| format!(", {size}")).unwrap_or_default();
                writeln!(out, "{} -> {to}: {} bytes{size}", job.uri, outcome.bytes_out)?;
                for note in &outcome.notes {
                    writeln!(out, "  note: {note}")?;
                }
                findings::print_losses(out, &outcome.losses)?;
            }
            Err(failure) if failure.status == Status::Fine => {}
            Err(failure) => {
                failed += 1;
                worst = worst.max(failure.status);
                tell!("{}", failure.message);
            }
        }
        Ok(())
    })?;
    // For one model, its own line is enough.
    if is_quiet() || jobs.len() < 2 && !is_verbose() {
        return Ok(done.max(worst));
    }
    let seconds = start.elapsed().as_secs_f64();
    let speed = format!(", {seconds:.3} s, {:.1} MB/s", bytes_out as f64 / seconds / 1e6);
    let speed = if is_verbose() { speed } else { String::new() };
    let files = if written == 1 { "file" } else { "files" };
    writeln!(
        out,
        "{written} {files}, {failed} failed, {losses} kinds of losses, {bytes_in} bytes in, {bytes_out} bytes out{speed}"
    )?;
    Ok(done.max(worst))
}
