//! The arguments of the command, as clap parses them.

use std::fmt;
use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use meshlens::{Severity, dump};

use crate::{paths, remote, terminal, thumb};

/// Inspect, validate, dump, convert and measure game meshes: Quake 3 MD3, Unreal _d.3d/_a.3d, Ultimate 3D .u3d,
/// UNIGINE .mesh/.anim.
///
/// Exit status: 0 for success; 1 if a file is invalid or has findings at or above the chosen level; 2 for wrong
/// arguments and for files that cannot be read or written. A bad file never stops the others.
#[derive(Debug, Parser)]
#[command(name = "meshlens", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
    /// Use colors: on a terminal unless NO_COLOR is set, always, or never
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
    /// Print more: throughput, and details that are usually left out
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
    Thumb(Box<Thumb>),
    Plan(Plan),
    Explain(Explain),
    Bench(Bench),
    Shader(Shader),
    Completions(Completions),
    Man(Man),
}

impl Command {
    /// Reads what the arguments refer to: the list of paths and the environment.
    ///
    /// # Errors
    ///
    /// A message for the user if the list cannot be read or the password is not UTF-8.
    pub(crate) fn prepare(&mut self) -> Result<(), String> {
        let mut urls = None;
        let (paths, files_from, password) = match self {
            Command::Inspect(Inspect { inputs, .. }) => {
                urls = Some(&mut inputs.urls);
                (&mut inputs.paths, &inputs.files_from, &mut inputs.password)
            }
            Command::Validate(Validate { inputs, .. }) | Command::Bench(Bench { inputs, .. }) => {
                (&mut inputs.paths, &inputs.files_from, &mut inputs.password)
            }
            Command::Convert(convert) => {
                let Inputs { paths, files_from, password, .. } = &mut convert.inputs;
                (paths, &*files_from, password)
            }
            Command::Thumb(thumb) => {
                let Inputs { paths, files_from, password, .. } = &mut thumb.inputs;
                (paths, &*files_from, password)
            }
            Command::Dump(Dump { paths, files_from, password, .. }) => (paths, &*files_from, password),
            Command::Plan(_)
            | Command::Explain(_)
            | Command::Shader(_)
            | Command::Completions(_)
            | Command::Man(_) => return Ok(()),
        };
        if let Some(list) = files_from {
            if list.as_os_str() == "-" && paths.iter().any(|path| path.as_os_str() == "-") {
                return Err("standard input cannot be both a model and the list of --files-from".into());
            }
            paths.extend(paths::read(list)?);
        }
        if let Some(urls) = urls {
            *urls = paths.iter().filter_map(|path| remote::url(path)).map(str::to_owned).collect();
            paths.retain(|path| remote::url(path).is_none());
        }
        password.read_environment()
    }
}

/// Print the functions that decode stored arrays on a GPU
///
/// For engines that upload vertices as they are stored in the file, and decode them in the vertex shader. GLSL is that of
/// WebGL2 (GLSL ES 3.00), HLSL is for shader model 5.0.
#[derive(Args, Debug)]
pub(crate) struct Shader {
    /// The language of the functions
    #[arg(short, long, value_enum, value_name = "LANGUAGE", default_value_t)]
    pub(crate) language: ShaderLanguage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShaderLanguage {
    #[default]
    Wgsl,
    Glsl,
    Hlsl,
}

/// Print a completion script for a shell
///
/// For example: meshlens completions bash > ~/.local/share/bash-completion/completions/meshlens
#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell that completes
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page of the command, or of one of its subcommands
///
/// For example: meshlens man convert | man -l -
#[derive(Args, Debug)]
pub(crate) struct Man {
    /// The subcommand, such as convert
    #[arg(value_name = "COMMAND", conflicts_with = "out_dir")]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
}

/// The password of encrypted models.
#[derive(Args)]
pub(crate) struct Password {
    /// Password of encrypted models (Ultimate 3D); the environment variable MESHLENS_PASSWORD sets it without showing
    /// it
    #[arg(long, value_name = "TEXT")]
    password: Option<String>,
}

/// Messages never contain the password.
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

    /// Takes the password from the environment if no option gave one.
    fn read_environment(&mut self) -> Result<(), String> {
        let Some(password) = std::env::var_os("MESHLENS_PASSWORD").filter(|_| self.password.is_none()) else {
            return Ok(());
        };
        let password = password.into_string().map_err(|_| "MESHLENS_PASSWORD is not UTF-8")?;
        self.password = Some(password);
        Ok(())
    }
}

/// The models to read, and how to read them.
#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// Files, folders, archives (.pk3, .zip), entries or folders of archives (pak0.pk3!models/x.md3), or - for standard
    /// input. For an Unreal mesh, name its _d.3d or _a.3d, or the .uc script that imports both
    #[arg(required_unless_present = "files_from", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a file, or from standard input if FILE is -; one per line, or separated by NUL (find
    /// -print0)
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// The folder of the game, in which files named by a model are looked up; may be given several times, and later
    /// folders come first. Default: the game folder around each path if it is recognized, else the path's own folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Number of worker threads; 0 means one per core
    #[arg(short, long, default_value_t = 0, value_name = "N", value_parser = whole)]
    pub(crate) jobs: usize,
    #[command(flatten)]
    pub(crate) password: Password,
    /// URLs among the paths, where a command takes them.
    #[arg(skip)]
    pub(crate) urls: Vec<String>,
}

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
/// built with the feature "remote". URLs are listed after files.
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
    /// Print every column and whole paths, whatever the width of the terminal
    #[arg(long)]
    pub(crate) wide: bool,
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
#[derive(Args, Debug)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Lowest severity for which the exit status is 1
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub(crate) fail_on: Level,
    /// List every finding; otherwise findings of a file with the same code share one line
    #[arg(long)]
    pub(crate) all: bool,
    /// Largest number of lines per file, or of findings in JSON and SARIF, the most severe first [default: 100; no
    /// limit with --all]
    #[arg(long, value_name = "N", value_parser = whole)]
    pub(crate) max_findings: Option<usize>,
    /// Output format; JSON is one report for one file, and an array of reports for folders, archives and several paths
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ValidateFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValidateFormat {
    #[default]
    Text,
    Json,
    /// One SARIF 2.1.0 log of all files
    Sarif,
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
    /// 16 bits for each of X, Y and Z, which Deus Ex reads
    I16x4,
}

impl Validate {
    /// The largest number of lines per file, or of messages in JSON.
    pub(crate) fn limit(&self) -> usize {
        let default = if self.all { usize::MAX } else { meshlens::Report::DEFAULT_CAPACITY };
        self.max_findings.unwrap_or(default)
    }
}

/// Explain the code of a finding or a loss: its meaning and its remedy
///
/// Codes, such as TAG_AXIS_NOT_UNIT, are part of the output of validate and of the losses of convert.
#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The codes to explain; without a code, all codes are listed
    #[arg(value_name = "CODE")]
    pub(crate) codes: Vec<String>,
}

/// Print the whole content of a model as one JSON document
///
/// Names, coordinates and units are those of the format.
#[derive(Args, Debug)]
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
#[derive(Args, Debug)]
pub(crate) struct Plan {
    /// Files, folders, archives, entries of archives (pak0.pk3!models/x.md3), - for standard input, or URLs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the game, which is searched for scripts and for the other file of a mesh; may be given several
    /// times
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Print a line for each frame
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format; JSON has one document on a line for each model
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
}

/// Convert models to glTF 2.0, or from one format to another
///
/// Each model becomes one file: x.md3 becomes x.glb, in the same folder or in --out-dir. Data that the target cannot
/// hold is listed, one loss per line.
///
/// A Quake 3 player is a folder with lower.md3, upper.md3, head.md3 and animation.cfg, or such a folder in an archive
/// (pak0.pk3!models/players/sarge). It becomes one glTF file if the folder itself is named. glTF files in folders are
/// converted only if the target is another format.
#[derive(Args, Debug)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Output file for one model; - for standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// Write the outputs to this folder; input folders and archives are mirrored in it
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Output format [default: by the extension of -o, else glb]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<Target>,
    /// Write a .gltf file and its buffer as a .bin file, instead of one .glb file
    #[arg(long, conflicts_with = "to")]
    pub(crate) separate: bool,
    /// Keep the integer positions of MD3 and Unreal, and write normals as bytes (needs KHR_mesh_quantization)
    #[arg(long)]
    pub(crate) quantize: bool,
    /// Normals to write for models with frames: of all frames, or only of the base frame, which takes less than half
    /// the size
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) normals: Normals,
    /// Compress arrays without loss (needs EXT_meshopt_compression); smallest with --quantize
    #[arg(long)]
    pub(crate) meshopt: bool,
    /// Vertex encoding of an Unreal mesh [default: i16x4 if the input has 16-bit vertices, else packed32]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) vertices: Option<UnrealVertices>,
    /// Convert only frames A to B, both included; the first frame is 0
    #[arg(long, value_name = "A..B", value_parser = frames, group = "which_frames")]
    pub(crate) frames: Option<(usize, usize)>,
    /// Convert only the clip with this name
    #[arg(long, value_name = "NAME", group = "which_frames")]
    pub(crate) clip: Option<String>,
    /// Convert only this frame, without animation
    #[arg(long, value_name = "N", group = "which_frames", value_parser = whole)]
    pub(crate) frame: Option<usize>,
    /// Levels of detail to write: the highest, or all (MSFT_lod)
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) lod: Lod,
    /// Frames per second of clips whose files do not state a rate [default: 10]
    #[arg(long, value_name = "RATE", value_parser = positive)]
    pub(crate) fps: Option<f32>,
    /// Interpolation between frames
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) interpolation: Interpolation,
    /// Factor for all lengths, such as 0.0254 for inches to meters
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive)]
    pub(crate) scale: f32,
    /// Where to put the textures of a glTF file; TGA, PCX, BMP and DDS become PNG [default: embed for glb, beside for
    /// gltf]
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) textures: Option<Textures>,
    /// Same as --textures embed
    #[arg(long, conflicts_with = "textures")]
    pub(crate) embed: bool,
    /// Memory that all workers may use together for conversions, such as 512M or 2G; a model that needs more is refused
    /// [default: half of the machine's memory, and 512M for one glTF file]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
    /// Add the clips of a UNIGINE .anim file, whose bones are matched by name; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) anim: Vec<PathBuf>,
    /// Exit with 1 if a result has a warning, such as merged or clamped positions; the result is written nevertheless
    #[arg(long)]
    pub(crate) strict: bool,
    /// Take the textures of MD3 surfaces from x_NAME.skin in the folder of x.md3
    #[arg(long, value_name = "NAME")]
    pub(crate) skin: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// One binary glTF file
    Glb,
    /// A glTF file with its buffer in a second file
    Gltf,
    /// Quake 3 MD3
    Md3,
    /// An Unreal mesh: x_d.3d, x_a.3d and x.uc
    Unreal,
    /// Ultimate 3D 2.0
    U3d,
    /// A UNIGINE mesh (ms11)
    Unigine,
    /// A UNIGINE .anim with the joint animations only
    UnigineAnim,
}

impl Convert {
    /// Where the textures of an output are put.
    pub(crate) fn textures(&self, target: Target, is_stdout: bool) -> Textures {
        let usual = if target == Target::Gltf && !is_stdout { Textures::Beside } else { Textures::Embed };
        self.textures.unwrap_or(if self.embed { Textures::Embed } else { usual })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Textures {
    /// In the output file
    Embed,
    /// In separate files: those of the game, or else new files in the folder of the output
    Beside,
    /// No textures; materials keep the names of their textures
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Normals {
    /// The normals of every frame
    #[default]
    All,
    /// The normals of the base frame; lighting does not follow the movement
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
    /// Interpolate linearly between frames
    #[default]
    Linear,
    /// Hold each frame until the next one
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

/// Make pictures of models, or draw them on the terminal
///
/// Each model becomes a PNG file. A folder or an archive becomes a folder with one picture of each model. Without -o and
/// --out-dir, models are drawn on the terminal. No GPU and no display is needed, and a picture is the same on every machine.
///
/// A folder with lower.md3, upper.md3 and head.md3 is one picture of the whole player if the folder itself is named.
#[derive(Args, Debug)]
pub(crate) struct Thumb {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The picture of one model, or a folder for the pictures of several; - for standard output
    #[arg(short, long, value_name = "PATH", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// Write the pictures to this folder; input folders and archives are mirrored in it
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Width and height of a picture, or of a cell of a sheet, in pixels [default: 512]
    #[arg(long, value_name = "N", value_parser = thumb::size)]
    pub(crate) size: Option<u32>,
    /// Direction of view
    #[arg(long, value_enum, default_value_t, value_name = "VIEW")]
    pub(crate) view: PictureView,
    /// Show this frame, of the vertices or of the joint animation [default: the model at rest]
    #[arg(long, value_name = "N", conflicts_with = "clip", value_parser = whole)]
    pub(crate) frame: Option<usize>,
    /// Show the clip with this name: its first frame, or all frames with --apng and --sheet
    #[arg(long, value_name = "NAME")]
    pub(crate) clip: Option<String>,
    /// Make an animated PNG of a clip [default clip: the first that moves]
    #[arg(long, conflicts_with = "frame")]
    pub(crate) apng: bool,
    /// Make a sheet of columns by rows with frames of a clip, such as 4x4 [default clip: the first that moves]
    #[arg(long, value_name = "CxR", conflicts_with_all = ["apng", "frame"], value_parser = thumb::sheet)]
    pub(crate) sheet: Option<(u32, u32)>,
    /// Draw the edges of triangles
    #[arg(long)]
    pub(crate) wireframe: bool,
    /// Background of the picture
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) background: PictureBackground,
    /// Take the textures of MD3 surfaces from x_NAME.skin in the folder of x.md3
    #[arg(long, value_name = "NAME")]
    pub(crate) skin: Option<String>,
    /// Memory that all workers may use together, such as 512M or 2G; a picture that needs more is refused [default:
    /// half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureView {
    /// From the front, from above and from the left of the model, in perspective
    #[default]
    Iso,
    /// From the front, without perspective
    Front,
    /// From the left of the model, without perspective
    Side,
    /// From above, without perspective
    Top,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureBackground {
    #[default]
    Light,
    Dark,
    /// Transparent
    None,
}

/// Measure how fast models open and their arrays decode on this machine
///
/// Every instruction-set level of the machine is measured. Times are medians. Files are read into memory first; rates
/// count their encoded bytes.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Measure only this instruction-set level: scalar, sse, avx2, avx512 or neon
    #[arg(long, value_name = "LEVEL", value_parser = simd)]
    pub(crate) level: Option<meshlens::lens::Level>,
    /// Total duration in seconds; large sets take longer, because every measurement is made at least three times
    #[arg(long, default_value_t = 5.0, value_name = "N", value_parser = seconds)]
    pub(crate) seconds: f32,
    /// Output format; text shows a bar for each rate
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
