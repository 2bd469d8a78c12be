//! The arguments of the command, as clap parses them.

mod convert;
mod fix;
mod inputs;
mod pack;
mod read;
mod servers;
mod thumb;
mod tools;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::{Args, ColorChoice, Parser, Subcommand};

use crate::paths::List;
use crate::terminal;

pub(crate) use convert::{
    Carry, Convert, Interpolation, Lod, Meshopt, Normals, Target, Textures, UnrealVertices,
};
pub(crate) use fix::Fix;
pub(crate) use inputs::{Inputs, Password};
pub(crate) use pack::Pack;
pub(crate) use read::{Dump, Inspect, Plan, ReportFormat, TableFormat, Validate, ValidateFormat};
pub(crate) use servers::Servers;
pub(crate) use thumb::{PictureBackground, PictureView, TerminalGraphics, Thumb};
pub(crate) use tools::{
    Bench, Census, Completions, Explain, List as ListFiles, Man, Shader, ShaderLanguage, View,
};

/// Inspect, validate, dump, convert and measure game meshes: Quake 3 MD3, Unreal _d.3d/_a.3d, Ultimate 3D .u3d,
/// UNIGINE .mesh/.anim.
///
/// Exit status: 0 for success; 1 if a file is invalid or has findings at or above the chosen level; 2 for wrong
/// arguments and for files that cannot be read or written. A bad file never stops the others.
#[derive(Parser)]
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

#[derive(Args)]
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

#[derive(Subcommand)]
pub(crate) enum Command {
    Inspect(Inspect),
    Validate(Validate),
    Dump(Dump),
    Convert(Box<Convert>),
    Fix(Fix),
    Thumb(Box<Thumb>),
    Plan(Plan),
    Pack(Pack),
    Explain(Explain),
    Bench(Bench),
    Shader(Shader),
    View(View),
    Census(Census),
    List(ListFiles),
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
        let (inputs, reads_all) = match self {
            Command::Inspect(Inspect { inputs, .. })
            | Command::Validate(Validate { inputs, .. })
            | Command::Fix(Fix { inputs, .. }) => (inputs, false),
            Command::Convert(convert) => (&mut convert.inputs, true),
            Command::Thumb(thumb) => (&mut thumb.inputs, true),
            Command::Dump(Dump { paths, files_from, password, more, .. }) => {
                read_list(files_from.as_deref(), paths, Some(more))?;
                return password.read_environment();
            }
            Command::Plan(_)
            | Command::Pack(_)
            | Command::Explain(_)
            | Command::Bench(_)
            | Command::Shader(_)
            | Command::View(_)
            | Command::Census(_)
            | Command::List(_)
            | Command::Completions(_)
            | Command::Man(_) => return Ok(()),
        };
        inputs.list_start = inputs.files_from.as_ref().map(|_| inputs.paths.len());
        let more = (!reads_all).then_some(&mut inputs.more);
        read_list(inputs.files_from.as_deref(), &mut inputs.paths, more)?;
        inputs.password.read_environment()
    }
}

/// Adds the paths of a list: all of them, or two, and the others to `more`.
fn read_list(
    list: Option<&Path>,
    paths: &mut Vec<PathBuf>,
    more: Option<&mut Mutex<List>>,
) -> Result<(), String> {
    let Some(list) = list else { return Ok(()) };
    if list.as_os_str() == "-" && paths.iter().any(|path| path.as_os_str() == "-") {
        return Err("standard input cannot be both a model and the list of --files-from".into());
    }
    let mut list = List::open(list)?;
    match more {
        // Two paths are enough to know whether there are several.
        Some(more) => {
            for path in list.by_ref().take(2) {
                paths.push(path?);
            }
            *more = Mutex::new(list);
        }
        None => paths.extend(list.read_all()?),
    }
    Ok(())
}
