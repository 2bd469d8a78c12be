//! Runs work on many models: worker threads, a progress bar on a terminal, and results in the order of the inputs.

use std::io;

use meshlens_assets::{Error, LoadedFiles};

use crate::args::Inputs;
use crate::errors;
use crate::inputs::{self, Items, Stdin, Takes};
use crate::item::Item;
use crate::memory::Memory;
use crate::progress::Progress;
use crate::status::Status;
use crate::terminal::{is_quiet, tell};
use crate::workers;

/// The number of models whose results are held at a time: enough to keep workers busy, few enough to fit in memory.
const CHUNK: usize = 256;

/// Calls `work` with the files of each model on the requested number of workers, and `each` with the results one by
/// one, in the order of the inputs. A model that cannot be read is also reported on standard error; the others are
/// still processed. Files take memory from `memory`; one that does not fit beside others waits for them.
pub(crate) fn run<R: Send>(
    arguments: &Inputs,
    takes: Takes,
    memory: &Memory,
    work: impl Fn(&Item, &LoadedFiles) -> R + Sync,
    mut each: impl FnMut(&Item, Result<R, Error>) -> io::Result<()>,
) -> io::Result<Status> {
    let assets = match inputs::assets(&arguments.root, Some(memory.budget().clone())) {
        Ok(assets) => assets,
        Err(message) => {
            tell!("{message}");
            return Ok(Status::Failed);
        }
    };
    let stdin = Stdin::default();
    let mut items = Items::new(&assets, &arguments.paths, takes, &stdin);
    let read = |item: &Item| {
        let one = |_: &_| {
            let files = item.located.load(arguments.password.get())?;
            Ok(work(item, &files))
        };
        memory.run(one, |error| matches!(error, Error::Memory { over, .. } if over.fits_alone()))
    };
    let mut status = Status::Fine;
    let count = map(&mut items, None, arguments.jobs, read, |item, result| {
        if let Err(error) = &result {
            tell!("{}", errors::asset(error));
            status = Status::Failed;
        }
        each(item, result)
    })?;
    Ok(status.max(none_found(count, items.status())))
}

/// The status of a run over `count` models. Without any, this is reported on standard error.
pub(crate) fn none_found(count: usize, status: Status) -> Status {
    if count == 0 && status == Status::Fine {
        tell!("the paths contain no model");
        return Status::Failed;
    }
    status
}

/// Calls `work` for each item on the requested number of workers, and `each` with the results one by one, in the order
/// of the items, which are taken as they are needed. Returns their number. `total` is for the progress bar.
pub(crate) fn map<T: Sync, R: Send>(
    items: &mut dyn Iterator<Item = T>,
    total: Option<usize>,
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(&T, R) -> io::Result<()>,
) -> io::Result<usize> {
    let jobs = workers::count(jobs);
    let progress = Progress::new(total, is_quiet());
    let mut count = 0;
    loop {
        let chunk: Vec<T> = items.take(CHUNK).collect();
        if chunk.is_empty() {
            return Ok(count);
        }
        count += chunk.len();
        let results = workers::map(&chunk, jobs, |item| {
            let result = work(item);
            progress.advance();
            result
        });
        progress.clear();
        for (item, result) in chunk.iter().zip(results) {
            each(item, result)?;
        }
    }
}
