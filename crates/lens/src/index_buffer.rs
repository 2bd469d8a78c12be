//! The formats and layouts of index buffers.

use crate::Level;

/// The type of the indices in an index buffer, with the names of WebGPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexFormat {
    /// Unsigned 16-bit integers.
    Uint16,
    /// Unsigned 32-bit integers.
    Uint32,
}

impl IndexFormat {
    /// The size of an index in bytes.
    pub const fn size(self) -> usize {
        match self {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        }
    }

    /// The smallest format that can index `count` vertices. The largest 16-bit index is not used, because GPUs treat it
    /// as the start of a new strip.
    pub const fn for_vertices(count: usize) -> Self {
        if count <= u16::MAX as usize { IndexFormat::Uint16 } else { IndexFormat::Uint32 }
    }
}

/// The conversion to an index buffer: format, winding, range check and instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexBufferLayout {
    pub(crate) format: IndexFormat,
    pub(crate) is_flipped: bool,
    pub(crate) below: Option<(usize, &'static str)>,
    pub(crate) level: Option<Level>,
}

impl IndexBufferLayout {
    /// Packed indices in `format`, in their stored order.
    pub const fn new(format: IndexFormat) -> Self {
        IndexBufferLayout { format, is_flipped: false, below: None, level: None }
    }

    /// Exchanges the second and the third index of each triangle, which reverses its winding.
    #[must_use]
    pub const fn flipped(self) -> Self {
        IndexBufferLayout { is_flipped: true, ..self }
    }

    /// Requires every index to be below `count`. `what` is the name of an index in errors.
    #[must_use]
    pub const fn below(self, count: usize, what: &'static str) -> Self {
        IndexBufferLayout { below: Some((count, what)), ..self }
    }

    /// Uses the instructions of `level` instead of the [current](Level::current) level.
    #[must_use]
    pub const fn with_level(self, level: Level) -> Self {
        IndexBufferLayout { level: Some(level), ..self }
    }

    /// The format of the indices.
    pub const fn format(&self) -> IndexFormat {
        self.format
    }
}
