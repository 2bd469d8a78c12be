//! The arguments of `thumb`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use meshlens::model::Axis;

use super::inputs::Inputs;
use super::values::{axis, whole};

/// Make pictures of models, or draw them on the terminal
///
/// Each model becomes a PNG file. A folder or an archive becomes a folder with one picture of each model. Without -o and
/// --out-dir, models are drawn on the terminal: as images if it supports the protocol of kitty or iTerm2, else with block
/// characters. Neither a GPU nor a display is needed. A picture is the same on every machine.
///
/// A folder with lower.md3, upper.md3 and head.md3 is one picture of the whole player.
#[derive(Args)]
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
    /// How to draw on the terminal
    #[arg(long, value_enum, default_value_t, value_name = "HOW", conflicts_with_all = ["output", "out_dir"])]
    pub(crate) graphics: TerminalGraphics,
    /// Width and height of a picture, or of a cell of a sheet, in pixels [default: 512]
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    pub(crate) size: Option<u32>,
    /// Direction of view
    #[arg(long, value_enum, default_value_t, value_name = "VIEW")]
    pub(crate) view: PictureView,
    /// Axis along which the model looks, as its file stores it, such as -y for a UNIGINE character that shows its back
    /// [default: the forward axis of the format]
    #[arg(long, value_name = "AXIS", value_parser = axis, allow_hyphen_values = true)]
    pub(crate) forward: Option<Axis>,
    /// Show this frame, of the vertices or of the joint animation [default: the model at rest]
    #[arg(long, value_name = "N", conflicts_with = "clip", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) frame: Option<usize>,
    /// Show the clip with this name: its first frame, or all frames with --apng and --sheet
    #[arg(long, value_name = "NAME")]
    pub(crate) clip: Option<String>,
    /// Make an animated PNG of a clip [default clip: the first that moves]
    #[arg(long, conflicts_with = "frame")]
    pub(crate) apng: bool,
    /// Make a sheet of columns by rows with frames of a clip, such as 4x4 [default clip: the first that moves]
    #[arg(long, value_name = "CxR", conflicts_with_all = ["apng", "frame"], value_parser = sheet)]
    pub(crate) sheet: Option<(u32, u32)>,
    /// Draw the edges of triangles
    #[arg(long)]
    pub(crate) wireframe: bool,
    /// Background of the picture [default: light, or dark if the model would hardly be seen before it]
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "WHICH")]
    pub(crate) background: PictureBackground,
    /// Take the textures of MD3 surfaces from x_NAME.skin in the folder of x.md3
    #[arg(long, value_name = "NAME")]
    pub(crate) skin: Option<String>,
    /// Show a clip of a UNIGINE .anim file, whose bones are matched by name; may be given several times [default: the model
    /// at rest; files in the folder of the mesh are found]
    #[arg(long, value_name = "FILE")]
    pub(crate) anim: Vec<PathBuf>,
    /// Memory that all workers may use together, such as 512M or 2G; a picture that needs more is refused [default:
    /// half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TerminalGraphics {
    /// The best of these that the terminal supports
    #[default]
    Auto,
    /// The graphics protocol of kitty
    Kitty,
    /// The inline images of iTerm2
    Iterm,
    /// Block characters in two colors
    Blocks,
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
    /// Light, or dark if the model would hardly be seen before it
    #[default]
    Auto,
    Light,
    Dark,
    /// Transparent
    None,
}

/// Parses the numbers of columns and rows.
fn sheet(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once(['x', 'X']).and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parsed
        .filter(|(columns, rows)| (1..=64).contains(columns) && (1..=64).contains(rows))
        .ok_or_else(|| "expected columns and rows, such as 4x4, at most 64x64".into())
}

/// Parses the number of pixels of a side.
fn size(text: &str) -> Result<u32, String> {
    let limit = meshlens_thumb::Limits::DEFAULT.size;
    let parsed = text.parse().ok().filter(|size| (1..=limit).contains(size));
    parsed.ok_or_else(|| format!("expected a number of pixels from 1 to {limit}"))
}
