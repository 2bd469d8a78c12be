//! Version 2.0: the chunks of materials, textures, bones and actions.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use meshlens_wire::{Chunk, Chunks, Cursor, Data, ErrorKind, Limits, Place, Result};

use super::chunks::{body, nested};
use crate::fields::{since, text};
use crate::layout::{self, STAGES, v2};
use crate::parts::{
    ActionParts, BoneParts, KEY_NAMES, KEY_SIZES, MaterialContent, MaterialParts, MaterialVersion,
};
use crate::tables::Tables;

/// Ultimate 3D 2.0: The material chunk.
pub(super) fn material<'a>(data: Data<'a>, chunks: &Chunks<'a>, chunk: &Chunk<'a>) -> Result<MaterialParts> {
    let mut cursor = body(data, chunk)?;
    let index = cursor.u32("iMaterial")?;
    let name = text(&mut cursor, "material name")?;
    let colors = cursor.record::<layout::Colors>("material colors")?;
    let depth = cursor.f32("MaterialDepth")?;
    let parallax_quality = cursor.f32("ParallaxQuality")?;
    let stages = cursor.record::<layout::Stages>("texture stages")?;
    let start = cursor.offset();
    for _ in 0..STAGES {
        let texture = nested(&mut cursor, chunks, chunk, v2::TEXTURE)?;
        self::texture(&mut body(data, &texture)?)?;
    }
    let textures = since(&cursor, start, 1, "textures")?;
    let shader_pack = match cursor.u8("ShaderPackExists")? {
        0 => None,
        _ => Some(nested(&mut cursor, chunks, chunk, v2::SHADER_PACK)?.body()),
    };
    Ok(MaterialParts {
        offset: chunk.offset(),
        end: chunk.end(),
        used: cursor.offset(),
        name,
        index,
        colors,
        stages,
        version: MaterialVersion::V2 { depth, parallax_quality },
        content: MaterialContent::Textures(textures),
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
        text(cursor, "texture file")?;
    }
    Ok(())
}

/// Ultimate 3D 2.0: The bone chunk.
pub(super) fn bone(data: Data<'_>, chunk: &Chunk<'_>) -> Result<BoneParts> {
    let mut cursor = body(data, chunk)?;
    let index = cursor.u32("iBone")?;
    let name = text(&mut cursor, "bone name")?;
    let parent = cursor.u32("iParent")?;
    let bone_frame = cursor.f32("BoneFrame")?;
    let pass_on = cursor.u8("PassOnBoneFrame")? != 0;
    let mesh_count = u64::from(cursor.u32("nMesh")?);
    let meshes = cursor.span(mesh_count, 4, "piMesh")?;
    let matrices = cursor.span(mesh_count, layout::MATRIX_SIZE, "pMeshToBoneSpace")?;
    let mut tables = [meshes, matrices, meshes, meshes, meshes];
    for ((slot, size), what) in tables.iter_mut().skip(2).zip(KEY_SIZES).zip(KEY_NAMES) {
        let count = cursor.u32(what)?;
        *slot = cursor.span(count.into(), size, what)?;
    }
    Ok(BoneParts {
        offset: chunk.offset(),
        end: chunk.end(),
        used: cursor.offset(),
        name,
        tables: Tables::new(&tables),
        index,
        parent: (parent != v2::NO_PARENT).then_some(parent),
        bone_frame,
        pass_on,
    })
}

/// Ultimate 3D 2.0: The action range chunk.
pub(super) fn actions(data: Data<'_>, chunk: &Chunk<'_>, limits: &Limits) -> Result<ActionParts> {
    let mut cursor = body(data, chunk)?;
    let count = cursor.u32("nAction")?;
    if u64::from(count) > limits.work {
        let kind = ErrorKind::Limit { what: "nAction", limit: limits.work, found: count.into() };
        return Err(data.error(chunk.body().offset(), kind));
    }
    let start = cursor.offset();
    for number in 0..count {
        let mut action = || {
            text(&mut cursor, "action name")?;
            cursor.u32("first frame")?;
            cursor.u32("last frame")
        };
        action().map_err(|error| error.at(Place::new("action", number.into())))?;
    }
    let records = since(&cursor, start, 1, "actions")?;
    Ok(ActionParts { records, count, used: cursor.offset() })
}
