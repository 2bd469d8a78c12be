//! The canonical file of version 1.0.

use alloc::vec::Vec;

use meshlens_wire::Result;

use super::{Bone, Material, Mesh, Model, Out, at};
use crate::layout::{self, v1};

pub(super) fn write(model: &Model) -> Result<Vec<u8>> {
    let mut out = Out(Vec::new());
    out.bytes(layout::V1_MAGIC);
    out.f32(model.v1.file_version);
    out.u16(model.meshes.len(), "nMesh")?;
    out.u16(model.meshes_per_frame as usize, "nMeshesPerFrame")?;
    out.u32(model.frames);
    out.u16(model.lods.len(), "nLOD")?;
    out.u16(model.materials.len(), "nMaterial")?;
    out.u16(model.bones.len(), "nBone")?;
    out.f32(model.v1.cel_shading_strength);
    out.f32s(&model.v1.cel_shading_color);
    out.bool(model.v1.alpha_blending);
    out.bool(model.vertex_tweening);
    for lod in model.lods.iter().skip(1) {
        out.f32(lod.level);
    }
    for lod in model.lods.iter().skip(1) {
        out.f32(lod.distance);
    }
    for (index, mesh) in model.meshes.iter().enumerate() {
        at("mesh", index)(write_mesh(&mut out, mesh))?;
    }
    for (index, material) in model.materials.iter().enumerate() {
        at("material", index)(write_material(&mut out, material))?;
    }
    for (index, bone) in model.bones.iter().enumerate() {
        at("bone", index)(write_bone(&mut out, bone))?;
    }
    Ok(out.0)
}

fn write_mesh(out: &mut Out, mesh: &Mesh) -> Result<()> {
    mesh.check()?;
    out.bytes(v1::MESH);
    out.string(&mesh.name, "mesh name")?;
    out.u16(mesh.frame as usize, "Frame")?;
    out.f32(mesh.level_of_detail);
    out.f32(mesh.normal_scalar);
    out.bool(mesh.has_tangents);
    out.u16(mesh.positions.len(), "nVertex")?;
    for dimension in mesh.texcoord_dimensions {
        out.u16(dimension.into(), "pTexCoordDimensions")?;
    }
    out.u16(mesh.skin_weight_count.into(), "nSkinWeight")?;
    out.u8(mesh.max_bone);
    let shadow = mesh.shadow.clone().unwrap_or_default();
    let size = mesh.shadow_vertex_size();
    out.u16(shadow.vertices.len().checked_div(size).unwrap_or_default(), "nShadowVolumeVertex")?;
    out.u16(shadow.triangles.len(), "nShadowVolumeTriangle")?;
    out.bytes(&shadow.vertices);
    out.triangles(&shadow.triangles, false);
    out.f32s(mesh.positions.as_flattened());
    out.normals(&mesh.normals, true)?;
    out.bool(mesh.uses_texcoord_buffer);
    out.bool(mesh.texcoords.is_some());
    for set in mesh.texcoords.iter().flatten() {
        out.f32s(set);
    }
    out.skin(mesh);
    out.u16(mesh.triangle_count(), "nTriangle")?;
    out.bool(mesh.triangles.is_some());
    if let Some((triangles, materials)) = &mesh.triangles {
        out.triangles(triangles, false);
        for material in materials {
            out.bytes(&material.to_le_bytes());
        }
    }
    Ok(())
}

fn write_material(out: &mut Out, material: &Material) -> Result<()> {
    out.bytes(v1::MATERIAL);
    out.string(&material.name, "material name")?;
    out.colors(material);
    out.u16(material.texture_count.into(), "nTexture")?;
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
            super::same("files of a texture", 1, texture.files.len())?;
            out.u32(0);
            out.string(&texture.identifier, "texture identifier")?;
            out.u16(texture.width as usize, "texture width")?;
            out.u16(texture.height as usize, "texture height")?;
            for file in &texture.files {
                out.string(file, "texture file")?;
            }
        }
    }
    out.bool(false);
    Ok(())
}

fn write_bone(out: &mut Out, bone: &Bone) -> Result<()> {
    out.bytes(v1::BONE);
    out.string(&bone.name, "bone name")?;
    out.u16(bone.parent.map_or(v1::NO_PARENT.into(), |parent| parent as usize), "iParent")?;
    out.f32(bone.bone_frame);
    out.bool(bone.pass_on);
    out.u16(bone.meshes.len(), "nMesh")?;
    for (mesh, _) in &bone.meshes {
        out.u16(*mesh as usize, "piMesh")?;
    }
    for (_, matrix) in &bone.meshes {
        out.f32s(matrix.rows.as_flattened());
    }
    keys(out, &bone.scaling_keys, "nScalingKey")?;
    keys(out, &bone.translation_keys, "nTranslationKey")?;
    keys(out, &bone.rotation_keys, "nRotationKey")
}

fn keys<const N: usize>(out: &mut Out, keys: &[(u32, [f32; N])], what: &'static str) -> Result<()> {
    out.u16(keys.len(), what)?;
    out.u16(0, "unused")?;
    for (frame, value) in keys {
        out.u16(*frame as usize, "frame of a key")?;
        out.u16(0, "unused")?;
        out.f32s(value);
    }
    Ok(())
}
