//! Conversion of a parsed file to plain arrays.

use alloc::vec::Vec;

use meshlens_lens::Encoding;
use meshlens_wire::{Complete, Error, Result, Span};

use super::{Action, Bone, Lod, Material, Mesh, Model, Shadow, Texture};
use crate::document::U3d;
use crate::parts::BoneParts;
use crate::text::bytes_at;
use crate::{Keys, Version};

impl TryFrom<&U3d<'_>> for Model {
    type Error = Error;

    /// Copies a model out of its file: materials and bones by number, normals as they are stored, unknown chunks.
    ///
    /// # Errors
    ///
    /// A triangle with an index that is out of range.
    fn try_from(u3d: &U3d<'_>) -> Result<Self> {
        let header = u3d.header();
        let is_v1 = u3d.version().is_v1();
        let unknown = u3d.unknown_chunks().map(|section| {
            let body = u3d.data().take(section.body_offset(), section.body_size, "chunk")?;
            Ok((section.identifier.raw().to_vec(), body.to_vec()))
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
            v1: header.v1.unwrap_or_default(),
            shader_pack: shader_pack(u3d, header.shader_pack),
            extra: extra(u3d, header.used, header.end)?,
            meshes: u3d.meshes().map(|mesh| read_mesh(u3d, &mesh)).collect::<Result<_>>()?,
            materials: u3d
                .materials()
                .map(|material| read_material(u3d, &material))
                .collect::<Result<_>>()?,
            bones: u3d
                .bones()
                .zip(u3d.parts().bones())
                .map(|(bone, parts)| read_bone(u3d, &bone, parts))
                .collect::<Result<_>>()?,
            actions: u3d.parts().actions.is_some().then(|| actions.collect()),
            unknown: if is_v1 { Vec::new() } else { unknown.collect::<Result<_>>()? },
        })
    }
}

fn lods(u3d: &U3d<'_>) -> Vec<Lod> {
    let lod = |(fraction, distance)| Lod { fraction, distance };
    let distances = u3d.lod_distances();
    match u3d.version() {
        Version::V2 { .. } => distances.iter().map(|distance| lod((1.0, distance))).collect(),
        Version::V1 if u3d.lod_count() == 0 => Vec::new(),
        Version::V1 => {
            let lower = u3d.lod_fractions().iter().zip(distances);
            core::iter::once((1.0, 0.0)).chain(lower).map(lod).collect()
        }
    }
}

fn shader_pack(u3d: &U3d<'_>, body: Option<Span>) -> Option<Vec<u8>> {
    body.map(|body| bytes_at::<Complete>(u3d.data(), body).to_vec())
}

/// The bytes after the documented fields of a chunk.
fn extra(u3d: &U3d<'_>, used: u64, end: u64) -> Result<Vec<u8>> {
    Ok(u3d.data().take(used, end - used, "extra bytes")?.to_vec())
}

fn read_mesh(u3d: &U3d<'_>, mesh: &crate::Mesh<'_, '_>) -> Result<Mesh> {
    let mut texcoords = None;
    if mesh.owns_texcoords() {
        let sets: &mut [Vec<f32>; 8] = texcoords.get_or_insert_default();
        for (number, set) in sets.iter_mut().enumerate() {
            *set = mesh.texcoords(number).map_or_else(Vec::new, |set| set.to_floats());
        }
    }
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
        // Only version 2.0 stores this, and it always does.
        lod_index: mesh.lod_index().unwrap_or(0),
        lod_fraction: mesh.lod_fraction(),
        frame: mesh.frame(),
        normal_scalar: mesh.normal_scalar(),
        has_tangents: mesh.has_tangents(),
        max_bone: mesh.max_bone(),
        uses_texcoord_buffer: mesh.uses_texcoord_buffer(),
        legacy_normals: mesh.has_legacy_normals(),
        positions: mesh.positions().iter().collect(),
        normals: mesh.normal_codes().collect(),
        texcoord_dimensions: mesh.texcoord_dimensions(),
        texcoords,
        skin_weight_count: parts.skin_weights,
        skin_weights: mesh.skin_weights().map_or_else(Vec::new, |weights| weights.to_floats()),
        skin_bones: mesh.skin_bones().iter().collect(),
        triangles,
        borrowed_triangles: if mesh.owns_triangles() { 0 } else { parts.triangles },
        shadow: mesh.shadow().map(|shadow| read_shadow(&shadow)),
        extra: extra(u3d, parts.used, parts.end)?,
    })
}

pub(crate) fn read_material(u3d: &U3d<'_>, material: &crate::Material<'_>) -> Result<Material> {
    let mut textures: [Option<Texture>; 8] = Default::default();
    for texture in material.textures() {
        if let Some(slot) = textures.get_mut(texture.stage) {
            *slot = Some(Texture {
                // Version 2.0 has no identifiers.
                identifier: texture.identifier.map_or_else(Vec::new, |name| name.raw().to_vec()),
                width: texture.width,
                height: texture.height,
                is_normal_map: texture.is_normal_map,
                height_scalar: texture.height_scalar,
                files: texture.files().map(|file| file.name().raw().to_vec()).collect(),
            });
        }
    }
    let parts = material.parts();
    Ok(Material {
        name: material.name().raw().to_vec(),
        ambient: material.ambient(),
        diffuse: material.diffuse(),
        specular: material.specular(),
        emissive: material.emissive(),
        specular_power: material.specular_power(),
        depth: material.depth().unwrap_or(0.0),
        parallax_quality: material.parallax_quality().unwrap_or(1.0),
        texture_count: material.texture_count().unwrap_or(0),
        color_ops: material.color_ops(),
        texcoord_sets: material.texcoord_sets(),
        textures,
        opaque: material.is_opaque().then(|| material.opaque_bytes().to_vec()),
        shader_pack: shader_pack(u3d, parts.shader_pack),
        extra: extra(u3d, parts.used, parts.end)?,
    })
}

fn read_shadow(shadow: &crate::Shadow<'_>) -> Shadow {
    Shadow { vertices: shadow.vertex_bytes().to_vec(), triangles: shadow.triangles().iter().collect() }
}

fn read_bone(u3d: &U3d<'_>, bone: &crate::Bone<'_>, parts: &BoneParts) -> Result<Bone> {
    let matrices = (0..bone.mesh_count()).map_while(|index| bone.mesh_to_bone(index));
    Ok(Bone {
        name: bone.name().raw().to_vec(),
        parent: bone.parent(),
        bone_frame: bone.bone_frame(),
        pass_on: bone.passes_on_bone_frame(),
        meshes: bone.meshes().iter().zip(matrices).collect(),
        scaling_keys: keys(&bone.scaling_keys()),
        translation_keys: keys(&bone.translation_keys()),
        rotation_keys: keys(&bone.rotation_keys()),
        extra: extra(u3d, parts.used, parts.end)?,
    })
}

fn keys<E: Encoding>(keys: &Keys<'_, E>) -> Vec<(u32, E::Value)> {
    keys.frames.iter().zip(keys.values).collect()
}
