//! `meshlens convert`: models in, files of another format out.

mod beside;
mod interrupt;
mod job;
mod player;
mod textures;
mod write;

use std::io::{self, Write};
use std::time::Instant;

use crate::args::Convert;
use crate::batch;
use crate::details::printable;
use crate::open::Buffers;
use crate::status::Status;
use crate::tell::tell;

use job::Job;

/// What became of a job.
struct Outcome {
    bytes_in: u64,
    bytes_out: u64,
    losses: Vec<String>,
    warnings: Vec<String>,
}

/// An output that nobody has to read.
struct Heedless<W>(W);

impl<W: Write> Heedless<W> {
    fn heed_not<T>(result: io::Result<T>, otherwise: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(otherwise),
            result => result,
        }
    }
}

impl<W: Write> Write for Heedless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::heed_not(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Self::heed_not(self.0.flush(), ())
    }
}

/// Why a job came to nothing.
struct Failure {
    /// Whether the input is to blame, or the arguments and the system.
    status: Status,
    message: String,
}

impl Failure {
    /// The input is broken, or has nothing of what is asked for.
    fn input(message: impl std::fmt::Display) -> Self {
        Failure { status: Status::Findings, message: message.to_string() }
    }

    /// Something cannot be read or written.
    fn system(message: impl std::fmt::Display) -> Self {
        Failure { status: Status::Failed, message: message.to_string() }
    }
}

pub(crate) fn run(arguments: &Convert, out: &mut impl Write) -> io::Result<Status> {
    let start = Instant::now();
    if let Err(error) = interrupt::clean_up() {
        tell!("signals cannot be waited for, so that an interrupted run may leave temporary files: {error}");
    }
    // Whoever reads what is said may have seen enough before all is written.
    let out = &mut Heedless(out);
    let (jobs, status) = match job::plan(arguments) {
        Ok(planned) => planned,
        Err(message) => {
            tell!("{message}");
            return Ok(Status::Failed);
        }
    };
    let (mut written, mut failed, mut losses, mut bytes_in, mut bytes_out) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut worst = status;
    let work = |job: &Job, buffers: &mut Buffers| write::convert(arguments, job, buffers);
    let done = batch::map(&jobs, arguments.inputs.jobs, status, work, |job, outcome, progress| {
        match outcome {
            Ok(outcome) => {
                written += 1;
                losses += outcome.losses.len() as u64;
                bytes_in += outcome.bytes_in;
                bytes_out += outcome.bytes_out;
                let to = job.output.display();
                writeln!(out, "{} -> {to}: {} bytes", printable(&job.uri), outcome.bytes_out)?;
                for loss in &outcome.losses {
                    writeln!(out, "  lost: {}", printable(loss))?;
                }
                for warning in &outcome.warnings {
                    progress.suspend(|| tell!("{}: warning: {warning}", job.uri));
                }
            }
            Err(failure) => {
                failed += 1;
                worst = worst.max(failure.status);
                progress.suspend(|| tell!("{}", printable(&failure.message)));
            }
        }
        Ok(())
    })?;
    if jobs.is_empty() {
        return Ok(done);
    }
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        out,
        "{written} files, {failed} failed, {losses} lines of losses, {bytes_in} bytes in, {bytes_out} bytes out, \
         {seconds:.3} s, {:.1} MB/s",
        bytes_out as f64 / seconds / 1e6
    )?;
    Ok(done.max(worst))
}
