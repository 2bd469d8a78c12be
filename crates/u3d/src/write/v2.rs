//! The canonical file of version 2.0.

use alloc::vec::Vec;

use meshlens_wire::{ErrorKind, Expected, Result};
use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

use super::{Bone, Material, Mesh, Model, Out, Shadow, Texture, at, error, same};
use crate::layout::{self, v2};

pub(super) fn write(model: &Model, minor: u32, sub_minor: u32) -> Result<Vec<u8>> {
    let mut out = Out(Vec::new());
    let file = layout::FileHeader {
        major: U32::new(layout::V2_MAJOR),
        minor: U32::new(minor),
        sub_minor: U32::new(sub_minor),
        encryption_version: U32::new(0),
        compression_version: U32::new(0),
    };
    out.chunk(v2::FILE_HEADER, |out| {
        out.bytes(file.as_bytes());
        Ok(())
    })?;
    out.chunk(v2::MODEL_HEADER, |out| write_header(out, model))?;
    for (index, mesh) in model.meshes.iter().enumerate() {
        at("mesh", index)(out.chunk(v2::MESH, |out| write_mesh(out, mesh, model)))?;
    }
    for (index, material) in model.materials.iter().enumerate() {
        at("material", index)(out.chunk(v2::MATERIAL, |out| write_material(out, material, index)))?;
    }
    for (index, bone) in model.bones.iter().enumerate() {
        at("bone", index)(out.chunk(v2::BONE, |out| write_bone(out, bone, index)))?;
    }
    if let Some(actions) = &model.actions {
        out.chunk(v2::ACTION_RANGE, |out| {
            out.count(actions.len(), "nAction")?;
            for action in actions {
                out.string(&action.name, "action name")?;
                out.u32s(&[action.first, action.last]);
            }
            Ok(())
        })?;
    }
    for (identifier, body) in &model.unknown {
        out.string(identifier, "chunk identifier")?;
        out.count(body.len(), "ChunkSize")?;
        out.bytes(body);
    }
    Ok(out.0)
}

impl Out {
    /// Writes a chunk, whose size is filled in when its body is written.
    fn chunk(&mut self, identifier: &str, body: impl FnOnce(&mut Out) -> Result<()>) -> Result<()> {
        self.bytes(identifier.as_bytes());
        self.u8(0);
        let field = self.0.len();
        self.u32(0);
        let start = self.0.len();
        body(self)?;
        let size = self.0.len().saturating_sub(start);
        let mut written = Out(Vec::new());
        written.count(size, "ChunkSize")?;
        if let Some(slot) = self.0.get_mut(field..start) {
            slot.copy_from_slice(&written.0);
        }
        Ok(())
    }

    /// Whether there is a shader pack, and the pack.
    fn shader_pack(&mut self, body: Option<&[u8]>) -> Result<()> {
        self.bool(body.is_some());
        match body {
            None => Ok(()),
            Some(body) => self.chunk(v2::SHADER_PACK, |out| {
                out.bytes(body);
                Ok(())
            }),
        }
    }
}

fn write_header(out: &mut Out, model: &Model) -> Result<()> {
    out.count(model.meshes.len(), "nMesh")?;
    out.u32s(&[model.meshes_per_frame, model.frames]);
    out.count(model.lods.len(), "nLOD")?;
    out.count(model.materials.len(), "nMaterial")?;
    out.count(model.bones.len(), "nBone")?;
    out.bool(model.vertex_tweening);
    for lod in &model.lods {
        out.f32(lod.distance);
    }
    out.u32s(&model.texcoord_dimensions.map(u32::from));
    out.u32(model.skin_weights.into());
    out.shader_pack(model.shader_pack.as_deref())?;
    out.bytes(&model.extra);
    Ok(())
}

fn write_mesh(out: &mut Out, mesh: &Mesh, model: &Model) -> Result<()> {
    mesh.check()?;
    for (own, common) in mesh.texcoord_dimensions.into_iter().zip(model.texcoord_dimensions) {
        same("texture coordinate dimension of the model", own.into(), common.into())?;
    }
    same("skin weights of the model", mesh.skin_weight_count.into(), model.skin_weights.into())?;
    let Some(texcoords) = &mesh.texcoords else {
        let expected = Expected::Text("the mesh's own, in version 2.0");
        return Err(error(ErrorKind::Value { what: "texture coordinates", expected, found: 0 }));
    };
    out.u32s(&[mesh.mesh_in_frame, mesh.lod, mesh.frame]);
    out.string(&mesh.name, "mesh name")?;
    out.f32(mesh.normal_scalar);
    out.bool(mesh.has_tangents);
    out.count(mesh.positions.len(), "nVertex")?;
    out.f32s(mesh.positions.as_flattened());
    out.normals(&mesh.normals, mesh.legacy_normals)?;
    for set in texcoords {
        out.f32s(set);
    }
    out.skin(mesh);
    out.count(mesh.triangle_count(), "nTriangle")?;
    out.bool(mesh.triangles.is_some());
    if let Some((triangles, materials)) = &mesh.triangles {
        out.triangles(triangles, is_long(mesh.positions.len()));
        for material in materials {
            out.bytes(&material.to_le_bytes());
        }
    }
    out.bool(mesh.shadow.is_some());
    if let Some(shadow) = &mesh.shadow {
        let size = mesh.shadow_vertex_size();
        out.chunk(v2::SHADOW_GEOMETRY, |out| write_shadow(out, shadow, size))?;
    }
    out.bytes(&mesh.extra);
    Ok(())
}

fn is_long(vertices: usize) -> bool {
    vertices > v2::SHORT_TRIANGLE_VERTICES as usize
}

fn write_shadow(out: &mut Out, shadow: &Shadow, vertex_size: usize) -> Result<()> {
    let vertices = shadow.vertices.len().checked_div(vertex_size).unwrap_or_default();
    out.count(vertices, "nVertex")?;
    out.count(shadow.triangles.len(), "nTriangle")?;
    out.bytes(&shadow.vertices);
    out.triangles(&shadow.triangles, is_long(vertices));
    Ok(())
}

fn write_material(out: &mut Out, material: &Material, index: usize) -> Result<()> {
    out.count(index, "iMaterial")?;
    out.string(&material.name, "material name")?;
    out.colors(material);
    out.f32s(&[material.depth, material.parallax_quality]);
    out.u32s(&material.color_ops);
    out.u32s(&material.texcoord_sets);
    for texture in &material.textures {
        out.chunk(v2::TEXTURE, |out| write_texture(out, texture.as_ref()))?;
    }
    out.shader_pack(material.shader_pack.as_deref())?;
    out.bytes(&material.extra);
    Ok(())
}

fn write_texture(out: &mut Out, texture: Option<&Texture>) -> Result<()> {
    out.bool(texture.is_some());
    let Some(texture) = texture else { return Ok(()) };
    let is_cube = texture.files.len() != 1;
    if is_cube {
        same("files of a cube texture", 6, texture.files.len())?;
    }
    out.u32s(&[texture.width, texture.height]);
    out.bool(is_cube);
    out.bool(texture.is_normal_map);
    out.f32(texture.height_scalar);
    for file in &texture.files {
        out.string(file, "texture file")?;
    }
    Ok(())
}

fn write_bone(out: &mut Out, bone: &Bone, index: usize) -> Result<()> {
    out.count(index, "iBone")?;
    out.string(&bone.name, "bone name")?;
    out.u32(bone.parent.unwrap_or(v2::NO_PARENT));
    out.f32(bone.bone_frame);
    out.bool(bone.pass_on);
    out.count(bone.meshes.len(), "nMesh")?;
    for (mesh, _) in &bone.meshes {
        out.u32(*mesh);
    }
    for (_, matrix) in &bone.meshes {
        out.f32s(matrix.rows.as_flattened());
    }
    keys(out, &bone.scaling_keys, "nScalingKey")?;
    keys(out, &bone.translation_keys, "nTranslationKey")?;
    keys(out, &bone.rotation_keys, "nRotationKey")?;
    out.bytes(&bone.extra);
    Ok(())
}

fn keys<const N: usize>(out: &mut Out, keys: &[(u32, [f32; N])], what: &'static str) -> Result<()> {
    out.count(keys.len(), what)?;
    for (frame, value) in keys {
        out.u32(*frame);
        out.f32s(value);
    }
    Ok(())
}
