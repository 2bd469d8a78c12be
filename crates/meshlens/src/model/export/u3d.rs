//! To Ultimate 3D 2.0: a mesh for each frame, or one mesh with bones, their keys and actions.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use glam::{Mat4, Vec3};
use meshlens_u3d::write::{self, Action, Bone, Lod, Mesh as Writer};
use meshlens_u3d::{Matrix, Version};
use meshlens_wire::{Error, ErrorKind, Result};

use super::super::{Alpha, Conversion, Mesh, Model, Space, Topology, Transform, decode_gathered, gather};
use super::bake::{Baked, BakedMesh, Levels, bake_levels};

const VERSION: Version = Version::V2_0_0;
/// Bones that a vertex can name.
const MAX_BONES: usize = 256;
/// Sets of texture coordinates.
const MAX_SETS: usize = 8;

/// A model as Ultimate 3D, lengths multiplied by `scale`, and what of it the format cannot hold. A model whose meshes one
/// skeleton moves keeps its joints, as one mesh with several materials; any other becomes frames of vertices.
///
/// O(vertices x frames), and as much memory.
///
/// # Errors
///
/// A vertex number out of range, and a model without a triangle.
pub fn to_u3d(model: &Model<'_>, scale: f32) -> Result<(Vec<u8>, Vec<String>)> {
    let mut losses = Vec::new();
    let mut file = write::Model::new(VERSION);
    match skinned(model) {
        Some(meshes) => skeletal(model, &meshes, scale, &mut file, &mut losses)?,
        None => frames(model, scale, &mut file, &mut losses)?,
    }
    if file.meshes.is_empty() {
        let kind = ErrorKind::Unsupported { what: "a model without a triangle" };
        return Err(Error::new(meshlens_u3d::FORMAT, 0, kind));
    }
    file.materials = materials(model, &mut losses);
    losses.extend(model.tags.iter().map(|tag| format!("tag {}", tag.name)));
    losses.push("normals between 1/32767 of a half turn".into());
    losses.sort();
    losses.dedup();
    Ok((file.write()?, losses))
}

/// The materials by number, and one behind them for triangles that wear none.
fn materials(model: &Model<'_>, losses: &mut Vec<String>) -> Vec<write::Material> {
    let plain = |text: &str| text.replace('\0', "");
    let mut all: Vec<write::Material> = Vec::new();
    for material in &model.materials {
        let mut made = write::Material::new(&plain(&material.name));
        made.diffuse = material.color;
        let [r, g, b] = material.emissive;
        made.emissive = [r, g, b, 1.0];
        if let (Some(path), Some(slot)) = (&material.texture, made.textures.first_mut()) {
            *slot = Some(write::Texture::new(&plain(path)));
        }
        // What decides over alpha is the diffuse colour.
        let [.., a] = material.color;
        let shows = if a < 1.0 { Alpha::Blend } else { Alpha::Opaque };
        if material.two_sided || material.unlit || material.alpha != shows {
            losses.push(format!("material {}: how it is drawn, besides its colours", material.name));
        }
        all.push(made);
    }
    all.push(write::Material::new("none"));
    all
}

/// The number of a material, or of the one that stands for none.
fn wear(model: &Model<'_>, material: Option<usize>) -> u16 {
    let none = model.materials.len();
    u16::try_from(material.filter(|material| *material < none).unwrap_or(none)).unwrap_or(u16::MAX)
}

/// The finest meshes, where one skeleton of not too many joints moves all of them.
fn skinned<'s, 'a>(model: &'s Model<'a>) -> Option<Vec<&'s Mesh<'a>>> {
    if model.joints.is_empty() || model.joints.len() > MAX_BONES {
        return None;
    }
    let finest = model.meshes.iter().map(|mesh| mesh.lod).min()?;
    let meshes: Vec<_> = model.meshes.iter().filter(|mesh| mesh.lod == finest).collect();
    let skin = meshes.first()?.skin.as_ref()?;
    meshes.iter().all(|mesh| mesh.skin.as_ref() == Some(skin) && mesh.frame_count() == 1).then_some(meshes)
}

fn frames(model: &Model<'_>, scale: f32, file: &mut write::Model, losses: &mut Vec<String>) -> Result<()> {
    let Baked { mut meshes, frame_names, sequences, losses: lost, .. } =
        bake_levels(model, &Space::U3D, scale, Levels::All)?;
    losses.extend(lost);
    let levels = complete_levels(&mut meshes, losses);
    file.lods = distances(levels);
    file.meshes_per_frame = number(meshes.len().checked_div(levels).unwrap_or_default());
    file.frames = number(frame_names.len().max(1));
    file.vertex_tweening = file.frames > 1;
    for (index, mesh) in meshes.iter().enumerate() {
        let in_frame = number(index).checked_rem(file.meshes_per_frame.max(1)).unwrap_or_default();
        let lod = number(index).checked_div(file.meshes_per_frame.max(1)).unwrap_or_default();
        for (frame, shown) in mesh.frames.iter().enumerate() {
            let mut made = Writer::new(&mesh.name.replace('\0', ""));
            made.set_vertices(&shown.positions, &shown.normals, VERSION)?;
            made.set_texcoords(0, 2, mesh.texcoords.as_flattened())?;
            (made.mesh_in_frame, made.lod, made.frame) = (in_frame, lod, number(frame));
            file.texcoord_dimensions = made.texcoord_dimensions;
            if frame == 0 {
                let wears = alloc::vec![wear(model, mesh.material); mesh.triangles.len()];
                made.set_triangles(&mesh.triangles, &wears)?;
            } else {
                made = made.borrowing(number(mesh.triangles.len()), VERSION);
            }
            file.meshes.push(made);
        }
    }
    let named = sequences.iter().map(|sequence| {
        let last = sequence.first.saturating_add(sequence.count).saturating_sub(1);
        (sequence.name.as_str(), sequence.rate, sequence.first..last)
    });
    actions(named, file, losses);
    Ok(())
}

/// How many levels of detail there are with as many meshes each as the finest; the meshes of others are dropped. The
/// format wants each mesh in each level.
fn complete_levels(meshes: &mut Vec<BakedMesh>, losses: &mut Vec<String>) -> usize {
    meshes.sort_by_key(|mesh| mesh.lod);
    let runs: Vec<usize> = meshes.chunk_by(|a, b| a.lod == b.lod).map(<[_]>::len).collect();
    let first = runs.first().copied().unwrap_or_default();
    let levels = runs.iter().take_while(|len| **len == first).count().max(1);
    let kept = first.saturating_mul(levels);
    if kept < meshes.len() {
        losses.push(format!("{} meshes of coarser levels of detail", meshes.len().saturating_sub(kept)));
        meshes.truncate(kept);
    }
    if levels > 1 {
        losses.push("the distances of levels of detail: each is twice that of the one before".into());
    }
    levels
}

/// Where each level ends: 64 units, then twice as far each time, and the last nowhere.
fn distances(levels: usize) -> Vec<Lod> {
    let mut distance = 64.0;
    let mut lods: Vec<Lod> = Vec::new();
    for level in 1..=levels {
        lods.push(Lod { level: 1.0, distance: if level == levels { f32::MAX } else { distance } });
        distance *= 2.0;
    }
    lods
}

fn actions<'n>(
    named: impl Iterator<Item = (&'n str, f32, Range<usize>)>,
    file: &mut write::Model,
    losses: &mut Vec<String>,
) {
    let mut all = Vec::new();
    for (name, rate, frames) in named {
        losses.push(format!("clip {name}: its {rate} frames per second"));
        let name = name.replace('\0', "").into_bytes();
        all.push(Action { name, first: number(frames.start), last: number(frames.end) });
    }
    file.actions = (!all.is_empty()).then_some(all);
}

fn skeletal(
    model: &Model<'_>,
    meshes: &[&Mesh<'_>],
    scale: f32,
    file: &mut write::Model,
    losses: &mut Vec<String>,
) -> Result<()> {
    let conversion = model.space.to(&Space::U3D).scaled(scale);
    let coarser = model.meshes.len().saturating_sub(meshes.len());
    if coarser > 0 {
        losses.push(format!("{coarser} meshes of coarser levels of detail"));
    }
    if meshes.len() > 1 {
        losses.push(format!("the names of {} meshes, which are one: bones move no more", meshes.len()));
    }
    merge(model, meshes, &conversion, file, losses)?;
    let Some(skin) = meshes.first().and_then(|mesh| mesh.skin.as_ref()) else { return Ok(()) };
    let (poses, first) = poses(model);
    for (index, joint) in model.joints.iter().enumerate() {
        let parent = joint.parent.filter(|parent| *parent < model.joints.len()).map(number);
        let mut bone = Bone::new(&joint.name.replace('\0', ""), parent);
        let bind = skin.get(index).copied().unwrap_or(Mat4::IDENTITY);
        // Rows of a matrix for row vectors are the columns of the same for column vectors.
        bone.meshes.push((0, Matrix { rows: conversion.matrix(bind).to_cols_array_2d() }));
        let moves = || poses.iter().filter_map(|pose: &Vec<Transform>| pose.get(index));
        bone.translation_keys = keys(moves().map(|m| conversion.position(m.translation.to_array())));
        bone.rotation_keys = keys(moves().map(|m| conversion.rotation(m.rotation).to_array()));
        bone.scaling_keys = keys(moves().map(|m| conversion.factors(m.scale.to_array())));
        file.bones.push(bone);
    }
    file.frames = number(poses.len());
    let clips = model.clips.iter().filter_map(|clip| {
        let start = first.get(clip.animation?)?.saturating_add(clip.first);
        Some((clip.name.as_str(), clip.rate, start..start.saturating_add(clip.count.saturating_sub(1))))
    });
    actions(clips, file, losses);
    for clip in model.clips.iter().filter(|clip| clip.reversed) {
        losses.push(format!("clip {}: that it plays backwards", clip.name));
    }
    Ok(())
}

/// Every frame of every animation, one behind the other, and the first of each. Frame 0 is the pose at rest, which the
/// format has no other place for.
fn poses(model: &Model<'_>) -> (Vec<Vec<Transform>>, Vec<usize>) {
    let rest: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
    let (mut poses, mut first) = (Vec::new(), Vec::new());
    for animation in &model.animations {
        first.push(poses.len());
        let mut transforms = Vec::new();
        animation.frames_into(0..animation.frame_count(), &mut transforms);
        let width = animation.joints.len();
        for frame in transforms.chunks_exact(width.max(1)) {
            let mut pose = rest.clone();
            for (joint, transform) in animation.joints.iter().zip(frame) {
                if let Some(slot) = pose.get_mut(*joint) {
                    *slot = *transform;
                }
            }
            poses.push(pose);
        }
    }
    if poses.first() != Some(&rest) {
        poses.insert(0, rest);
        first.iter_mut().for_each(|first: &mut usize| *first = first.saturating_add(1));
    }
    (poses, first)
}

/// A key for every frame, or one for all where nothing changes.
fn keys<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> Vec<(u32, [f32; N])> {
    let mut keys: Vec<(u32, [f32; N])> = (0u32..).zip(values).collect();
    if let Some((_, first)) = keys.first().copied()
        && keys.iter().all(|(_, value)| *value == first)
    {
        keys.truncate(1);
    }
    keys
}

/// Every mesh as one, with the bones of each vertex.
fn merge(
    model: &Model<'_>,
    meshes: &[&Mesh<'_>],
    conversion: &Conversion,
    file: &mut write::Model,
    losses: &mut Vec<String>,
) -> Result<()> {
    let sets = meshes.iter().map(|mesh| mesh.texcoord_sets()).max().unwrap_or_default().min(MAX_SETS);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let mut texcoords = alloc::vec![Vec::new(); sets];
    let (mut triangles, mut wears) = (Vec::new(), Vec::new());
    let mut made = Writer::new(&model.name.replace('\0', ""));
    made.skin_weight_count = 3;
    let (mut topology, mut scratch, mut gathered) = (Topology::default(), Vec::new(), Vec::new());
    for mesh in meshes {
        mesh.topology_into(&mut topology)?;
        let (first, count) = (positions.len(), topology.vertex_count());
        decode_gathered(mesh.positions(0)?, topology.points(), &mut scratch, &mut gathered);
        let placed = |point: &[f32; 3]| model.placement.transform_point3(Vec3::from(*point)).to_array();
        positions.extend(gathered.iter().map(|point| conversion.position(placed(point))));
        let mut corners = alloc::vec![[0.0, 0.0, 1.0]; count];
        if mesh.normals_into(0, &mut scratch)? {
            gather(&scratch, topology.corners(), &mut corners);
        }
        normals.extend(corners.into_iter().map(|normal| conversion.direction(normal)));
        for (set, all) in texcoords.iter_mut().enumerate() {
            let (mut own, mut corners) = (Vec::new(), alloc::vec![[0.0f32; 2]; count]);
            if mesh.texcoords_into(set, &mut own) {
                gather(&own, topology.corners(), &mut corners);
            }
            all.extend(corners.into_flattened());
        }
        influences(mesh, &topology, &mut made);
        if mesh.colors_into(&mut Vec::new()) {
            losses.push(format!("mesh {}: colours", mesh.name));
        }
        let first = number(first);
        for part in topology.parts() {
            let moved = topology.part_triangles(part).iter();
            triangles
                .extend(moved.map(|corners| conversion.corners(*corners).map(|v| v.saturating_add(first))));
            wears.resize(triangles.len(), wear(model, part.material));
        }
    }
    if triangles.is_empty() {
        return Ok(());
    }
    made.set_vertices(&positions, &normals, VERSION)?;
    for (set, all) in texcoords.iter().enumerate() {
        made.set_texcoords(set, 2, all)?;
    }
    made.set_triangles(&triangles, &wears)?;
    file.texcoord_dimensions = made.texcoord_dimensions;
    file.skin_weights = made.skin_weight_count;
    file.meshes.push(made);
    Ok(())
}

/// The bones of each vertex: three weights, and what is missing to 1 for the fourth.
fn influences(mesh: &Mesh<'_>, topology: &Topology, made: &mut Writer) {
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    let moves = mesh.influences_into(&mut joints, &mut weights);
    for vertex in 0..topology.vertex_count() {
        let point =
            topology.points().map_or(Some(vertex), |map| map.get(vertex).map(|point| *point as usize));
        let found =
            point.filter(|_| moves).and_then(|point| Some((*joints.get(point)?, *weights.get(point)?)));
        let (joints, [a, b, c, _]) = found.unwrap_or(([0; 4], [1.0, 0.0, 0.0, 0.0]));
        made.skin_bones.push(joints.map(|joint| u8::try_from(joint).unwrap_or(u8::MAX)));
        made.skin_weights.extend([a, b, c]);
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
