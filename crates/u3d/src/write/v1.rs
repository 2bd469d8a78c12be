//! The canonical file of version 1.0.

use alloc::vec::Vec;

use meshlens_wire::{Result, Writer};

use super::fields::{self, at};
use super::{Bone, CHECKS, Material, Mesh, Model};
use crate::FORMAT;
use crate::layout::{self, v1};

pub(super) fn write(model: &Model) -> Result<Vec<u8>> {
    let mut out = Writer::new(FORMAT);
    out.bytes(layout::V1_MAGIC);
    out.f32(model.v1.file_version);
    out.count_u16(model.meshes.len(), "nMesh")?;
    out.count_u16(model.meshes_per_frame as usize, "nMeshesPerFrame")?;
    out.u32(model.frames);
    out.count_u16(model.lods.len(), "nLOD")?;
    out.count_u16(model.materials.len(), "nMaterial")?;
    out.count_u16(model.bones.len(), "nBone")?;
    out.f32(model.v1.cel_shading_strength);
    out.f32s(&model.v1.cel_shading_color);
    out.bool(model.v1.alpha_blending);
    out.bool(model.vertex_tweening);
    for lod in model.lods.iter().skip(1) {
        out.f32(lod.fraction);
    }
    for lod in model.lods.iter().skip(1) {
        out.f32(lod.distance);
    }
    for (index, mesh) in model.meshes.iter().enumerate() {
        write_mesh(&mut out, mesh).map_err(at("mesh", index))?;
    }
    for (index, material) in model.materials.iter().enumerate() {
        write_material(&mut out, material).map_err(at("material", index))?;
    }
    for (index, bone) in model.bones.iter().enumerate() {
        write_bone(&mut out, bone).map_err(at("bone", index))?;
    }
    Ok(out.finish())
}

fn write_mesh(out: &mut Writer, mesh: &Mesh) -> Result<()> {
    mesh.check()?;
    out.bytes(v1::MESH);
    out.nul_terminated(&mesh.name, "mesh name")?;
    out.count_u16(mesh.frame as usize, "Frame")?;
    out.f32(mesh.lod_fraction);
    out.f32(mesh.normal_scalar);
    out.bool(mesh.has_tangents);
    out.count_u16(mesh.positions.len(), "nVertex")?;
    for dimension in mesh.texcoord_dimensions {
        out.count_u16(dimension.into(), "pTexCoordDimensions")?;
    }
    out.count_u16(mesh.skin_weight_count.into(), "nSkinWeight")?;
    out.u8(mesh.max_bone);
    let shadow = mesh.shadow.clone().unwrap_or_default();
    out.count_u16(mesh.shadow_vertex_count(&shadow).0, "nShadowVolumeVertex")?;
    out.count_u16(shadow.triangles.len(), "nShadowVolumeTriangle")?;
    out.bytes(&shadow.vertices);
    fields::triangles(out, &shadow.triangles, false);
    out.f32s(mesh.positions.as_flattened());
    fields::normals(out, &mesh.normals, true)?;
    out.bool(mesh.uses_texcoord_buffer);
    out.bool(mesh.texcoords.is_some());
    for set in mesh.texcoords.iter().flatten() {
        out.f32s(set);
    }
    fields::skin(out, mesh);
    out.count_u16(mesh.triangle_count(), "nTriangle")?;
    out.bool(mesh.triangles.is_some());
    if let Some((triangles, materials)) = &mesh.triangles {
        fields::triangles(out, triangles, false);
        out.u16s(materials);
    }
    Ok(())
}

pub(super) fn write_material(out: &mut Writer, material: &Material) -> Result<()> {
    out.bytes(v1::MATERIAL);
    out.nul_terminated(&material.name, "material name")?;
    fields::colors(out, material);
    out.count_u16(material.texture_count.into(), "nTexture")?;
    out.u32s(&material.color_ops);
    out.u32s(&material.texcoord_sets);
    if let Some(opaque) = &material.opaque {
        out.bytes(opaque);
        return Ok(());
    }
    out.bool(false);
    for texture in &material.textures {
        out.bool(texture.is_some());
        if let Some(texture) = texture {
            CHECKS.length("files of a texture", 1, texture.files.len())?;
            out.u32(0);
            out.nul_terminated(&texture.identifier, "texture identifier")?;
            out.count_u16(texture.width as usize, "texture width")?;
            out.count_u16(texture.height as usize, "texture height")?;
            for file in &texture.files {
                out.nul_terminated(file, "texture file")?;
            }
        }
    }
    out.bool(false);
    Ok(())
}

fn write_bone(out: &mut Writer, bone: &Bone) -> Result<()> {
    out.bytes(v1::BONE);
    out.nul_terminated(&bone.name, "bone name")?;
    out.count_u16(bone.parent.map_or(v1::NO_PARENT.into(), |parent| parent as usize), "iParent")?;
    out.f32(bone.bone_frame);
    out.bool(bone.pass_on);
    out.count_u16(bone.meshes.len(), "nMesh")?;
    for (mesh, _) in &bone.meshes {
        out.count_u16(*mesh as usize, "piMesh")?;
    }
    for (_, matrix) in &bone.meshes {
        out.f32s(matrix.as_flattened());
    }
    keys(out, &bone.scaling_keys, "nScalingKey")?;
    keys(out, &bone.translation_keys, "nTranslationKey")?;
    keys(out, &bone.rotation_keys, "nRotationKey")
}

fn keys<const N: usize>(out: &mut Writer, keys: &[(u32, [f32; N])], what: &'static str) -> Result<()> {
    out.count_u16(keys.len(), what)?;
    out.u16(0);
    for (frame, value) in keys {
        out.count_u16(*frame as usize, "frame of a key")?;
        out.u16(0);
        out.f32s(value);
    }
    Ok(())
}
