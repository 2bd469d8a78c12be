//! Version 1.0: the records of materials and bones.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use meshlens_wire::{Cursor, ErrorKind, Magic, Result};

use crate::fields::{since, text};
use crate::layout::{self, STAGES, v1};
use crate::parts::{BoneParts, KEY_NAMES, KEY_SIZES, MaterialContent, MaterialParts, MaterialVersion};
use crate::tables::Tables;

/// The sizes of the smallest possible material and bone in bytes. They bound the number of materials and bones.
pub(super) const MATERIAL_SIZE: u64 = 154;
pub(super) const BONE_SIZE: u64 = 32;

/// The number of entries to reserve for `count` parts of at least `size` bytes each.
pub(super) fn capacity(cursor: &Cursor<'_>, count: u32, size: u64) -> usize {
    // At most `count`, and only a reservation.
    usize::try_from(u64::from(count).min(cursor.remaining().div_euclid(size))).unwrap_or(0)
}

/// Steps over an identifier.
pub(super) fn expect(cursor: &mut Cursor<'_>, magic: &[u8], expected: &'static str) -> Result<()> {
    let offset = cursor.offset();
    let found = cursor.take(magic.len() as u64, expected)?;
    if found != magic {
        let kind = ErrorKind::Magic { expected, found: Magic::new(found) };
        return Err(cursor.data().error(offset, kind));
    }
    Ok(())
}

/// The documented fields of a material. The end of an opaque material is not known yet, and is set to the end of these
/// fields.
pub(super) fn material(cursor: &mut Cursor<'_>, number: u32) -> Result<MaterialParts> {
    let offset = cursor.offset();
    expect(cursor, v1::MATERIAL, "\"$U3D_MAT\"")?;
    let name = text(cursor, "material name")?;
    let colors = cursor.record::<layout::Colors>("material colors")?;
    let texture_count = cursor.u16("nTexture")?;
    let stages = cursor.record::<layout::Stages>("texture stages")?;
    let opaque = cursor.data().span(cursor.offset(), 0, 1, "opaque bytes")?;
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
            text(cursor, "texture identifier")?;
            cursor.u16("texture width")?;
            cursor.u16("texture height")?;
            text(cursor, "texture file")?;
        }
    }
    let textures = since(cursor, textures, 1, "textures")?;
    if !is_opaque {
        is_opaque = cursor.u8("EffectUsed")? != 0;
    }
    Ok(MaterialParts {
        offset,
        end: cursor.offset(),
        used: cursor.offset(),
        name,
        index: number,
        colors,
        stages,
        version: MaterialVersion::V1 { texture_count },
        content: if is_opaque {
            MaterialContent::Opaque(opaque)
        } else {
            MaterialContent::Textures(textures)
        },
        shader_pack: None,
    })
}

/// Ultimate 3D 1.0: The bone chunk.
pub(super) fn bone(cursor: &mut Cursor<'_>, number: u32) -> Result<BoneParts> {
    let offset = cursor.offset();
    expect(cursor, v1::BONE, "\"$U3D_BONE\"")?;
    let name = text(cursor, "bone name")?;
    let parent = cursor.u16("iParent")?;
    let bone_frame = cursor.f32("BoneFrame")?;
    let pass_on = cursor.u8("PassOnBoneFrame")? != 0;
    let mesh_count = u64::from(cursor.u16("nMesh")?);
    let meshes = cursor.span(mesh_count, 2, "piMesh")?;
    let matrices = cursor.span(mesh_count, layout::MATRIX_SIZE, "pMeshTransformation")?;
    let mut tables = [meshes, matrices, meshes, meshes, meshes];
    for ((slot, size), what) in tables.iter_mut().skip(2).zip(KEY_SIZES).zip(KEY_NAMES) {
        let count = cursor.u16(what)?;
        cursor.u16("Unused")?;
        *slot = cursor.span(count.into(), size, what)?;
    }
    let end = cursor.offset();
    Ok(BoneParts {
        offset,
        end,
        used: end,
        name,
        tables: Tables::new(&tables),
        index: number,
        parent: (parent != v1::NO_PARENT).then_some(parent.into()),
        bone_frame,
        pass_on,
    })
}
