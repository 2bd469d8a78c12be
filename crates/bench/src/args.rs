//! The arguments, as clap parses them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use meshlens::lens;

/// Measure how fast models open and their arrays decode on this machine
///
/// Every instruction-set level of the machine is measured, on one core and on all. Times are medians, with the half of the
/// distance between the quartiles. "load" is the number of processes that ran before the measurement: others make it slower.
/// Files are read into memory first; rates count their encoded bytes. "copied, no kernel" marks arrays whose bytes are the
/// values, so that no level is faster. A level is measured only if it decodes to the same values as the scalar code; floats
/// that are computed from angles may differ by 2^-20. M/s are millions of elements per second. 0.85x is 0.85 times the rate
/// of a copy of the same bytes: both take turns, so that other programs slow both.
///
/// Exit status: 0 for success; 1 if a file is invalid, or if a level or a decoder gives other values; 2 for wrong arguments
/// and for files that cannot be read.
// Without `Debug`, no message can contain the password.
#[derive(Parser)]
#[command(name = "meshlens-bench", bin_name = "meshlens bench", version, max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Files, folders, archives (.pk3, .zip), and entries or folders of archives (pak0.pk3!models/x.md3)
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the game, in which files named by a model are looked up; may be given several times, and later
    /// folders come first. Default: the game folder around each path if it is recognized, else the path's own folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Number of worker threads; 0 means one per core
    #[arg(short, long, default_value_t = 0, value_name = "N")]
    pub(crate) jobs: usize,
    /// Password of encrypted models (Ultimate 3D); the environment variable MESHLENS_PASSWORD sets it without showing
    /// it
    #[arg(long, value_name = "TEXT")]
    password: Option<String>,
    /// Measure only this instruction-set level: scalar, sse, avx2, avx512 or neon
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub(crate) level: Option<lens::Level>,
    /// Total duration in seconds; large sets take longer, because every measurement is made at least five times
    #[arg(long, default_value_t = 5.0, value_name = "N", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) seconds: f32,
    /// A decoder to compare with, which is measured only if it decodes to the same values; may be given several times
    ///
    /// A shared library with the interface of meshlens_decoder.h, which the package contains. It is measured on the files
    /// that it reads, and this library on the same files and arrays, from bytes in memory, on one core. All decoders together
    /// take as long again as --seconds. Exit status 1 if a value is different: floats that are computed from angles may
    /// differ by 2^-20. The library runs in this process with all its rights: if it crashes, the program ends.
    #[arg(long, value_name = "LIBRARY")]
    pub(crate) decoder: Vec<PathBuf>,
    /// The longest time in seconds that a decoder may take for a file; after that, the program ends with status 2
    #[arg(long, default_value_t = 60.0, value_name = "N", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) decoder_limit: f32,
    /// Output format; text shows a bar for each rate
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Written,
}

impl Arguments {
    /// The password of encrypted models, from the arguments or from the environment.
    pub(crate) fn password(&self) -> Result<Option<String>, &'static str> {
        let password = match (&self.password, std::env::var("MESHLENS_PASSWORD")) {
            (Some(password), _) => password.clone(),
            (None, Ok(password)) => password,
            (None, Err(std::env::VarError::NotPresent)) => return Ok(None),
            (None, Err(_)) => return Err("MESHLENS_PASSWORD is not UTF-8"),
        };
        Ok(Some(password).filter(|password| !password.is_empty()))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

/// The output of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Written {
    #[default]
    Text,
    Json,
    /// A row for each rate
    Csv,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Compare(Compare),
}

/// Compare two measurements of the same files, which "meshlens bench --format json" wrote
///
/// Rates are compared as shares of the copy that took turns with them, so that a busy machine changes little. A share that
/// differs by less than the tolerance, or by less than the distances between the quartiles of both measurements, counts as
/// equal.
///
/// Exit status: 0 if nothing is slower; 1 if something is, or if arrays are decoded to other values; 2 if a report cannot be
/// read or is one of other files.
#[derive(Args)]
pub(crate) struct Compare {
    /// The report of the measurement before
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The report of the measurement after
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// The difference of a share that is not reported, in percent
    #[arg(long, default_value_t = 5.0, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    pub(crate) tolerance: f64,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

fn level(text: &str) -> Result<lens::Level, String> {
    text.parse().map_err(|_| {
        let names: Vec<&str> = lens::Level::all().map(lens::Level::name).collect();
        format!("this machine has {}", names.join(", "))
    })
}

fn seconds(text: &str) -> Result<f32, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= 3600.0);
    seconds.ok_or_else(|| "expected a number above 0, and an hour at most".into())
}

/// A part of a whole, from 0 to 100.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "expected a number from 0 to 100".into())
}
