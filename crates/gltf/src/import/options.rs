//! Options and limits of an import.

use std::fmt;

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

/// A function that reads the first bytes of a file, at most as many as the number. `None` if it cannot be read.
pub type Read<'o> = dyn Fn(&str, usize) -> Option<Vec<u8>> + 'o;

/// Options of an import.
#[derive(Clone, Copy)]
pub struct ImportOptions<'o> {
    /// The rate of the imported frames, in frames per second. If `None`, the rate of each animation's keys is used if
    /// they are evenly spaced.
    pub rate: Option<f32>,
    /// How skins are imported.
    pub skins: Skins,
    /// Reads the first bytes of a file, at most as many as the second argument, by its percent-decoded path relative to
    /// the document. The path is not changed: the caller must check that it does not leave the document's folder. Each
    /// file is read once, after its bytes are reserved.
    pub read: &'o Read<'o>,
}

impl fmt::Debug for ImportOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportOptions")
            .field("rate", &self.rate)
            .field("skins", &self.skins)
            .finish_non_exhaustive()
    }
}

impl<'o> ImportOptions<'o> {
    /// Makes options that use the rates of the keys and import skins as joints.
    pub fn new(read: &'o Read<'o>) -> Self {
        ImportOptions { rate: None, skins: Skins::Keep, read }
    }

    /// The requested rate.
    pub(super) fn asked_rate(&self) -> Option<f32> {
        self.rate.filter(|rate| *rate > 0.0 && rate.is_finite())
    }
}
