//! Version 2.0: chunks in almost any order, and chunks inside chunks.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod chunks;
mod mesh;
mod records;

use alloc::vec::Vec;

use meshlens_wire::{Chunk, Chunks, Cursor, Data, ErrorKind, Limits, Place, Result};

use crate::fields::small;
use crate::header::{FileHeader, Header};
use crate::layout::{MAX_DIMENSION, MAX_SKIN_WEIGHTS, STAGES, v2};
use crate::parts::Parts;
use chunks::{body, nested};

/// The number of chunks of each kind, and the model header.
#[derive(Default)]
struct Census<'a> {
    header: Option<Chunk<'a>>,
    meshes: usize,
    materials: usize,
    bones: usize,
    end: u64,
}

pub(crate) fn locate(data: Data<'_>, file: &FileHeader, limits: &Limits) -> Result<Parts> {
    // Chunks are walked twice, because the model header may be anywhere. The second walk also uses the size to
    // allocate.
    let census = census(data, limits)?;
    let chunks = Chunks::new(data, 0, limits);
    let Some(chunk) = census.header else {
        let expected = "a $U3D_MODEL_HEADER chunk";
        return Err(data.error(file.payload, ErrorKind::Syntax { expected }));
    };
    let mut parts = Parts {
        header: header(data, file, &chunks, &chunk)?,
        file: data.span(0, data.file_len(), 1, "bytes of the file")?,
        meshes: Vec::with_capacity(census.meshes),
        by_place: Vec::new(),
        first_frame: Vec::new(),
        materials: Vec::with_capacity(census.materials),
        bones: Vec::with_capacity(census.bones),
        actions: None,
        end: census.end,
    };
    for chunk in chunks {
        let chunk = chunk?;
        let identifier = chunk.identifier();
        if identifier == v2::MESH {
            let number = parts.meshes.len() as u64;
            let mesh = mesh::mesh(data, &chunks, &chunk, &parts.header);
            parts.meshes.push(mesh.map_err(|error| error.at(Place::new("mesh", number)))?);
        } else if identifier == v2::MATERIAL {
            let number = parts.materials.len() as u64;
            let material = records::material(data, &chunks, &chunk);
            parts.materials.push(material.map_err(|error| error.at(Place::new("material", number)))?);
        } else if identifier == v2::BONE {
            let number = parts.bones.len() as u64;
            let bone = records::bone(data, &chunk);
            parts.bones.push(bone.map_err(|error| error.at(Place::new("bone", number)))?);
        } else if identifier == v2::ACTION_RANGE && parts.actions.is_none() {
            parts.actions = Some(records::actions(data, &chunk, limits)?);
        }
    }
    Ok(parts)
}

fn census<'a>(data: Data<'a>, limits: &Limits) -> Result<Census<'a>> {
    let mut census = Census::default();
    // The limit applies to meshes, materials, bones and all other chunks, plus the headers. A limit that saturates has
    // no effect.
    let max_chunks = limits.count.saturating_mul(4).saturating_add(16).min(limits.work);
    for (number, chunk) in (0u64..).zip(Chunks::new(data, 0, limits)) {
        let chunk = chunk.map_err(|error| error.at(Place::new("chunk", number)))?;
        let identifier = chunk.identifier();
        // Zeros are chunks of five bytes, so that walking a file of only zeros would take too long.
        if identifier.as_bytes().is_empty() {
            let expected = "the identifier of a chunk";
            return Err(data.error(chunk.offset(), ErrorKind::Syntax { expected }));
        }
        if number >= max_chunks {
            let found = number.saturating_add(1);
            let kind = ErrorKind::Limit { what: "chunks", limit: max_chunks, found };
            return Err(data.error(chunk.offset(), kind));
        }
        if identifier == v2::MODEL_HEADER && census.header.is_none() {
            census.header = Some(chunk);
        }
        let counted = if identifier == v2::MESH {
            Some(("meshes", &mut census.meshes))
        } else if identifier == v2::MATERIAL {
            Some(("materials", &mut census.materials))
        } else if identifier == v2::BONE {
            Some(("bones", &mut census.bones))
        } else {
            None
        };
        if let Some((what, count)) = counted {
            // Each chunk has at least one byte, so the number is less than the number of bytes in memory.
            *count = count.saturating_add(1);
            let found = *count as u64;
            if found > limits.count {
                let kind = ErrorKind::Limit { what, limit: limits.count, found };
                return Err(data.error(chunk.offset(), kind));
            }
        }
        census.end = chunk.end();
    }
    Ok(census)
}

/// Ultimate 3D 2.0: The model header.
fn header<'a>(data: Data<'a>, file: &FileHeader, chunks: &Chunks<'a>, chunk: &Chunk<'a>) -> Result<Header> {
    let mut cursor = body(data, chunk)?;
    let offset = cursor.offset();
    let meshes = cursor.u32("nMesh")?;
    let meshes_per_frame = cursor.u32("nMeshPerFrame")?;
    let frames = cursor.u32("nFrame")?;
    let lods = cursor.u32("nLOD")?;
    let materials = cursor.u32("nMaterial")?;
    let bones = cursor.u32("nBone")?;
    let tweening_offset = cursor.offset();
    let vertex_tweening = cursor.u8("VertexTweening")? != 0;
    let lod_fractions = cursor.span(0, 4, "pLODLevelOfDetail")?;
    let lod_distances = cursor.span(lods.into(), 4, "pLODMaxCameraDistance")?;
    let mut texcoord_dimensions = [0; STAGES];
    for slot in &mut texcoord_dimensions {
        *slot = small(&mut cursor, Cursor::u32, "pTexCoordDimension", MAX_DIMENSION)?;
    }
    let skin_weights = small(&mut cursor, Cursor::u32, "nSkinWeight", MAX_SKIN_WEIGHTS)?;
    let shader_pack = match cursor.u8("ShaderPackTemplateExists")? {
        0 => None,
        _ => Some(nested(&mut cursor, chunks, chunk, v2::SHADER_PACK)?.body()),
    };
    Ok(Header {
        version: file.version,
        meshes,
        meshes_per_frame,
        frames,
        lods,
        materials,
        bones,
        vertex_tweening,
        texcoord_dimensions,
        skin_weights,
        v1: None,
        offset,
        tweening_offset,
        lod_fractions,
        lod_distances,
        shader_pack,
        used: cursor.offset(),
        end: chunk.end(),
    })
}
