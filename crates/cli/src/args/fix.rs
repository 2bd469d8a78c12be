//! The arguments of `fix`.

use std::path::PathBuf;

use clap::Args;

use super::inputs::Inputs;
use super::read::{Level, ReportFormat};
use super::values::engine;

/// Mend what validate finds, without a change of what is seen
///
/// Writes x.fixed.md3 beside x.md3 if something can be mended: bounds and radii that engines cull by, names without an end,
/// normals that are missing or point inwards, axes of tags whose length is not 1, wrong offsets, sizes and identifiers, surfaces
/// over a limit, vertices without triangles, line ends of skins (.skin), and more. `meshlens explain CODE` says whether a finding is mended. Positions in all frames, triangles and
/// texture coordinates stay the same bits, which is checked for each file.
#[derive(Args)]
pub(crate) struct Fix {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Output file for one model, or - for standard output
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["in_place", "dry_run"])]
    pub(crate) output: Option<PathBuf>,
    /// Replace the files, after a copy of each as FILE.bak
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Only say what would be mended
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Overwrite existing outputs; a copy FILE.bak is never overwritten
    #[arg(long)]
    pub(crate) force: bool,
    /// Split surfaces at the numbers of this engine [default: 999 vertices and 1999 triangles, which all engines accept]
    #[arg(long, value_name = "NAME", value_parser = engine())]
    pub(crate) engine: Option<String>,
    /// Lowest severity of what is left for which the exit status is 1
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub(crate) fail_on: Level,
    /// Output format; JSON is an array with an object for each file
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
    /// Memory that all workers may use together, such as 512M or 2G; a model that needs more is refused
    /// [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
}
