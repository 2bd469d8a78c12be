//! Version 1.0: the mesh chunk.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;
use core::num::NonZeroU64;

use meshlens_wire::{Cursor, Data, Result};

use super::records::expect;
use crate::fields::{small, text};
use crate::header::Header;
use crate::layout::{self, MAX_DIMENSION, MAX_SKIN_WEIGHTS, v1};
use crate::parts::{MeshParts, NormalEncoding};
use crate::tables::Tables;

/// The header's levels of detail, sorted for look-up: the bits of the fraction, and the index.
pub(super) struct LodIndex(Vec<(u32, u32)>);

impl LodIndex {
    pub(super) fn new(data: Data<'_>, header: &Header) -> Result<LodIndex> {
        let (fractions, _) = data.bind(header.lod_fractions)?.as_chunks::<4>();
        let bits = fractions.iter().map(|fraction| f32::from_le_bytes(*fraction).to_bits());
        // Index 0 is the highest level, which is not in the table.
        let mut lods: Vec<(u32, u32)> = bits.zip(1..).collect();
        lods.sort_unstable();
        Ok(LodIndex(lods))
    }

    /// The index of a level of detail: 0 for a fraction of 1.0, otherwise the index of the first one with this
    /// fraction.
    fn find(&self, fraction: f32) -> Option<u32> {
        if fraction == 1.0 {
            return Some(0);
        }
        let bits = fraction.to_bits();
        let at = self.0.partition_point(|(lod, _)| *lod < bits);
        self.0.get(at).filter(|(lod, _)| *lod == bits).map(|(_, index)| *index)
    }
}

/// Ultimate 3D 1.0: The mesh chunk.
pub(super) fn mesh(cursor: &mut Cursor<'_>, lods: &LodIndex) -> Result<MeshParts> {
    let mut mesh = MeshParts::new(cursor.offset(), NormalEncoding::Bytes);
    expect(cursor, v1::MESH, "\"$U3D_MESH\"")?;
    mesh.name = text(cursor, "mesh name")?;
    mesh.frame = cursor.u16("Frame")?.into();
    mesh.lod_fraction = cursor.f32("LOD")?;
    mesh.lod_index = lods.find(mesh.lod_fraction);
    mesh.normal_scalar = cursor.f32("NormalScalar")?;
    mesh.has_tangents = cursor.u8("ValidInverseTangentSpaceMatrices")? != 0;
    mesh.vertices = cursor.u16("nVertex")?.into();
    for slot in &mut mesh.dimensions {
        *slot = small(cursor, Cursor::u16, "pTexCoordDimensions", MAX_DIMENSION)?;
    }
    mesh.skin_weights = small(cursor, Cursor::u16, "nSkinWeight", MAX_SKIN_WEIGHTS)?;
    mesh.max_bone = cursor.u8("iMaxBlendingMatrix")?;
    let shadow_vertices = u64::from(cursor.u16("nShadowVolumeVertex")?);
    let shadow_triangles = u64::from(cursor.u16("nShadowVolumeTriangle")?);
    // Every mesh has the counts of shadow geometry, most often zero.
    if shadow_vertices > 0 || shadow_triangles > 0 {
        mesh.shadow = NonZeroU64::new(cursor.offset());
    }
    let size = layout::shadow_vertex_size(mesh.skin_weights);
    let shadow_vertices = cursor.span(shadow_vertices, size, "shadow volume vertices")?;
    let size = layout::triangle_size(false);
    let shadow_triangles = cursor.span(shadow_triangles, size, "shadow volume triangles")?;

    let positions = cursor.span(mesh.vertices.into(), layout::POSITION_SIZE, "positions")?;
    let normals = cursor.span(mesh.vertices.into(), mesh.normals.size(), "normals")?;
    mesh.uses_texcoord_buffer = cursor.u8("UseTextureCoordinateBuffer")? != 0;
    mesh.texcoords_owned = cursor.u8("TextureCoordinateOwned")? != 0;
    let [texcoords, weights, bones] = mesh.vertex_floats(cursor)?;
    mesh.triangle_count_offset = cursor.offset();
    mesh.triangles = cursor.u16("nTriangle")?.into();
    mesh.triangles_owned = cursor.u8("TrianglesOwned")? != 0;
    let own = if mesh.triangles_owned { u64::from(mesh.triangles) } else { 0 };
    let triangles = cursor.span(own, size, "triangles")?;
    let materials = cursor.span(own, layout::TRIANGLE_MATERIAL_SIZE, "triangle materials")?;
    mesh.tables = Tables::new(&[
        positions,
        normals,
        texcoords,
        weights,
        bones,
        triangles,
        materials,
        shadow_vertices,
        shadow_triangles,
    ]);
    mesh.used = cursor.offset();
    mesh.end = cursor.offset();
    Ok(mesh)
}
