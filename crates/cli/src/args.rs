//! The arguments.

use std::fmt;
use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use meshlens::{Severity, dump};

use crate::{paths, terminal};

/// Inspect, validate, dump, convert and measure game meshes: Quake 3 MD3, Unreal _d.3d/_a.3d, Ultimate 3D .u3d,
/// UNIGINE .mesh/.anim.
///
/// Exit status: 0 if all is well; 1 if a file is invalid, or has findings at or above the level asked for; 2 for wrong
/// arguments, and for files that cannot be read or written. One bad file never stops the rest.
#[derive(Debug, Parser)]
#[command(name = "meshlens", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
    /// Colours: on a terminal unless NO_COLOR is set, always, or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true)]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args, Debug)]
pub(crate) struct Verbosity {
    /// Print only results and errors: no totals, warnings or progress
    #[arg(short, long, global = true, display_order = 900, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more: throughput, and what is usually left out
    #[arg(short, long, global = true, display_order = 901)]
    verbose: bool,
}

impl Verbosity {
    pub(crate) const fn level(&self) -> terminal::Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => terminal::Verbosity::Quiet,
            (_, true) => terminal::Verbosity::Verbose,
            _ => terminal::Verbosity::Normal,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Inspect(Inspect),
    Validate(Validate),
    Dump(Dump),
    Convert(Box<Convert>),
    Explain(Explain),
    Bench(Bench),
    Completions(Completions),
    Man(Man),
}

impl Command {
    /// Reads what the arguments refer to: lists of files, and the environment.
    ///
    /// # Errors
    ///
    /// A list that cannot be read, or a password that is not UTF-8, in the user's words.
    pub(crate) fn prepare(&mut self) -> Result<(), String> {
        let (paths, files_from, password) = match self {
            Command::Inspect(Inspect { inputs, .. })
            | Command::Validate(Validate { inputs, .. })
            | Command::Bench(Bench { inputs, .. }) => {
                (&mut inputs.paths, &inputs.files_from, &mut inputs.password)
            }
            Command::Convert(convert) => {
                let Inputs { paths, files_from, password, .. } = &mut convert.inputs;
                (paths, &*files_from, password)
            }
            Command::Dump(Dump { paths, files_from, password, .. }) => (paths, &*files_from, password),
            Command::Explain(_) | Command::Completions(_) | Command::Man(_) => return Ok(()),
        };
        if let Some(list) = files_from {
            if list.as_os_str() == "-" && paths.iter().any(|path| path.as_os_str() == "-") {
                return Err("standard input cannot be both a model and the list of --files-from".into());
            }
            paths.extend(paths::read(list)?);
        }
        password.read_environment()
    }
}

/// Print a script that completes the command's arguments in a shell
///
/// For example: meshlens completions bash > ~/.local/share/bash-completion/completions/meshlens
#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page of the command, or of one of its subcommands
///
/// For example: meshlens man convert | man -l -
#[derive(Args, Debug)]
pub(crate) struct Man {
    /// A subcommand, such as convert
    #[arg(value_name = "COMMAND", conflicts_with = "out_dir")]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
}

/// How encrypted models are opened.
#[derive(Args)]
pub(crate) struct Password {
    /// Password of encrypted models (Ultimate 3D); the environment variable MESHLENS_PASSWORD keeps it out of sight
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
    /// The password, if there is one.
    pub(crate) fn get(&self) -> Option<&str> {
        self.password.as_deref().filter(|text| !text.is_empty())
    }

    /// Takes the password of the environment where none was given.
    fn read_environment(&mut self) -> Result<(), String> {
        let Some(password) = std::env::var_os("MESHLENS_PASSWORD").filter(|_| self.password.is_none()) else {
            return Ok(());
        };
        let password =
            password.into_string().map_err(|_| "MESHLENS_PASSWORD is not UTF-8, as passwords have to be")?;
        self.password = Some(password);
        Ok(())
    }
}

/// Which models, and how they are read.
#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// Files, folders, archives (.pk3, .zip), entries or folders of archives (pak0.pk3!models/x.md3), or - for standard
    /// input. An Unreal mesh is named by its _d.3d or _a.3d, or by the .uc script that imports both
    #[arg(required_unless_present = "files_from", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a file, or from standard input for -: one per line, or separated by NUL (find -print0)
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// The folder of the game, in which everything is looked for that names inside files lead to; may be given several times,
    /// later ones first. Without it, the game around each path if it can be recognized, or else the path's own folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Number of worker threads; 0 for one per core
    #[arg(short, long, default_value_t = 0, value_name = "N", value_parser = whole)]
    pub(crate) jobs: usize,
    #[command(flatten)]
    pub(crate) password: Password,
}

/// List models, one per line: format, counts, size, findings
///
/// glTF files are listed too, without findings; their frames are the most keys of an animation.
///
/// Columns: "version" is what the file says (15 for MD3, ms11 for UNIGINE, 2.0.0 for Ultimate 3D); for Unreal meshes,
/// which have no version, how vertices are stored and the rule that decided it. "vertices" are those of one frame.
/// "tags" are tags or bones. On a terminal, columns that do not fit are left out and long paths shortened.
#[derive(Args, Debug)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: TableFormat,
    /// Also print the surfaces, tags, bones and frames of each model
    #[arg(long)]
    pub(crate) details: bool,
    /// Print every column and whole paths, however wide the terminal is
    #[arg(long)]
    pub(crate) wide: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// A table and a line of totals
    #[default]
    Text,
    /// One JSON document: files and totals
    Json,
    /// One JSON object per line for each file
    Jsonl,
    /// A header line and one line for each file
    Csv,
}

/// List the findings of each model
///
/// JSON reports have the members of the Khronos glTF-Validator's.
#[derive(Args, Debug)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The least severity that makes the exit status 1
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub(crate) fail_on: Level,
    /// List every finding; otherwise equal findings of a file are counted in one line
    #[arg(long)]
    pub(crate) all: bool,
    /// Lines to print for each file, or findings to list in JSON, the worst first [default: 100; no limit with --all]
    #[arg(long, value_name = "N", value_parser = whole)]
    pub(crate) max_findings: Option<usize>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnrealVertices {
    /// 11, 11 and 10 bits for X, Y and Z, which every engine reads
    Packed32,
    /// 16 bits each, which Deus Ex reads
    I16x4,
}

impl Validate {
    /// The most lines, or messages in JSON, of one file.
    pub(crate) fn limit(&self) -> usize {
        let default = if self.all { usize::MAX } else { meshlens::Report::DEFAULT_CAPACITY };
        self.max_findings.unwrap_or(default)
    }
}

/// Explain the code of a finding or a loss: what it means, and what to do about it
///
/// The output of validate and the losses of convert name codes, such as TAG_AXIS_NOT_UNIT.
#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// Codes, such as TAG_AXIS_NOT_UNIT; without one, all are listed
    #[arg(value_name = "CODE")]
    pub(crate) codes: Vec<String>,
}

/// Print everything a model holds as one JSON document
///
/// Names, coordinates and units are the format's own.
#[derive(Args, Debug)]
pub(crate) struct Dump {
    /// Files, entries of archives (pak0.pk3!models/x.md3), or - for standard input; each becomes one document on a line
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a file, or from standard input for -: one per line, or separated by NUL (find -print0)
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// The _a.3d of an Unreal mesh whose _d.3d is given; without this option the one beside it is used
    #[arg(long, value_name = "FILE")]
    pub(crate) frames: Option<PathBuf>,
    /// The folder of the game, in which the other file of a mesh and scripts are looked for; may be given several times
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
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Arrays {
    /// Shape and element type
    None,
    /// Minimum, maximum and mean of each component
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

/// Convert models to glTF 2.0, or from one format to another
///
/// Each model becomes one file: x.md3 becomes x.glb, beside
/// it or in --out-dir. What the target cannot hold is listed, one line each.
///
/// A Quake 3 player (a folder with lower.md3, upper.md3, head.md3 and animation.cfg, also in an archive:
/// pak0.pk3!models/players/sarge) becomes one glTF file when the folder itself is named. glTF files in folders are
/// converted when the target is another format.
#[derive(Args, Debug)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The output file for one model; - for standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// Write outputs into this folder; folders and archives given as input are mirrored in it
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Format of the output [default: by the extension of -o, else glb]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<Target>,
    /// Write a .gltf with its buffer in a .bin beside it, instead of one .glb
    #[arg(long, conflicts_with = "to")]
    pub(crate) separate: bool,
    /// Keep integer positions (MD3, Unreal) as they are, and normals as bytes (needs KHR_mesh_quantization)
    #[arg(long)]
    pub(crate) quantize: bool,
    /// Normals to write of models with frames: of all, or of the base frame alone, which takes less than half the room
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) normals: Normals,
    /// Compress arrays without loss (needs EXT_meshopt_compression); smallest with --quantize
    #[arg(long)]
    pub(crate) meshopt: bool,
    /// How an Unreal mesh stores its vertices; without it, packed32 unless the input has 16-bit ones
    #[arg(long, value_name = "FORMAT")]
    pub(crate) vertices: Option<UnrealVertices>,
    /// Only frames A to B, both included, counted from 0
    #[arg(long, value_name = "A..B", value_parser = frames, group = "which_frames")]
    pub(crate) frames: Option<(usize, usize)>,
    /// Only the clip of this name
    #[arg(long, value_name = "NAME", group = "which_frames")]
    pub(crate) clip: Option<String>,
    /// Only this frame, without animation
    #[arg(long, value_name = "N", group = "which_frames", value_parser = whole)]
    pub(crate) frame: Option<usize>,
    /// Levels of detail to write: the finest, or all (MSFT_lod)
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) lod: Lod,
    /// Frames per second of clips whose files do not state it [default: 10]
    #[arg(long, value_name = "RATE", value_parser = positive)]
    pub(crate) fps: Option<f32>,
    /// Interpolation between frames
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) interpolation: Interpolation,
    /// Multiply lengths by this factor, such as 0.0254 for inches to metres
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive)]
    pub(crate) scale: f32,
    /// Where the textures of a glTF file go; TGA, PCX, BMP and DDS become PNG [default: embed for glb, beside for gltf]
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) textures: Option<Textures>,
    /// The same as --textures embed
    #[arg(long, conflicts_with = "textures")]
    pub(crate) embed: bool,
    /// Memory that all workers together take for what they convert, such as 512M or 2G; a model that needs more is
    /// refused [default: half of the machine's, and 512M for one glTF file]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
    /// Add the clips of a UNIGINE .anim file, matching bones by name; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) anim: Vec<PathBuf>,
    /// Exit with 1 if a result has a warning, such as positions that fall together or are clamped; it is written all the same
    #[arg(long)]
    pub(crate) strict: bool,
    /// Take the textures of MD3 surfaces from x_NAME.skin beside x.md3
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
    /// UNIGINE .anim: the joint animations alone
    UnigineAnim,
}

impl Convert {
    /// Where the textures of an output go.
    pub(crate) fn textures(&self, target: Target, is_stdout: bool) -> Textures {
        let usual = if target == Target::Gltf && !is_stdout { Textures::Beside } else { Textures::Embed };
        self.textures.unwrap_or(if self.embed { Textures::Embed } else { usual })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Textures {
    /// In the file
    Embed,
    /// Files that the output refers to: those of the game, or else new ones in the folder of the output
    Beside,
    /// Nowhere; materials keep the names of their textures
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Normals {
    /// Those of every frame
    #[default]
    All,
    /// Those of the base frame; lighting does not follow movements
    Base,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lod {
    #[default]
    Highest,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Interpolation {
    /// Blend one frame into the next
    #[default]
    Linear,
    /// Hold each frame until the next one begins
    Step,
}

fn frames(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parsed
        .filter(|(a, b)| a <= b)
        .ok_or_else(|| "expected the first and the last frame, such as 10..24".into())
}

fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number".into())
}

fn positive(text: &str) -> Result<f32, String> {
    let parsed: Option<f32> = text.parse().ok();
    parsed.filter(|value| *value > 0.0 && value.is_finite()).ok_or_else(|| "expected a number above 0".into())
}

/// Measure how fast models open and their arrays decode on this machine
///
/// Every instruction-set level of the machine is measured. Times are medians; rates count the bytes as they are in the files, which are read into memory first.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Measure one instruction-set level instead of all: scalar, sse, avx2, avx512 or neon
    #[arg(long, value_name = "LEVEL", value_parser = simd)]
    pub(crate) level: Option<meshlens::lens::Level>,
    /// Seconds to measure in all; large sets take longer, since every measurement is made at least three times
    #[arg(long, default_value_t = 5.0, value_name = "N", value_parser = seconds)]
    pub(crate) seconds: f32,
    /// Output format; text has a bar for each rate
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
}

fn simd(text: &str) -> Result<meshlens::lens::Level, String> {
    text.parse().map_err(|_| {
        let names: Vec<&str> = meshlens::lens::Level::all().map(meshlens::lens::Level::name).collect();
        format!("this machine has {}", names.join(", "))
    })
}

fn seconds(text: &str) -> Result<f32, String> {
    positive(text).and_then(|seconds| {
        if seconds <= 3600.0 { Ok(seconds) } else { Err("expected an hour at most".into()) }
    })
}
