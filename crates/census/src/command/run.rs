//! `meshlens census`: makes the missing parts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use futures_util::stream::{self, StreamExt};
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use meshlens_census::{Column, Columns, Row, Status, panic_text};
use meshlens_terminal::tell;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::args::{Census, Products, Source};
use crate::fetch::{Fetcher, REFUSED, row};
use crate::manifest::Listed;
use crate::place::Place;
use crate::plan::Plan;
use crate::product::{Make, Output, Sink};
use crate::stop::{Result, Stop};

/// The number of files of the file system that one task reads.
const TOGETHER: usize = 16;
/// The number of files of a part that are divided into tasks at a time.
const AHEAD: usize = 1024;
/// The number of rows that are encoded at a time.
const BATCH: usize = 1024;
/// The number of bytes of products that are encoded at a time.
const BATCH_BYTES: usize = 64 << 20;

/// One task: files of the file system, one object of a server, or a row that is already known.
enum Work {
    Local(Vec<(Listed, std::path::PathBuf)>),
    Remote(Listed, String),
    Known(Box<Row>),
}

/// `meshlens census`.
pub(crate) fn census(arguments: &Census) -> Result<u8> {
    let columns = arguments.columns()?;
    let names: Vec<&str> = columns.iter().map(Column::name).collect();
    run(&arguments.source, columns, Output::Table, json!({ "columns": names }))
}

/// `meshlens census convert` and `thumb`.
pub(crate) fn products(arguments: &Products, is_thumb: bool) -> Result<u8> {
    let make = Make::of(arguments, is_thumb);
    let about = json!({ "product": format!("{make:?}"), "pack": format!("{:?}", arguments.pack) });
    run(&arguments.source, Columns::default(), Output::Products(make, arguments.pack), about)
}

fn run(arguments: &Source, columns: Columns, output: Output, about: Value) -> Result<u8> {
    if arguments.shard.is_some() && arguments.manifest.is_none() {
        return Err(Stop("--shard needs --manifest: every machine has the same list of files".into()));
    }
    // clap requires the argument.
    let folder = arguments.output.as_deref().unwrap_or(Path::new("."));
    let plan = Plan::make(arguments, folder, about)?;
    let is_own = |part: &usize| arguments.shard.is_none_or(|shard| shard.has(*part));
    let own: Vec<usize> = (0..plan.parts().len()).filter(is_own).collect();
    let mut missing = Vec::new();
    for part in &own {
        if !plan.is_done(*part)? {
            missing.push(*part);
        }
    }
    if !missing.is_empty() {
        plan.mark(false)?;
    }
    let rows = |parts: &[usize]| parts.iter().filter_map(|part| plan.parts().get(*part)).sum::<u64>();
    let jobs = match arguments.jobs {
        0 => available_parallelism().map_or(1, NonZero::get),
        jobs => jobs,
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(jobs.min(4))
        .max_blocking_threads(jobs)
        .enable_all()
        .build()
        .map_err(Stop::new)?;
    let done = rows(&own) - rows(&missing);
    let mut run = Run {
        fetcher: Arc::new(Fetcher::new(columns, output.make())),
        runtime,
        tasks: usize::from(arguments.requests).max(jobs).min(output.most_tasks()),
        output,
        bar: bar(rows(&own), done),
        counts: BTreeMap::new(),
    };
    // Parts without an answer of any server wait until the others have shown whether some server answers.
    let mut waiting = Vec::new();
    for part in missing {
        if run.part(&plan, part)?.is_some() {
            waiting.push(part);
        }
    }
    for part in waiting {
        if let Some(stop) = run.part(&plan, part)? {
            return Err(stop);
        }
    }
    run.bar.finish_and_clear();
    let mut is_complete = true;
    for part in (0..plan.parts().len()).filter(|part| !is_own(part)) {
        is_complete = is_complete && plan.is_done(part)?;
    }
    if is_complete {
        plan.mark(true)?;
    }
    run.tell(done, is_complete);
    Ok(0)
}

/// A progress bar on a terminal, with the rate and the remaining time.
fn bar(rows: u64, done: u64) -> ProgressBar {
    let style = "{wide_bar} {human_pos} of {human_len} files, {rate}/s, {eta} left";
    let bar = ProgressBar::new(rows);
    let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
    }));
    bar.set_position(done);
    bar.reset_eta();
    bar
}

struct Run {
    fetcher: Arc<Fetcher>,
    runtime: Runtime,
    /// The number of concurrent tasks.
    tasks: usize,
    output: Output,
    bar: ProgressBar,
    /// The number of rows by status.
    counts: BTreeMap<&'static str, u64>,
}

impl Run {
    /// Makes one part. The order of its rows is the order of the files. If no server answers, the part would be useless: it
    /// is not written, and the reason is returned.
    fn part(&mut self, plan: &Plan, part: usize) -> Result<Option<Stop>> {
        let mut sink = Sink::create(&plan.path(part), self.output)?;
        let (fetcher, runtime) = (self.fetcher.clone(), self.runtime.handle().clone());
        let works = works(plan.files(part)?);
        let mut tasks = stream::iter(works).map(|work| start(&fetcher, &runtime, work)).buffered(self.tasks);
        let (mut rows, mut bytes): (Vec<Row>, usize) = Default::default();
        let (mut counts, mut is_refused) = (BTreeMap::<_, u64>::new(), false);
        loop {
            let more = self.runtime.block_on(tasks.next());
            let is_end = more.is_none();
            for row in more.transpose()?.into_iter().flatten() {
                *counts.entry(row.status.name()).or_default() += 1;
                is_refused |= row.code == Some(REFUSED);
                self.bar.inc(u64::from(row.entry.is_none()));
                bytes += row.product.as_ref().map_or(0, |product| product.bytes.len());
                rows.push(row);
            }
            if rows.len() >= BATCH || bytes >= BATCH_BYTES || is_end {
                sink.write(&rows)?;
                (rows, bytes) = Default::default();
            }
            if is_end {
                break;
            }
        }
        if let Err(stop) = fetcher.servers.check()
            && is_refused
        {
            self.bar.dec(plan.parts().get(part).copied().unwrap_or_default());
            return Ok(Some(stop));
        }
        for (status, count) in counts {
            *self.counts.entry(status).or_default() += count;
        }
        sink.finish()?;
        Ok(None)
    }

    /// Prints the number of rows by status.
    fn tell(&self, done: u64, is_complete: bool) {
        let counts: Vec<String> =
            self.counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let made = if counts.is_empty() { "no rows".into() } else { counts.join(", ") };
        let before = if done > 0 { format!("; {done} files were done before") } else { String::new() };
        let end = if is_complete { "the table is complete" } else { "parts of other shards are missing" };
        tell!("{made}{before}; {end}");
    }
}

/// The tasks of a part.
fn works(mut files: impl Iterator<Item = Result<Listed>>) -> impl Iterator<Item = Result<Work>> {
    std::iter::from_fn(move || {
        let some = files.by_ref().take(AHEAD).collect::<Result<Vec<Listed>>>();
        match some {
            Ok(some) if some.is_empty() => None,
            Ok(some) => Some(divide(some).into_iter().map(Ok).collect::<Vec<_>>()),
            Err(stop) => Some(vec![Err(stop)]),
        }
    })
    .flatten()
}

/// The tasks of some files.
fn divide(files: Vec<Listed>) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    for listed in files {
        let place = match &listed.fault {
            Some(fault) => Err(("MANIFEST", fault.clone())),
            None => Place::of(&listed.uri).map_err(|error| ("URL", error)),
        };
        match place {
            Ok(Place::Local(path)) => match works.last_mut() {
                Some(Work::Local(files)) if files.len() < TOGETHER => files.push((listed, path)),
                _ => works.push(Work::Local(vec![(listed, path)])),
            },
            Ok(Place::Remote(url)) => works.push(Work::Remote(listed, url)),
            Err((code, text)) => {
                works.push(Work::Known(Box::new(row(&listed, Some((Status::Unread, code, text))))));
            }
        }
    }
    works
}

/// Starts a task. A panic, which is a bug of a client of a server, is the row of an object.
async fn start(fetcher: &Arc<Fetcher>, runtime: &Handle, work: Result<Work>) -> Result<Vec<Row>> {
    let fetcher = fetcher.clone();
    match work? {
        Work::Known(row) => Ok(vec![*row]),
        Work::Local(files) => runtime.spawn(fetcher.local(files)).await.map_err(Stop::new)?,
        Work::Remote(listed, url) => match runtime.spawn(fetcher.remote(listed.clone(), url)).await {
            Ok(rows) => rows,
            Err(error) => {
                let text = error
                    .try_into_panic()
                    .map_or_else(|error| error.to_string(), |panic| panic_text(&*panic));
                Ok(vec![row(&listed, Some((Status::Unread, "PANIC", text)))])
            }
        },
    }
}
