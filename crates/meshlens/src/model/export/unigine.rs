//! To UNIGINE (ms11): surfaces with frames of vertices as morph targets, or bones, weights and animations.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use glam::{Mat3, Quat, Vec3};
use meshlens_unigine::layout::{ROTATION, SCALE, TRANSLATION};
use meshlens_unigine::write::{Animation, Bone, Mesh as Writer, Surface, Target, name};
use meshlens_unigine::{Influence, Transform as Stored, Version};
use meshlens_wire::Result;

use super::super::{Conversion, Model, Space, Topology, Transform, decode_gathered, gather};
use super::bind::{Bind, moved};

/// A model as a UNIGINE mesh, lengths multiplied by `scale`, and what of it the format cannot hold.
///
/// # Errors
///
/// A vertex number out of range, or more bones than the format counts.
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
pub fn to_unigine(model: &Model<'_>, scale: f32) -> Result<(Vec<u8>, Vec<String>)> {
    let conversion = model.space.to(&Space::UNIGINE).scaled(scale);
    let mut losses = Vec::new();
    let mut file = Writer::new(Version::Ms11);
    let bind = Bind::new(model);
    if bind.is_apart {
        losses.push("the pose at rest: bones rest where meshes were bound to them".into());
    }
    for (joint, rest) in model.joints.iter().zip(&bind.local) {
        let parent = joint.parent.and_then(|parent| i16::try_from(parent).ok());
        let mut bone = Bone::new(&joint.name.replace('\0', ""), parent)?;
        bone.transform = stored(rest, &conversion);
        file.bones.push(bone);
    }
    let (mut topology, mut scratch) = (Topology::default(), Vec::new());
    for mesh in &model.meshes {
        mesh.topology_into(&mut topology)?;
        let count = topology.vertex_count();
        let mut surface = Surface::new(&mesh.name.replace('\0', ""))?;
        surface.targets.clear();
        let moves = bind.move_points(mesh);
        for frame in 0..mesh.frame_count() {
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            decode_gathered(mesh.positions(frame)?, topology.points(), &mut scratch, &mut positions);
            let mut gathered = alloc::vec![[0.0, 0.0, 1.0]; count];
            if mesh.normals_into(frame, &mut normals)? {
                gather(&normals, topology.corners(), &mut gathered);
            }
            for (vertex, (position, normal)) in positions.iter_mut().zip(&mut gathered).enumerate() {
                let point =
                    topology.points().map_or(Some(vertex), |map| map.get(vertex).map(|p| *p as usize));
                if let Some(matrix) = point.and_then(|point| moves.as_ref()?.get(point)) {
                    moved(matrix, position, normal);
                }
                let placed = model.placement.transform_point3(Vec3::from(*position));
                *position = conversion.position(placed.to_array());
            }
            let turn = Mat3::from_mat4(model.placement);
            let mut known = Vec::new();
            let mut tangents = alloc::vec![[0.0; 4]; count];
            if moves.is_none() && mesh.tangents_into(frame, &mut known)? {
                gather(&known, topology.corners(), &mut tangents);
            } else {
                losses.push(format!("mesh {}: tangents, which are made up from normals", mesh.name));
            }
            let spaces = gathered.iter().zip(&tangents).map(|(normal, tangent)| {
                let [x, y, z, sign] = *tangent;
                let [x, y, z] = (turn * Vec3::new(x, y, z)).to_array();
                let [x, y, z, sign] = conversion.tangent([x, y, z, sign]);
                let along = Vec3::new(x, y, z);
                let normal = Vec3::from(conversion.direction((turn * Vec3::from(*normal)).to_array()));
                tangent_space(normal.try_normalize().unwrap_or(Vec3::Z), along, sign)
            });
            let spaces: Vec<[f32; 4]> = spaces.collect();
            let own = mesh.frame_name(frame);
            let title = if own.is_empty() { model.frame_name(frame) } else { own.into_owned() };
            let title = if frame == 0 { String::new() } else { title };
            let mut target = Target { name: name(&title.replace('\0', ""))?, positions, ..Target::default() };
            target.add_tangents(Version::Ms11, &spaces);
            surface.targets.push(target);
        }
        let mut texcoords = Vec::new();
        for set in 0..2 {
            if !mesh.texcoords_into(set, &mut texcoords) {
                continue;
            }
            let mut gathered = alloc::vec![[0.0; 2]; count];
            gather(&texcoords, topology.corners(), &mut gathered);
            match set {
                0 => surface.texcoords0 = gathered,
                _ => surface.texcoords1 = gathered,
            }
        }
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if mesh.influences_into(&mut joints, &mut weights) && !model.joints.is_empty() {
            let mut all = alloc::vec![([0; 4], [0.0; 4]); 0];
            all.extend(joints.iter().copied().zip(weights.iter().copied()));
            let pick =
                |vertex: usize| topology.points().map_or(Some(vertex as u32), |map| map.get(vertex).copied());
            surface.weights = (0..count)
                .map(|vertex| {
                    let found = pick(vertex).and_then(|point| all.get(point as usize).copied());
                    influence(found.unwrap_or_default())
                })
                .collect();
        }
        if mesh.colors_into(&mut Vec::new()) {
            let mut colors = Vec::new();
            mesh.colors_into(&mut colors);
            let mut gathered = alloc::vec![[0.0; 4]; count];
            gather(&colors, topology.corners(), &mut gathered);
            let byte = |value: f32| libm::roundf(value * 255.0) as u8;
            surface.colors = gathered.into_iter().map(|color| color.map(byte)).collect();
        }
        for triangle in topology.triangles() {
            surface.add_triangle(conversion.corners(*triangle).map(|vertex| [vertex, vertex]));
        }
        if topology.parts().len() > 1 {
            losses.push(format!(
                "mesh {}: its {} materials, one surface has one",
                mesh.name,
                topology.parts().len()
            ));
        }
        file.surfaces.push(surface);
    }
    for animation in &model.animations {
        let bones: Vec<i16> =
            animation.joints.iter().map(|joint| i16::try_from(*joint).unwrap_or(i16::MAX)).collect();
        let mut transforms = Vec::new();
        animation.frames_into(0..animation.frame_count(), &mut transforms);
        let frames: Vec<Stored> = transforms.iter().map(|transform| stored(transform, &conversion)).collect();
        let mask = TRANSLATION | ROTATION | SCALE;
        file.animations.push(Animation::new(Version::Ms11, &animation.name, &bones, mask, &frames)?);
    }
    for clip in &model.clips {
        losses.push(match clip.animation {
            Some(_) => format!("clip {}: its {} frames per second", clip.name, clip.rate),
            None => format!(
                "clip {}: its name and {} frames per second; frames are morph targets",
                clip.name, clip.rate
            ),
        });
    }
    losses.extend(model.tags.iter().map(|tag| format!("tag {}", tag.name)));
    losses.extend(model.materials.iter().filter_map(|material| {
        material
            .texture
            .as_ref()
            .map(|path| format!("texture {path}: surfaces have no textures of their own"))
    }));
    file.recompute_bounds();
    losses.sort();
    losses.dedup();
    Ok((file.write()?, losses))
}

fn stored(transform: &Transform, conversion: &Conversion) -> Stored {
    Stored {
        position: conversion.position(transform.translation.to_array()),
        rotation: conversion.rotation(transform.rotation).to_array(),
        scale: conversion.factors(transform.scale.to_array()),
    }
}

/// A tangent space as a rotation, whose w has the sign of the bitangent. Without a tangent any direction along the surface
/// is one.
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
fn tangent_space(normal: Vec3, along: Vec3, sign: f32) -> [f32; 4] {
    let along = (along - normal * normal.dot(along)).try_normalize();
    let tangent = along.unwrap_or_else(|| normal.any_orthonormal_vector());
    let axes = Mat3::from_cols(tangent, normal.cross(tangent), normal);
    let rotation = Quat::from_mat3(&axes).normalize();
    // Turned around, it is the same rotation.
    let turns = rotation.w.is_sign_negative() != (along.is_some() && sign < 0.0);
    if turns { (-rotation).to_array() } else { rotation.to_array() }
}

/// Weights as shares of 65535, which lose a fraction as the engine's own tools do.
fn influence((joints, weights): ([u16; 4], [f32; 4])) -> Influence {
    let mut made = Influence::default();
    let slots = made.bones.iter_mut().zip(&mut made.weights);
    let moving = joints.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
    let mut count = 0u8;
    for ((bone, stored), (joint, weight)) in slots.zip(moving) {
        *bone = i16::try_from(joint).unwrap_or(i16::MAX);
        *stored = (weight * 65535.0) as u16;
        count = count.saturating_add(1);
    }
    made.count = count;
    made
}
