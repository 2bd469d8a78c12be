//! Version 2.0: chunks in almost any order, and chunks inside chunks.

use alloc::vec::Vec;

use meshlens_wire::{Chunk, Chunks, Cursor, Data, ErrorKind, Expected, Limits, Magic, Place, Result};

use crate::header::{FileHeader, Header, HeaderV1, Version};
use crate::layout::{self, MATRIX_SIZE, MAX_DIMENSION, MAX_SKIN_WEIGHTS, POSITION_SIZE, STAGES, v2};
use crate::parts::{
    ActionParts, BoneParts, MaterialParts, MeshParts, NONE, NormalKind, Parts, Text, triangle_size,
};
use crate::v1::{KEY_NAMES, KEY_SIZES, vertex_floats};

/// How many chunks of each kind there are, and the model header among them.
#[derive(Default)]
struct Census<'a> {
    header: Option<Chunk<'a>>,
    meshes: u64,
    materials: u64,
    bones: u64,
    end: u64,
}

pub(crate) fn locate(data: Data<'_>, file: &FileHeader, limits: &Limits) -> Result<Parts> {
    // Chunks are walked twice: the model header may stand anywhere, and the second walk knows how much to allocate.
    let census = census(data, limits)?;
    let chunks = Chunks::new(data, 0, limits);
    let Some(chunk) = census.header else {
        let expected = "a $U3D_MODEL_HEADER chunk";
        return Err(data.error(file.payload, ErrorKind::Syntax { expected }));
    };
    let header = header(data, file, &chunks, &chunk)?;
    let capacity = |count: u64| usize::try_from(count).unwrap_or_default();
    let mut parts = Parts {
        header,
        file_len: data.file_len(),
        meshes: Vec::with_capacity(capacity(census.meshes)),
        by_key: Vec::new(),
        materials: Vec::with_capacity(capacity(census.materials)),
        bones: Vec::with_capacity(capacity(census.bones)),
        actions: ActionParts::default(),
        end: census.end,
    };
    for chunk in chunks {
        let chunk = chunk?;
        let identifier = chunk.identifier();
        if identifier == v2::MESH {
            let number = parts.meshes.len() as u64;
            let mesh = mesh(data, &chunks, &chunk, &parts.header);
            parts.meshes.push(mesh.map_err(|error| error.at(Place::new("mesh", number)))?);
        } else if identifier == v2::MATERIAL {
            let number = parts.materials.len() as u64;
            let material = material(data, &chunks, &chunk);
            parts.materials.push(material.map_err(|error| error.at(Place::new("material", number)))?);
        } else if identifier == v2::BONE {
            let number = parts.bones.len() as u64;
            let bone = bone(data, &chunk);
            parts.bones.push(bone.map_err(|error| error.at(Place::new("bone", number)))?);
        } else if identifier == v2::ACTION_RANGE && parts.actions.offset == 0 {
            parts.actions = actions(data, &chunk, limits)?;
        }
    }
    parts.finish();
    Ok(parts)
}

fn census<'a>(data: Data<'a>, limits: &Limits) -> Result<Census<'a>> {
    let mut census = Census::default();
    for (number, chunk) in (0u64..).zip(Chunks::new(data, 0, limits)) {
        let chunk = chunk.map_err(|error| error.at(Place::new("chunk", number)))?;
        let identifier = chunk.identifier();
        if number >= limits.work {
            let found = number.saturating_add(1);
            let kind = ErrorKind::Limit { what: "chunks", limit: limits.work, found };
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
            *count = count.saturating_add(1);
            if *count > limits.count {
                let kind = ErrorKind::Limit { what, limit: limits.count, found: *count };
                return Err(data.error(chunk.offset(), kind));
            }
        }
        census.end = chunk.end();
    }
    Ok(census)
}

/// A cursor at the start of a chunk's body, which ends with it.
fn body<'a>(data: Data<'a>, chunk: &Chunk<'_>) -> Result<Cursor<'a>> {
    Cursor::at(data.within(chunk.end()), chunk.body().offset())
}

/// The one chunk inside `chunk` that begins at the cursor, which steps over it.
pub(crate) fn nested<'a>(
    cursor: &mut Cursor<'a>,
    chunks: &Chunks<'a>,
    chunk: &Chunk<'a>,
    identifier: &'static str,
) -> Result<Chunk<'a>> {
    let data = cursor.data();
    let offset = cursor.offset();
    let mut inside = chunks.inside(chunk, offset)?;
    let Some(found) = inside.next() else { return Err(data.out_of_bounds(offset, identifier, 1, 1)) };
    let found = found?;
    if found.identifier() != identifier {
        let magic = Magic::new(found.identifier().as_bytes());
        return Err(data.error(offset, ErrorKind::Magic { expected: identifier, found: magic }));
    }
    *cursor = Cursor::at(data, found.end())?;
    Ok(found)
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
    let lod_offset = cursor.offset();
    cursor.span(lods.into(), 4, "pLODMaxCameraDistance")?;
    let mut texcoord_dimensions = [0; STAGES];
    for slot in &mut texcoord_dimensions {
        *slot = small(&mut cursor, "pTexCoordDimension", MAX_DIMENSION)?;
    }
    let skin_weights = small(&mut cursor, "nSkinWeight", MAX_SKIN_WEIGHTS)?;
    let shader_pack = if cursor.u8("ShaderPackTemplateExists")? != 0 {
        nested(&mut cursor, chunks, chunk, v2::SHADER_PACK)?.offset()
    } else {
        0
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
        v1: HeaderV1::default(),
        offset,
        tweening_offset,
        lod_offset,
        shader_pack,
        used: cursor.offset(),
        end: chunk.end(),
    })
}

/// A `u32` that must not be larger than `most`.
fn small(cursor: &mut Cursor<'_>, what: &'static str, most: u8) -> Result<u8> {
    let offset = cursor.offset();
    let found = cursor.u32(what)?;
    u8::try_from(found).ok().filter(|value| *value <= most).ok_or_else(|| {
        let kind = ErrorKind::Value { what, expected: Expected::AtMost(most.into()), found: found.into() };
        cursor.data().error(offset, kind)
    })
}

/// Ultimate 3D 2.0: The mesh chunk.
fn mesh<'a>(data: Data<'a>, chunks: &Chunks<'a>, chunk: &Chunk<'a>, header: &Header) -> Result<MeshParts> {
    let shorts = mesh_with(data, chunks, chunk, header, NormalKind::Shorts);
    let is_certain = match &shorts {
        // Newer versions may have put more behind the mesh; this one has not.
        Ok(mesh) => mesh.used == mesh.end || header.version != Version::V2_0_0,
        Err(error) => matches!(error.kind(), ErrorKind::Incomplete { .. }),
    };
    if is_certain {
        return shorts;
    }
    // Early files have normals of half the size: the rest then ends where the chunk does, to the byte.
    match mesh_with(data, chunks, chunk, header, NormalKind::Legacy) {
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
    normals: NormalKind,
) -> Result<MeshParts> {
    let mut cursor = body(data, chunk)?;
    let mut mesh = MeshParts {
        offset: chunk.offset(),
        end: chunk.end(),
        level_of_detail: 1.0,
        triangle_lender: NONE,
        texcoord_lender: NONE,
        dimensions: header.texcoord_dimensions,
        skin_weights: header.skin_weights,
        texcoords_owned: true,
        normals,
        ..MeshParts::default()
    };
    mesh.mesh_in_frame = cursor.u32("iMeshPerFrame")?;
    mesh.lod = cursor.u32("iLOD")?;
    mesh.frame = cursor.u32("iFrame")?;
    mesh.name = Text::read(&mut cursor, "mesh name")?;
    mesh.normal_scalar = cursor.f32("NormalScalar")?;
    mesh.has_tangents = cursor.u8("ValidMeshToTangentSpaceMatrices")? != 0;
    mesh.vertices = cursor.u32("nVertex")?;
    mesh.positions = cursor.offset();
    cursor.span(mesh.vertices.into(), POSITION_SIZE, "positions")?;
    cursor.span(mesh.vertices.into(), normals.size(), "normals")?;
    mesh.texcoords = cursor.offset();
    vertex_floats(&mut cursor, &mut mesh)?;
    mesh.triangle_count_offset = cursor.offset();
    mesh.triangles = cursor.u32("nTriangle")?;
    mesh.triangles_owned = cursor.u8("TrianglesOwned")? != 0;
    mesh.long_triangles = mesh.vertices > v2::SHORT_TRIANGLE_VERTICES;
    if mesh.triangles_owned {
        cursor.span(mesh.triangles.into(), triangle_size(mesh.long_triangles), "triangles")?;
        cursor.span(mesh.triangles.into(), 2, "triangle materials")?;
    }
    if cursor.u8("ContainsShadowOptimizedGeometry")? != 0 {
        let shadow = nested(&mut cursor, chunks, chunk, v2::SHADOW_GEOMETRY)?;
        let mut cursor = body(data, &shadow)?;
        mesh.shadow_vertices = cursor.u32("nVertex")?;
        mesh.shadow_triangles = cursor.u32("nTriangle")?;
        mesh.shadow = cursor.offset();
        let stride = layout::shadow_floats(mesh.skin_weights).saturating_mul(4);
        cursor.span(mesh.shadow_vertices.into(), stride, "shadow volume vertices")?;
        mesh.long_shadow_triangles = mesh.shadow_vertices > v2::SHORT_TRIANGLE_VERTICES;
        let size = triangle_size(mesh.long_shadow_triangles);
        cursor.span(mesh.shadow_triangles.into(), size, "shadow volume triangles")?;
    }
    mesh.used = cursor.offset();
    Ok(mesh)
}

/// Ultimate 3D 2.0: The material chunk.
fn material<'a>(data: Data<'a>, chunks: &Chunks<'a>, chunk: &Chunk<'a>) -> Result<MaterialParts> {
    let mut cursor = body(data, chunk)?;
    let index = cursor.u32("iMaterial")?;
    let name = Text::read(&mut cursor, "material name")?;
    let colors = cursor.offset();
    cursor.record::<layout::Colors>("material colors")?;
    cursor.f32("MaterialDepth")?;
    cursor.f32("ParallaxQuality")?;
    cursor.record::<layout::Stages>("texture stages")?;
    let textures = cursor.offset();
    for _ in 0..STAGES {
        let texture = nested(&mut cursor, chunks, chunk, v2::TEXTURE)?;
        self::texture(&mut body(data, &texture)?)?;
    }
    let shader_pack = if cursor.u8("ShaderPackExists")? != 0 {
        nested(&mut cursor, chunks, chunk, v2::SHADER_PACK)?.offset()
    } else {
        0
    };
    Ok(MaterialParts {
        offset: chunk.offset(),
        end: chunk.end(),
        used: cursor.offset(),
        name,
        index,
        is_opaque: false,
        colors,
        textures,
        shader_pack,
    })
}

/// Ultimate 3D 2.0: The texture chunk. Steps over its fields.
fn texture(cursor: &mut Cursor<'_>) -> Result<()> {
    if cursor.u8("HoldsTexture")? == 0 {
        return Ok(());
    }
    cursor.u32("Width")?;
    cursor.u32("Height")?;
    let is_cube = cursor.u8("IsCubeTexture")? != 0;
    cursor.u8("IsNormalMap")?;
    cursor.f32("HeightScalar")?;
    for _ in 0..if is_cube { 6 } else { 1 } {
        Text::read(cursor, "texture file")?;
    }
    Ok(())
}

/// Ultimate 3D 2.0: The bone chunk.
fn bone(data: Data<'_>, chunk: &Chunk<'_>) -> Result<BoneParts> {
    let mut cursor = body(data, chunk)?;
    let index = cursor.u32("iBone")?;
    let name = Text::read(&mut cursor, "bone name")?;
    let parent = cursor.u32("iParent")?;
    let bone_frame = cursor.f32("BoneFrame")?;
    let pass_on = cursor.u8("PassOnBoneFrame")? != 0;
    let mesh_count = cursor.u32("nMesh")?;
    let meshes = cursor.offset();
    cursor.span(mesh_count.into(), 4, "piMesh")?;
    cursor.span(mesh_count.into(), MATRIX_SIZE, "pMeshToBoneSpace")?;
    let mut key_counts = [0; 3];
    for ((slot, stride), what) in key_counts.iter_mut().zip(KEY_SIZES).zip(KEY_NAMES) {
        *slot = cursor.u32(what)?;
        cursor.span((*slot).into(), stride, what)?;
    }
    Ok(BoneParts {
        offset: chunk.offset(),
        end: chunk.end(),
        used: cursor.offset(),
        name,
        meshes,
        index,
        parent,
        bone_frame,
        pass_on,
        width: 4,
        mesh_count,
        key_counts,
    })
}

/// Ultimate 3D 2.0: The action range chunk.
fn actions(data: Data<'_>, chunk: &Chunk<'_>, limits: &Limits) -> Result<ActionParts> {
    let mut cursor = body(data, chunk)?;
    let count = cursor.u32("nAction")?;
    if u64::from(count) > limits.work {
        let kind = ErrorKind::Limit { what: "nAction", limit: limits.work, found: count.into() };
        return Err(data.error(chunk.body().offset(), kind));
    }
    let records = cursor.offset();
    for number in 0..count {
        let mut action = || {
            Text::read(&mut cursor, "action name")?;
            cursor.u32("first frame")?;
            cursor.u32("last frame")
        };
        action().map_err(|error| error.at(Place::new("action", number.into())))?;
    }
    let (offset, used, end) = (chunk.offset(), cursor.offset(), chunk.end());
    Ok(ActionParts { offset, records, count, used, end })
}
