//! The arguments of `meshlens pack`.

use std::path::PathBuf;

use clap::Args;

use super::read::{Level, ReportFormat};

/// Write files to one archive from which models are streamed
///
/// The archive is an ordinary zip, also called PK3: its entries are stored at multiples of 4,096 bytes, so that they can be read in
/// ranges and mapped. All files are packed, also skins, scripts and textures, so that the archive replaces the folder. Its last
/// entry, meshlens.plans, has the bounds and the headers of all models: a streamer reads it instead of them.
///
/// The same files give the same bytes. The archive appears when it is complete.
#[derive(Args)]
pub(crate) struct Pack {
    /// The archive to write, such as pak0.pk3
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Folders, archives (.pk3, .zip) and files. Files have the names that they have below the folder or in the archive; a file
    /// that is named itself keeps its path, or its name if the path leads out of this folder. The last of several files
    /// with the same name is packed
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Leave out models that do not parse or have findings at or above this level; the exit status is then 1. Otherwise they
    /// are packed as they are
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) leave_out: Option<Level>,
    /// List each entry: its length, its format if it is a model, and its name
    #[arg(long)]
    pub(crate) list: bool,
    /// Output format; JSON is one document, with the entries if they are listed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
    /// Overwrite an existing archive
    #[arg(long)]
    pub(crate) force: bool,
}
