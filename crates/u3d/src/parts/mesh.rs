//! The locations of the parts of one mesh.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use core::num::NonZeroU64;

use meshlens_wire::{Cursor, Result, Span};

use crate::fields::since;
use crate::layout::{self, STAGES};
use crate::tables::Tables;

/// The level of detail, the number in the frame, and the frame of a mesh.
pub(crate) type MeshSlot = (Option<u32>, u32, u32);

/// The encodings of normals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NormalEncoding {
    /// Two signed bytes, as in version 1.0.
    Bytes,
    /// Two signed bytes, in an early file of version 2.0.
    LegacyBytes,
    /// Two signed 16-bit integers, as in version 2.0.
    Shorts,
}

impl NormalEncoding {
    /// The size of a normal in bytes.
    pub const fn size(self) -> u32 {
        match self {
            NormalEncoding::Bytes | NormalEncoding::LegacyBytes => 2,
            NormalEncoding::Shorts => 4,
        }
    }
}

/// The locations of the parts of one mesh.
#[derive(Clone, Debug)]
pub struct MeshParts {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    /// Absolute end of the documented fields.
    pub(crate) used: u64,
    pub(crate) name: Span,
    /// In the order of the getters: positions, normals, texture coordinates, and so on.
    pub(crate) tables: Tables,
    /// The absolute offset of nTriangle.
    pub(crate) triangle_count_offset: u64,
    /// The absolute offset of the shadow optimized geometry: the chunk, or in version 1.0 its vertices.
    pub(crate) shadow: Option<NonZeroU64>,
    pub(crate) lod_index: Option<u32>,
    pub(crate) frame: u32,
    pub(crate) mesh_in_frame: u32,
    pub(crate) lod_fraction: f32,
    pub(crate) normal_scalar: f32,
    pub(crate) vertices: u32,
    pub(crate) triangles: u32,
    pub(crate) dimensions: [u8; STAGES],
    pub(crate) skin_weights: u8,
    pub(crate) max_bone: u8,
    pub(crate) normals: NormalEncoding,
    pub(crate) has_tangents: bool,
    pub(crate) uses_texcoord_buffer: bool,
    pub(crate) texcoords_owned: bool,
    pub(crate) triangles_owned: bool,
}

impl MeshParts {
    /// A mesh at `offset` without content.
    pub(crate) fn new(offset: u64, normals: NormalEncoding) -> MeshParts {
        MeshParts {
            offset,
            end: offset,
            used: offset,
            name: Span::default(),
            tables: Tables::default(),
            triangle_count_offset: offset,
            shadow: None,
            lod_index: None,
            frame: 0,
            mesh_in_frame: 0,
            lod_fraction: 1.0,
            normal_scalar: 1.0,
            vertices: 0,
            triangles: 0,
            dimensions: [0; STAGES],
            skin_weights: 0,
            max_bone: 0,
            normals,
            has_tangents: false,
            uses_texcoord_buffer: false,
            texcoords_owned: true,
            triangles_owned: true,
        }
    }

    pub(crate) fn place(&self) -> MeshSlot {
        (self.lod_index, self.mesh_in_frame, self.frame)
    }

    /// The index of the level of detail, 0 for the highest; `None` if a file of version 1.0 does not list the mesh's
    /// level in its header.
    pub const fn lod_index(&self) -> Option<u32> {
        self.lod_index
    }

    /// The frame that the mesh belongs to.
    pub const fn frame(&self) -> u32 {
        self.frame
    }

    /// The number of the mesh in its frame and level of detail.
    pub const fn mesh_in_frame(&self) -> u32 {
        self.mesh_in_frame
    }

    /// The positions, three floats each.
    pub fn positions(&self) -> Span {
        self.tables.get(0)
    }

    /// The normals, two or four bytes each.
    pub fn normals(&self) -> Span {
        self.tables.get(1)
    }

    /// How the normals are stored.
    pub const fn normal_encoding(&self) -> NormalEncoding {
        self.normals
    }

    /// The texture coordinates of one set, one to four floats each; `None` if the mesh does not own them or there is no
    /// such set.
    pub fn texcoords(&self, set: usize) -> Option<Span> {
        let dimension = *self.dimensions.get(set).filter(|dimension| **dimension > 0)?;
        if !self.texcoords_owned {
            return None;
        }
        if self.vertices == 0 {
            return Some(Span::default());
        }
        // The sets are stored one after another.
        let vertices = u64::from(self.vertices);
        let before: u64 = self.dimensions.iter().take(set).map(|dimension| u64::from(*dimension)).sum();
        let floats = self.tables.get(2);
        let own = floats.slice(before.checked_mul(vertices)?, vertices.checked_mul(dimension.into())?)?;
        own.restride(layout::floats_size(dimension))
    }

    /// The skin weights, one to three floats each; empty if the mesh has no skin.
    pub fn skin_weights(&self) -> Span {
        self.tables.get(3)
    }

    /// The bone indices, four bytes each; empty if the mesh has no skin.
    pub fn skin_bones(&self) -> Span {
        self.tables.get(4)
    }

    /// The triangles that the mesh owns, three indices of 16 or 32 bits each; empty if it borrows them.
    pub fn triangles(&self) -> Span {
        self.tables.get(5)
    }

    /// The material index of each of the mesh's own triangles, two bytes each; empty if it borrows them.
    pub fn triangle_materials(&self) -> Span {
        self.tables.get(6)
    }

    /// The vertices of the shadow optimized geometry; empty if there is none.
    pub fn shadow_vertices(&self) -> Span {
        self.tables.get(7)
    }

    /// The triangles of the shadow optimized geometry; empty if there is none.
    pub fn shadow_triangles(&self) -> Span {
        self.tables.get(8)
    }

    /// Steps over texture coordinates, skin weights and bone indices, which both versions store alike.
    pub(crate) fn vertex_floats(&self, cursor: &mut Cursor<'_>) -> Result<[Span; 3]> {
        let vertices = u64::from(self.vertices);
        let start = cursor.offset();
        if self.texcoords_owned {
            for dimension in self.dimensions.into_iter().filter(|dimension| *dimension > 0) {
                cursor.span(vertices, layout::floats_size(dimension), "texture coordinates")?;
            }
        }
        let texcoords = since(cursor, start, 4, "texture coordinates")?;
        if self.skin_weights == 0 {
            return Ok([texcoords, Span::default(), Span::default()]);
        }
        let weights = cursor.span(vertices, layout::floats_size(self.skin_weights), "skin weights")?;
        let bones = cursor.span(vertices, layout::SKIN_BONES_SIZE, "skin weight indices")?;
        Ok([texcoords, weights, bones])
    }
}
