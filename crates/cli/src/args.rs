//! The arguments.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use meshlens::{Severity, dump};

/// Zero-copy parsers for game mesh formats: look into models, check them, print what they hold.
///
/// Exit status: 0 fine; 1 a file is invalid, or has findings at or above the level asked for; 2 wrong arguments, or a
/// file that cannot be read.
#[derive(Debug, Parser)]
#[command(name = "meshlens", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// One line for each model: format, counts, bytes, findings.
    Inspect(Inspect),
    /// Every finding of each model; the JSON report has the members of the Khronos glTF-Validator's.
    Validate(Validate),
    /// Everything a model holds, as one JSON document.
    Dump(Dump),
    /// Models to glTF 2.0, or from one format to another.
    Convert(Box<Convert>),
    /// How fast models open and their arrays decode on this machine, at each level of instructions.
    Bench(Bench),
}

/// How encrypted models are opened.
#[derive(Args)]
pub(crate) struct Password {
    /// Opens encrypted models (Ultimate 3D); the environment variable MESHLENS_PASSWORD does the same, unseen by others
    #[arg(long, value_name = "TEXT")]
    password: Option<String>,
}

/// The password appears in no message.
impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Password").finish_non_exhaustive()
    }
}

impl Password {
    /// The bytes of a model, decrypted where they are encrypted and there is a password.
    pub(crate) fn unlock<'b>(&self, bytes: &'b [u8]) -> meshlens::Result<Cow<'b, [u8]>> {
        let from_environment = || std::env::var("MESHLENS_PASSWORD").ok();
        let password = self.password.clone().or_else(from_environment).filter(|text| !text.is_empty());
        meshlens::unlock(bytes, password.as_deref())
    }
}

/// Which models, and how they are read.
#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// Files, folders, archives (.pk3, .zip), entries of archives (pak0.pk3!models/x.md3), - for standard input; of an
    /// Unreal mesh its _d.3d or _a.3d, beside which the other is found, or the .uc that names both
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Workers; 0 for one per core
    #[arg(short, long, default_value_t = 0, value_name = "N")]
    pub(crate) jobs: usize,
    /// Read files into memory, never map them: for files that others may write to meanwhile
    #[arg(long)]
    pub(crate) no_mmap: bool,
    #[command(flatten)]
    pub(crate) password: Password,
}

#[derive(Args, Debug)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// How to print
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: TableFormat,
    /// Also print each model's surfaces, tags and frames
    #[arg(long)]
    pub(crate) details: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// A table and a line of totals
    #[default]
    Text,
    /// One document: files and totals
    Json,
    /// One object a line for each file
    Jsonl,
    /// A header line and one line for each file
    Csv,
}

#[derive(Args, Debug)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The least severity that makes the exit status 1
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub(crate) fail_on: Level,
    /// Findings printed for each file, the worst first
    #[arg(long, default_value_t = meshlens::Report::DEFAULT_CAPACITY, value_name = "N")]
    pub(crate) max_findings: usize,
    /// How to print; one file gives one JSON report, folders, archives and several paths an array of them
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    #[default]
    Error,
    Warning,
    Info,
}

impl Level {
    /// Whether a finding as bad as `severity` is one to fail on.
    pub(crate) fn includes(self, severity: Severity) -> bool {
        severity
            <= match self {
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

#[derive(Args, Debug)]
pub(crate) struct Dump {
    /// A file, an entry of an archive (pak0.pk3!models/x.md3), or - for standard input; of several, one document a line
    #[arg(required = true, value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// The _a.3d of an Unreal mesh, whose _d.3d FILE then is; without it the one beside FILE is taken
    #[arg(long, value_name = "FILE")]
    pub(crate) frames: Option<PathBuf>,
    /// How much of each array
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) arrays: Arrays,
    /// Indent the document
    #[arg(long)]
    pub(crate) pretty: bool,
    /// Read the file into memory, never map it
    #[arg(long)]
    pub(crate) no_mmap: bool,
    #[command(flatten)]
    pub(crate) password: Password,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Arrays {
    /// Shape and element type
    None,
    /// Least, greatest and mean of each component
    #[default]
    Stats,
    /// Every element
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

/// Each model becomes one file of another format: x.md3 becomes x.glb, beside it or where --out-dir says. What the
/// target cannot hold is listed, a line each. A Quake 3 player folder (lower.md3, upper.md3, head.md3, animation.cfg)
/// becomes one file when it is named itself.
#[derive(Args, Debug)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The output, for one model
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// A folder for the outputs; folders and archives are mirrored in it
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Overwrite files
    #[arg(long)]
    pub(crate) force: bool,
    /// What to make; the output's extension says it too
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<Target>,
    /// A .gltf with its buffer in a .bin beside it, in place of one .glb
    #[arg(long, conflicts_with = "to")]
    pub(crate) separate: bool,
    /// Keep MD3 positions as the integers they are, and normals as bytes (needs KHR_mesh_quantization)
    #[arg(long)]
    pub(crate) quantize: bool,
    /// Only frames A to B, both included, counted from 0
    #[arg(long, value_name = "A..B", value_parser = frames, group = "which_frames")]
    pub(crate) frames: Option<(usize, usize)>,
    /// Only the clip of this name
    #[arg(long, value_name = "NAME", group = "which_frames")]
    pub(crate) clip: Option<String>,
    /// Only this frame, without animation
    #[arg(long, value_name = "N", group = "which_frames")]
    pub(crate) frame: Option<usize>,
    /// Levels of detail: the finest, or all of them (MSFT_lod)
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) lod: Lod,
    /// Frames per second of clips for which no file says it [default: 10]
    #[arg(long, value_name = "RATE", value_parser = positive)]
    pub(crate) fps: Option<f32>,
    /// How one frame becomes the next
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) interpolation: Interpolation,
    /// What lengths are multiplied by, such as 0.0254 for inches to metres
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive)]
    pub(crate) scale: f32,
    /// Put textures (PNG, JPEG) into the file instead of naming them
    #[arg(long)]
    pub(crate) embed: bool,
    /// A UNIGINE .anim file that moves the mesh, bone by bone by name; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) anim: Vec<PathBuf>,
    /// Dress MD3 surfaces as x_NAME.skin beside x.md3 says
    #[arg(long, value_name = "NAME")]
    pub(crate) skin: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// One binary glTF file
    Glb,
    /// glTF with its buffer beside it
    Gltf,
    /// Quake 3 MD3
    Md3,
    /// An Unreal mesh: x_d.3d, x_a.3d and x.uc
    Unreal,
    /// Ultimate 3D (2.0)
    U3d,
    /// A UNIGINE mesh (ms11)
    Unigine,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lod {
    #[default]
    Highest,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Interpolation {
    /// It goes over to it
    #[default]
    Linear,
    /// It stays until the next one begins
    Step,
}

fn frames(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parsed.filter(|(a, b)| a <= b).ok_or_else(|| "expected two frames, such as 10..24".into())
}

fn positive(text: &str) -> Result<f32, String> {
    let parsed: Option<f32> = text.parse().ok();
    parsed.filter(|value| *value > 0.0 && value.is_finite()).ok_or_else(|| "expected a number above 0".into())
}

/// Times are medians; rates are of the bytes as they lie in the files, which are read into memory first.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// One level of instructions instead of all there are: scalar, sse, avx2, avx512 or neon
    #[arg(long, value_name = "LEVEL", value_parser = simd)]
    pub(crate) level: Option<meshlens::lens::Level>,
    /// How long to measure, in all; large sets take longer, as every measurement is made three times
    #[arg(long, default_value_t = 5.0, value_name = "N", value_parser = seconds)]
    pub(crate) seconds: f32,
    /// How to print; text has a bar for each rate
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
}

fn simd(text: &str) -> Result<meshlens::lens::Level, String> {
    meshlens::lens::Level::named(text).ok_or_else(|| {
        let names: Vec<&str> = meshlens::lens::Level::all().map(meshlens::lens::Level::name).collect();
        format!("this machine has {}", names.join(", "))
    })
}

fn seconds(text: &str) -> Result<f32, String> {
    positive(text).and_then(|seconds| {
        if seconds <= 3600.0 { Ok(seconds) } else { Err("expected an hour at most".into()) }
    })
}
