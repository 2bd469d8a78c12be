//! Shadow optimized geometry (Ultimate 3D 2.0: The shadow optimized geometry chunk).

use crate::encoding::F32;
use meshlens_lens::{Lens, ValueLens};
use meshlens_wire::{Complete, Data, Result, Span};

use crate::arrays::shadow_normal_offset;
use crate::layout::shadow_vertex_size;
use crate::parts::MeshParts;
use crate::text::bytes_at;
use crate::triangles::triangles;

/// Shadow optimized geometry of a mesh: a closed surface for shadow volumes.
#[derive(Clone, Copy, Debug)]
pub struct Shadow<'a> {
    data: Data<'a>,
    vertices: Span,
    triangles: Span,
    skin_weights: u8,
    is_v1: bool,
}

impl<'a> Shadow<'a> {
    pub(crate) fn new(data: Data<'a>, parts: &MeshParts, is_v1: bool) -> Self {
        let (vertices, triangles) = (parts.shadow_vertices(), parts.shadow_triangles());
        Shadow { data, vertices, triangles, skin_weights: parts.skin_weights, is_v1 }
    }

    /// Checks that all bytes are loaded.
    pub(crate) fn check(&self) -> Result<()> {
        self.data.bind(self.vertices)?;
        self.data.bind(self.triangles).map(|_| ())
    }

    /// The number of vertices.
    pub const fn vertex_count(&self) -> usize {
        // Each vertex has bytes in the file, so the number is less than the number of bytes in memory.
        self.vertices.count() as usize
    }

    /// The vertices as they are stored, [`vertex_size`](Self::vertex_size) bytes each: position, skin weights, bone
    /// indices (four bytes, if there are weights), normal. The document of version 1.0 puts the normal after the
    /// position. It is not known which order its engine writes.
    pub fn vertex_bytes(&self) -> &'a [u8] {
        bytes_at::<Complete>(self.data, self.vertices)
    }

    /// The size of a vertex in bytes.
    pub const fn vertex_size(&self) -> usize {
        shadow_vertex_size(self.skin_weights) as usize
    }

    /// The positions in mesh space, one for each vertex.
    pub fn positions(&self) -> Lens<'a, F32<3>> {
        Lens::bind_in::<Complete>(self.data, self.vertices, 0, F32::<3>)
    }

    /// The normals in mesh space, one for each vertex. As documented, a normal follows the position in version 1.0, and
    /// is at the end of the vertex in version 2.0.
    pub fn normals(&self) -> Lens<'a, F32<3>> {
        let skip = shadow_normal_offset(self.skin_weights, self.is_v1);
        Lens::bind_in::<Complete>(self.data, self.vertices, skip as usize, F32::<3>)
    }

    /// The triangles, wound clockwise, **unchecked**.
    pub fn triangles(&self) -> ValueLens<'a, [u32; 3]> {
        triangles::<Complete>(self.data, self.triangles)
    }
}
