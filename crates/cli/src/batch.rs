//! Runs work on many models: worker threads, a progress bar on a terminal, and results in the order of the inputs.

use std::io;
use std::path::Path;

use meshlens_assets::Error;
use meshlens_source::Error as SourceError;
use meshlens_thumb::threads;

use crate::args::Inputs;
use crate::errors;
use crate::failure::Failure;
use crate::inputs::{self, Fault, Items, Stdin, Takes};
use crate::item::Item;
use crate::memory::Memory;
use crate::progress::Progress;
use crate::remote::{self, Remotes};
use crate::status::Status;
use crate::terminal::{self, tell, told};

/// The number of models whose results are held at a time: enough to keep workers busy, few enough to fit in memory.
const CHUNK: usize = 256;

/// Calls `work`, which reads a model, for each model on the requested number of workers, and `each` with the results
/// one by one, in the order of the inputs: with the path, the model, and the result or the reason why it cannot be read. There
/// is no model if the path cannot be followed. A file in a format of another program is skipped and has no result: the
/// inner error of `work` is the name of the format. What cannot be read is also reported on standard error; the
/// others are still processed. Memory for files is reserved from `memory`; a file that does not fit waits until other
/// files are done.
pub(crate) fn run<R: Send>(
    arguments: &Inputs,
    takes: Takes,
    memory: &Memory,
    remotes: &Remotes,
    work: impl Fn(&Item) -> Result<Result<R, &'static str>, Error> + Sync,
    mut each: impl FnMut(&str, Option<&Item>, Result<R, String>) -> io::Result<()>,
) -> io::Result<Status> {
    let assets = inputs::assets(&arguments.root, Some(memory.budget().clone()));
    let Some(assets) = told(assets) else { return Ok(Status::Failed) };
    let stdin = Stdin::default();
    let mut items = Items::new(&assets, Box::new(arguments.each_path()), takes, &stdin).with_remotes(remotes);
    let read = |found: &Result<Item, Fault>| {
        let item = found.as_ref().ok()?;
        let waits = |error: &Error| matches!(error, Error::Memory { over, .. } if over.fits_alone());
        Some(memory.run(|_| work(item), waits))
    };
    let panicked = |found: &Result<Item, Fault>, what: String| {
        let path = found.as_ref().map_or_else(|fault| &*fault.path, |item| &item.uri);
        let (path, error) = (Path::new(path).into(), io::Error::other(what));
        Some(Err(SourceError::Io { path, action: "read", error }.into()))
    };
    let mut status = Status::Fine;
    let mut found = std::iter::from_fn(|| items.next_or_fault());
    let count = map(&mut found, None, remote::jobs(arguments), read, panicked, |found, result| {
        let item = match found {
            Ok(item) => item,
            Err(fault) => return each(&fault.path, None, Err(fault.reason.to_string())),
        };
        match result {
            None => Ok(()),
            Some(Ok(Ok(result))) => each(&item.uri, Some(item), Ok(result)),
            Some(Ok(Err(format))) => {
                Failure::skipped(&item.uri, format).tell();
                Ok(())
            }
            Some(Err(error)) => {
                tell!("{}", errors::asset(&error));
                status = Status::Failed;
                each(&item.uri, Some(item), Err(errors::reason(&item.uri, &error)))
            }
        }
    })?;
    // What is checked may be a script or an archive without models.
    if takes == Takes::Skins && count == 0 && items.are_files() && items.status() == Status::Fine {
        tell!("the paths contain no model");
        return Ok(status);
    }
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

/// Calls `work` for each item on `jobs` workers, and `each` with the results one by one, in the order
/// of the items, which are taken as they are needed. Returns their number. `total` is for the progress bar. If `work`
/// panics, such as in a library that reads hostile bytes, `panicked` makes the result of this item, and the others are still
/// processed.
pub(crate) fn map<T: Sync, R: Send>(
    items: &mut dyn Iterator<Item = T>,
    total: Option<usize>,
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    panicked: impl Fn(&T, String) -> R + Sync,
    mut each: impl FnMut(&T, R) -> io::Result<()>,
) -> io::Result<usize> {
    let progress = Progress::new(total);
    let mut count = 0;
    // The first batch is small, so that the first results do not wait for many items.
    let mut next = jobs.min(CHUNK);
    loop {
        let chunk: Vec<T> = items.take(next).collect();
        next = (2 * next).min(CHUNK);
        if chunk.is_empty() {
            return Ok(count);
        }
        count += chunk.len();
        let results = threads::map(chunk.iter().collect(), jobs, |item| {
            let result = terminal::catch(|| work(item)).unwrap_or_else(|what| panicked(item, what));
            progress.advance();
            result
        });
        progress.clear();
        for (item, result) in chunk.iter().zip(results) {
            each(item, result)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_the_result_of_its_item_and_the_others_go_on() {
        for jobs in [1, 3] {
            let mut results = Vec::new();
            let work = |item: &u32| {
                assert!(*item != 2, "the item is {item}");
                item.to_string()
            };
            let count = map(
                &mut (0..5),
                None,
                jobs,
                work,
                |_, what| what,
                |_, result| {
                    results.push(result);
                    Ok(())
                },
            );
            assert_eq!(count.unwrap(), 5);
            assert_eq!(results, ["0", "1", "panicked: the item is 2", "3", "4"]);
        }
    }
}
