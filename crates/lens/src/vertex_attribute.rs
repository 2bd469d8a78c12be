//! One attribute of a vertex buffer.

use core::fmt;

use crate::{AttributeSource, VertexFormat};

/// One attribute of a vertex buffer: its source, its offset in the vertex, and its format.
#[derive(Clone, Copy)]
pub struct VertexAttribute<'a> {
    pub(crate) source: &'a dyn AttributeSource,
    pub(crate) offset: usize,
    pub(crate) format: VertexFormat,
}

impl<'a> VertexAttribute<'a> {
    /// An attribute that stores the elements of `source` as `format`, `offset` bytes into each vertex.
    pub const fn new(source: &'a dyn AttributeSource, offset: usize, format: VertexFormat) -> Self {
        VertexAttribute { source, offset, format }
    }

    /// The offset of the first byte after the attribute.
    pub(crate) const fn end(&self) -> usize {
        self.offset.saturating_add(self.format.size())
    }
}

impl fmt::Debug for VertexAttribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VertexAttribute")
            .field("offset", &self.offset)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}
