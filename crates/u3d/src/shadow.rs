//! Shadow optimized geometry (Ultimate 3D 2.0: The shadow optimized geometry chunk).

use meshlens_lens::encoding::F32;
use meshlens_lens::{Lens, Triangles};
use meshlens_wire::{Data, Span};

use crate::document::field_at;
use crate::layout;
use crate::mesh::triangles;
use crate::parts::MeshParts;

/// Shadow optimized geometry of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Shadow<'a> {
    data: Data<'a>,
    vertices: Span,
    triangles: Triangles<'a>,
    skin_weights: u8,
    is_v1: bool,
}

impl<'a> Shadow<'a> {
    pub(crate) fn new(data: Data<'a>, parts: &MeshParts, is_v1: bool) -> Self {
        Shadow {
            data,
            vertices: parts.shadow_vertices(),
            triangles: triangles(data, parts.shadow_triangles(), parts.long_shadow_triangles),
            skin_weights: parts.skin_weights,
            is_v1,
        }
    }

    /// Vertices.
    pub fn vertex_count(&self) -> usize {
        usize::try_from(self.vertices.count()).unwrap_or(usize::MAX)
    }

    /// The vertices as they lie, [`vertex_size`](Self::vertex_size) bytes each: position, skin weights, bone indices
    /// (four bytes, where there are weights), normal. The document of version 1.0 has the normal behind the
    /// position; no file is known that would tell which order its engine wrote.
    pub fn vertex_bytes(&self) -> &'a [u8] {
        self.data.bind(self.vertices).unwrap_or_default()
    }

    /// Bytes of one vertex.
    pub const fn vertex_size(&self) -> usize {
        (layout::shadow_floats(self.skin_weights) as usize).saturating_mul(4)
    }

    fn field(&self, skip: usize) -> Lens<'a, F32<3>> {
        field_at(self.data, self.vertices, skip, F32::<3>)
    }

    /// Positions in mesh space.
    pub fn positions(&self) -> Lens<'a, F32<3>> {
        self.field(0)
    }

    /// Normals in mesh space, three floats each: behind the position in version 1.0, at the vertex' end in version
    /// 2.0, as the documents say.
    pub fn normals(&self) -> Lens<'a, F32<3>> {
        self.field(if self.is_v1 { 12 } else { self.vertex_size().saturating_sub(12) })
    }

    /// The triangles, **unchecked**.
    pub const fn triangles(&self) -> Triangles<'a> {
        self.triangles
    }
}
