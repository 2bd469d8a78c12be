//! Version 2.0: the mesh chunk.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use core::num::NonZeroU64;

use meshlens_wire::{Chunk, Chunks, Data, ErrorKind, Result, Span};

use super::chunks::{body, nested};
use crate::fields::text;
use crate::header::{Header, Version};
use crate::layout::{self, v2};
use crate::parts::{MeshParts, NormalEncoding};
use crate::tables::Tables;

/// Ultimate 3D 2.0: The mesh chunk.
pub(super) fn mesh<'a>(
    data: Data<'a>,
    chunks: &Chunks<'a>,
    chunk: &Chunk<'a>,
    header: &Header,
) -> Result<MeshParts> {
    let shorts = mesh_with(data, chunks, chunk, header, NormalEncoding::Shorts);
    let is_certain = match &shorts {
        // Newer versions may have more bytes after the mesh, but this version does not.
        Ok(mesh) => mesh.used == mesh.end || header.version != Version::V2_0_0,
        Err(error) => matches!(error.kind(), ErrorKind::Incomplete { .. }),
    };
    if is_certain {
        return shorts;
    }
    // Early files have normals of half the size. With these, the fields must end exactly at the end of the chunk.
    match mesh_with(data, chunks, chunk, header, NormalEncoding::LegacyBytes) {
        Ok(mesh) if mesh.used == mesh.end => Ok(mesh),
        Err(error) if matches!(error.kind(), ErrorKind::Incomplete { .. }) => Err(error),
        _ => shorts,
    }
}

fn mesh_with<'a>(
    data: Data<'a>,
    chunks: &Chunks<'a>,
    chunk: &Chunk<'a>,
    header: &Header,
    normals: NormalEncoding,
) -> Result<MeshParts> {
    let mut cursor = body(data, chunk)?;
    let mut mesh = MeshParts::new(chunk.offset(), normals);
    mesh.end = chunk.end();
    mesh.dimensions = header.texcoord_dimensions;
    mesh.skin_weights = header.skin_weights;
    mesh.mesh_in_frame = cursor.u32("iMeshPerFrame")?;
    mesh.lod_index = Some(cursor.u32("iLOD")?);
    mesh.frame = cursor.u32("iFrame")?;
    mesh.name = text(&mut cursor, "mesh name")?;
    mesh.normal_scalar = cursor.f32("NormalScalar")?;
    mesh.has_tangents = cursor.u8("ValidMeshToTangentSpaceMatrices")? != 0;
    mesh.vertices = cursor.u32("nVertex")?;
    let positions = cursor.span(mesh.vertices.into(), layout::POSITION_SIZE, "positions")?;
    let normals = cursor.span(mesh.vertices.into(), normals.size(), "normals")?;
    let [texcoords, weights, bones] = mesh.vertex_floats(&mut cursor)?;
    mesh.triangle_count_offset = cursor.offset();
    mesh.triangles = cursor.u32("nTriangle")?;
    mesh.triangles_owned = cursor.u8("TrianglesOwned")? != 0;
    let own = if mesh.triangles_owned { u64::from(mesh.triangles) } else { 0 };
    let size = layout::triangle_size(mesh.vertices > v2::SHORT_TRIANGLE_VERTICES);
    let triangles = cursor.span(own, size, "triangles")?;
    let materials = cursor.span(own, layout::TRIANGLE_MATERIAL_SIZE, "triangle materials")?;
    let (mut shadow_vertices, mut shadow_triangles) = (Span::default(), Span::default());
    if cursor.u8("ContainsShadowOptimizedGeometry")? != 0 {
        let shadow = nested(&mut cursor, chunks, chunk, v2::SHADOW_GEOMETRY)?;
        mesh.shadow = NonZeroU64::new(shadow.offset());
        [shadow_vertices, shadow_triangles] = shadow_tables(data, &shadow, mesh.skin_weights)?;
    }
    mesh.used = cursor.offset();
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
    Ok(mesh)
}

/// Ultimate 3D 2.0: The shadow optimized geometry chunk.
fn shadow_tables(data: Data<'_>, chunk: &Chunk<'_>, skin_weights: u8) -> Result<[Span; 2]> {
    let mut cursor = body(data, chunk)?;
    let vertices = cursor.u32("nVertex")?;
    let triangles = cursor.u32("nTriangle")?;
    let size = layout::shadow_vertex_size(skin_weights);
    let vertex_table = cursor.span(vertices.into(), size, "shadow volume vertices")?;
    let size = layout::triangle_size(vertices > v2::SHORT_TRIANGLE_VERTICES);
    Ok([vertex_table, cursor.span(triangles.into(), size, "shadow volume triangles")?])
}
