//! A model as frames of plain vertices in the target's space: what vertex formats hold.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use glam::{Mat3, Mat4, Vec3};
use meshlens_wire::Result;

use super::super::{Clip, Mesh, Model, Space, TagPose, Topology, Transform, gather, world_into};

/// A model as frames of vertices.
#[derive(Clone, Debug, Default)]
pub struct Baked {
    /// The meshes, each with one material.
    pub meshes: Vec<BakedMesh>,
    /// The frames' names.
    pub frame_names: Vec<String>,
    /// Names for stretches of frames.
    pub sequences: Vec<BakedSequence>,
    /// The tags' names.
    pub tags: Vec<String>,
    /// Where the tags are, frame by frame.
    pub tag_frames: Vec<Vec<TagPose>>,
    /// What could not be kept so far, a line each.
    pub losses: Vec<String>,
}

/// A stretch of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedSequence {
    /// The name.
    pub name: String,
    /// The first frame.
    pub first: usize,
    /// How many.
    pub count: usize,
    /// Frames per second.
    pub rate: f32,
}

/// Vertices of one material.
#[derive(Clone, Debug, Default)]
pub struct BakedMesh {
    /// The name.
    pub name: String,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The number of the material in the model.
    pub material: Option<usize>,
    /// One for each vertex, origin at the top left.
    pub texcoords: Vec<[f32; 2]>,
    /// Three vertex numbers each, wound as the target's space says.
    pub triangles: Vec<[u32; 3]>,
    /// The frames.
    pub frames: Vec<BakedFrame>,
}

/// One frame.
#[derive(Clone, Debug, Default)]
pub struct BakedFrame {
    /// One for each vertex.
    pub positions: Vec<[f32; 3]>,
    /// One for each vertex, of length 1.
    pub normals: Vec<[f32; 3]>,
}

/// What a frame shows: a frame of vertices, and where the joints are.
struct Shown {
    name: String,
    vertices: usize,
    world: Option<Vec<Mat4>>,
}

/// Which levels of detail are baked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// The finest; that there are others is a loss.
    #[default]
    Finest,
    /// All of them.
    All,
}

/// Every frame of a model in `space`, lengths multiplied by `scale`. Joints are played at the rate of each clip. The finest
/// level of detail is taken. O(vertices x frames), and as much memory.
///
/// # Errors
///
/// A vertex number out of range.
pub fn bake(model: &Model<'_>, space: &Space, scale: f32) -> Result<Baked> {
    bake_levels(model, space, scale, Levels::Finest)
}

/// As [`bake`], of the levels of detail that are wanted.
///
/// # Errors
///
/// As [`bake`].
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
pub fn bake_levels(model: &Model<'_>, space: &Space, scale: f32, levels: Levels) -> Result<Baked> {
    let mut baked = Baked::default();
    let shown = shown(model, &mut baked);
    let conversion = model.space.to(space).scaled(scale);
    let finest = model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or_default();
    let wanted = |mesh: &&Mesh<'_>| levels == Levels::All || mesh.lod == finest;
    let coarser = model.meshes.iter().filter(|mesh| !wanted(mesh)).count();
    if coarser > 0 {
        baked.losses.push(format!("{coarser} meshes of coarser levels of detail"));
    }
    let mut topology = Topology::default();
    for mesh in model.meshes.iter().filter(wanted) {
        mesh.topology_into(&mut topology)?;
        if mesh.texcoord_sets() > 1 {
            baked.losses.push(format!("mesh {}: texture coordinates after the first set", mesh.name));
        }
        if mesh.colors_into(&mut Vec::new()) {
            baked.losses.push(format!("mesh {}: colours", mesh.name));
        }
        for part in topology.parts() {
            if part.triangles.is_empty() {
                continue;
            }
            let (name, lod) = (mesh.name.clone(), mesh.lod);
            let mut made = BakedMesh { name, lod, material: part.material, ..BakedMesh::default() };
            let used = used_vertices(&topology, part, &mut made.triangles);
            for triangle in &mut made.triangles {
                *triangle = conversion.corners(*triangle);
                if model.placement.determinant() < 0.0 {
                    triangle.swap(1, 2);
                }
            }
            let mut texcoords = Vec::new();
            made.texcoords.resize(used.len(), [0.0; 2]);
            if mesh.texcoords_into(0, &mut texcoords) {
                let corner = |vertex: &u32| match topology.corners() {
                    Some(map) => map.get(*vertex as usize).copied().unwrap_or_default(),
                    None => *vertex,
                };
                let corners: Vec<u32> = used.iter().map(corner).collect();
                gather(&texcoords, Some(&corners), &mut made.texcoords);
            }
            for shown in &shown {
                let mut frame = frame(mesh, model, shown, &topology, &used)?;
                for position in &mut frame.positions {
                    *position = conversion.position(*position);
                }
                for normal in &mut frame.normals {
                    *normal = conversion.direction(*normal);
                }
                made.frames.push(frame);
            }
            baked.meshes.push(made);
        }
    }
    baked.frame_names = shown.iter().map(|shown| shown.name.clone()).collect();
    baked.tags = model.tags.iter().map(|tag| tag.name.clone()).collect();
    for shown in &shown {
        let poses = model.tags.iter().map(|tag| {
            let last = model.tag_frame_count().saturating_sub(1);
            let identity = TagPose { origin: Vec3::ZERO, axes: Mat3::IDENTITY };
            let pose = model.tag_pose(tag.index, shown.vertices.min(last)).unwrap_or(identity);
            // The axes are those of the same things in the other space.
            let axis = |source: [f32; 3]| -> Vec3 {
                let back = space.to(&model.space).direction(source);
                let [x, y, z] = back;
                let turned = Vec3::from(
                    (pose.axes.x_axis * x + pose.axes.y_axis * y + pose.axes.z_axis * z).to_array(),
                );
                conversion.direction(turned.to_array()).into()
            };
            let axes = Mat3::from_cols(axis([1.0, 0.0, 0.0]), axis([0.0, 1.0, 0.0]), axis([0.0, 0.0, 1.0]));
            TagPose { origin: conversion.position(pose.origin.to_array()).into(), axes }
        });
        baked.tag_frames.push(poses.collect());
    }
    Ok(baked)
}

/// The frames to show: those of vertices, or else every frame of every joint animation.
fn shown(model: &Model<'_>, baked: &mut Baked) -> Vec<Shown> {
    let joint_clips: Vec<&Clip> = model.clips.iter().filter(|clip| clip.animation.is_some()).collect();
    let mut all = Vec::new();
    if joint_clips.is_empty() {
        if !model.joints.is_empty() {
            baked.losses.push("joints: the model is written as it is at rest".into());
        }
        for frame in 0..model.frame_count().max(1) {
            all.push(Shown { name: model.frame_name(frame), vertices: frame, world: None });
        }
        for clip in &model.clips {
            if clip.reversed {
                baked.losses.push(format!("clip {}: that it plays backwards", clip.name));
            }
            if clip.loop_frames > 0 {
                baked.losses.push(format!("clip {}: that it loops", clip.name));
            }
            let Clip { name, first, count, rate, .. } = clip.clone();
            baked.sequences.push(BakedSequence { name, first, count, rate });
        }
        return all;
    }
    baked.losses.push("joints: their animations are written as frames of vertices".into());
    for clip in joint_clips {
        baked.sequences.push(BakedSequence {
            name: clip.name.clone(),
            first: all.len(),
            count: clip.count,
            rate: clip.rate,
        });
        let animation = clip.animation.and_then(|index| model.animations.get(index));
        let Some(animation) = animation else { continue };
        let rest: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        let mut transforms = Vec::new();
        animation.frames_into(clip.first..clip.first.saturating_add(clip.count), &mut transforms);
        let width = animation.joints.len().max(1);
        for step in 0..clip.count {
            // The frame itself, not what is shown at a time that may round to the one before.
            let place = clip.frame(step).saturating_sub(clip.first);
            let mut pose = rest.clone();
            for (joint, moved) in
                animation.joints.iter().zip(transforms.chunks_exact(width).nth(place).unwrap_or_default())
            {
                if let Some(slot) = pose.get_mut(*joint) {
                    *slot = *moved;
                }
            }
            let mut world = Vec::new();
            world_into(&model.joints, &pose, &mut world);
            let name = format!("{}_{}", clip.name, step);
            all.push(Shown { name, vertices: 0, world: Some(world) });
        }
    }
    all
}

/// The vertices a part uses, in the order in which it first does; its triangles with vertices renumbered to match.
fn used_vertices(topology: &Topology, part: &super::super::Part, triangles: &mut Vec<[u32; 3]>) -> Vec<u32> {
    let mut used = Vec::new();
    let mut number: Vec<Option<u32>> = alloc::vec![None; topology.vertex_count()];
    for triangle in topology.part_triangles(part) {
        triangles.push(triangle.map(|vertex| {
            let Some(slot) = number.get_mut(vertex as usize) else { return 0 };
            *slot.get_or_insert_with(|| {
                used.push(vertex);
                u32::try_from(used.len().saturating_sub(1)).unwrap_or(u32::MAX)
            })
        }));
    }
    used
}

#[allow(clippy::arithmetic_side_effects, reason = "floats")]
fn frame(
    mesh: &Mesh<'_>,
    model: &Model<'_>,
    shown: &Shown,
    topology: &Topology,
    used: &[u32],
) -> Result<BakedFrame> {
    let number = shown.vertices.min(mesh.frame_count().saturating_sub(1));
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let still = shown.world.as_deref().unwrap_or_default();
    mesh.skin_vertices_into(topology, number, still, &mut positions, &mut normals)?;
    let mut made = BakedFrame::default();
    made.positions.resize(used.len(), [0.0; 3]);
    gather(&positions, Some(used), &mut made.positions);
    made.normals.resize(used.len(), [0.0, 0.0, 1.0]);
    gather(&normals, Some(used), &mut made.normals);
    if model.placement != Mat4::IDENTITY {
        let axes = Mat3::from_mat4(model.placement);
        let sign = if axes.determinant() < 0.0 { -1.0 } else { 1.0 };
        let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::normalize_or_zero);
        let turn = Mat3::from_cols(x, y, z);
        for position in &mut made.positions {
            *position = model.placement.transform_point3(Vec3::from(*position)).to_array();
        }
        for normal in &mut made.normals {
            *normal = (turn * Vec3::from(*normal) * sign).to_array();
        }
    }
    Ok(made)
}
