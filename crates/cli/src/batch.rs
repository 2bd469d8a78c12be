//! Runs work on many models: worker threads, a progress bar on a terminal, and results in the order of the inputs.

use std::io;

use indicatif::{ProgressBar, ProgressStyle};
use meshlens_assets::{Error, LoadedFiles};
use rayon::prelude::*;

use crate::args::Inputs;
use crate::errors;
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::status::Status;
use crate::terminal::{is_quiet, tell};

/// The number of models whose results are held at a time: enough to keep workers busy, few enough to fit in memory.
const CHUNK: usize = 256;

/// Calls `work` with the files of each model on the requested number of workers, and `each` with the results one by
/// one, in the order of the inputs. A model that cannot be read is also reported on standard error; the others are
/// still processed.
pub(crate) fn run<R: Send>(
    arguments: &Inputs,
    takes: Takes,
    work: impl Fn(&Item, &LoadedFiles) -> R + Sync,
    mut each: impl FnMut(&Item, Result<R, Error>) -> io::Result<()>,
) -> io::Result<Status> {
    let (items, mut status) = inputs::expand(arguments, takes);
    let read = |item: &Item| {
        let files = item.located.load(arguments.password.get())?;
        Ok(work(item, &files))
    };
    let done = map(&items, arguments.jobs, status, read, |item, result, progress| {
        if let Err(error) = &result {
            progress.suspend(|| tell!("{}", errors::asset(error)));
            status = Status::Failed;
        }
        each(item, result)
    })?;
    Ok(done.max(status))
}

/// Calls `work` for each item on the requested number of workers, and `each` with the results one by one, in the order
/// of the items.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    status: Status,
    work: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(&T, R, &ProgressBar) -> io::Result<()>,
) -> io::Result<Status> {
    if items.is_empty() && status == Status::Fine {
        tell!("the paths contain no model");
        return Ok(Status::Failed);
    }
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(jobs).build() {
        Ok(pool) => pool,
        Err(error) => {
            tell!("cannot start {jobs} workers: {error}");
            return Ok(Status::Failed);
        }
    };
    // A progress bar draws nothing unless standard error is a terminal.
    let progress = if is_quiet() { ProgressBar::hidden() } else { ProgressBar::new(items.len() as u64) };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left") {
        progress.set_style(style);
    }
    for chunk in items.chunks(CHUNK) {
        let results: Vec<_> = pool.install(|| {
            let results = chunk.par_iter().map(|item| {
                let result = work(item);
                progress.inc(1);
                result
            });
            results.collect()
        });
        for (item, result) in chunk.iter().zip(results) {
            each(item, result, &progress)?;
        }
    }
    progress.finish_and_clear();
    Ok(status)
}
