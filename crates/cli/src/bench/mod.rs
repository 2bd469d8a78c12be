//! `meshlens bench`: how fast the user's own files open and their arrays decode on the machine at hand.

mod arrays;
mod measure;
mod print;

use std::io::{self, Write};
use std::time::Duration;

use meshlens::Document;
use meshlens::lens::Level;
use meshlens::wire::ErrorKind;
use meshlens_assets::LoadedFiles;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use crate::args::{Bench, ReportFormat};
use crate::errors;
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::status::Status;
use crate::terminal::tell;
use arrays::Groups;

/// What was measured. Times are medians; the bytes of a rate are those in the files.
#[derive(Serialize)]
struct Report {
    files: usize,
    bytes: u64,
    /// What decoding uses when no level is named.
    level: &'static str,
    cores: usize,
    /// From path to parsed document and back, each; `None` where all models came from standard input.
    open_microseconds: Option<f64>,
    /// From bytes in memory to a parsed document, each.
    parse_microseconds: f64,
    /// All arrays of one kind, over all models.
    arrays: Vec<ArrayReport>,
    /// Every array of every model, each once.
    whole: WholeReport,
}

#[derive(Serialize)]
struct ArrayReport {
    format: &'static str,
    name: &'static str,
    elements: u64,
    bytes: u64,
    levels: Vec<LevelRate>,
    /// A copy of the same bytes.
    memcpy: Rate,
}

#[derive(Serialize)]
struct LevelRate {
    level: &'static str,
    #[serde(flatten)]
    rate: Rate,
}

#[derive(Serialize)]
struct WholeReport {
    elements: u64,
    bytes: u64,
    levels: Vec<WholeRates>,
    memcpy: Rate,
}

#[derive(Serialize)]
struct WholeRates {
    level: &'static str,
    one_core: Rate,
    all_cores: Rate,
}

#[derive(Clone, Copy, Serialize)]
struct Rate {
    seconds: f64,
    melements_per_second: f64,
    gigabytes_per_second: f64,
}

impl Rate {
    fn new(seconds: f64, (elements, bytes): (u64, u64)) -> Rate {
        Rate {
            seconds,
            melements_per_second: elements as f64 / seconds / 1e6,
            gigabytes_per_second: bytes as f64 / seconds / 1e9,
        }
    }
}

pub(crate) fn run(arguments: &Bench, out: &mut impl Write) -> io::Result<Status> {
    let levels = arguments.level.map_or_else(|| Level::all().collect(), |level| vec![level]);
    let pool = match ThreadPoolBuilder::new().num_threads(arguments.inputs.jobs).build() {
        Ok(pool) => pool,
        Err(error) => {
            tell!("cannot start {} workers: {error}", arguments.inputs.jobs);
            return Ok(Status::Failed);
        }
    };
    let (items, mut status) = inputs::expand(&arguments.inputs, Takes::GameFormats);
    if items.is_empty() && status == Status::Fine {
        tell!("there is no model in what was named");
        return Ok(Status::Failed);
    }
    let mut loaded = Vec::new();
    for item in &items {
        match item.located.load(arguments.inputs.password.get()) {
            Ok(files) => loaded.push((item, files)),
            Err(error) => {
                tell!("{}", errors::asset(&error));
                status = Status::Failed;
            }
        }
    }
    let mut models = Vec::new();
    for (item, files) in &loaded {
        match files.document() {
            Ok(document) => models.push(Model { item, files, document }),
            Err(error) => {
                tell!("{}: {}", item.uri, errors::model(&item.uri, files, &error));
                // A model that is only closed is not wrong.
                if !matches!(error.kind(), ErrorKind::Encrypted { .. }) {
                    status = status.max(Status::Findings);
                }
            }
        }
    }
    if models.is_empty() {
        tell!("there is nothing to measure");
        return Ok(status.max(Status::Findings));
    }
    let report = report(arguments, &models, &levels, &pool)?;
    match arguments.format {
        ReportFormat::Text => print::text(&report, out)?,
        ReportFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            writeln!(out)?;
        }
    }
    Ok(status)
}

/// A model, and where it came from.
struct Model<'a> {
    item: &'a Item,
    files: &'a LoadedFiles,
    document: Document<'a>,
}

fn report(
    arguments: &Bench,
    models: &[Model<'_>],
    levels: &[Level],
    pool: &ThreadPool,
) -> io::Result<Report> {
    let mut groups = Groups::default();
    for model in models {
        groups.add(&model.document);
    }
    // Opening and parsing; every group and the whole, each level and a copy; the whole on all cores.
    let measurements = 2 + (groups.len() + 1) * (levels.len() + 1) + levels.len();
    let slice = Duration::from_secs_f32(arguments.seconds).div_f64(measurements as f64);
    let parse = || models.iter().filter(|model| model.files.document().is_ok()).count();
    Ok(Report {
        files: models.len(),
        bytes: models.iter().map(|model| model.files.len()).sum(),
        level: Level::current().name(),
        cores: pool.current_num_threads(),
        open_microseconds: measure::open(models, slice),
        parse_microseconds: measure::median(slice, parse) / models.len() as f64 * 1e6,
        arrays: measure::arrays(&groups, levels, slice)?,
        whole: measure::whole(&groups, levels, slice, pool)?,
    })
}
