//! Models as UNIGINE meshes (ms11): surfaces whose morph targets are the vertex frames, bones, weights and animations.

mod bind;
mod rig;

use alloc::string::String;
use alloc::vec::Vec;

use glam::{Mat3, Mat4, Quat, Vec3};
use meshlens_unigine::write::{Model as Writer, Surface, Target, name};
use meshlens_unigine::{Influence, Version};
use meshlens_wire::{Report, Result};

use super::finite::{Replaced, Values};
use super::lost::{lose_material, lose_playing, lose_rate, lose_tags};
use crate::codes;
use crate::model::{
    Material, Mesh, Model, Placement, Space, Topology, decode_gathered, gather, unit_direction,
};
use bind::{Bind, moved};
pub use rig::to_unigine_anim;
use rig::{animations, bones};

/// Writes a model as a UNIGINE mesh (ms11), with lengths multiplied by `scale`. Returns the file, and a finding for everything
/// that it does not keep. O(vertices x frames), in time and memory.
///
/// # Errors
///
/// A vertex index is out of range, or the model has more bones than the format can count.
pub fn to_unigine(model: &Model<'_>, scale: f32) -> Result<(Vec<u8>, Report)> {
    let conversion = model.space.to(&Space::UNIGINE).scaled(scale);
    let placement = model.placement_in(&Space::UNIGINE).scaled(scale);
    let mut losses = Report::default();
    model.losses(&mut losses);
    let mut file = Writer::new(Version::Ms11);
    let bind = Bind::new(model)?;
    if bind.differs_from_rest {
        let message = format_args!("the pose at rest: bones rest where meshes were bound to them");
        losses.lose(&codes::REST_POSE_LOST, 1, format_args!(""), message);
    }
    let mut replaced = Replaced::default();
    file.bones = bones(model, &bind, &conversion, &mut replaced)?;
    file.animations = animations(model, &bind, Version::Ms11, &conversion, &mut losses, &mut replaced)?;
    let (topology, scratch) = (Topology::default(), Vec::new());
    let mut exporter = Surfaces { model, bind: &bind, placement, topology, scratch, replaced };
    for mesh in &model.meshes {
        file.surfaces.push(exporter.surface(mesh, &mut losses)?);
    }
    exporter.replaced.report(&mut losses);
    for clip in model.clips.iter().filter(|clip| clip.animation.is_none()) {
        lose_rate(&mut losses, &clip.name, clip.rate.get());
        let message = format_args!("clip {}: its name; frames are morph targets", clip.name);
        losses.lose(&codes::CLIP_NAME_LOST, 1, format_args!("clip {}", clip.name), message);
        lose_playing(&mut losses, clip);
    }
    lose_tags(&mut losses, model);
    for material in &model.materials {
        lose_material(&mut losses, material, &Material::new(""));
    }
    for path in model.materials.iter().filter_map(|material| material.texture.as_ref()) {
        let message = format_args!("texture {path}: surfaces have no textures of their own");
        losses.lose(&codes::TEXTURE_LOST, 1, format_args!("texture {path}"), message);
    }
    file.recompute_bounds();
    Ok((file.write()?, losses))
}

/// Makes the surfaces of a model.
struct Surfaces<'s, 'a> {
    model: &'s Model<'a>,
    bind: &'s Bind,
    placement: Placement,
    /// The topology of the current mesh.
    topology: Topology,
    scratch: Vec<[f32; 3]>,
    replaced: Replaced,
}

impl Surfaces<'_, '_> {
    fn surface(&mut self, mesh: &Mesh<'_>, losses: &mut Report) -> Result<Surface> {
        mesh.topology_into(&mut self.topology)?;
        let mut surface = Surface::new(&mesh.name.replace('\0', ""))?;
        surface.targets.clear();
        let moves = self.bind.move_points(mesh)?;
        for frame in 0..mesh.frame_count() {
            surface.targets.push(self.target(mesh, frame, moves.as_deref(), losses)?);
        }
        self.corners(mesh, &mut surface)?;
        self.influences(mesh, &mut surface)?;
        let sets = mesh.color_sets().saturating_sub(1);
        let message = format_args!("{sets} sets of colors after the first");
        losses.lose(&codes::COLORS_LOST, sets as u64, format_args!("mesh {}", mesh.name), message);
        for triangle in self.topology.triangles() {
            surface.add_triangle(self.placement.corners(*triangle).map(|vertex| [vertex, vertex]));
        }
        if self.topology.submeshes().len() > 1 {
            let (name, count) = (&mesh.name, self.topology.submeshes().len());
            let message = format_args!("mesh {name}: its {count} materials: a surface has one");
            losses.lose(&codes::MATERIAL_PARTS_LOST, 1, format_args!("mesh {name}"), message);
        }
        Ok(surface)
    }

    /// Positions and tangent frames of a frame. `moves` are the matrices that move its points.
    fn target(
        &mut self,
        mesh: &Mesh<'_>,
        frame: usize,
        moves: Option<&[Mat4]>,
        losses: &mut Report,
    ) -> Result<Target> {
        let count = self.topology.vertex_count();
        let (mut positions, mut known) = (Vec::new(), Vec::new());
        decode_gathered(mesh.positions(frame)?, self.topology.points(), &mut self.scratch, &mut positions)?;
        let mut normals = alloc::vec![[0.0, 0.0, 1.0]; count];
        if mesh.normals_into(frame, &mut known)? {
            gather(&known, self.topology.corners(), &mut normals);
            self.replaced.normals(&mut normals);
        }
        for (vertex, (position, normal)) in positions.iter_mut().zip(&mut normals).enumerate() {
            if let Some(matrix) = moves.and_then(|moves| moves.get(self.topology.point(vertex))) {
                moved(matrix, position, normal);
            }
            // Negative zeros become positive.
            *position = self.placement.position(position.map(|axis| axis + 0.0));
        }
        self.replaced.vectors(Values::Positions, &mut positions);
        let mut known = Vec::new();
        let mut tangents = alloc::vec![[0.0; 4]; count];
        if moves.is_none() && mesh.tangents_into(frame, &mut known)? {
            gather(&known, self.topology.corners(), &mut tangents);
        } else if frame == 0 && moves.is_some() && mesh.tangents_into(frame, &mut known)? {
            let message = format_args!("mesh {}: tangents, which are computed from normals", mesh.name);
            losses.lose(&codes::TANGENTS_LOST, 1, format_args!("mesh {}", mesh.name), message);
        }
        // Multiplying by the identity adds zeros, which removes most negative zeros. The signs of zeros are written,
        // and they affect the choice of tangents.
        let turned = |direction: [f32; 3]| (Mat3::IDENTITY * Vec3::from(direction)).to_array();
        let spaces = normals.iter().zip(&tangents).map(|(normal, tangent)| {
            let [x, y, z, sign] = *tangent;
            let [x, y, z] = turned([x, y, z]);
            let [x, y, z, sign] = self.placement.tangent([x, y, z, sign]);
            let normal = unit_direction(self.placement.normal(turned(*normal)));
            tangent_space(normal.map_or(Vec3::Z, Vec3::from), Vec3::new(x, y, z), sign)
        });
        let spaces: Vec<[f32; 4]> = spaces.collect();
        let own = mesh.frame_name(frame);
        let title = if own.is_empty() { self.model.frame_name(frame).into() } else { own.into_owned() };
        let title = if frame == 0 { String::new() } else { title };
        let mut target = Target { name: name(&title.replace('\0', ""))?, positions, ..Target::default() };
        target.add_tangents(Version::Ms11, &spaces);
        Ok(target)
    }

    /// Texture coordinates and colors.
    fn corners(&mut self, mesh: &Mesh<'_>, surface: &mut Surface) -> Result<()> {
        let count = self.topology.vertex_count();
        let (mut texcoords, mut colors) = (Vec::new(), Vec::new());
        for (set, made) in [&mut surface.texcoords0, &mut surface.texcoords1].into_iter().enumerate() {
            if mesh.texcoords_into(set, &mut texcoords)? {
                made.resize(count, [0.0; 2]);
                gather(&texcoords, self.topology.corners(), made);
                self.replaced.vectors(Values::Texcoords, made);
            }
        }
        if mesh.colors_into(0, &mut colors)? {
            let mut gathered = alloc::vec![[0.0; 4]; count];
            gather(&colors, self.topology.corners(), &mut gathered);
            self.replaced.vectors(Values::Colors, &mut gathered);
            let byte = |value: f32| libm::roundf(value * 255.0) as u8;
            surface.colors = gathered.into_iter().map(|color| color.map(byte)).collect();
        }
        Ok(())
    }

    /// The bones and weights of each vertex.
    fn influences(&self, mesh: &Mesh<'_>, surface: &mut Surface) -> Result<()> {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if mesh.influences_into(&mut joints, &mut weights)? && !self.model.joints.is_empty() {
            let of = |vertex| {
                let point = self.topology.point(vertex);
                Some((*joints.get(point)?, *weights.get(point)?))
            };
            // Every point has joints and weights.
            let all =
                (0..self.topology.vertex_count()).map(|vertex| influence(of(vertex).unwrap_or_default()));
            surface.weights = all.collect();
        }
        Ok(())
    }
}

/// A tangent frame as a rotation, whose w has the sign of the bitangent. A tangent of length 0 is replaced by an
/// arbitrary direction along the surface.
fn tangent_space(normal: Vec3, along: Vec3, sign: f32) -> [f32; 4] {
    let along = unit_direction((along - normal * normal.dot(along)).to_array()).map(Vec3::from);
    let tangent = along.unwrap_or_else(|| normal.any_orthonormal_vector());
    let axes = Mat3::from_cols(tangent, normal.cross(tangent), normal);
    let rotation = Quat::from_mat3(&axes).normalize();
    // The negated quaternion is the same rotation.
    let turns = rotation.w.is_sign_negative() != (along.is_some() && sign < 0.0);
    if turns { (-rotation).to_array() } else { rotation.to_array() }
}

/// The accepted difference of a weight from a multiple of 1/65535: more than rounding to `f32` causes.
const WEIGHT_ROUNDING: f32 = 0.01;

/// Weights as unorm integers, truncated like by the tools of the engine.
fn influence((joints, weights): ([u16; 4], [f32; 4])) -> Influence {
    let mut made = Influence::default();
    let slots = made.bones.iter_mut().zip(&mut made.weights);
    let moving = joints.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
    for ((bone, stored), (joint, weight)) in slots.zip(moving) {
        // The writer refuses a larger index.
        *bone = i16::try_from(joint).unwrap_or(i16::MAX);
        *stored = (weight * 65535.0 + WEIGHT_ROUNDING) as u16;
        made.count += 1;
    }
    made
}
