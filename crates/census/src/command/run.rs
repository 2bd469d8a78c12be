//! `meshlens census`: makes the missing parts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use futures_util::stream::{self, StreamExt};
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use meshlens_census::{Column, Columns, Row, Status};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::args::{Census, Products, Source};
use crate::fetch::{Fetcher, row};
use crate::manifest::Listed;
use crate::place::Place;
use crate::plan::Plan;
use crate::product::{Make, Output, Sink};
use crate::stop::{Result, Stop};

/// The number of files of the file system that one task reads.
const TOGETHER: usize = 16;
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
    let missing: Vec<usize> = own.iter().copied().filter(|part| !plan.path(*part).exists()).collect();
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
    for part in &missing {
        run.part(&plan.files(*part)?, &plan.path(*part))?;
    }
    run.bar.finish_and_clear();
    let is_complete = plan.complete()?;
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
    /// Makes one part. The order of its rows is the order of the files.
    fn part(&mut self, files: &[Listed], path: &Path) -> Result<()> {
        let mut sink = Sink::create(path, self.output)?;
        let mut tasks = stream::iter(divide(files)).map(|work| start(&self.fetcher, &self.runtime, work));
        let mut tasks = tasks.by_ref().buffered(self.tasks);
        let (mut rows, mut bytes): (Vec<Row>, usize) = Default::default();
        loop {
            let more = self.runtime.block_on(tasks.next());
            let is_end = more.is_none();
            for row in more.transpose()?.into_iter().flatten() {
                *self.counts.entry(row.status.name()).or_default() += 1;
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
        self.fetcher.servers.check()?;
        sink.finish()
    }

    /// Prints the number of rows by status.
    fn tell(&self, done: u64, is_complete: bool) {
        let counts: Vec<String> =
            self.counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let made = if counts.is_empty() { "no rows".into() } else { counts.join(", ") };
        let before = if done > 0 { format!("; {done} files were done before") } else { String::new() };
        let end = if is_complete { "the table is complete" } else { "parts of other shards are missing" };
        eprintln!("{made}{before}; {end}");
    }
}

/// The tasks of a part.
fn divide(files: &[Listed]) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    for listed in files {
        let place = match &listed.fault {
            Some(fault) => Err(("MANIFEST", fault.clone())),
            None => Place::of(&listed.uri).map_err(|error| ("URL", error)),
        };
        match place {
            Ok(Place::Local(path)) => match works.last_mut() {
                Some(Work::Local(files)) if files.len() < TOGETHER => files.push((listed.clone(), path)),
                _ => works.push(Work::Local(vec![(listed.clone(), path)])),
            },
            Ok(Place::Remote(url)) => works.push(Work::Remote(listed.clone(), url)),
            Err((code, text)) => {
                works.push(Work::Known(Box::new(row(listed, Some((Status::Unread, code, text))))))
            }
        }
    }
    works
}

/// Starts a task.
async fn start(fetcher: &Arc<Fetcher>, runtime: &Runtime, work: Work) -> Result<Vec<Row>> {
    let fetcher = fetcher.clone();
    let task = match work {
        Work::Known(row) => return Ok(vec![*row]),
        Work::Remote(listed, url) => runtime.spawn(fetcher.remote(listed, url)),
        Work::Local(files) => runtime.spawn_blocking(move || {
            Ok(files.iter().flat_map(|(listed, path)| fetcher.local(listed, path)).collect())
        }),
    };
    task.await.map_err(Stop::new)?
}
