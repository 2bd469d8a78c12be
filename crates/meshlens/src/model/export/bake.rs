//! Models as frames of vertices in the space of the target, for formats without skeletons.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use glam::{Mat3, Vec3};
use meshlens_wire::{Report, Result};

use crate::codes;

use super::super::skeleton::put;
use super::super::{
    Clip, Mesh, Model, Placement, Space, Submesh, TagPose, Topology, Transform, distinct_names, gather,
    lose_clip_name, world_into,
};
use super::finite::{Replaced, Values};
use super::lost::{clips_with_frames, lose_levels, lose_playing, lose_targets, lose_vertex_clip};

/// A model as frames of vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Baked {
    /// The meshes, each with one material.
    pub(super) meshes: Vec<BakedMesh>,
    /// The name of each frame.
    pub(super) frame_names: Vec<String>,
    /// Whether the frames are those of clips of joints, and not the vertex frames.
    pub(super) plays_joints: bool,
    /// The clips, with distinct names, whose frames are these. Each has at least one frame.
    pub(super) sequences: Vec<Clip>,
    /// The name of each tag.
    pub(super) tags: Vec<String>,
    /// For each frame, the pose of each tag.
    pub(super) tag_frames: Vec<Vec<TagPose>>,
    /// The content of the model that the frames do not keep.
    pub(super) losses: Report,
    /// The properties of the clips that the sequences do not keep.
    pub(super) clip_losses: Report,
}

/// Vertices and triangles of one material.
#[derive(Clone, Debug, Default)]
pub(super) struct BakedMesh {
    /// The name.
    pub(super) name: String,
    /// The level of detail, 0 for the finest.
    pub(super) lod: usize,
    /// The index of the material in the model; `None` if the triangles have none.
    pub(super) material: Option<usize>,
    /// The texture coordinates, one for each vertex, with the origin at the top left.
    pub(super) texcoords: Vec<[f32; 2]>,
    /// The triangles: three vertex indices each, with the winding of the target's space.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The frames.
    pub(super) frames: Vec<BakedFrame>,
}

/// One frame of a [`BakedMesh`].
#[derive(Clone, Debug, Default)]
pub(super) struct BakedFrame {
    /// The positions, one for each vertex.
    pub(super) positions: Vec<[f32; 3]>,
    /// The normals, one for each vertex, of length 1.
    pub(super) normals: Vec<[f32; 3]>,
}

/// One frame to bake: a vertex frame, and the matrices of the joints.
struct FrameSource {
    name: String,
    vertices: usize,
    world: Option<Vec<[[f32; 4]; 4]>>,
}

/// The levels of detail to bake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Levels {
    /// The finest level. Other levels are reported as a loss.
    #[default]
    Finest,
    /// All levels.
    All,
}

/// Decodes every frame of a model in `space`, with lengths multiplied by `scale`. Clips of joints become one frame of vertices
/// for each frame of the clip. Only the finest level of detail is used. O(vertices x frames), in time and memory.
///
/// # Errors
///
/// A vertex index is out of range.
pub(super) fn bake(model: &Model<'_>, space: &Space, scale: f32) -> Result<Baked> {
    bake_levels(model, space, scale, Levels::Finest)
}

/// Like [`bake`], for the given levels of detail.
///
/// # Errors
///
/// Same as [`bake`].
pub(super) fn bake_levels(model: &Model<'_>, space: &Space, scale: f32, levels: Levels) -> Result<Baked> {
    let mut baked = Baked::default();
    let shown = shown(model, &mut baked);
    let conversion = model.space.to(space).scaled(scale);
    let placement = model.placement_in(space).scaled(scale);
    let finest = model.finest_lod();
    let wanted = |mesh: &&Mesh<'_>| levels == Levels::All || mesh.lod == finest;
    lose_levels(&mut baked.losses, model.meshes.iter().filter(|mesh| !wanted(mesh)).count());
    if baked.plays_joints {
        lose_targets(&mut baked.losses, model.meshes.iter().filter(wanted));
    }
    let mut replaced = Replaced::default();
    let mut topology = Topology::default();
    for mesh in model.meshes.iter().filter(wanted) {
        mesh.topology_into(&mut topology)?;
        let place = format_args!("mesh {}", mesh.name);
        // A mesh without sets has no further sets.
        let sets = mesh.texcoord_sets().saturating_sub(1);
        let message = format_args!("{sets} sets of texture coordinates after the first");
        baked.losses.lose(&codes::TEXCOORD_SET_LOST, sets as u64, place, message);
        if mesh.color_sets() > 0 {
            baked.losses.lose(&codes::COLORS_LOST, 1, place, format_args!("the vertex colors"));
        }
        if topology.triangles().is_empty() {
            let message =
                format_args!("mesh {}: {} vertices without triangles", mesh.name, topology.vertex_count());
            baked.losses.lose(&codes::MESH_WITHOUT_TRIANGLES, 1, place, message);
        }
        for submesh in topology.submeshes().iter().filter(|submesh| !submesh.triangles.is_empty()) {
            let made = bake_submesh(mesh, &topology, submesh, &shown, &placement, &mut replaced)?;
            baked.meshes.push(made);
        }
    }
    baked.frame_names = shown.iter().map(|shown| shown.name.clone()).collect();
    baked.tags = model.tags.iter().map(|tag| tag.name.clone()).collect();
    for shown in &shown {
        let poses = model.tags.iter().map(|tag| {
            // Tags without frames have no poses.
            let last = model.tag_frame_count().saturating_sub(1);
            let identity = TagPose { origin: [0.0; 3], axes: Mat3::IDENTITY.to_cols_array_2d() };
            let pose = model.tag_pose(tag.index, shown.vertices.min(last)).unwrap_or(identity);
            // The axes of the tag are converted like axes of the space.
            let axes = identity.axes.map(|axis| {
                let back = space.to(&model.space).direction(axis);
                conversion.direction((Mat3::from_cols_array_2d(&pose.axes) * Vec3::from(back)).into())
            });
            replaced.tag(TagPose { origin: conversion.position(pose.origin), axes })
        });
        let poses = poses.collect();
        baked.tag_frames.push(poses);
    }
    replaced.report(&mut baked.losses);
    Ok(baked)
}

/// The vertices and triangles of a submesh, in every frame.
fn bake_submesh(
    mesh: &Mesh<'_>,
    topology: &Topology,
    submesh: &Submesh,
    shown: &[FrameSource],
    placement: &Placement,
    replaced: &mut Replaced,
) -> Result<BakedMesh> {
    let (name, lod) = (mesh.name.clone(), mesh.lod);
    let mut made = BakedMesh { name, lod, material: submesh.material, ..BakedMesh::default() };
    let used = used_vertices(topology, submesh, &mut made.triangles);
    for triangle in &mut made.triangles {
        *triangle = placement.corners(*triangle);
    }
    let mut texcoords = Vec::new();
    made.texcoords.resize(used.len(), [0.0; 2]);
    if mesh.texcoords_into(0, &mut texcoords)? {
        // Every vertex of a topology is in its maps.
        let corner = |vertex: &u32| match topology.corners() {
            Some(map) => map.get(*vertex as usize).copied().unwrap_or(0),
            None => *vertex,
        };
        let corners: Vec<u32> = used.iter().map(corner).collect();
        gather(&texcoords, Some(&corners), &mut made.texcoords);
        replaced.vectors(Values::Texcoords, &mut made.texcoords);
    }
    for shown in shown {
        let mut frame = frame(mesh, shown, topology, &used, replaced)?;
        for position in &mut frame.positions {
            *position = placement.position(*position);
        }
        for normal in &mut frame.normals {
            *normal = placement.normal(*normal);
        }
        // A scale can make a position infinite.
        replaced.vectors(Values::Positions, &mut frame.positions);
        made.frames.push(frame);
    }
    Ok(made)
}

/// The frames to bake: every frame of every clip of joints, or the vertex frames if there are no such clips.
fn shown(model: &Model<'_>, baked: &mut Baked) -> Vec<FrameSource> {
    let clips = clips_with_frames(model, &mut baked.losses);
    let joint_clips: Vec<&Clip> = clips.iter().copied().filter(|clip| clip.animation.is_some()).collect();
    baked.plays_joints = !joint_clips.is_empty();
    let mut all = Vec::new();
    if joint_clips.is_empty() {
        if !model.joints.is_empty() {
            let message = format_args!("joints: the model is written as it is at rest");
            baked.losses.lose(&codes::SKELETON_LOST, 1, format_args!(""), message);
        }
        for frame in 0..model.frame_count().max(1) {
            all.push(FrameSource { name: model.frame_name(frame).into(), vertices: frame, world: None });
        }
        let names = distinct_names(clips.iter().map(|clip| &*clip.name), []);
        for (clip, name) in clips.into_iter().zip(names) {
            lose_playing(&mut baked.clip_losses, clip);
            lose_clip_name(&mut baked.losses, &clip.name, &name);
            baked.sequences.push(Clip { name: name.into_owned(), ..clip.clone() });
        }
        return all;
    }
    clips
        .iter()
        .filter(|clip| clip.animation.is_none())
        .for_each(|clip| lose_vertex_clip(&mut baked.losses, clip));
    let message = format_args!("joints: their animations are written as frames of vertices");
    baked.losses.lose(&codes::SKELETON_BAKED, 1, format_args!(""), message);
    let names = distinct_names(joint_clips.iter().map(|clip| &*clip.name), []);
    for (clip, title) in joint_clips.into_iter().zip(names) {
        let animation = clip.animation.and_then(|index| model.animations.get(index));
        let Some(animation) = animation else { continue };
        lose_clip_name(&mut baked.losses, &clip.name, &title);
        // The frames are in the order in which they play.
        let sequence = Clip {
            name: (*title).into(),
            first: all.len(),
            reversed: false,
            animation: None,
            ..clip.clone()
        };
        lose_playing(&mut baked.clip_losses, &sequence);
        baked.sequences.push(sequence);
        let rest: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        let mut transforms = Vec::new();
        animation.frames_into(clip.range(), &mut transforms);
        let frames: Vec<&[Transform]> = transforms.chunks_exact(animation.joints.len().max(1)).collect();
        for (step, frame) in clip.frames().enumerate() {
            let mut pose = rest.clone();
            // If the animation does not have the frame, the joints are at rest.
            if let Some(moved) = frame.checked_sub(clip.first).and_then(|index| frames.get(index)) {
                put(&animation.joints, moved, &mut pose);
            }
            let mut world = Vec::new();
            world_into(&model.joints, &pose, &mut world);
            let name = format!("{title}_{step}");
            all.push(FrameSource { name, vertices: 0, world: Some(world) });
        }
    }
    all
}

/// The vertices that a submesh uses, in the order of their first use. Adds its triangles, with the indices of these vertices.
fn used_vertices(topology: &Topology, submesh: &Submesh, triangles: &mut Vec<[u32; 3]>) -> Vec<u32> {
    let mut used = Vec::new();
    let mut number: Vec<Option<u32>> = alloc::vec![None; topology.vertex_count()];
    for triangle in topology.submesh_triangles(submesh) {
        triangles.push(triangle.map(|vertex| {
            let Some(slot) = number.get_mut(vertex as usize) else { return 0 };
            *slot.get_or_insert_with(|| {
                // There are at most as many vertices as in the topology, whose indices have 32 bits.
                let index = used.len() as u32;
                used.push(vertex);
                index
            })
        }));
    }
    used
}

fn frame(
    mesh: &Mesh<'_>,
    shown: &FrameSource,
    topology: &Topology,
    used: &[u32],
    replaced: &mut Replaced,
) -> Result<BakedFrame> {
    let number = mesh.clamp_frame(shown.vertices);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    // Without matrices, vertices are not moved by joints.
    let world = shown.world.as_deref().unwrap_or(&[]);
    mesh.skin_vertices_into(topology, number, world, &mut positions, &mut normals)?;
    let mut made = BakedFrame::default();
    made.positions.resize(used.len(), [0.0; 3]);
    gather(&positions, Some(used), &mut made.positions);
    made.normals.resize(used.len(), [0.0, 0.0, 1.0]);
    gather(&normals, Some(used), &mut made.normals);
    replaced.vectors(Values::Positions, &mut made.positions);
    replaced.normals(&mut made.normals);
    Ok(made)
}
