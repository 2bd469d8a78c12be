//! The model with a skeleton: the parts of a scene joined.

use std::sync::Arc;

use glam::{DAffine3, DVec3};
use meshlens::Model;
use meshlens::model::{Clip, Joint, JointAnimation, Mesh, PlainFrame, PlainMesh, Submesh, Transform};
use meshlens::scene::{Attachment, Scene, SceneClip, Socket};
use meshlens::wire::Reservation;

use super::part::{Part, finest, matrix};
use crate::Error;

/// A scene as one model, while it is joined.
pub(crate) struct Joined<'s, 'a> {
    scene: &'s Scene<'a>,
    parts: &'s [Part],
    model: Model<'static>,
    /// The matrix of each joint at rest.
    world: Vec<DAffine3>,
    /// For each node, the number of its first joint, and where it is at rest.
    nodes: Vec<Option<(usize, DAffine3)>>,
}

/// Joins the parts of a scene.
pub(crate) fn join(
    scene: &Scene<'_>,
    parts: &[Part],
    memory: &mut Reservation,
) -> Result<Model<'static>, Error> {
    let first = scene.nodes.first().map(|node| &node.model);
    let mut model = Model::empty(None, first.map_or(meshlens::model::Space::GLTF, |model| model.space));
    model.name = scene.nodes.first().map_or_else(String::new, |node| node.name.clone());
    let mut joined = Joined { scene, parts, model, world: Vec::new(), nodes: vec![None; parts.len()] };
    // A node comes after the node that it is attached to. Nodes whose attachments form a cycle have none.
    while let Some(node) = (0..parts.len()).find(|node| joined.is_ready(*node)) {
        joined.add(node);
    }
    if joined.world.len() > usize::from(u16::MAX) + 1 {
        return Err(Error::TooManyJoints { count: joined.world.len() });
    }
    let matrices: Arc<[[[f32; 4]; 4]]> = joined
        .world
        .iter()
        .map(|world| {
            glam::DMat4::from(world.inverse())
                .to_cols_array_2d()
                .map(|column| column.map(|value| value as f32))
        })
        .collect();
    for node in 0..parts.len() {
        joined.add_meshes(node, &matrices)?;
    }
    joined.add_clips(memory)?;
    Ok(joined.model)
}

impl Joined<'_, '_> {
    fn is_ready(&self, node: usize) -> bool {
        let above = self.scene.attachment(node);
        self.nodes[node].is_none() && above.is_none_or(|above| self.nodes[above.node].is_some())
    }

    /// Adds the joints of a node.
    fn add(&mut self, node: usize) {
        let of = &self.scene.nodes[node];
        let above = self.scene.attachment(node).and_then(|Attachment { node, socket }| {
            let part = &self.parts[node];
            let (first, _) = self.nodes[node]?;
            Some(match socket {
                Socket::Tag(tag) if part.own + tag < part.joints.len() => first + part.own + tag,
                _ => first,
            })
        });
        let mut holder = above;
        if of.transform != Transform::IDENTITY {
            holder = Some(self.joint(format!("{}_place", of.name), above, of.transform));
        }
        let place = holder.map_or(DAffine3::IDENTITY, |holder| self.world[holder]);
        let part = &self.parts[node];
        let first = self.world.len();
        for joint in &part.joints {
            let parent = joint.parent.map(|parent| first + parent).or(holder);
            self.joint(joint.name.clone(), parent, joint.rest);
        }
        self.nodes[node] = Some((first, place));
    }

    fn joint(&mut self, name: String, parent: Option<usize>, rest: Transform) -> usize {
        let above = parent.map_or(DAffine3::IDENTITY, |parent| self.world[parent]);
        self.world.push(above * matrix(&rest));
        self.model.joints.push(Joint { name, parent, rest });
        self.world.len() - 1
    }

    fn add_meshes(&mut self, node: usize, matrices: &Arc<[[[f32; 4]; 4]]>) -> Result<(), Error> {
        let (of, part) = (&self.scene.nodes[node], &self.parts[node]);
        let Some((first, place)) = self.nodes[node] else { return Ok(()) };
        let materials = self.model.materials.len();
        self.model.materials.extend(of.model.materials.iter().cloned());
        for (mesh, points) in finest(&of.model).into_iter().zip(&part.motion.meshes) {
            let mut made = plain(&of.model, mesh, mesh.clamp_frame(of.rest_frame), materials, &place)?;
            let frame = &mut made.frames[0];
            for point in points {
                let point = *point as usize;
                frame.positions.push(place.transform_point3(part.rest[point]).as_vec3().into());
                let (joints, weights) = part.influences[point].arrays();
                let number =
                    |index: usize| if weights[index] > 0.0 { first + usize::from(joints[index]) } else { 0 };
                made.joints.push(std::array::from_fn(|index| number(index) as u16));
                made.weights.push(weights.map(|weight| weight as f32));
            }
            let mut made = made.into_mesh(mesh.name.clone())?;
            made.material = mesh.material.map(|material| materials + material);
            made.skin = Some(matrices.clone());
            self.model.meshes.push(made);
        }
        Ok(())
    }

    /// Adds an animation and a clip for each name.
    fn add_clips(&mut self, memory: &mut Reservation) -> Result<(), Error> {
        for SceneClip { tracks, .. } in self.scene.clips() {
            let clip = |(node, clip): (usize, usize)| &self.scene.nodes[node].model.clips[clip];
            let Some(main) = tracks.first().map(|track| clip(*track)) else { continue };
            let mut joints = Vec::new();
            // The part, the joint of the part, and the clip.
            let mut moved = Vec::new();
            for track in &tracks {
                let (node, clip) = (track.0, clip(*track));
                let Some((first, _)) = self.nodes[node] else { continue };
                let part = &self.parts[node];
                for joint in (0..part.joints.len()).filter(|joint| part.moves(*joint)) {
                    joints.push(first + joint);
                    moved.push((part, joint, clip));
                }
            }
            let exists =
                |frame: &usize| tracks.iter().any(|(node, _)| self.parts[*node].columns.contains_key(frame));
            let most = tracks.iter().map(|(node, _)| self.scene.nodes[*node].model.frame_count()).max();
            let end = main.first.saturating_add(main.count).min(most.unwrap_or(0));
            let mut frames: Vec<usize> = (main.first..end).filter(exists).collect();
            if main.reversed {
                frames.reverse();
            }
            if joints.is_empty() || frames.is_empty() {
                continue;
            }
            let count = frames.len().saturating_mul(joints.len());
            memory.grow(
                count.saturating_mul(2 * size_of::<Transform>()),
                format_args!("{count} keys of joints"),
            )?;
            let mut transforms = Vec::with_capacity(frames.len() * joints.len());
            for (step, frame) in frames.iter().enumerate() {
                for (part, joint, clip) in &moved {
                    let frame =
                        if *clip == main { *frame } else { nearest(clip, step as f32 / main.rate.get()) };
                    let column = part.columns.get(&frame).copied().unwrap_or(0);
                    transforms.push(part.local[*joint][column]);
                }
            }
            let animation = self.model.animations.len();
            self.model.animations.push(JointAnimation::new(main.name.clone(), joints, transforms));
            self.model.clips.push(Clip {
                first: 0,
                count: frames.len(),
                loop_frames: main.loop_frames.min(frames.len()),
                reversed: false,
                animation: Some(animation),
                ..main.clone()
            });
        }
        Ok(())
    }
}

/// The frame that a clip shows at a time, without blending.
fn nearest(clip: &Clip, time: f32) -> usize {
    let blend = clip.sample(time);
    if blend.weight < 0.5 { blend.a } else { blend.b }
}

/// A mesh at rest, without positions, joints and weights.
fn plain(
    model: &Model<'_>,
    mesh: &Mesh<'_>,
    frame: usize,
    materials: usize,
    place: &DAffine3,
) -> Result<PlainMesh, Error> {
    let topology = mesh.topology()?;
    let placement = model.placement_in(&model.space);
    let mut normals = Vec::new();
    mesh.normals_into(frame, &mut normals)?;
    let turned = |normal: &[f32; 3]| {
        let placed = DVec3::from(placement.normal(*normal).map(f64::from));
        (place.matrix3 * placed).try_normalize().map_or(*normal, |normal| normal.as_vec3().into())
    };
    let (mut texcoords, mut colors) = (Vec::new(), Vec::new());
    for set in 0..mesh.texcoord_sets() {
        let mut values = Vec::new();
        if mesh.texcoords_into(set, &mut values)? {
            texcoords.push(values);
        }
    }
    for set in 0..mesh.color_sets() {
        let mut values = Vec::new();
        if mesh.colors_into(set, &mut values)? {
            colors.push(values);
        }
    }
    let submeshes = topology.submeshes().iter().map(|submesh| Submesh {
        material: submesh.material.map(|material| materials + material),
        triangles: submesh.triangles.clone(),
    });
    Ok(PlainMesh {
        frames: vec![PlainFrame { normals: normals.iter().map(turned).collect(), ..PlainFrame::default() }],
        texcoords,
        colors,
        points: topology.points().map(<[u32]>::to_vec).unwrap_or_default(),
        corners: topology.corners().map(<[u32]>::to_vec).unwrap_or_default(),
        triangles: topology.triangles().iter().map(|triangle| placement.corners(*triangle)).collect(),
        submeshes: submeshes.collect(),
        ..PlainMesh::default()
    })
}
