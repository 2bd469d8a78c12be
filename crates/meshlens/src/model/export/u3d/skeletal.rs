//! Models that bones move, as one mesh with bones, keys and actions.

use alloc::vec::Vec;

use glam::Mat4;
use meshlens_u3d::write::{self, Bone, Mesh as Writer};
use meshlens_wire::{Report, Result};

use super::{CHECKS, VERSION, actions, material_index, number};
use crate::codes;
use crate::model::export::finite::{Replaced, Values};
use crate::model::export::lost::{
    clips_with_frames, lose_levels, lose_playing, lose_targets, lose_vertex_clip,
};
use crate::model::skeleton::{joint_parents, put};
use crate::model::{
    Conversion, Mesh, Model, Placement, Space, Topology, Transform, distinct_names, gather, lose_clip_name,
};

/// The number of bones that a vertex can refer to: their indices are bytes.
const MAX_BONES: usize = 256;
/// The largest number of sets of texture coordinates.
const MAX_SETS: usize = 8;

/// The meshes of the finest level of detail, if one skeleton with few enough joints moves them. Some of them may have
/// no skin.
pub(super) fn skinned<'s, 'a>(model: &'s Model<'a>) -> Option<Vec<&'s Mesh<'a>>> {
    let finest = model.meshes.iter().map(|mesh| mesh.lod).min()?;
    let meshes: Vec<_> = model.meshes.iter().filter(|mesh| mesh.lod == finest).collect();
    let skin = meshes.iter().find_map(|mesh| mesh.skin.as_ref())?;
    let fits = |mesh: &&Mesh<'_>| mesh.skin.as_ref().is_none_or(|own| own == skin);
    let still = usize::from(meshes.iter().any(|mesh| mesh.skin.is_none()));
    let bones = model.joints.len() + still;
    (!model.joints.is_empty() && bones <= MAX_BONES && meshes.iter().all(fits)).then_some(meshes)
}

/// Writes one mesh that bones move, with their keys.
pub(super) fn skeletal(
    model: &Model<'_>,
    meshes: &[&Mesh<'_>],
    scale: f32,
    file: &mut write::Model,
    losses: &mut Report,
    replaced: &mut Replaced,
) -> Result<()> {
    let conversion = model.space.to(&Space::U3D).scaled(scale);
    lose_levels(losses, model.meshes.len() - meshes.len());
    if meshes.len() > 1 {
        let count = meshes.len();
        let message = format_args!("the names of {count} meshes, which became one: bones move one mesh");
        losses.lose(&codes::MESH_NAMES_LOST, count as u64, format_args!(""), message);
    }
    lose_targets(losses, meshes.iter().copied());
    merge(model, meshes, &model.placement_in(&Space::U3D).scaled(scale), file, losses, replaced)?;
    let Some(skin) = meshes.iter().find_map(|mesh| mesh.skin.as_ref()) else { return Ok(()) };
    let (poses, first) = poses(model);
    file.bones = bones(model, skin, &poses, &conversion, replaced);
    if meshes.iter().any(|mesh| mesh.skin.is_none()) {
        // Meshes without a skin are appended to a separate bone, which never moves.
        let mut bone = Bone::new("static", None);
        bone.meshes.push((0, Mat4::IDENTITY.to_cols_array_2d()));
        file.bones.push(bone);
    }
    file.frames = number(poses.len());
    let clips = clips_with_frames(model, losses);
    let names = distinct_names(clips.iter().map(|clip| &*clip.name), []);
    let clips = clips.iter().zip(&names).filter_map(|(clip, name)| {
        // A clip whose frames do not exist is left out.
        let Some(animation) = clip.animation else {
            lose_vertex_clip(losses, clip);
            return None;
        };
        let start = first.get(animation)?.checked_add(clip.first)?;
        lose_playing(losses, clip);
        lose_clip_name(losses, &clip.name, name);
        Some((&**name, clip.rate.get(), start..start.checked_add(clip.count)?))
    });
    let clips: Vec<_> = clips.collect();
    actions(clips.into_iter(), file, losses);
    Ok(())
}

/// The bones, each with a key for every pose. Readers refuse bones whose parents form a cycle.
fn bones(
    model: &Model<'_>,
    skin: &[[[f32; 4]; 4]],
    poses: &[Vec<Transform>],
    conversion: &Conversion,
    replaced: &mut Replaced,
) -> Vec<Bone> {
    let mut bones = Vec::new();
    for ((index, joint), parent) in model.joints.iter().enumerate().zip(joint_parents(&model.joints)) {
        let mut bone = Bone::new(joint.name.replace('\0', ""), parent.map(number));
        let bind = skin.get(index).copied().unwrap_or(Mat4::IDENTITY.to_cols_array_2d());
        bone.meshes.push((0, affine(replaced.matrix(conversion.matrix(bind)))));
        let moves = poses.iter().filter_map(|pose| pose.get(index));
        let moves: Vec<Transform> =
            moves.map(|transform| replaced.transform(conversion.transform(transform))).collect();
        bone.translation_keys = keys(moves.iter().map(|m| m.translation));
        bone.rotation_keys = keys(moves.iter().map(|m| m.rotation));
        bone.scaling_keys = keys(moves.iter().map(|m| m.scale));
        bones.push(bone);
    }
    bones
}

/// The matrix with the exact last row of an affine matrix. Inverted matrices have rounded numbers there.
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
    replaced: &mut Replaced,
) -> Result<()> {
    let sets = meshes.iter().map(|mesh| mesh.texcoord_sets()).max().unwrap_or(0).min(MAX_SETS);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let mut texcoords = alloc::vec![Vec::new(); sets];
    let (mut triangles, mut materials) = (Vec::new(), Vec::new());
    let mut made = Writer::new(model.name.replace('\0', ""));
    let mut named: Vec<([u16; 4], [f32; 4])> = Vec::new();
    let (mut topology, mut points, mut directions) = (Topology::default(), Vec::new(), Vec::new());
    for mesh in meshes {
        mesh.topology_into(&mut topology)?;
        let (first, count) = (positions.len(), topology.vertex_count());
        mesh.vertices_into(&topology, 0, &mut points, &mut directions)?;
        positions.extend(points.iter().map(|point| placement.position(*point)));
        directions.resize(count, [0.0, 0.0, 1.0]);
        normals.extend(directions.iter().map(|normal| placement.normal(*normal)));
        for (set, all) in texcoords.iter_mut().enumerate() {
            let (mut own, mut corners) = (Vec::new(), alloc::vec![[0.0f32; 2]; count]);
            if mesh.texcoords_into(set, &mut own)? {
                gather(&own, topology.corners(), &mut corners);
                replaced.vectors(Values::Texcoords, &mut corners);
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
        CHECKS.at_most("vertices", u32::MAX as usize, end)?;
        let first = first as u32;
        for submesh in topology.submeshes() {
            let moved = topology.submesh_triangles(submesh).iter();
            triangles.extend(moved.map(|corners| placement.corners(*corners).map(|vertex| vertex + first)));
            materials.resize(triangles.len(), material_index(model, submesh.material)?);
        }
    }
    if triangles.is_empty() {
        return Ok(());
    }
    replaced.vectors(Values::Positions, &mut positions);
    replaced.normals(&mut normals);
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
        let point = topology.point(vertex);
        let found = joints.get(point).zip(weights.get(point)).filter(|_| moves);
        found.map_or(([still, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]), |(joints, weights)| (*joints, *weights))
    }));
    Ok(())
}

/// Writes the bones and weights of each vertex. The last weight of a vertex is not stored: it is 1 minus the sum of the others.
fn bind_vertices(named: &[([u16; 4], [f32; 4])], made: &mut Writer) {
    let moving = |weights: &[f32; 4]| weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
    let count = named.iter().map(|(_, weights)| moving(weights)).max().unwrap_or(0).clamp(1, 3);
    made.skin_weight_count = count as u8;
    for (joints, weights) in named {
        // There are at most 256 joints, so other indices do not exist.
        made.skin_bones.push(joints.map(|joint| u8::try_from(joint).unwrap_or(u8::MAX)));
        made.skin_weights.extend(weights.iter().take(count));
    }
}
