//! Runs work on many models: worker threads, a progress bar on a terminal, and results in the order of the inputs.

use std::io;

use meshlens_assets::{Error, LoadedFiles};

use crate::args::Inputs;
use crate::errors;
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::progress::Progress;
use crate::status::Status;
use crate::terminal::{is_quiet, tell};
use crate::workers;

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
    let done = map(&items, arguments.jobs, status, read, |item, result| {
        if let Err(error) = &result {
            tell!("{}", errors::asset(error));
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
    mut each: impl FnMut(&T, R) -> io::Result<()>,
) -> io::Result<Status> {
    if items.is_empty() && status == Status::Fine {
        tell!("the paths contain no model");
        return Ok(Status::Failed);
    }
    let jobs = workers::count(jobs);
    let progress = Progress::new(items.len(), is_quiet());
    for chunk in items.chunks(CHUNK) {
        let results = workers::map(chunk, jobs, |item| {
            let result = work(item);
            progress.advance();
            result
        });
        progress.clear();
        for (item, result) in chunk.iter().zip(results) {
            each(item, result)?;
        }
    }
    Ok(status)
}
