//! Models as Ultimate 3D 2.0: a mesh for each frame, or one mesh with bones, keys and actions.

use alloc::vec::Vec;
use core::ops::Range;

use glam::Mat4;
use meshlens_u3d::Version;
use meshlens_u3d::write::{self, Action, Bone, Lod, Mesh as Writer};
use meshlens_wire::{Error, ErrorKind, Report, Result};

use super::super::skeleton::{joint_parents, put};
use super::super::{
    Alpha, Mesh, Model, Placement, Space, Topology, Transform, decode_gathered, distinct_names, gather,
    lose_clip_name,
};
use super::bake::{Baked, BakedMesh, Levels, bake_levels};
use super::lost::{lose_rate, lose_tags};
use crate::codes;

const VERSION: Version = Version::V2_0_0;
/// The number of bones that a vertex can refer to: their indices are bytes.
const MAX_BONES: usize = 256;
/// The largest number of sets of texture coordinates.
const MAX_SETS: usize = 8;

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
    match skinned(model) {
        Some(meshes) => skeletal(model, &meshes, scale, &mut file, &mut losses)?,
        None => frames(model, scale, &mut file, &mut losses)?,
    }
    if file.meshes.is_empty() {
        let kind = ErrorKind::Unsupported { what: "a model without triangles" };
        return Err(Error::new(meshlens_u3d::FORMAT, 0, kind));
    }
    file.materials = materials(model, &mut losses);
    lose_tags(&mut losses, model);
    Ok((file.write()?, losses))
}

/// The materials, followed by one for triangles without a material.
fn materials(model: &Model<'_>, losses: &mut Report) -> Vec<write::Material> {
    let plain = |text: &str| text.replace('\0', "");
    let mut all: Vec<write::Material> = Vec::new();
    for material in &model.materials {
        let mut made = write::Material::new(plain(&material.name));
        made.diffuse = material.color;
        let [r, g, b] = material.emissive;
        made.emissive = [r, g, b, 1.0];
        if let (Some(path), Some(slot)) = (&material.texture, made.textures.first_mut()) {
            *slot = Some(write::Texture::new(plain(path)));
        }
        // The alpha of the diffuse color decides whether a material is transparent.
        let [.., a] = material.color;
        let shown = if a < 1.0 { Alpha::Blend } else { Alpha::Opaque };
        if material.two_sided || material.unlit || material.alpha != shown {
            let message = format_args!("material {}: how it is drawn, except for its colors", material.name);
            losses.lose(&codes::MATERIAL_LOST, 1, format_args!("material {}", material.name), message);
        }
        all.push(made);
    }
    all.push(write::Material::new("none"));
    all
}

/// The index of a material, or of the one for triangles without a material.
fn material_index(model: &Model<'_>, material: Option<usize>) -> Result<u16> {
    let none = model.materials.len();
    let index = material.filter(|material| *material < none).unwrap_or(none);
    u16::try_from(index).map_err(|_| {
        let kind = ErrorKind::Limit { what: "materials", limit: 1 << 16, found: none as u64 + 1 };
        Error::of_call(meshlens_u3d::FORMAT, kind)
    })
}

/// The meshes of the finest level of detail, if one skeleton with few enough joints moves them. Some of them may have
/// no skin.
fn skinned<'s, 'a>(model: &'s Model<'a>) -> Option<Vec<&'s Mesh<'a>>> {
    let finest = model.meshes.iter().map(|mesh| mesh.lod).min()?;
    let meshes: Vec<_> = model.meshes.iter().filter(|mesh| mesh.lod == finest).collect();
    let skin = meshes.iter().find_map(|mesh| mesh.skin.as_ref())?;
    let fits = |mesh: &&Mesh<'_>| mesh.skin.as_ref().is_none_or(|own| own == skin);
    let still = usize::from(meshes.iter().any(|mesh| mesh.skin.is_none()));
    let bones = model.joints.len() + still;
    (!model.joints.is_empty() && bones <= MAX_BONES && meshes.iter().all(fits)).then_some(meshes)
}

fn frames(model: &Model<'_>, scale: f32, file: &mut write::Model, losses: &mut Report) -> Result<()> {
    let Baked { mut meshes, frame_names, sequences, losses: lost, clip_losses, .. } =
        bake_levels(model, &Space::U3D, scale, Levels::All)?;
    losses.append(lost);
    losses.append(clip_losses);
    let levels = complete_levels(&mut meshes, losses);
    file.lods = distances(levels);
    // There is at least one level.
    let in_level = meshes.len() / levels;
    file.meshes_per_frame = number(in_level);
    file.frames = number(frame_names.len().max(1));
    file.vertex_tweening = file.frames > 1;
    for (index, mesh) in meshes.iter().enumerate() {
        // If there is a mesh, there is one in each level.
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
    let named = sequences.iter().map(|sequence| (sequence.name.as_str(), sequence.rate, sequence.range()));
    actions(named, file, losses);
    Ok(())
}

/// The number of levels of detail, at least 1, with as many meshes as the finest: the format needs every mesh in every
/// level. Removes the meshes of other levels.
fn complete_levels(meshes: &mut Vec<BakedMesh>, losses: &mut Report) -> usize {
    meshes.sort_by_key(|mesh| mesh.lod);
    let runs: Vec<usize> = meshes.chunk_by(|a, b| a.lod == b.lod).map(<[_]>::len).collect();
    let first = runs.first().copied().unwrap_or(0);
    let levels = runs.iter().take_while(|len| **len == first).count().max(1);
    let kept = runs.iter().take(levels).sum();
    if kept < meshes.len() {
        let coarser = meshes.len() - kept;
        let message = format_args!("{coarser} meshes of coarser levels of detail");
        losses.lose(&codes::LOD_LOST, coarser as u64, format_args!(""), message);
        meshes.truncate(kept);
    }
    if levels > 1 {
        let message = format_args!("the distances of levels of detail: each is twice the one before");
        losses.lose(&codes::LOD_DISTANCES_LOST, 1, format_args!(""), message);
    }
    levels
}

/// The distance at which each level ends: 64 units, then twice the distance of the level before. The last one never ends.
fn distances(levels: usize) -> Vec<Lod> {
    let mut distance = 64.0;
    let mut lods: Vec<Lod> = Vec::new();
    for level in 1..=levels {
        lods.push(Lod { fraction: 1.0, distance: if level == levels { f32::MAX } else { distance } });
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

fn skeletal(
    model: &Model<'_>,
    meshes: &[&Mesh<'_>],
    scale: f32,
    file: &mut write::Model,
    losses: &mut Report,
) -> Result<()> {
    let conversion = model.space.to(&Space::U3D).scaled(scale);
    let coarser = model.meshes.len() - meshes.len();
    if coarser > 0 {
        let message = format_args!("{coarser} meshes of coarser levels of detail");
        losses.lose(&codes::LOD_LOST, coarser as u64, format_args!(""), message);
    }
    if meshes.len() > 1 {
        let count = meshes.len();
        let message = format_args!("the names of {count} meshes, which became one: bones move one mesh");
        losses.lose(&codes::MESH_NAMES_LOST, count as u64, format_args!(""), message);
    }
    // A mesh without frames has no targets either.
    let targets: usize = meshes.iter().map(|mesh| mesh.frame_count().saturating_sub(1)).sum();
    let message = format_args!("{targets} morph targets of meshes that bones move");
    losses.lose(&codes::MORPH_TARGET_LOST, targets as u64, format_args!(""), message);
    merge(model, meshes, &model.placement_in(&Space::U3D).scaled(scale), file, losses)?;
    let Some(skin) = meshes.iter().find_map(|mesh| mesh.skin.as_ref()) else { return Ok(()) };
    let (poses, first) = poses(model);
    // Readers refuse bones whose parents form a cycle.
    for ((index, joint), parent) in model.joints.iter().enumerate().zip(joint_parents(&model.joints)) {
        let mut bone = Bone::new(joint.name.replace('\0', ""), parent.map(number));
        let bind = skin.get(index).copied().unwrap_or(Mat4::IDENTITY.to_cols_array_2d());
        bone.meshes.push((0, affine(conversion.matrix(bind))));
        let moves = || poses.iter().filter_map(|pose: &Vec<Transform>| pose.get(index));
        bone.translation_keys = keys(moves().map(|m| conversion.position(m.translation)));
        bone.rotation_keys = keys(moves().map(|m| conversion.rotation(m.rotation)));
        bone.scaling_keys = keys(moves().map(|m| conversion.factors(m.scale)));
        file.bones.push(bone);
    }
    if meshes.iter().any(|mesh| mesh.skin.is_none()) {
        // Meshes without a skin are appended to a separate bone, which never moves.
        let mut bone = Bone::new("static", None);
        bone.meshes.push((0, Mat4::IDENTITY.to_cols_array_2d()));
        file.bones.push(bone);
    }
    file.frames = number(poses.len());
    let names = distinct_names(model.clips.iter().map(|clip| &*clip.name), []);
    let clips = model.clips.iter().zip(&names).filter_map(|(clip, name)| {
        // A clip whose frames do not exist is left out.
        let start = first.get(clip.animation?)?.checked_add(clip.first)?;
        lose_clip_name(losses, &clip.name, name);
        Some((&**name, clip.rate.get(), start..start.checked_add(clip.count)?))
    });
    let clips: Vec<_> = clips.collect();
    actions(clips.into_iter(), file, losses);
    for clip in model.clips.iter().filter(|clip| clip.reversed) {
        let message = format_args!("clip {}: that it plays backwards", clip.name);
        losses.lose(&codes::CLIP_REVERSED_LOST, 1, format_args!("clip {}", clip.name), message);
    }
    Ok(())
}

/// A matrix whose last row is exactly that of an affine one. Matrices that were inverted have rounded ones there.
fn affine([[a, b, c, _], [d, e, f, _], [g, h, i, _], [j, k, l, _]]: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    [[a, b, c, 0.0], [d, e, f, 0.0], [g, h, i, 0.0], [j, k, l, 1.0]]
}

/// Every frame of every animation, one after the other, and the index of the first frame of each. Frame 0 is the pose
/// at rest, which the format does not store elsewhere.
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
            put(&animation.joints, frame, &mut pose);
            poses.push(pose);
        }
    }
    if poses.first() != Some(&rest) {
        poses.insert(0, rest);
        first.iter_mut().for_each(|first: &mut usize| *first += 1);
    }
    (poses, first)
}

/// A key for every frame, or one key if all values are equal.
fn keys<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> Vec<(u32, [f32; N])> {
    let mut keys: Vec<(u32, [f32; N])> = (0u32..).zip(values).collect();
    if let Some((_, first)) = keys.first().copied()
        && keys.iter().all(|(_, value)| *value == first)
    {
        keys.truncate(1);
    }
    keys
}

/// Joins all meshes, and writes the bones and weights of each vertex.
fn merge(
    model: &Model<'_>,
    meshes: &[&Mesh<'_>],
    placement: &Placement,
    file: &mut write::Model,
    losses: &mut Report,
) -> Result<()> {
    let sets = meshes.iter().map(|mesh| mesh.texcoord_sets()).max().unwrap_or(0).min(MAX_SETS);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let mut texcoords = alloc::vec![Vec::new(); sets];
    let (mut triangles, mut materials) = (Vec::new(), Vec::new());
    let mut made = Writer::new(model.name.replace('\0', ""));
    let mut named: Vec<([u16; 4], [f32; 4])> = Vec::new();
    let (mut topology, mut scratch, mut gathered) = (Topology::default(), Vec::new(), Vec::new());
    for mesh in meshes {
        mesh.topology_into(&mut topology)?;
        let (first, count) = (positions.len(), topology.vertex_count());
        decode_gathered(mesh.positions(0)?, topology.points(), &mut scratch, &mut gathered)?;
        positions.extend(gathered.iter().map(|point| placement.position(*point)));
        let mut corners = alloc::vec![[0.0, 0.0, 1.0]; count];
        if mesh.normals_into(0, &mut scratch)? {
            gather(&scratch, topology.corners(), &mut corners);
        }
        normals.extend(corners.into_iter().map(|normal| placement.normal(normal)));
        for (set, all) in texcoords.iter_mut().enumerate() {
            let (mut own, mut corners) = (Vec::new(), alloc::vec![[0.0f32; 2]; count]);
            if mesh.texcoords_into(set, &mut own)? {
                gather(&own, topology.corners(), &mut corners);
            }
            all.extend(corners.into_flattened());
        }
        influences(mesh, &topology, model.joints.len(), &mut named)?;
        if mesh.color_sets() > 0 {
            let place = format_args!("mesh {}", mesh.name);
            losses.lose(&codes::COLORS_LOST, 1, place, format_args!("the vertex colors"));
        }
        // The indices limit the total number of vertices.
        let end = positions.len();
        let first = u32::try_from(end).map(|_| first as u32).map_err(|_| {
            let kind = ErrorKind::Limit { what: "vertices", limit: u32::MAX.into(), found: end as u64 };
            Error::of_call(meshlens_u3d::FORMAT, kind)
        })?;
        for submesh in topology.submeshes() {
            let moved = topology.submesh_triangles(submesh).iter();
            triangles.extend(moved.map(|corners| placement.corners(*corners).map(|vertex| vertex + first)));
            materials.resize(triangles.len(), material_index(model, submesh.material)?);
        }
    }
    if triangles.is_empty() {
        return Ok(());
    }
    made.set_vertices(&positions, &normals, VERSION)?;
    bind_vertices(&named, &mut made);
    for (set, all) in texcoords.iter().enumerate() {
        made.set_texcoords(set, 2, all)?;
    }
    made.set_triangles(&triangles, &materials)?;
    file.texcoord_dimensions = made.texcoord_dimensions;
    file.skin_weights = made.skin_weight_count;
    file.meshes.push(made);
    Ok(())
}

/// Adds the joints and weights of each vertex. `still` is the bone of meshes without a skin.
fn influences(
    mesh: &Mesh<'_>,
    topology: &Topology,
    still: usize,
    named: &mut Vec<([u16; 4], [f32; 4])>,
) -> Result<()> {
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    let moves = mesh.skin.is_some() && mesh.influences_into(&mut joints, &mut weights)?;
    let still = if mesh.skin.is_some() { 0 } else { u16::try_from(still).unwrap_or(u16::MAX) };
    named.extend((0..topology.vertex_count()).map(|vertex| {
        let point =
            topology.points().map_or(Some(vertex), |map| map.get(vertex).map(|point| *point as usize));
        let found =
            point.filter(|_| moves).and_then(|point| Some((*joints.get(point)?, *weights.get(point)?)));
        found.unwrap_or(([still, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]))
    }));
    Ok(())
}

/// Writes the bones and weights of each vertex. The last weight of a vertex is not stored: it is 1 minus the sum of the others.
fn bind_vertices(named: &[([u16; 4], [f32; 4])], made: &mut Writer) {
    let moving = |weights: &[f32; 4]| weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
    let count = named.iter().map(|(_, weights)| moving(weights)).max().unwrap_or(0).clamp(1, 3);
    made.skin_weight_count = count as u8;
    for (joints, weights) in named {
        // There are at most 256 joints; others do not exist.
        made.skin_bones.push(joints.map(|joint| u8::try_from(joint).unwrap_or(u8::MAX)));
        made.skin_weights.extend(weights.iter().take(count));
    }
}

/// Converts a count or an index to the type of the format. The writer refuses files that are too large for it.
fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
