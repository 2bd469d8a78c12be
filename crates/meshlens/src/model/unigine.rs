//! UNIGINE as a model: surfaces are meshes that bones move; morph targets are frames without time.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::Mat4;
use meshlens_unigine::{
    Anim, Animation, Binding, Geometry, Influence, Mesh as UnigineFile, Skeleton, Welder,
};
use meshlens_wire::{Limits, Result};

use super::arrays::{Arrays, no_frame};
use super::attribute::Attribute;
use super::clip::{Clip, DEFAULT_RATE};
use super::material::Material;
use super::mesh::Mesh;
use super::plain::{PlainFrame, PlainMesh};
use super::skeleton::{Joint, JointAnimation, Transform, world_into};
use super::topology::{Part, Topology};
use super::{Model, Space};
use crate::{Document, Format};

#[derive(Clone, Debug)]
struct UnigineMesh<'a> {
    geometry: Geometry<'a>,
    joints: usize,
}

pub(super) fn model(mesh: UnigineFile<'_>) -> Result<Model<'_>> {
    let mut model = Model::empty(Format::Unigine, Space::UNIGINE, None);
    model.joints = joints(mesh.skeleton());
    let skin = inverse_bind(&model.joints);
    for surface in mesh.surfaces() {
        let name = surface.name().to_text().into_owned();
        // A surface has no material of its own: engines find one by the surface's name.
        let material = model.materials.len();
        model.materials.push(Material::new(name.clone()));
        let mut made = match surface.geometry_in_place() {
            Some(geometry) => Mesh::new(name, UnigineMesh { geometry, joints: model.joints.len() }),
            None => {
                let mut unpacked = Vec::new();
                let geometry = surface.geometry_within(&mut unpacked, &Limits::DEFAULT)?;
                plain(&UnigineMesh { geometry, joints: model.joints.len() })?.into_mesh(name)?
            }
        };
        made.material = Some(material);
        made.skin.clone_from(&skin);
        model.meshes.push(made);
    }
    for animation in mesh.animations() {
        let all: Vec<Option<usize>> = (0..model.joints.len()).map(Some).collect();
        model.add_animation(&animation, &all, animation.name().to_text().into_owned());
    }
    model.document = Some(Document::UnigineMesh(mesh));
    Ok(model)
}

/// A skeleton and its animations, without a mesh.
pub(super) fn animation_model(anim: Anim<'_>) -> Model<'_> {
    let mut model = Model::empty(Format::Unigine, Space::UNIGINE, None);
    model.joints = joints(anim.skeleton());
    let all: Vec<Option<usize>> = (0..model.joints.len()).map(Some).collect();
    for animation in anim.animations() {
        model.add_animation(&animation, &all, animation.name().to_text().into_owned());
    }
    model.document = Some(Document::UnigineAnim(anim));
    model
}

fn transform(transform: &meshlens_unigine::Transform) -> Transform {
    Transform::new(transform.position, transform.rotation, transform.scale)
}

fn joints(skeleton: Skeleton<'_, '_>) -> Vec<Joint> {
    let bones = skeleton.bones().map(|bone| Joint {
        name: bone.name.to_text().into_owned(),
        parent: bone.parent,
        rest: transform(&bone.transform),
    });
    bones.collect()
}

/// What takes a point of the rest pose into each joint's space. A joint squashed flat has no inverse, and gets none.
fn inverse_bind(joints: &[Joint]) -> Option<Arc<[Mat4]>> {
    if joints.is_empty() {
        return None;
    }
    let pose: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
    let mut world = Vec::new();
    world_into(joints, &pose, &mut world);
    let inverse =
        world.iter().map(|matrix| Some(matrix.inverse()).filter(Mat4::is_finite).unwrap_or_default());
    Some(inverse.collect())
}

impl Model<'_> {
    /// Adds an animation whose bone `i` is joint `joints[i]` of this model, and a clip that plays it.
    fn add_animation(&mut self, animation: &Animation<'_, '_>, joints: &[Option<usize>], name: String) {
        let bones: Vec<Option<usize>> = animation
            .bones()
            .iter()
            .map(|bone| usize::try_from(bone).ok().and_then(|bone| joints.get(bone).copied().flatten()))
            .collect();
        let mut made = JointAnimation { name, ..JointAnimation::default() };
        // A joint that is there twice moves as the last one says.
        let mut column = alloc::vec![None; bones.len()];
        let mut places: Vec<Option<usize>> = alloc::vec![None; self.joints.len()];
        for (joint, column) in bones.iter().zip(&mut column) {
            let Some((joint, place)) = joint.and_then(|joint| Some((joint, places.get_mut(joint)?))) else {
                continue;
            };
            *column = Some(*place.get_or_insert_with(|| {
                made.joints.push(joint);
                made.joints.len().saturating_sub(1)
            }));
        }
        let mut pose = alloc::vec![meshlens_unigine::Transform::IDENTITY; animation.bone_count()];
        let mut player = animation.player();
        while let Some(frame) = player.next() {
            pose.clear();
            pose.extend_from_slice(frame);
            let start = made.transforms.len();
            made.transforms.resize(start.saturating_add(made.joints.len()), Transform::IDENTITY);
            for (column, moved) in column.iter().zip(&pose) {
                let slot = column.and_then(|column| made.transforms.get_mut(start.saturating_add(column)));
                if let Some(slot) = slot {
                    *slot = transform(moved);
                }
            }
        }
        let frames = made.frame_count();
        if frames == 0 {
            return;
        }
        let name = if made.name.is_empty() { "animation".into() } else { made.name.clone() };
        self.clips.push(Clip {
            animation: Some(self.animations.len()),
            ..Clip::new(name, 0, frames, DEFAULT_RATE)
        });
        self.animations.push(made);
    }

    /// Adds the animations of a `.anim` file, bone by bone by name; those without a name take `name`. Gives back a line for
    /// each bone that does not match.
    pub fn add_anim(&mut self, anim: &Anim<'_>, name: &str) -> Vec<String> {
        let Some(Document::UnigineMesh(mesh)) = self.document.clone() else {
            return alloc::vec![format!("{name}: only UNIGINE meshes take .anim files")];
        };
        let binding = Binding::by_name(mesh.skeleton(), anim.skeleton());
        let joints: Vec<Option<usize>> =
            (0..anim.skeleton().len()).map(|bone| binding.mesh_bone(bone)).collect();
        for animation in anim.animations() {
            let own = animation.name().to_text().into_owned();
            self.add_animation(&animation, &joints, if own.is_empty() { name.into() } else { own });
        }
        let mut lost = Vec::new();
        let bone = |index: &usize| anim.skeleton().bone(*index).map(|bone| bone.name.to_text().into_owned());
        for index in &binding.mismatches().missing_in_mesh {
            lost.push(format!("{name}: bone {} is not in the mesh", bone(index).unwrap_or_default()));
        }
        for index in &binding.mismatches().same_name {
            lost.push(format!("{name}: bone {} is there twice", bone(index).unwrap_or_default()));
        }
        lost
    }
}

/// Everything of a surface that is unpacked, since the buffer it lies in goes.
fn plain(mesh: &UnigineMesh<'_>) -> Result<PlainMesh> {
    let mut topology = Topology::default();
    mesh.topology_into(None, &mut topology)?;
    let mut made = PlainMesh {
        points: topology.points,
        corners: topology.corners,
        triangles: topology.triangles,
        ..PlainMesh::default()
    };
    for frame in 0..mesh.frame_count() {
        let mut plain = PlainFrame {
            name: mesh.frame_name(frame).into_owned(),
            positions: mesh.positions(frame)?.to_vec(),
            ..PlainFrame::default()
        };
        mesh.normals_into(frame, &mut plain.normals)?;
        mesh.tangents_into(frame, &mut plain.tangents)?;
        made.frames.push(plain);
    }
    for set in 0..mesh.texcoord_sets() {
        made.texcoords.extend(mesh.texcoords(set).map(|set| set.to_vec()));
    }
    mesh.colors_into(&mut made.colors);
    mesh.influences_into(&mut made.joints, &mut made.weights);
    Ok(made)
}

impl UnigineMesh<'_> {
    fn target(&self, frame: usize) -> Result<meshlens_unigine::Target<'_>> {
        let target = self.geometry.target(frame);
        // Targets of other sizes than the first cannot be morphed to.
        let same = |target: &meshlens_unigine::Target<'_>| {
            target.positions.len() == self.geometry.vertex_count()
                && target.tangents.len() == self.geometry.tangent_count()
        };
        target.filter(same).ok_or_else(|| no_frame(frame, self.frame_count()))
    }
}

impl Arrays for UnigineMesh<'_> {
    fn point_count(&self) -> usize {
        self.geometry.vertex_count()
    }

    fn corner_count(&self) -> usize {
        self.geometry.tangent_count()
    }

    fn triangle_count(&self) -> usize {
        self.geometry.coordinate_indices().len().checked_div(3).unwrap_or_default()
    }

    fn frame_count(&self) -> usize {
        let (points, corners) = (self.geometry.vertex_count(), self.geometry.tangent_count());
        let targets = self.geometry.targets();
        targets
            .take_while(|target| target.positions.len() == points && target.tangents.len() == corners)
            .count()
    }

    fn is_welded(&self) -> bool {
        false
    }

    fn positions(&self, frame: usize) -> Result<Attribute<'_, [f32; 3]>> {
        Ok(self.target(frame)?.positions.into())
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        let tangents = self.target(frame)?.tangents;
        out.clear();
        out.extend((0..tangents.len()).map(|index| tangents.frame(index).unwrap_or_default().normal));
        Ok(!out.is_empty())
    }

    fn tangents_into(&self, frame: usize, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        let tangents = self.target(frame)?.tangents;
        out.clear();
        out.extend((0..tangents.len()).map(|index| {
            let frame = tangents.frame(index).unwrap_or_default();
            let [normal, tangent, binormal] =
                [frame.normal, frame.tangent, frame.binormal].map(glam::Vec3::from);
            let [x, y, z] = frame.tangent;
            [x, y, z, if normal.cross(tangent).dot(binormal) < 0.0 { -1.0 } else { 1.0 }]
        }));
        Ok(!out.is_empty())
    }

    fn texcoord_sets(&self) -> usize {
        (0..2).take_while(|set| !self.geometry.texcoords(*set).is_empty()).count()
    }

    fn texcoords(&self, set: usize) -> Option<Attribute<'_, [f32; 2]>> {
        let texcoords = self.geometry.texcoords(set);
        (texcoords.len() == self.corner_count() && !texcoords.is_empty()).then(|| texcoords.into())
    }

    fn colors_into(&self, out: &mut Vec<[f32; 4]>) -> bool {
        let colors = self.geometry.colors();
        if colors.is_empty() || colors.len() != self.corner_count() {
            return false;
        }
        out.clear();
        out.extend(colors.iter().map(|color| color.map(|value| f32::from(value) / 255.0)));
        true
    }

    fn influences_into(&self, joints: &mut Vec<[u16; 4]>, weights: &mut Vec<[f32; 4]>) -> bool {
        let influences = self.geometry.weights();
        if influences.len() != self.point_count() || influences.len() == 0 || self.joints == 0 {
            return false;
        }
        joints.clear();
        weights.clear();
        for influence in influences {
            let (joint, weight) = normalized(&influence, self.joints);
            joints.push(joint);
            weights.push(weight);
        }
        true
    }

    fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.geometry.target(frame).map(|target| target.name.to_text()).unwrap_or_default()
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let welded = Welder::default().weld(&self.geometry)?;
        topology.vertex_count = welded.vertices.len();
        topology.points.extend(welded.vertices.iter().map(|vertex| vertex.coordinate));
        topology.corners.extend(welded.vertices.iter().map(|vertex| vertex.triangle));
        topology.triangles.extend_from_slice(welded.indices.as_chunks().0);
        topology.parts.push(Part { material, triangles: 0..topology.triangles.len() });
        Ok(())
    }
}

/// Joints and weights of one point: each joint once, in order of weight, adding up to 1. Joints that are not there move
/// nothing; a point that nothing moves hangs on the first joint.
fn normalized(influence: &Influence, joints: usize) -> ([u16; 4], [f32; 4]) {
    let mut merged: [(u16, u32); 4] = [(0, 0); 4];
    let mut count = 0usize;
    for (bone, weight) in influence.parts() {
        let Some(joint) = u16::try_from(bone).ok().filter(|joint| usize::from(*joint) < joints) else {
            continue;
        };
        if weight == 0 {
            continue;
        }
        let known = merged.iter().take(count).position(|(known, _)| *known == joint);
        let place = known.unwrap_or(count);
        count = count.max(place.saturating_add(1));
        if let Some(slot) = merged.get_mut(place) {
            *slot = (joint, slot.1.saturating_add(u32::from(weight)));
        }
    }
    let sum: u32 = merged.iter().map(|(_, weight)| *weight).sum();
    if sum == 0 {
        return ([0; 4], [1.0, 0.0, 0.0, 0.0]);
    }
    merged.sort_by_key(|(_, weight)| core::cmp::Reverse(*weight));
    (merged.map(|(joint, _)| joint), merged.map(|(_, weight)| weight as f32 / sum as f32))
}
