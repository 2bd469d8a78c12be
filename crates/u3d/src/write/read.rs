//! From a parsed file to plain arrays.

use alloc::vec::Vec;

use meshlens_lens::Encoding;
use meshlens_wire::{Chunks, Error, Result};

use super::{Action, Bone, LIMITS, Lod, Material, Mesh, Model, Shadow, Texture};
use crate::document::U3d;
use crate::parts::NONE;
use crate::{HeaderV1, Keys, Version};

impl TryFrom<&U3d<'_>> for Model {
    type Error = Error;

    /// Copies a model out of its file: materials and bones by number, normals as they are stored, unknown chunks.
    ///
    /// # Errors
    ///
    /// A triangle that names no vertex.
    fn try_from(u3d: &U3d<'_>) -> Result<Self> {
        let header = u3d.header();
        let is_v1 = u3d.version().is_v1();
        let unknown = u3d.unknown_chunks().map(|section| {
            let body = u3d.data().take(section.body_offset(), section.body_size, "chunk");
            (section.identifier.raw().to_vec(), body.unwrap_or_default().to_vec())
        });
        let actions = u3d.actions().map(|action| Action {
            name: action.name.raw().to_vec(),
            first: action.first,
            last: action.last,
        });
        Ok(Model {
            version: u3d.version(),
            meshes_per_frame: header.meshes_per_frame,
            frames: header.frames,
            lods: lods(u3d),
            vertex_tweening: header.vertex_tweening,
            texcoord_dimensions: header.texcoord_dimensions,
            skin_weights: header.skin_weights,
            v1: if is_v1 { header.v1 } else { HeaderV1::NEW },
            shader_pack: shader_pack(u3d, header.shader_pack),
            extra: extra(u3d, header.used, header.end),
            meshes: u3d.meshes().map(|mesh| read_mesh(u3d, &mesh)).collect::<Result<_>>()?,
            materials: u3d.materials().map(|material| read_material(u3d, &material)).collect(),
            bones: u3d.bones().map(|bone| read_bone(u3d, &bone)).collect(),
            actions: (u3d.parts().actions.offset > 0).then(|| actions.collect()),
            unknown: if is_v1 { Vec::new() } else { unknown.collect() },
        })
    }
}

fn lods(u3d: &U3d<'_>) -> Vec<Lod> {
    let lod = |(level, distance)| Lod { level, distance };
    match u3d.version() {
        Version::V2 { .. } => u3d.lod_distances().iter().map(|distance| lod((1.0, distance))).collect(),
        Version::V1 if u3d.lod_count() == 0 => Vec::new(),
        Version::V1 => {
            let lower = u3d.lod_levels().iter().zip(u3d.lod_distances());
            core::iter::once((1.0, 0.0)).chain(lower).map(lod).collect()
        }
    }
}

/// The body of the chunk at `offset`, unless that is 0.
fn shader_pack(u3d: &U3d<'_>, offset: u64) -> Option<Vec<u8>> {
    if offset == 0 {
        return None;
    }
    let chunk = Chunks::new(u3d.data(), offset, &LIMITS).next()?.ok()?;
    Some(u3d.data().bind(chunk.body()).ok()?.to_vec())
}

/// What lies behind the documented part of a chunk.
fn extra(u3d: &U3d<'_>, used: u64, end: u64) -> Vec<u8> {
    u3d.data().take(used, end.saturating_sub(used), "extra bytes").unwrap_or_default().to_vec()
}

fn read_mesh(u3d: &U3d<'_>, mesh: &crate::Mesh<'_, '_>) -> Result<Mesh> {
    let normals = mesh.normals();
    let texcoords = mesh.owns_texcoords().then(|| {
        core::array::from_fn(|set| mesh.texcoords(set).map(|set| set.values().collect()).unwrap_or_default())
    });
    let triangles = if mesh.owns_triangles() {
        let triangles = mesh.checked_triangles()?.iter().collect();
        Some((triangles, mesh.triangle_materials().iter().collect()))
    } else {
        None
    };
    let parts = mesh.parts();
    Ok(Mesh {
        name: mesh.name().raw().to_vec(),
        mesh_in_frame: mesh.mesh_in_frame(),
        lod: mesh.lod().unwrap_or(NONE),
        level_of_detail: mesh.level_of_detail(),
        frame: mesh.frame(),
        normal_scalar: mesh.normal_scalar(),
        has_tangents: mesh.has_tangents(),
        max_bone: mesh.max_bone(),
        uses_texcoord_buffer: mesh.uses_texcoord_buffer(),
        legacy_normals: mesh.has_legacy_normals(),
        positions: mesh.positions().iter().collect(),
        normals: (0..normals.len()).map_while(|index| normals.code(index)).collect(),
        texcoord_dimensions: mesh.texcoord_dimensions(),
        texcoords,
        skin_weight_count: parts.skin_weights,
        skin_weights: mesh.skin_weights().map(|weights| weights.values().collect()).unwrap_or_default(),
        skin_bones: mesh.skin_bones().iter().collect(),
        triangles,
        borrowed_triangles: if mesh.owns_triangles() { 0 } else { parts.triangles },
        shadow: mesh.shadow().map(|shadow| Shadow {
            vertices: shadow.vertex_bytes().to_vec(),
            triangles: shadow.triangles().iter().collect(),
        }),
        extra: extra(u3d, parts.used, parts.end),
    })
}

fn read_material(u3d: &U3d<'_>, material: &crate::Material<'_>) -> Material {
    let mut textures: [Option<Texture>; 8] = Default::default();
    for texture in material.textures() {
        if let Some(slot) = textures.get_mut(texture.stage) {
            *slot = Some(Texture {
                identifier: texture.identifier.map(|name| name.raw().to_vec()).unwrap_or_default(),
                width: texture.width,
                height: texture.height,
                is_normal_map: texture.is_normal_map,
                height_scalar: texture.height_scalar,
                files: texture.files().map(|file| file.name().raw().to_vec()).collect(),
            });
        }
    }
    let parts = material.parts();
    Material {
        name: material.name().raw().to_vec(),
        ambient: material.ambient(),
        diffuse: material.diffuse(),
        specular: material.specular(),
        emissive: material.emissive(),
        specular_power: material.specular_power(),
        depth: material.depth().unwrap_or_default(),
        parallax_quality: material.parallax_quality().unwrap_or(1.0),
        texture_count: material.texture_count().unwrap_or_default(),
        color_ops: material.color_ops(),
        texcoord_sets: material.texcoord_sets(),
        textures,
        opaque: material.is_opaque().then(|| material.opaque_bytes().to_vec()),
        shader_pack: shader_pack(u3d, parts.shader_pack),
        extra: extra(u3d, parts.used, parts.end),
    }
}

fn read_bone(u3d: &U3d<'_>, bone: &crate::Bone<'_>) -> Bone {
    let matrices = (0..bone.mesh_count()).map_while(|index| bone.mesh_to_bone(index));
    let parts = bone.parts();
    Bone {
        name: bone.name().raw().to_vec(),
        parent: bone.parent(),
        bone_frame: bone.bone_frame(),
        pass_on: bone.passes_on_bone_frame(),
        meshes: bone.meshes().zip(matrices).collect(),
        scaling_keys: keys(&bone.scaling_keys()),
        translation_keys: keys(&bone.translation_keys()),
        rotation_keys: keys(&bone.rotation_keys()),
        extra: extra(u3d, parts.used, parts.end),
    }
}

fn keys<E: Encoding>(keys: &Keys<'_, E>) -> Vec<(u32, E::Value)> {
    keys.frames.iter().zip(keys.values).collect()
}
