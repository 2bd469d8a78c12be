//! Version 1.0: sections in a fixed order, each found by reading the one before.

use alloc::vec::Vec;

use meshlens_wire::{Cursor, Data, Error, ErrorKind, Expected, Limits, Magic, Place, Result};

use crate::header::{Header, HeaderV1, Version};
use crate::layout::{self, MATRIX_SIZE, MAX_DIMENSION, MAX_SKIN_WEIGHTS, POSITION_SIZE, STAGES, v1};
use crate::opaque::Rest;
use crate::parts::{
    ActionParts, BoneParts, MaterialParts, MeshParts, NONE, NormalKind, Parts, Text, triangle_size,
};

/// Bytes of the smallest mesh, material and bone there can be: they bound how many there can be.
const MESH_SIZE: u64 = 52;
const MATERIAL_SIZE: u64 = 154;
pub(crate) const BONE_SIZE: u64 = 32;

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
    let reserve = |cursor: &Cursor<'_>, count: u32, size: u64| {
        usize::try_from(u64::from(count).min(cursor.remaining().div_euclid(size))).unwrap_or_default()
    };
    let levels = levels(data, &header)?;
    let mut meshes = Vec::with_capacity(reserve(&cursor, header.meshes, MESH_SIZE));
    for number in 0..header.meshes {
        let mesh = mesh(&mut cursor, &levels).map_err(|error| error.at(Place::new("mesh", number.into())))?;
        meshes.push(mesh);
    }
    let materials = Vec::with_capacity(reserve(&cursor, header.materials, MATERIAL_SIZE));
    let (materials, bones, cursor) = Rest::new(&header, materials, &reserve).locate(cursor)?;
    let mut parts = Parts {
        header,
        file_len: data.file_len(),
        meshes,
        by_key: Vec::new(),
        materials,
        bones,
        actions: ActionParts::default(),
        end: cursor.offset(),
    };
    parts.finish();
    Ok(parts)
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
    // The type of nLOD is lost; what follows the header tells whether the guess was right.
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
    let lod_offset = cursor.offset();
    let levels = lods.saturating_sub(1).into();
    cursor.span(levels, 4, "pLODLevelOfDetail")?;
    cursor.span(levels, 4, "pLODCameraDistanceSq")?;
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
        v1: HeaderV1 {
            file_version,
            cel_shading_strength,
            cel_shading_color,
            alpha_blending,
            lod_count_width: width,
        },
        offset,
        tweening_offset,
        lod_offset,
        shader_pack: 0,
        used: cursor.offset(),
        end: cursor.offset(),
    })
}

/// Checks that the first section stands where the header ends.
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

/// The header's levels of detail with their positions, sorted for look-up; of equal ones the first counts.
fn levels(data: Data<'_>, header: &Header) -> Result<Vec<(u32, u32)>> {
    let span = data.span(header.lod_offset, header.lod_entries().into(), 4, "pLODLevelOfDetail")?;
    let (values, _) = data.bind(span)?.as_chunks::<4>();
    let mut levels: Vec<(u32, u32)> =
        values.iter().map(|value| f32::from_le_bytes(*value).to_bits()).zip(1..).collect();
    levels.sort_unstable();
    Ok(levels)
}

/// The level's index: 0 for a level of detail of 1.0, else one more than its position in the header.
fn lod_index(levels: &[(u32, u32)], level_of_detail: f32) -> u32 {
    if level_of_detail == 1.0 {
        return 0;
    }
    let bits = level_of_detail.to_bits();
    let at = levels.partition_point(|(level, _)| *level < bits);
    levels.get(at).filter(|(level, _)| *level == bits).map_or(NONE, |(_, position)| *position)
}

fn expect(cursor: &mut Cursor<'_>, magic: &[u8], expected: &'static str) -> Result<()> {
    let offset = cursor.offset();
    let found = cursor.take(magic.len() as u64, expected)?;
    if found != magic {
        let kind = ErrorKind::Magic { expected, found: Magic::new(found) };
        return Err(cursor.data().error(offset, kind));
    }
    Ok(())
}

fn too_large(data: Data<'_>, offset: u64, what: &'static str, most: u8, found: u16) -> Error {
    let kind = ErrorKind::Value { what, expected: Expected::AtMost(most.into()), found: found.into() };
    data.error(offset, kind)
}

/// Ultimate 3D 1.0: The mesh chunk.
fn mesh(cursor: &mut Cursor<'_>, levels: &[(u32, u32)]) -> Result<MeshParts> {
    let data = cursor.data();
    let mut mesh = MeshParts {
        offset: cursor.offset(),
        triangle_lender: NONE,
        texcoord_lender: NONE,
        normals: NormalKind::Bytes,
        ..MeshParts::default()
    };
    expect(cursor, v1::MESH, "\"$U3D_MESH\"")?;
    mesh.name = Text::read(cursor, "mesh name")?;
    mesh.frame = cursor.u16("Frame")?.into();
    mesh.level_of_detail = cursor.f32("LOD")?;
    mesh.lod = lod_index(levels, mesh.level_of_detail);
    mesh.normal_scalar = cursor.f32("NormalScalar")?;
    mesh.has_tangents = cursor.u8("ValidInverseTangentSpaceMatrices")? != 0;
    mesh.vertices = cursor.u16("nVertex")?.into();
    for slot in &mut mesh.dimensions {
        let offset = cursor.offset();
        let found = cursor.u16("pTexCoordDimensions")?;
        let dimension = u8::try_from(found).ok().filter(|dimension| *dimension <= MAX_DIMENSION);
        *slot =
            dimension.ok_or_else(|| too_large(data, offset, "pTexCoordDimensions", MAX_DIMENSION, found))?;
    }
    let offset = cursor.offset();
    let found = cursor.u16("nSkinWeight")?;
    let weights = u8::try_from(found).ok().filter(|weights| *weights <= MAX_SKIN_WEIGHTS);
    mesh.skin_weights =
        weights.ok_or_else(|| too_large(data, offset, "nSkinWeight", MAX_SKIN_WEIGHTS, found))?;
    mesh.max_bone = cursor.u8("iMaxBlendingMatrix")?;
    mesh.shadow_vertices = cursor.u16("nShadowVolumeVertex")?.into();
    mesh.shadow_triangles = cursor.u16("nShadowVolumeTriangle")?.into();
    mesh.shadow = cursor.offset();
    let shadow_size = layout::shadow_floats(mesh.skin_weights).saturating_mul(4);
    cursor.span(mesh.shadow_vertices.into(), shadow_size, "shadow volume vertices")?;
    cursor.span(mesh.shadow_triangles.into(), triangle_size(false), "shadow volume triangles")?;

    mesh.positions = cursor.offset();
    cursor.span(mesh.vertices.into(), POSITION_SIZE, "positions")?;
    cursor.span(mesh.vertices.into(), mesh.normals.size(), "normals")?;
    mesh.uses_texcoord_buffer = cursor.u8("UseTextureCoordinateBuffer")? != 0;
    mesh.texcoords_owned = cursor.u8("TextureCoordinateOwned")? != 0;
    mesh.texcoords = cursor.offset();
    vertex_floats(cursor, &mut mesh)?;
    mesh.triangle_count_offset = cursor.offset();
    mesh.triangles = cursor.u16("nTriangle")?.into();
    mesh.triangles_owned = cursor.u8("TrianglesOwned")? != 0;
    if mesh.triangles_owned {
        cursor.span(mesh.triangles.into(), triangle_size(false), "triangles")?;
        cursor.span(mesh.triangles.into(), 2, "triangle materials")?;
    }
    mesh.used = cursor.offset();
    mesh.end = cursor.offset();
    Ok(mesh)
}

/// Steps over texture coordinates and skin, which lie the same in both versions.
pub(crate) fn vertex_floats(cursor: &mut Cursor<'_>, mesh: &mut MeshParts) -> Result<()> {
    let vertices = u64::from(mesh.vertices);
    if mesh.texcoords_owned {
        for dimension in mesh.dimensions.into_iter().filter(|dimension| *dimension > 0) {
            cursor.span(vertices, u32::from(dimension).saturating_mul(4), "texture coordinates")?;
        }
    }
    mesh.weights = cursor.offset();
    if mesh.skin_weights > 0 {
        cursor.span(vertices, u32::from(mesh.skin_weights).saturating_mul(4), "skin weights")?;
        cursor.span(vertices, 4, "skin weight indices")?;
    }
    Ok(())
}

/// The fields of a material, as far as they are documented.
pub(crate) fn material_fields(cursor: &mut Cursor<'_>, number: u32) -> Result<MaterialParts> {
    let offset = cursor.offset();
    expect(cursor, v1::MATERIAL, "\"$U3D_MAT\"")?;
    let name = Text::read(cursor, "material name")?;
    let colors = cursor.offset();
    cursor.record::<layout::Colors>("material colors")?;
    cursor.u16("nTexture")?;
    cursor.record::<layout::Stages>("texture stages")?;
    let mut is_opaque = cursor.u8("ExportResources")? != 0;
    let textures = cursor.offset();
    if !is_opaque {
        for _ in 0..STAGES {
            if cursor.u8("texture used")? == 0 {
                continue;
            }
            if cursor.u32("texture type")? != 0 {
                is_opaque = true;
                break;
            }
            Text::read(cursor, "texture identifier")?;
            cursor.u16("texture width")?;
            cursor.u16("texture height")?;
            Text::read(cursor, "texture file")?;
        }
    }
    if !is_opaque {
        is_opaque = cursor.u8("EffectUsed")? != 0;
    }
    Ok(MaterialParts {
        offset,
        end: 0,
        used: 0,
        name,
        index: number,
        is_opaque,
        colors,
        textures: if is_opaque { 0 } else { textures },
        shader_pack: 0,
    })
}

/// Ultimate 3D 1.0: The bone chunk.
pub(crate) fn bone(cursor: &mut Cursor<'_>, number: u32) -> Result<BoneParts> {
    let offset = cursor.offset();
    expect(cursor, v1::BONE, "\"$U3D_BONE\"")?;
    let name = Text::read(cursor, "bone name")?;
    let parent = match cursor.u16("iParent")? {
        v1::NO_PARENT => NONE,
        parent => parent.into(),
    };
    let bone_frame = cursor.f32("BoneFrame")?;
    let pass_on = cursor.u8("PassOnBoneFrame")? != 0;
    let mesh_count = cursor.u16("nMesh")?.into();
    let meshes = cursor.offset();
    cursor.span(u64::from(mesh_count), 2, "piMesh")?;
    cursor.span(u64::from(mesh_count), MATRIX_SIZE, "pMeshTransformation")?;
    let mut key_counts = [0; 3];
    for ((slot, stride), what) in key_counts.iter_mut().zip(KEY_SIZES).zip(KEY_NAMES) {
        *slot = cursor.u16(what)?.into();
        cursor.u16("Unused")?;
        cursor.span((*slot).into(), stride, what)?;
    }
    let end = cursor.offset();
    Ok(BoneParts {
        offset,
        end,
        used: end,
        name,
        meshes,
        index: number,
        parent,
        bone_frame,
        pass_on,
        width: 2,
        mesh_count,
        key_counts,
    })
}

/// Bytes of a scaling, translation and rotation key.
pub(crate) const KEY_SIZES: [u32; 3] =
    [layout::VECTOR_KEY_SIZE, layout::VECTOR_KEY_SIZE, layout::ROTATION_KEY_SIZE];
/// What they are called.
pub(crate) const KEY_NAMES: [&str; 3] = ["scaling keys", "translation keys", "rotation keys"];
