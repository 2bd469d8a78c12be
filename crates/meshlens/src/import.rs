//! Formats that are not parsed here, such as glTF: an [`Importer`] makes a scene whose values are in memory.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use meshlens_wire::{Budget, OverBudget, Report};

use crate::Summary;
#[cfg(all(feature = "md3", feature = "u3d", feature = "unigine", feature = "unreal"))]
use crate::model::export::Target;
use crate::scene::Scene;

/// The reason why a file cannot be imported.
#[derive(Debug)]
pub enum ImportError {
    /// The budget has too little memory left.
    Memory(OverBudget),
    /// The file is invalid or exceeds a limit. The error can be downcast to the error of the importer's crate.
    File(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Memory(over) => over.fmt(f),
            ImportError::File(error) => error.fmt(f),
        }
    }
}

impl Error for ImportError {}

/// A function that reads the first bytes of a file, at most as many as the number. `None` if it cannot be read.
pub type Read<'r> = dyn Fn(&str, usize) -> Option<Vec<u8>> + 'r;

/// Reads files of a format that is not parsed here. `meshlens-assets` opens files by it.
pub trait Importer: fmt::Debug + Send + Sync {
    /// The name of the format, such as `gltf`.
    fn format(&self) -> &'static str;

    /// The version of the format that is read, such as `2.0`.
    fn version(&self) -> &'static str;

    /// The extensions of the format's files, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether a file is of this format, by its bytes or its extension. The file is not empty.
    fn detects(&self, extension: &str, bytes: &[u8]) -> bool;

    /// The counts of a file, without reading the files that it refers to.
    ///
    /// # Errors
    ///
    /// The file is invalid.
    fn summarize(&self, bytes: &[u8]) -> Result<Summary, ImportError>;

    /// Imports a file. Returns the scene, and what the scene does not keep. `read` reads a file by its path relative to this
    /// one. Memory is reserved from `budget`, and released when the scene is dropped.
    ///
    /// # Errors
    ///
    /// The file is invalid, or exceeds a limit or the budget.
    fn import(
        &self,
        bytes: &[u8],
        options: &ImportOptions,
        read: &Read<'_>,
        budget: &Budget,
    ) -> Result<(Scene<'static>, Report), ImportError>;
}

/// Options of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// The rate of the imported frames, in frames per second. If `None`, the rate of each animation's keys is used if
    /// they are evenly spaced.
    pub rate: Option<f32>,
    /// How skins are imported.
    pub skins: Skins,
    /// How the nodes at the root of the file are imported.
    pub roots: Roots,
    /// Whether vertices only have the frame that is shown while no animation plays. A model with joints still has its
    /// animations.
    pub at_rest: bool,
    /// Whether to read the coarser levels of detail of the nodes.
    pub lods: bool,
    /// The limits.
    pub limits: ImportLimits,
}

impl ImportOptions {
    /// The options for a scene that is exported to a game format. The models that an MD3 export wrote to one file become nodes
    /// again; for other formats, everything is one model. Formats with vertex frames have the movement of joints in frames.
    #[cfg(all(feature = "md3", feature = "u3d", feature = "unigine", feature = "unreal"))]
    pub fn for_export(target: Target) -> ImportOptions {
        let is_frames = matches!(target, Target::Md3 | Target::Unreal);
        ImportOptions {
            skins: if is_frames { Skins::Bake } else { Skins::Keep },
            roots: if target == Target::Md3 { Roots::Models } else { Roots::Merged },
            ..ImportOptions::default()
        }
    }

    /// The requested rate, if it is one.
    pub fn asked_rate(&self) -> Option<f32> {
        self.rate.filter(|rate| *rate > 0.0 && rate.is_finite())
    }
}

/// How the nodes at the root of a file are imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Roots {
    /// Each as a node of the scene, with its name and its transform.
    #[default]
    Nodes,
    /// All as one model, for formats that store one model.
    Merged,
    /// Each model that an export wrote as a node of its own, such as the parts of a player, if there are several; otherwise all
    /// as one model. Without the extras of an export, a model with a mesh below its tag `tag_torso` is a player, and so are, with
    /// [`Skins::Bake`], meshes whose names say to which part of a player they belong (`u_torso`). Nodes such as `x_lod1` are
    /// levels of detail.
    Models,
}

/// How skins are imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skins {
    /// As joints, animations of joints, and weights of vertices.
    #[default]
    Keep,
    /// As vertex frames, together with all morph targets and moving nodes.
    Bake,
}

/// The limits of an import. The size of a file is not a limit: an accessor of a few bytes may contain any number of
/// zeros, and there may be any number of frames between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportLimits {
    /// The maximum number of frames of one file.
    pub frames: usize,
    /// The maximum number of bytes of memory for one file: the document, keys, and vertices in all frames.
    pub bytes: usize,
    /// The maximum number of vertices that are transformed in all frames, each once for the frame and once for each
    /// active morph target.
    pub work: usize,
}

impl ImportLimits {
    /// 4096 frames, 512 MiB, 2^29 vertices.
    pub const DEFAULT: ImportLimits = ImportLimits { frames: 4096, bytes: 512 << 20, work: 1 << 29 };
}

impl Default for ImportLimits {
    fn default() -> Self {
        ImportLimits::DEFAULT
    }
}
