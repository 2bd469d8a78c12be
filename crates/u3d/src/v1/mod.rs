//! Version 1.0: sections in a fixed order. Each is found by reading the previous one.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod mesh;
mod opaque;
mod records;

use alloc::vec::Vec;

use meshlens_wire::{Cursor, Data, ErrorKind, Limits, Place, Result};

use crate::header::{Header, HeaderV1, Version};
use crate::layout::{self, STAGES, v1};
use crate::parts::Parts;
use mesh::{LodIndex, mesh};
use opaque::Rest;
use records::capacity;

/// The size of the smallest possible mesh in bytes: it bounds the number of meshes.
const MESH_SIZE: u64 = 52;

pub(crate) fn locate(data: Data<'_>, limits: &Limits) -> Result<Parts> {
    let header = header(data)?;
    for (what, found) in [("nMesh", header.meshes), ("nMaterial", header.materials), ("nBone", header.bones)]
    {
        let found = found.into();
        if found > limits.count {
            let kind = ErrorKind::Limit { what, limit: limits.count, found };
            return Err(data.error(header.offset, kind));
        }
    }
    let mut cursor = Cursor::at(data, header.end)?;
    let lods = LodIndex::new(data, &header)?;
    let mut meshes = Vec::with_capacity(capacity(&cursor, header.meshes, MESH_SIZE));
    for number in 0..header.meshes {
        let mesh = mesh(&mut cursor, &lods).map_err(|error| error.at(Place::new("mesh", number.into())))?;
        meshes.push(mesh);
    }
    let (materials, bones, cursor) = Rest::new(&header, &cursor).locate(cursor)?;
    Ok(Parts {
        header,
        file: data.span(0, data.file_len(), 1, "bytes of the file")?,
        meshes,
        by_place: Vec::new(),
        first_frame: Vec::new(),
        materials,
        bones,
        actions: None,
        end: cursor.offset(),
    })
}

fn header(data: Data<'_>) -> Result<Header> {
    let with_width = |width| {
        let header = header_with(data, width)?;
        expect_section(data, &header).map(|()| header)
    };
    let error = match with_width(2) {
        Ok(header) => return Ok(header),
        Err(error) => error,
    };
    if matches!(error.kind(), ErrorKind::Incomplete { .. }) {
        return Err(error);
    }
    // The document does not specify the type of nLOD. The guess was right if a section follows the header.
    for width in [4, 1] {
        match with_width(width) {
            Err(error) if !matches!(error.kind(), ErrorKind::Incomplete { .. }) => {}
            decided => return decided,
        }
    }
    Err(error)
}

/// Ultimate 3D 1.0: The header, with an nLOD of `width` bytes.
fn header_with(data: Data<'_>, width: u8) -> Result<Header> {
    let mut cursor = Cursor::at(data, layout::V1_MAGIC.len() as u64)?;
    let file_version = cursor.f32("FileVersion")?;
    let offset = cursor.offset();
    let meshes = cursor.u16("nMesh")?.into();
    let meshes_per_frame = cursor.u16("nMeshesPerFrame")?.into();
    let frames = cursor.u32("nFrame")?;
    let lods = match width {
        1 => cursor.u8("nLOD")?.into(),
        4 => cursor.u32("nLOD")?,
        _ => cursor.u16("nLOD")?.into(),
    };
    let materials = cursor.u16("nMaterial")?.into();
    let bones = cursor.u16("nBone")?.into();
    let cel_shading_strength = cursor.f32("CelShadingStrength")?;
    let mut cel_shading_color = [0.0; 4];
    for component in &mut cel_shading_color {
        *component = cursor.f32("CelShadingColor")?;
    }
    let alpha_blending = cursor.u8("AlphaBlending")? != 0;
    let tweening_offset = cursor.offset();
    let vertex_tweening = cursor.u8("VertexTweening")? != 0;
    // The tables do not include the highest level. A file without levels has empty tables.
    let lower = lods.saturating_sub(1).into();
    let lod_fractions = cursor.span(lower, 4, "pLODLevelOfDetail")?;
    let lod_distances = cursor.span(lower, 4, "pLODCameraDistanceSq")?;
    Ok(Header {
        version: Version::V1,
        meshes,
        meshes_per_frame,
        frames,
        lods,
        materials,
        bones,
        vertex_tweening,
        texcoord_dimensions: [0; STAGES],
        skin_weights: 0,
        v1: Some(HeaderV1 {
            file_version,
            cel_shading_strength,
            cel_shading_color,
            alpha_blending,
            lod_count_width: width,
        }),
        offset,
        tweening_offset,
        lod_fractions,
        lod_distances,
        shader_pack: None,
        used: cursor.offset(),
        end: cursor.offset(),
    })
}

/// Checks that the first section begins where the header ends.
fn expect_section(data: Data<'_>, header: &Header) -> Result<()> {
    let (magic, expected) = if header.meshes > 0 {
        (v1::MESH, "\"$U3D_MESH\"")
    } else if header.materials > 0 {
        (v1::MATERIAL, "\"$U3D_MAT\"")
    } else if header.bones > 0 {
        (v1::BONE, "\"$U3D_BONE\"")
    } else {
        return Ok(());
    };
    data.magic(header.end, magic, expected)
}
