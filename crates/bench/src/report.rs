//! What is measured, as it is written in JSON.

use serde::{Deserialize, Serialize};

use crate::machine::{self, Machine};
use crate::turns::Timing;

/// The measurements. Times are medians, and rates are based on the encoded bytes of the files.
#[derive(Serialize)]
pub(crate) struct Report {
    /// The name and the version of these fields. A field that is added does not change it.
    pub(crate) schema: &'static str,
    pub(crate) version: &'static str,
    /// The commit that the command was built from; `None` if it was built without git.
    pub(crate) commit: Option<&'static str>,
    pub(crate) build: Build,
    /// When the measurement began, in seconds since 1970.
    pub(crate) time: u64,
    pub(crate) machine: Machine,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// The CRC-32 of the bytes of all files.
    pub(crate) files_crc32: u32,
    /// The level that decoding uses by default.
    pub(crate) level: &'static str,
    pub(crate) cores: usize,
    /// The average number of running and waiting processes on the machine during the minute before the measurement;
    /// `None` if the system does not report it. Other programs take time from the measurement.
    pub(crate) load: Option<f64>,
    /// The time from the path to the parsed document, per model.
    pub(crate) open_microseconds: f64,
    /// The time from bytes in memory to the parsed document, per model.
    pub(crate) parse_microseconds: f64,
    /// One entry for each kind of array, over all models.
    pub(crate) arrays: Vec<ArrayReport>,
    /// Every array of every model, each counted once.
    pub(crate) whole: WholeReport,
    /// Decoders of others, next to this library.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) decoders: Vec<DecoderReport>,
}

/// How this program was built.
#[derive(Serialize)]
pub(crate) struct Build {
    /// What `rustc --version` prints.
    pub(crate) rustc: &'static str,
    /// The profile of cargo: `release`, also for profiles that inherit from it, or `debug`.
    pub(crate) profile: &'static str,
    pub(crate) opt_level: &'static str,
}

/// A decoder of a shared library, and what it gave of the models.
#[derive(Default, Serialize)]
pub(crate) struct DecoderReport {
    pub(crate) name: String,
    /// The number of files that it reads.
    pub(crate) files: usize,
    pub(crate) arrays: Vec<GivenArrays>,
    pub(crate) elements: u64,
    pub(crate) bytes: u64,
    /// The CRC-32 of the values of these arrays, which are the same for the decoder and this library.
    pub(crate) crc32: u32,
    /// The first file and array that is different; then nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference: Option<String>,
    #[serde(flatten)]
    pub(crate) rate: Option<Rate>,
    /// The rate of this library for the same files and arrays, on one core, including the parser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) meshlens: Option<Rate>,
}

/// The number of arrays with one name that a decoder gave, of those that its files have.
#[derive(Serialize)]
pub(crate) struct GivenArrays {
    pub(crate) name: &'static str,
    pub(crate) given: usize,
    pub(crate) of: usize,
}

#[derive(Serialize)]
pub(crate) struct ArrayReport {
    pub(crate) format: &'static str,
    pub(crate) name: &'static str,
    pub(crate) elements: u64,
    pub(crate) bytes: u64,
    /// The CRC-32 of the decoded values, which is the same at every level.
    pub(crate) crc32: u32,
    /// Whether decoding has kernels. Without kernels, the bytes are the values, and are copied at every level.
    pub(crate) kernel: bool,
    pub(crate) levels: Vec<LevelRate>,
    /// The levels whose values differ from the scalar code. They are not measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) different: Vec<&'static str>,
    /// The rate of copying the same bytes.
    pub(crate) memcpy: Rate,
}

#[derive(Serialize)]
pub(crate) struct LevelRate {
    pub(crate) level: &'static str,
    #[serde(flatten)]
    pub(crate) rate: Rate,
}

#[derive(Serialize)]
pub(crate) struct WholeReport {
    pub(crate) elements: u64,
    pub(crate) bytes: u64,
    /// The number of workers of `all_cores`, which is less than the number of cores if there is little work.
    pub(crate) workers: usize,
    pub(crate) levels: Vec<WholeRates>,
    pub(crate) memcpy: Rate,
}

#[derive(Serialize)]
pub(crate) struct WholeRates {
    pub(crate) level: &'static str,
    pub(crate) one_core: Rate,
    /// The rate with all workers, which equals `one_core` if there is one worker.
    pub(crate) all_cores: Rate,
}

#[derive(Clone, Copy, Serialize)]
pub(crate) struct Rate {
    /// The median duration.
    pub(crate) seconds: f64,
    /// The difference between the quartiles of the duration, divided by the median.
    pub(crate) spread: f64,
    pub(crate) melements_per_second: f64,
    pub(crate) gigabytes_per_second: f64,
    /// Cycles of the core for each element, and encoded bytes for each cycle: see [`machine::cycle_seconds`].
    pub(crate) cycles_per_element: f64,
    pub(crate) bytes_per_cycle: f64,
    /// The rate divided by that of a copy of the same bytes in the same turn; `None` if no copy took turns with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of_copy: Option<Share>,
}

/// A ratio of two rates that were measured in turns.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub(crate) struct Share {
    /// The median of the turns.
    pub(crate) median: f64,
    /// The difference between the quartiles, divided by the median.
    pub(crate) spread: f64,
}

impl From<Timing> for Share {
    fn from(Timing { seconds, spread }: Timing) -> Share {
        Share { median: seconds, spread }
    }
}

impl Rate {
    pub(crate) fn new(Timing { seconds, spread }: Timing, (elements, bytes): (u64, u64)) -> Rate {
        Rate {
            seconds,
            spread,
            melements_per_second: elements as f64 / seconds / 1e6,
            gigabytes_per_second: bytes as f64 / seconds / 1e9,
            cycles_per_element: seconds / machine::cycle_seconds() / elements as f64,
            bytes_per_cycle: bytes as f64 / (seconds / machine::cycle_seconds()),
            of_copy: None,
        }
    }
}
