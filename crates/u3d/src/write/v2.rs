//! The canonical file of version 2.0.

use alloc::vec::Vec;

use meshlens_wire::{Result, Writer};

use super::fields::{self, at};
use super::{Bone, CHECKS, Material, Mesh, Model, Shadow, Texture};
use crate::FORMAT;
use crate::layout::{self, v2};

pub(super) fn write(model: &Model, minor: u32, sub_minor: u32) -> Result<Vec<u8>> {
    let mut out = Writer::new(FORMAT);
    let file = layout::FileHeader {
        major: layout::V2_MAJOR,
        minor,
        sub_minor,
        encryption_version: 0,
        compression_version: 0,
    };
    chunk(&mut out, v2::FILE_HEADER, |out| {
        out.record(&file);
        Ok(())
    })?;
    chunk(&mut out, v2::MODEL_HEADER, |out| write_header(out, model))?;
    for (index, mesh) in model.meshes.iter().enumerate() {
        chunk(&mut out, v2::MESH, |out| write_mesh(out, mesh, model)).map_err(at("mesh", index))?;
    }
    for (index, material) in model.materials.iter().enumerate() {
        chunk(&mut out, v2::MATERIAL, |out| write_material(out, material, index))
            .map_err(at("material", index))?;
    }
    for (index, bone) in model.bones.iter().enumerate() {
        chunk(&mut out, v2::BONE, |out| write_bone(out, bone, index)).map_err(at("bone", index))?;
    }
    if let Some(actions) = &model.actions {
        chunk(&mut out, v2::ACTION_RANGE, |out| {
            out.count_u32(actions.len(), "nAction")?;
            for action in actions {
                out.nul_terminated(&action.name, "action name")?;
                out.u32s(&[action.first, action.last]);
            }
            Ok(())
        })?;
    }
    for (identifier, body) in &model.unknown {
        out.nul_terminated(identifier, "chunk identifier")?;
        out.count_u32(body.len(), "ChunkSize")?;
        out.bytes(body);
    }
    Ok(out.finish())
}

/// Writes a chunk: its identifier, its size and its body.
fn chunk(out: &mut Writer, identifier: &str, body: impl FnOnce(&mut Writer) -> Result<()>) -> Result<()> {
    out.nul_terminated(identifier.as_bytes(), "chunk identifier")?;
    out.sized_u32("ChunkSize", body)
}

/// Writes whether there is a shader pack, and the pack.
fn shader_pack(out: &mut Writer, body: Option<&[u8]>) -> Result<()> {
    out.bool(body.is_some());
    match body {
        None => Ok(()),
        Some(body) => chunk(out, v2::SHADER_PACK, |out| {
            out.bytes(body);
            Ok(())
        }),
    }
}

fn write_header(out: &mut Writer, model: &Model) -> Result<()> {
    out.count_u32(model.meshes.len(), "nMesh")?;
    out.u32s(&[model.meshes_per_frame, model.frames]);
    out.count_u32(model.lods.len(), "nLOD")?;
    out.count_u32(model.materials.len(), "nMaterial")?;
    out.count_u32(model.bones.len(), "nBone")?;
    out.bool(model.vertex_tweening);
    for lod in &model.lods {
        out.f32(lod.distance);
    }
    out.u32s(&model.texcoord_dimensions.map(u32::from));
    out.u32(model.skin_weights.into());
    shader_pack(out, model.shader_pack.as_deref())?;
    out.bytes(&model.extra);
    Ok(())
}

fn write_mesh(out: &mut Writer, mesh: &Mesh, model: &Model) -> Result<()> {
    mesh.check()?;
    for (own, common) in mesh.texcoord_dimensions.into_iter().zip(model.texcoord_dimensions) {
        CHECKS.length("texture coordinate dimension of the model", own.into(), common.into())?;
    }
    CHECKS.length("skin weights of the model", mesh.skin_weight_count.into(), model.skin_weights.into())?;
    let Some(texcoords) = &mesh.texcoords else {
        return Err(CHECKS.value("texture coordinates", "the mesh's own, in version 2.0", 0));
    };
    out.u32s(&[mesh.mesh_in_frame, mesh.lod_index, mesh.frame]);
    out.nul_terminated(&mesh.name, "mesh name")?;
    out.f32(mesh.normal_scalar);
    out.bool(mesh.has_tangents);
    out.count_u32(mesh.positions.len(), "nVertex")?;
    out.f32s(mesh.positions.as_flattened());
    fields::normals(out, &mesh.normals, mesh.legacy_normals)?;
    for set in texcoords {
        out.f32s(set);
    }
    fields::skin(out, mesh);
    out.count_u32(mesh.triangle_count(), "nTriangle")?;
    out.bool(mesh.triangles.is_some());
    if let Some((triangles, materials)) = &mesh.triangles {
        fields::triangles(out, triangles, is_long(mesh.positions.len()));
        out.u16s(materials);
    }
    out.bool(mesh.shadow.is_some());
    if let Some(shadow) = &mesh.shadow {
        let (vertices, _) = mesh.shadow_vertex_count(shadow);
        chunk(out, v2::SHADOW_GEOMETRY, |out| write_shadow(out, shadow, vertices))?;
    }
    out.bytes(&mesh.extra);
    Ok(())
}

fn is_long(vertices: usize) -> bool {
    vertices > v2::SHORT_TRIANGLE_VERTICES as usize
}

fn write_shadow(out: &mut Writer, shadow: &Shadow, vertices: usize) -> Result<()> {
    out.count_u32(vertices, "nVertex")?;
    out.count_u32(shadow.triangles.len(), "nTriangle")?;
    out.bytes(&shadow.vertices);
    fields::triangles(out, &shadow.triangles, is_long(vertices));
    Ok(())
}

pub(super) fn write_material(out: &mut Writer, material: &Material, index: usize) -> Result<()> {
    out.count_u32(index, "iMaterial")?;
    out.nul_terminated(&material.name, "material name")?;
    fields::colors(out, material);
    out.f32s(&[material.depth, material.parallax_quality]);
    out.u32s(&material.color_ops);
    out.u32s(&material.texcoord_sets);
    for texture in &material.textures {
        chunk(out, v2::TEXTURE, |out| write_texture(out, texture.as_ref()))?;
    }
    shader_pack(out, material.shader_pack.as_deref())?;
    out.bytes(&material.extra);
    Ok(())
}

fn write_texture(out: &mut Writer, texture: Option<&Texture>) -> Result<()> {
    out.bool(texture.is_some());
    let Some(texture) = texture else { return Ok(()) };
    let is_cube = texture.files.len() != 1;
    if is_cube {
        CHECKS.length("files of a cube texture", 6, texture.files.len())?;
    }
    out.u32s(&[texture.width, texture.height]);
    out.bool(is_cube);
    out.bool(texture.is_normal_map);
    out.f32(texture.height_scalar);
    for file in &texture.files {
        out.nul_terminated(file, "texture file")?;
    }
    Ok(())
}

fn write_bone(out: &mut Writer, bone: &Bone, index: usize) -> Result<()> {
    out.count_u32(index, "iBone")?;
    out.nul_terminated(&bone.name, "bone name")?;
    out.u32(bone.parent.unwrap_or(v2::NO_PARENT));
    out.f32(bone.bone_frame);
    out.bool(bone.pass_on);
    out.count_u32(bone.meshes.len(), "nMesh")?;
    for (mesh, _) in &bone.meshes {
        out.u32(*mesh);
    }
    for (_, matrix) in &bone.meshes {
        out.f32s(matrix.as_flattened());
    }
    keys(out, &bone.scaling_keys, "nScalingKey")?;
    keys(out, &bone.translation_keys, "nTranslationKey")?;
    keys(out, &bone.rotation_keys, "nRotationKey")?;
    out.bytes(&bone.extra);
    Ok(())
}

fn keys<const N: usize>(out: &mut Writer, keys: &[(u32, [f32; N])], what: &'static str) -> Result<()> {
    out.count_u32(keys.len(), what)?;
    for (frame, value) in keys {
        out.u32(*frame);
        out.f32s(value);
    }
    Ok(())
}
