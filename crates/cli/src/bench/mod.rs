//! `meshlens bench`: measures how fast the user's files open and their arrays decode on this machine.

mod arrays;
mod compare;
#[cfg(feature = "decoders")]
mod decoders;
#[cfg(feature = "decoders")]
mod library;
mod machine;
mod measure;
mod print;

use std::io::{self, Write};
use std::time::Duration;

use meshlens::Document;
use meshlens::lens::Level;
use meshlens::wire::ErrorKind;
use meshlens_assets::LoadedFiles;
use serde::Serialize;

use crate::args::{Bench, BenchCommand, ReportFormat};
use crate::inputs::{self, Items, Stdin, Takes};
use crate::item::Item;
use crate::json;
use crate::remote::Remotes;
use crate::status::Status;
use crate::terminal::{tell, told};
use crate::{batch, errors, workers};
use arrays::Groups;
use machine::Machine;
use measure::Timing;

/// The measurements. Times are medians, and rates are based on the encoded bytes of the files.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    /// The commit that the command was built from; `None` if it was built without git.
    commit: Option<&'static str>,
    machine: Machine,
    files: usize,
    bytes: u64,
    /// The level that decoding uses by default.
    level: &'static str,
    cores: usize,
    /// The average number of running and waiting processes on the machine during the minute before the measurement;
    /// `None` if the system does not report it. Other programs take time from the measurement.
    load: Option<f64>,
    /// The time from the path to the parsed document, per model; `None` if all models came from standard input.
    open_microseconds: Option<f64>,
    /// The time from bytes in memory to the parsed document, per model.
    parse_microseconds: f64,
    /// One entry for each kind of array, over all models.
    arrays: Vec<ArrayReport>,
    /// Every array of every model, each counted once.
    whole: WholeReport,
    /// Decoders of others, next to this library.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decoders: Vec<DecoderReport>,
}

/// A decoder of a shared library, and what it gave of the models.
#[derive(Default, Serialize)]
struct DecoderReport {
    name: String,
    /// The number of files that it reads.
    files: usize,
    arrays: Vec<GivenArrays>,
    elements: u64,
    bytes: u64,
    /// The CRC-32 of the values of these arrays, which are the same for the decoder and this library.
    crc32: u32,
    /// The first file and array that is different; then nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
    #[serde(flatten)]
    rate: Option<Rate>,
    /// The rate of this library for the same files and arrays, on one core, including the parser.
    #[serde(skip_serializing_if = "Option::is_none")]
    meshlens: Option<Rate>,
}

/// The number of arrays with one name that a decoder gave, of those that its files have.
#[derive(Serialize)]
struct GivenArrays {
    name: &'static str,
    given: usize,
    of: usize,
}

#[derive(Serialize)]
struct ArrayReport {
    format: &'static str,
    name: &'static str,
    elements: u64,
    bytes: u64,
    /// The CRC-32 of the decoded values, which is the same at every level.
    crc32: u32,
    /// Whether decoding has kernels. Without kernels, the bytes are the values, and are copied at every level.
    kernel: bool,
    levels: Vec<LevelRate>,
    /// The levels whose values differ from the scalar code. They are not measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    different: Vec<&'static str>,
    /// The rate of copying the same bytes.
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
    /// The number of workers of `all_cores`, which is less than the number of cores if there is little work.
    workers: usize,
    levels: Vec<WholeRates>,
    memcpy: Rate,
}

#[derive(Serialize)]
struct WholeRates {
    level: &'static str,
    one_core: Rate,
    /// The rate with all workers, which equals `one_core` if there is one worker.
    all_cores: Rate,
}

#[derive(Clone, Copy, Serialize)]
struct Rate {
    /// The median duration.
    seconds: f64,
    /// The difference between the quartiles of the duration, divided by the median.
    spread: f64,
    melements_per_second: f64,
    gigabytes_per_second: f64,
}

impl Rate {
    fn new(Timing { seconds, spread }: Timing, (elements, bytes): (u64, u64)) -> Rate {
        Rate {
            seconds,
            spread,
            melements_per_second: elements as f64 / seconds / 1e6,
            gigabytes_per_second: bytes as f64 / seconds / 1e9,
        }
    }
}

pub(crate) fn run(arguments: &Bench, out: &mut impl Write) -> io::Result<Status> {
    if let Some(BenchCommand::Compare(arguments)) = &arguments.command {
        return compare::run(arguments, out);
    }
    #[cfg(feature = "decoders")]
    let Some(decoders) = told(decoders::load(&arguments.decoder)) else { return Ok(Status::Failed) };
    let levels = arguments.level.map_or_else(|| Level::all().collect(), |level| vec![level]);
    let Some(assets) = told(inputs::assets(&arguments.inputs.root, None)) else { return Ok(Status::Failed) };
    let (remotes, stdin) = (Remotes::new(arguments.inputs.allow_redirects), Stdin::default());
    let paths = Box::new(arguments.inputs.each_path());
    let mut items = Items::new(&assets, paths, Takes::GameFormats, &stdin).with_remotes(&remotes);
    let (mut status, mut count, mut loaded) = (Status::Fine, 0, Vec::new());
    for item in items.by_ref() {
        count += 1;
        match item.located.load(arguments.inputs.password.get()) {
            Ok(files) => match errors::skipped(&item, &files) {
                Some(format) => batch::tell_skipped(&item.uri, format),
                None => loaded.push((item, files)),
            },
            Err(error) => {
                tell!("{}", errors::asset(&error));
                status = Status::Failed;
            }
        }
    }
    status = status.max(batch::none_found(count, items.status()));
    if count == 0 {
        return Ok(status);
    }
    let models: Vec<Model<'_>> =
        loaded.iter().filter_map(|(item, files)| Model::parse(item, files, &mut status)).collect();
    if models.is_empty() {
        tell!("nothing to measure");
        return Ok(status.max(Status::Findings));
    }
    #[cfg_attr(not(feature = "decoders"), expect(unused_mut))]
    let mut report = report(arguments, &models, &levels)?;
    #[cfg(feature = "decoders")]
    {
        let (level, duration) = (arguments.level.unwrap_or(Level::current()), arguments.seconds);
        report.decoders = decoders::measure(&decoders, &models, level, Duration::from_secs_f32(duration))?;
    }
    for ArrayReport { format, name, different, .. } in &report.arrays {
        for level in different {
            tell!("{format} {name}: {level} decodes to other values than the scalar code");
            status = status.max(Status::Findings);
        }
    }
    if report.decoders.iter().any(|decoder| decoder.difference.is_some()) {
        status = status.max(Status::Findings);
    }
    match arguments.format {
        ReportFormat::Text => print::text(&report, out)?,
        ReportFormat::Json => {
            json::write_pretty(out, &report)?;
            writeln!(out)?;
        }
    }
    Ok(status)
}

/// A model and its origin.
struct Model<'a> {
    item: &'a Item,
    files: &'a LoadedFiles,
    document: Document<'a>,
}

impl<'a> Model<'a> {
    /// Returns `None` after printing the reason, which changes the status.
    fn parse(item: &'a Item, files: &'a LoadedFiles, status: &mut Status) -> Option<Self> {
        match files.document() {
            Ok(document) => Some(Model { item, files, document }),
            Err(error) => {
                tell!("{}: {}", item.uri, errors::model(&item.uri, files, &error));
                // An encrypted model without a password is not an error.
                if !matches!(error.kind(), ErrorKind::Encrypted { .. }) {
                    *status = (*status).max(Status::Findings);
                }
                None
            }
        }
    }
}

fn report(arguments: &Bench, models: &[Model<'_>], levels: &[Level]) -> io::Result<Report> {
    let jobs = workers::count(arguments.inputs.jobs);
    let mut groups = Groups::default();
    for model in models {
        groups.add(&model.document);
    }
    // Opening and parsing, then every group and the whole at each level and as a copy, then the whole on all cores.
    let measurements = 2 + (groups.len() + 1) * (levels.len() + 1) + levels.len();
    let slice = Duration::from_secs_f32(arguments.seconds).div_f64(measurements as f64);
    let parse = || models.iter().filter(|model| model.files.document().is_ok()).count();
    Ok(Report {
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("MESHLENS_COMMIT"),
        machine: Machine::current(),
        files: models.len(),
        bytes: models.iter().map(|model| model.files.len()).sum(),
        level: Level::current().name(),
        cores: jobs,
        load: machine::load(),
        open_microseconds: measure::open(models, arguments.inputs.password.get(), slice),
        parse_microseconds: measure::median(slice, parse).seconds / models.len() as f64 * 1e6,
        arrays: measure::arrays(&groups, levels, slice)?,
        whole: measure::whole(&groups, levels, slice, jobs)?,
        decoders: Vec::new(),
    })
}
