//! Models as Ultimate 3D 2.0: a mesh for each frame, or one mesh with bones, keys and actions.

mod skeletal;

use alloc::vec::Vec;
use core::ops::Range;

use meshlens_u3d::Version;
use meshlens_u3d::layout::CAMERA_SPACE_NORMAL;
use meshlens_u3d::write::{self, Action, Lod, Mesh as Writer};
use meshlens_wire::{Checks, ErrorKind, Report, Result};

use super::bake::{Baked, BakedMesh, Levels, bake_levels};
use super::finite::Replaced;
use super::lost::{lose_levels, lose_material, lose_rate, lose_tags};
use crate::codes;
use crate::model::{Alpha, Material, Model, Space, TextureCoordinates};
use skeletal::{skeletal, skinned};

const VERSION: Version = Version::V2_0_0;

const CHECKS: Checks = Checks::new(meshlens_u3d::FORMAT);

/// Writes a model as Ultimate 3D 2.0, with lengths multiplied by `scale`. Returns the file, and a finding for
/// everything that it does not keep. A model whose meshes are moved by one skeleton keeps its joints, as one mesh with
/// several materials. Any other model becomes frames of vertices.
///
/// O(vertices x frames), in time and memory.
///
/// # Errors
///
/// A vertex index is out of range, or the model has no triangles or more materials than the format can count.
pub fn to_u3d(model: &Model<'_>, scale: f32) -> Result<(Vec<u8>, Report)> {
    let mut losses = Report::default();
    model.losses(&mut losses);
    let mut file = write::Model::new(VERSION);
    let mut replaced = Replaced::default();
    match skinned(model) {
        Some(meshes) => skeletal(model, &meshes, scale, &mut file, &mut losses, &mut replaced)?,
        None => frames(model, scale, &mut file, &mut losses)?,
    }
    if file.meshes.is_empty() {
        return Err(CHECKS.error(ErrorKind::Unsupported { what: "a model without triangles" }));
    }
    file.materials = materials(model, &mut losses, &mut replaced);
    replaced.report(&mut losses);
    lose_tags(&mut losses, model);
    Ok((file.write()?, losses))
}

/// D3DTOP_MODULATE.
const MODULATE: u32 = 4;

/// The materials, followed by a material for triangles without one.
fn materials(model: &Model<'_>, losses: &mut Report, replaced: &mut Replaced) -> Vec<write::Material> {
    let plain = |text: &str| text.replace('\0', "");
    let mut all: Vec<write::Material> = Vec::new();
    for material in &model.materials {
        let mut made = write::Material::new(plain(&material.name));
        let ([r, g, b, a], emissive) = replaced.material(material);
        // MODULATE2X and MODULATE4X multiply the color by 2 and 4.
        let (operation, factor) = match r.max(g).max(b) {
            most if most <= 1.0 || material.texture.is_none() => (MODULATE, 1.0),
            most if most <= 2.0 => (MODULATE + 1, 2.0),
            _ => (MODULATE + 2, 4.0),
        };
        made.diffuse = [r / factor, g / factor, b / factor, a];
        let [r, g, b] = emissive;
        made.emissive = [r, g, b, 1.0];
        let texture = material.texture.as_ref().map(|path| write::Texture::new(plain(path)));
        let is_environment = material.texture_coordinates == TextureCoordinates::Environment;
        made.color_ops[0] = if texture.is_some() { operation } else { made.color_ops[0] };
        made.texcoord_sets[0] = if is_environment { CAMERA_SPACE_NORMAL } else { 0 };
        let height = material.height_map.as_ref().map(|map| write::Texture {
            is_normal_map: true,
            height_scalar: if map.scale.is_finite() { map.scale } else { 0.0 },
            ..write::Texture::new(plain(&map.texture))
        });
        [made.textures[0], made.textures[1]] = [texture, height];
        // The alpha of the diffuse color determines whether a material is transparent.
        let alpha = if a < 1.0 { Alpha::Blend } else { Alpha::Opaque };
        let back = Material {
            color: material.color,
            emissive: material.emissive,
            texture_coordinates: material.texture_coordinates,
            height_map: material.height_map.clone(),
            alpha,
            ..Material::new("")
        };
        lose_material(losses, material, &back);
        all.push(made);
    }
    all.push(write::Material::new("none"));
    all
}

/// The index of a material, or of the material for triangles without one.
fn material_index(model: &Model<'_>, material: Option<usize>) -> Result<u16> {
    let none = model.materials.len();
    let index = material.filter(|material| *material < none).unwrap_or(none);
    u16::try_from(index).map_err(|_| CHECKS.limit("materials", 1 << 16, none + 1))
}

/// Writes a mesh for each frame.
fn frames(model: &Model<'_>, scale: f32, file: &mut write::Model, losses: &mut Report) -> Result<()> {
    let Baked { mut meshes, frame_names, sequences, losses: lost, clip_losses, .. } =
        bake_levels(model, &Space::U3D, scale, Levels::All)?;
    losses.append(lost);
    losses.append(clip_losses);
    let levels = complete_levels(&mut meshes, losses);
    file.lods = distances(levels, &model.lod_distances, scale);
    // There is at least one level.
    let in_level = meshes.len() / levels;
    file.meshes_per_frame = number(in_level);
    file.frames = number(frame_names.len().max(1));
    file.vertex_tweening = file.frames > 1;
    for (index, mesh) in meshes.iter().enumerate() {
        // If there is a mesh, there is a mesh in each level.
        let (lod, in_frame) = (number(index / in_level), number(index % in_level));
        for (frame, shown) in mesh.frames.iter().enumerate() {
            let mut made = Writer::new(mesh.name.replace('\0', ""));
            made.set_vertices(&shown.positions, &shown.normals, VERSION)?;
            made.set_texcoords(0, 2, mesh.texcoords.as_flattened())?;
            (made.mesh_in_frame, made.lod_index, made.frame) = (in_frame, lod, number(frame));
            file.texcoord_dimensions = made.texcoord_dimensions;
            if frame == 0 {
                let materials = alloc::vec![material_index(model, mesh.material)?; mesh.triangles.len()];
                made.set_triangles(&mesh.triangles, &materials)?;
            } else {
                made = made.borrowing(number(mesh.triangles.len()), VERSION);
            }
            file.meshes.push(made);
        }
    }
    let named = sequences.iter().map(|clip| (clip.name.as_str(), clip.rate.get(), clip.range()));
    actions(named, file, losses);
    Ok(())
}

/// The number of levels of detail, at least 1, that have as many meshes as the finest level: the format needs every
/// mesh in every level. Removes the meshes of other levels.
fn complete_levels(meshes: &mut Vec<BakedMesh>, losses: &mut Report) -> usize {
    meshes.sort_by_key(|mesh| mesh.lod);
    let runs: Vec<usize> = meshes.chunk_by(|a, b| a.lod == b.lod).map(<[_]>::len).collect();
    let first = runs.first().copied().unwrap_or(0);
    let levels = runs.iter().take_while(|len| **len == first).count().max(1);
    let kept = runs.iter().take(levels).sum();
    lose_levels(losses, meshes.len() - kept);
    meshes.truncate(kept);
    if levels > 1 {
        let message = format_args!("the distances of levels of detail: each is twice the one before");
        losses.lose(&codes::LOD_DISTANCES_LOST, 1, format_args!(""), message);
    }
    levels
}

/// The distance at which each level ends: that of the model, or 64 units, and then twice the distance of the previous level.
/// The last one never ends.
fn distances(levels: usize, known: &[f32], scale: f32) -> Vec<Lod> {
    let mut distance = 64.0;
    let mut lods: Vec<Lod> = Vec::new();
    for level in 1..=levels {
        let made = if level == levels { f32::MAX } else { distance };
        let stored = known.get(level - 1).filter(|_| known.len() == levels);
        let distance_of = |distance: &f32| (distance * scale).min(f32::MAX);
        lods.push(Lod { fraction: 1.0, distance: stored.map_or(made, distance_of) });
        distance *= 2.0;
    }
    lods
}

/// Writes clips as actions. Each range covers the clip's frames.
fn actions<'n>(
    named: impl Iterator<Item = (&'n str, f32, Range<usize>)>,
    file: &mut write::Model,
    losses: &mut Report,
) {
    let mut all = Vec::new();
    for (name, rate, frames) in named {
        lose_rate(losses, name, rate);
        let name = name.replace('\0', "").into_bytes();
        // A clip has at least one frame.
        let last = frames.end.saturating_sub(1);
        all.push(Action { name, first: number(frames.start), last: number(last) });
    }
    file.actions = (!all.is_empty()).then_some(all);
}

/// Converts a count or an index to the type of the format. The writer refuses files that are too large for it.
fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
