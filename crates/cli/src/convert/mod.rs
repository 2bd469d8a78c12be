//! `meshlens convert`: writes models to files of another format.

mod clips;
mod fit;
mod job;
mod notes;
mod skip;
mod textures;
mod write;
mod write_back;
#[cfg(feature = "carriers")]
mod write_carriers;
mod write_gltf;
mod written;

use std::collections::HashSet;
use std::io::{self, Write};
use std::time::Instant;

use meshlens::Report;
use meshlens::wire::Budget;
use meshlens_assets::Assets;

use crate::args::Convert;
use crate::failure::Failure;
use crate::hash::hash;
use crate::memory::Memory;
use crate::status::Status;
use crate::terminal::{Output, is_quiet, is_verbose, tell, told};
use crate::{batch, findings, remote, sink};

use job::Job;
use written::Files;

/// The result of a job.
#[derive(Default)]
struct Outcome {
    bytes_in: u64,
    bytes_out: u64,
    losses: Report,
    warnings: Vec<String>,
    /// Warnings about files beside the model, which other models may use as well.
    file_warnings: Vec<String>,
    /// Notes on a result without errors: its size, and assumptions that were made.
    notes: Vec<String>,
    /// Whether a warning already suggests a scale.
    scale_is_named: bool,
    /// The width, height and depth of the output.
    size: Option<String>,
}

/// The largest number of warnings that are remembered, so that their memory does not grow with the number of models.
const MAX_TOLD: usize = 1 << 16;

/// The memory that a job may use.
struct Share<'b> {
    budget: &'b Budget,
    /// The limit for one imported file.
    limit: usize,
    files: &'b Files,
}

/// What all functions that write a model need.
#[derive(Clone, Copy)]
struct Work<'w> {
    arguments: &'w Convert,
    job: &'w Job,
    assets: &'w Assets,
    share: &'w Share<'w>,
}

pub(crate) fn run(arguments: &Convert, out: &mut Output) -> io::Result<Status> {
    let start = Instant::now();
    crate::clean_up_on_signals();
    // With -o -, the model goes to standard output and the report to standard error.
    let is_stdout = arguments.output.as_deref().is_some_and(sink::is_stdout);
    let out = if is_stdout { &mut Output::new(io::stderr()) } else { out };
    // A reader that closes the report does not stop the conversions.
    out.ignore_closed();
    let memory = Memory::new(arguments.max_memory);
    let Some((plan, target)) = told(job::plan(arguments, &memory)) else { return Ok(Status::Failed) };
    let (mut totals, files) = (Totals::default(), Files::default());
    let work = |job: &Job| {
        if skip::is_left_out(arguments, job) {
            return Ok(None);
        }
        let limit = memory.of_one_file();
        let one = |budget: &Budget| {
            write::convert(arguments, job, &Share { budget, limit, files: &files }).map(Some)
        };
        memory.run(one, |failure| failure.waits)
    };
    let mut jobs = job::jobs(&plan, target);
    let panicked = |job: &Job, what: String| Err(Failure::system(format!("{}: {what}", job.item.uri)));
    let workers = remote::jobs(&arguments.inputs);
    batch::map(&mut jobs, Some(plan.count()), workers, work, panicked, |job, outcome| {
        match outcome {
            Ok(None) => {
                totals.left_out += 1;
                if is_verbose() {
                    writeln!(out, "{}: left out", job.item.uri)?;
                }
            }
            Ok(Some(outcome)) => totals.add(arguments, job, &outcome, out)?,
            Err(failure) => {
                let status = failure.tell();
                totals.failed += u64::from(status != Status::Fine);
                totals.worst = totals.worst.max(status);
            }
        }
        Ok(())
    })?;
    let worst = totals.worst.max(batch::none_found(plan.count(), plan.status()));
    // For one model, the line of its output is enough.
    if is_quiet() || plan.count() < 2 && !is_verbose() {
        return Ok(worst);
    }
    // A model that was not written has failed, even if it was never tried.
    totals.failed += plan.faults();
    totals.print(start.elapsed().as_secs_f64(), out)?;
    Ok(worst)
}

/// The totals of a run, and what was printed.
#[derive(Default)]
struct Totals {
    written: u64,
    left_out: u64,
    failed: u64,
    losses: u64,
    bytes_in: u64,
    bytes_out: u64,
    worst: Status,
    /// The warnings about files that were already printed, as hashes. A file that many models use causes only one warning.
    told: HashSet<u64>,
}

impl Totals {
    /// Adds a model that was written, and prints its line.
    fn add(&mut self, arguments: &Convert, job: &Job, outcome: &Outcome, out: &mut Output) -> io::Result<()> {
        self.written += 1;
        self.losses += outcome.losses.groups().count() as u64;
        self.bytes_in += outcome.bytes_in;
        self.bytes_out += outcome.bytes_out;
        if arguments.strict && !(outcome.warnings.is_empty() && outcome.file_warnings.is_empty()) {
            self.worst = self.worst.max(Status::Findings);
        }
        // With --strict, warnings determine the status, so they are always printed.
        if !is_quiet() || arguments.strict {
            let told = &mut self.told;
            let is_new = |warning: &&String| told.len() >= MAX_TOLD || told.insert(hash(warning));
            let news = outcome.file_warnings.iter().filter(is_new);
            for warning in news.chain(&outcome.warnings) {
                tell!("{}: warning: {warning}", job.item.uri);
            }
        }
        if is_quiet() {
            return Ok(());
        }
        let to = job.output.display();
        let size = outcome.size.as_ref().map(|size| format!(", {size}")).unwrap_or_default();
        writeln!(out, "{} -> {to}: {} bytes{size}", job.item.uri, outcome.bytes_out)?;
        for note in &outcome.notes {
            writeln!(out, "  note: {note}")?;
        }
        findings::print_losses(out, &outcome.losses)
    }

    fn print(&self, seconds: f64, out: &mut Output) -> io::Result<()> {
        let Totals { written, left_out, failed, losses, bytes_in, bytes_out, .. } = self;
        let speed = format!(", {seconds:.3} s, {:.1} MB/s", *bytes_out as f64 / seconds / 1e6);
        let speed = if is_verbose() { speed } else { String::new() };
        let files = findings::count(*written, "file");
        let left_out = if *left_out > 0 { format!(", {left_out} left out") } else { String::new() };
        writeln!(
            out,
            "{files}{left_out}, {failed} failed, {losses} kinds of losses, {bytes_in} bytes in, {bytes_out} bytes out{speed}"
        )
    }
}
