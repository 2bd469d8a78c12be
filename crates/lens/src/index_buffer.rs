//! What index buffers look like.

use meshlens_wire::Result;

use crate::encoding::U32;
use crate::{Lens, Level};

/// The type of the indices of an index buffer, under the names that WebGPU has for it.
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

    /// The smallest format whose indices can number so many vertices. The largest 16-bit index is not used: in a strip,
    /// GPUs take it to begin a new one.
    pub const fn for_vertices(count: usize) -> Self {
        if count <= u16::MAX as usize { IndexFormat::Uint16 } else { IndexFormat::Uint32 }
    }
}

/// How an index buffer is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexBufferLayout {
    pub(crate) format: IndexFormat,
    pub(crate) is_flipped: bool,
    pub(crate) below: Option<(usize, &'static str)>,
    pub(crate) level: Option<Level>,
}

impl IndexBufferLayout {
    /// Indices as they are stored, without gaps, in `format`.
    pub const fn new(format: IndexFormat) -> Self {
        IndexBufferLayout { format, is_flipped: false, below: None, level: None }
    }

    /// With the second and the third index of each triangle exchanged, which turns its front around.
    #[must_use]
    pub const fn flipped(self) -> Self {
        IndexBufferLayout { is_flipped: true, ..self }
    }

    /// With every index checked to be below `count`. `what` says in errors what indices number.
    #[must_use]
    pub const fn below(self, count: usize, what: &'static str) -> Self {
        IndexBufferLayout { below: Some((count, what)), ..self }
    }

    /// With the instructions of `level` instead of the [current](Level::current) ones.
    #[must_use]
    pub const fn with_level(self, level: Level) -> Self {
        IndexBufferLayout { level: Some(level), ..self }
    }

    /// The format of the indices.
    pub const fn format(&self) -> IndexFormat {
        self.format
    }

    /// Writes an index buffer of indices in memory, in the byte order of the machine, and gives the largest, or `None` if
    /// there are none.
    ///
    /// # Errors
    ///
    /// As [`Lens::indices_into`].
    pub fn write(&self, indices: &[u32], out: &mut [u8]) -> Result<Option<u32>> {
        // On a big-endian machine, indices in memory are not as they lie in files.
        if cfg!(target_endian = "big") {
            let little: alloc::vec::Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
            return Lens::new(U32::<1>, &little, 0, 4, indices.len())?.indices_into(*self, out);
        }
        Lens::new(U32::<1>, bytemuck::cast_slice(indices), 0, 4, indices.len())?.indices_into(*self, out)
    }
}
