//! The arguments of the commands that read models and print what they contain.

use std::path::PathBuf;
use std::sync::Mutex;

use clap::{Args, ValueEnum};
use meshlens::{Severity, dump};

use super::inputs::{Inputs, Password, each_path};
use super::servers::Servers;
use super::values::{engine, whole};
use crate::paths::List;

/// List models, one per line: format, counts, size, findings
///
/// glTF files are listed too, without findings; "frames" is then the largest number of keys in an animation.
///
/// Columns: "version" is the version in the file (15 for MD3, ms11 for UNIGINE, 2.0.0 for Ultimate 3D). Unreal meshes
/// have no version; the column has the vertex encoding and the rule that determined it. "vertices" is the number of
/// vertices in one frame. "tags" counts tags or bones. On a terminal, columns that do not fit are omitted and long
/// paths are shortened.
///
/// For a URL (http://, https://, s3://), only the headers are read, so its findings are unknown. The command must be
/// built with the feature "remote".
#[derive(Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: TableFormat,
    /// Also print the surfaces, tags, bones and frames of each model
    #[arg(long)]
    pub(crate) details: bool,
    /// Read only the headers of each file, whatever its size is: without findings
    #[arg(long, conflicts_with_all = ["details", "html"])]
    pub(crate) headers: bool,
    /// Also write a report with a picture of each model: one HTML file that refers to no other file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Overwrite the file of --html
    #[arg(long, requires = "html")]
    pub(crate) force: bool,
    /// Print every column and whole paths, whatever the width of the terminal
    #[arg(long)]
    pub(crate) wide: bool,
    /// Memory that the files and lists of names may take together, such as 512M or 2G; a file that needs more is not read
    /// [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// A table and a line of totals
    #[default]
    Text,
    /// One JSON document with the files and the totals
    Json,
    /// One JSON object per file, one per line
    Jsonl,
    /// A header line and one line per file
    Csv,
}

/// List the findings of each model
///
/// JSON reports have the members of the Khronos glTF-Validator's reports. SARIF logs show findings in code scanning, on
/// pull requests for example.
#[derive(Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Lowest severity for which the exit status is 1
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub(crate) fail_on: Level,
    /// Check what this engine refuses or ignores, instead of the limits of engines in general; `meshlens explain NAME` lists
    /// its facts
    #[arg(long, value_name = "NAME", value_parser = engine())]
    pub(crate) engine: Option<String>,
    /// Leave out findings below this severity [default: list all]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) min_severity: Option<Level>,
    /// List every finding; otherwise findings of a file with the same code share one line
    #[arg(long)]
    pub(crate) all: bool,
    /// Largest number of lines per file, or of findings in JSON and SARIF, the most severe first [default: 100; no
    /// limit with --all]
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) max_findings: Option<usize>,
    /// Output format; JSON is one report for one file, and an array of reports for folders, archives and several paths
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ValidateFormat,
    /// Memory that the files and lists of names may take together, such as 512M or 2G; a file that needs more is not read
    /// [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValidateFormat {
    #[default]
    Text,
    Json,
    /// One report per file, one per line
    Jsonl,
    /// A header line and one line per finding
    Csv,
    /// One SARIF 2.1.0 log of all files, with at most 25,000 findings, the most severe first
    Sarif,
}

impl Validate {
    /// The largest number of lines per file, or of messages in JSON.
    pub(crate) fn limit(&self) -> usize {
        let default = if self.all { usize::MAX } else { meshlens::Report::DEFAULT_CAPACITY };
        self.max_findings.unwrap_or(default)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    #[default]
    Error,
    Warning,
    Info,
}

impl Level {
    /// Whether `severity` is at or above this level.
    pub(crate) fn includes(self, severity: Severity) -> bool {
        severity <= self.severity()
    }

    /// The severity of this level.
    pub(crate) const fn severity(self) -> Severity {
        match self {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Info => Severity::Info,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    #[default]
    Text,
    Json,
}

/// Print the whole content of a model as one JSON document
///
/// Names, coordinates and units are as the format defines them.
#[derive(Args)]
pub(crate) struct Dump {
    /// Files, entries of archives (pak0.pk3!models/x.md3), or - for standard input; each gives one document on a line
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a file, or from standard input if FILE is -; one per line, or separated by NUL (find
    /// -print0)
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// The _a.3d of an Unreal mesh whose _d.3d is given [default: the one in the same folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) frames: Option<PathBuf>,
    /// The folder of the game, in which scripts and the other file of a mesh are looked up; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// How much of each array to print
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) arrays: Arrays,
    /// Indent the JSON
    #[arg(long)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) password: Password,
    /// The paths of the list after those in `paths`.
    #[arg(skip)]
    pub(super) more: Mutex<List>,
}

impl Dump {
    /// The paths, one after the other: the list is read as they are taken, once.
    pub(crate) fn each_path(&self) -> impl Iterator<Item = Result<PathBuf, String>> {
        each_path(&self.paths, &self.more)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Arrays {
    /// Its shape and element type
    None,
    /// Minimum, maximum and mean of each component
    #[default]
    Stats,
    /// All elements
    Full,
}

impl From<Arrays> for dump::Arrays {
    fn from(arrays: Arrays) -> dump::Arrays {
        match arrays {
            Arrays::None => dump::Arrays::None,
            Arrays::Stats => dump::Arrays::Stats,
            Arrays::Full => dump::Arrays::Full,
        }
    }
}

/// Print the parts of models that can be loaded separately: byte ranges and sizes
///
/// Parts are listed in the order in which they are usually loaded. "stored" is their size in the file, "decoded" the
/// size of their values in memory, "needs" the other parts that they require. Frames of the same size share a line. A *
/// means that a part has several ranges; JSON lists each range.
///
/// For a URL (http://, https://, s3://), only the headers are read. The command must be built with the feature
/// "remote".
#[derive(Args)]
pub(crate) struct Plan {
    /// Files, folders, archives, entries of archives (pak0.pk3!models/x.md3), - for standard input, or URLs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the game, which is searched for scripts and for the other file of a mesh; may be given several
    /// times
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    /// Print a line for each frame
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format; JSON has one document on a line for each model
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
}
