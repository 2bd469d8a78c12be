//! The arguments of the commands that read no model.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Print the functions that decode stored arrays on a GPU
///
/// For engines that upload vertices as they are stored in the file, and decode them in the vertex shader. GLSL is for
/// WebGL2 (GLSL ES 3.00), HLSL is for shader model 5.0.
#[derive(Args)]
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

/// Show models in a window
///
/// Starts meshlens-view, which is installed separately: cargo install --path crates/viewer/app. It is
/// looked up next to this command, then in PATH. Arguments after -- are its options, such as -- --theme light.
#[derive(Args)]
pub(crate) struct View {
    /// Models, folders or archives
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Options of meshlens-view
    #[arg(last = true, value_name = "OPTION")]
    pub(crate) options: Vec<std::ffi::OsString>,
}

/// Measure how fast models open and their arrays decode on this machine
///
/// At each level of instructions, beside a copy of the same bytes, and next to decoders of others. Starts meshlens-bench, which
/// is installed separately: cargo install meshlens-bench. It is looked up next to this command, then in PATH, and gets all
/// arguments: meshlens bench --help lists them.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Bench {
    /// Arguments of meshlens-bench, such as models/ --seconds 10
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

/// Write a table of many models as Parquet files: formats, counts, bounds, hashes, clips and findings
///
/// For millions of files in folders and buckets; a run that is killed goes on. Starts meshlens-census, which is installed
/// separately: cargo install --path crates/census. It is looked up next to this command, then in PATH, and gets all
/// arguments: meshlens census --help lists them.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Census {
    /// Arguments of meshlens-census census, such as models/ -o table/
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

/// Write the list of the files in a bucket or a folder, for census
///
/// Starts meshlens-census, as census does: meshlens list --help lists the arguments.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct List {
    /// Arguments of meshlens-census list, such as s3://bucket/models/ -o manifest.parquet
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

/// Print a completion script for a shell
///
/// For example: meshlens completions bash > ~/.local/share/bash-completion/completions/meshlens
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page of the command, or of one of its subcommands
///
/// For example: meshlens man convert | man -l -
#[derive(Args)]
pub(crate) struct Man {
    /// The subcommand, such as convert
    #[arg(value_name = "COMMAND", conflicts_with = "out_dir")]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long, requires = "out_dir")]
    pub(crate) force: bool,
}

/// Explain the code of a finding or a loss, or list what an engine reads
///
/// Codes, such as TAG_AXIS_NOT_UNIT, are part of the output of validate and of the losses of convert. Engines, such as
/// ioquake3, are those of --engine: their limits, what they refuse and what they ignore, with the source of each fact.
#[derive(Args)]
pub(crate) struct Explain {
    /// The codes to explain, or names of engines; without any, all codes are listed
    #[arg(value_name = "CODE")]
    pub(crate) codes: Vec<String>,
}
