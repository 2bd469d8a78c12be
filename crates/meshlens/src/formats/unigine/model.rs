//! UNIGINE as a model: surfaces are meshes that bones move, and morph targets are frames.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Debug};
use core::ops::Range;

use glam::Mat4;
use meshlens_lens::encoding::Unorm8;
use meshlens_lens::{FrameVectors, Lens, TangentFrame, ValueLens};
use meshlens_unigine::{
    Anim, Animation, Binding, Geometry, Influence, Mesh as UnigineFile, Skeleton, Surface, Welder,
};
use meshlens_wire::{Limits, Report, Result};

use crate::model::arrays::{Arrays, no_frame};
use crate::model::skeleton::Tracks;
use crate::model::sources::{Computed, Influences, Joints, ValueSource};
use crate::model::{
    Clip, Joint, JointAnimation, Material, Mesh, Model, Part, PlainFrame, PlainMesh, Space, Topology,
    Transform, world_into,
};
use crate::{Format, codes};

#[derive(Clone, Debug)]
struct UnigineMesh<'a> {
    geometry: Geometry<'a>,
    joints: usize,
}

pub(super) fn model(mesh: UnigineFile<'_>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::Unigine), Space::UNIGINE);
    model.joints = joints(mesh.skeleton());
    let skin = inverse_bind(&model.joints);
    for surface in mesh.surfaces() {
        // The file has no materials: engines assign them by the names of surfaces.
        let material = model.materials.len();
        let mut made = surface_mesh(&surface, model.joints.len())?;
        model.materials.push(Material::new(made.name.clone()));
        made.material = Some(material);
        made.skin.clone_from(&skin);
        model.meshes.push(made);
    }
    let count = mesh.animation_count();
    let mesh = Arc::new(mesh);
    model.add_own(&mesh, count)?;
    model.set_losses(move |losses| meshlens_unigine::losses(&mesh, losses));
    Ok(model)
}

/// One mesh, with a skin if the skeleton is loaded.
pub(super) fn mesh<'a>(file: &UnigineFile<'a>, index: usize) -> Result<Option<Mesh<'a>>> {
    let Some(surface) = file.surface(index) else { return Ok(None) };
    let mut made = surface_mesh(&surface, file.skeleton().len())?;
    if file.skeleton().transform(0).is_some() {
        made.skin = inverse_bind(&joints(file.skeleton()));
    }
    Ok(Some(made))
}

fn surface_mesh<'a>(surface: &Surface<'a>, joints: usize) -> Result<Mesh<'a>> {
    let name = surface.name().to_text().into_owned();
    match surface.geometry_in_place() {
        Some(geometry) => Ok(Mesh::new(name, UnigineMesh { geometry, joints })),
        None => {
            let mut unpacked = Vec::new();
            let geometry = surface.geometry_with(&mut unpacked, &Limits::DEFAULT)?;
            plain(&UnigineMesh { geometry, joints })?.into_mesh(name)
        }
    }
}

/// A skeleton and its animations, without a mesh.
pub(super) fn animation_model(anim: Anim<'_>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::Unigine), Space::UNIGINE);
    model.joints = joints(anim.skeleton());
    let count = anim.animation_count();
    model.add_own(&Arc::new(anim), count)?;
    Ok(model)
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

/// The inverse bind matrix of each joint; the identity if its matrix at rest has no inverse. `None` without joints.
fn inverse_bind(joints: &[Joint]) -> Option<Arc<[Mat4]>> {
    if joints.is_empty() {
        return None;
    }
    let pose: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
    let mut world = Vec::new();
    world_into(joints, &pose, &mut world);
    let inverse = world.iter().map(|matrix| {
        let inverse = matrix.inverse();
        if inverse.is_finite() { inverse } else { Mat4::IDENTITY }
    });
    Some(inverse.collect())
}

/// An animation of a file, and the joints of a model that its bones move.
struct Source<F> {
    file: F,
    index: usize,
    columns: Columns,
}

/// The joints that an animation moves, and the bone that moves each.
#[derive(Clone, Debug)]
struct Columns {
    /// The joints that it moves.
    joints: Vec<usize>,
    /// For each bone of the animation, the index of its joint in `joints`.
    of_bone: Vec<Option<usize>>,
}

impl Columns {
    /// The columns of an animation of a model with `count` joints. `joint_of` gives the joint of a bone of the file.
    fn new(
        animation: &Animation<'_, '_>,
        count: usize,
        joint_of: impl Fn(usize) -> Option<usize>,
    ) -> Result<Columns> {
        let mut columns = Columns { joints: Vec::new(), of_bone: Vec::new() };
        let mut place: Vec<Option<usize>> = alloc::vec![None; count];
        for bone in animation.bones()? {
            let joint = usize::try_from(bone).ok().and_then(&joint_of);
            // If two bones move a joint, the last one is used.
            columns.of_bone.push(joint.and_then(|joint| {
                Some(*place.get_mut(joint)?.get_or_insert_with(|| {
                    columns.joints.push(joint);
                    columns.joints.len() - 1
                }))
            }));
        }
        Ok(columns)
    }

    /// Appends the transforms of frames.
    fn frames_into(&self, animation: &Animation<'_, '_>, frames: Range<usize>, out: &mut Vec<Transform>) {
        let Ok(mut sampler) = animation.sampler() else { return };
        for frame in frames {
            let Ok(pose) = sampler.seek(frame) else { return };
            let start = out.len();
            out.resize(start + self.joints.len(), Transform::IDENTITY);
            for (place, moved) in self.of_bone.iter().zip(pose) {
                if let Some(slot) = place.and_then(|place| out.get_mut(start + place)) {
                    *slot = transform(moved);
                }
            }
        }
    }
}

/// A file with animations.
trait Animated<'a>: Debug + Send + Sync {
    fn find(&self, index: usize) -> Option<Animation<'_, 'a>>;
}

impl<'a> Animated<'a> for UnigineFile<'a> {
    fn find(&self, index: usize) -> Option<Animation<'_, 'a>> {
        self.animation(index)
    }
}

impl<'a> Animated<'a> for Anim<'a> {
    fn find(&self, index: usize) -> Option<Animation<'_, 'a>> {
        self.animation(index)
    }
}

impl<'a, F: Animated<'a>> Debug for Source<Arc<F>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "animation {} of {:?}", self.index, self.file)
    }
}

impl<'a, F: Animated<'a>> Tracks for Source<Arc<F>> {
    fn frames_into(&self, frames: Range<usize>, out: &mut Vec<Transform>) {
        if let Some(animation) = self.file.find(self.index) {
            self.columns.frames_into(&animation, frames, out);
        }
    }
}

impl<'a> Model<'a> {
    /// Adds an animation, and a clip that plays it.
    fn push_animation(&mut self, animation: JointAnimation<'a>) {
        let frames = animation.frame_count();
        if frames == 0 || animation.joints.is_empty() {
            return;
        }
        let name = if animation.name.is_empty() { "animation".into() } else { animation.name.clone() };
        self.clips
            .push(Clip { animation: Some(self.animations.len()), ..Clip::without_rate(name, 0, frames) });
        self.animations.push(animation);
    }

    /// Adds every animation of the file of the model. They are decoded on demand.
    fn add_own<F: Animated<'a> + 'a>(&mut self, file: &Arc<F>, count: usize) -> Result<()> {
        for index in 0..count {
            let Some(animation) = file.find(index) else { continue };
            let (name, frames) = (animation.name().to_text().into_owned(), animation.frame_count());
            let columns = Columns::new(&animation, self.joints.len(), Some)?;
            let joints = columns.joints.clone();
            let source = Source { file: file.clone(), index, columns };
            self.push_animation(JointAnimation::lazy(name, joints, frames, source));
        }
        Ok(())
    }
}

impl Model<'_> {
    /// Adds the animations of an `.anim` file. Its bones move the joints with the same names. Animations without a name
    /// are called `name`. Returns a finding for every bone that does not match. The animations are decoded, so the
    /// model does not borrow the file. O(animations).
    ///
    /// # Errors
    ///
    /// Never fails if the file was parsed or bound.
    pub fn add_anim(&mut self, anim: &Anim<'_>, name: &str) -> Result<Report> {
        let mut lost = Report::default();
        if self.format != Some(Format::Unigine) || self.meshes.is_empty() {
            let message = format_args!("{name}: only UNIGINE meshes take .anim files");
            lost.lose(&codes::ANIMATION_UNUSED, 1, format_args!("{name}"), message);
            return Ok(lost);
        }
        let joints = self.joints.iter().map(|joint| (joint.name.as_str(), joint.parent));
        let binding = Binding::by_text(joints, anim.skeleton());
        let mismatches = binding.mismatches();
        let faults = [
            (&mismatches.missing_in_mesh, "the mesh has no bone of this name"),
            (&mismatches.same_name, "an earlier bone has the same name"),
        ];
        for (bones, fault) in faults {
            for bone in bones.iter().filter_map(|bone| anim.skeleton().bone(*bone)) {
                let message = format_args!("{name}: bone {}: {fault}", bone.name);
                lost.lose(&codes::BONE_UNMATCHED, 1, format_args!("bone {}", bone.name), message);
            }
        }
        for animation in anim.animations() {
            let own = animation.name().to_text().into_owned();
            let columns = Columns::new(&animation, self.joints.len(), |bone| binding.mesh_bone(bone))?;
            let mut transforms = Vec::new();
            columns.frames_into(&animation, 0..animation.frame_count(), &mut transforms);
            let own = if own.is_empty() { name.into() } else { own };
            self.push_animation(JointAnimation::new(own, columns.joints, transforms));
        }
        Ok(lost)
    }
}

/// Decodes the arrays of an unpacked surface, whose buffer is dropped afterwards.
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
        made.texcoords.extend(mesh.texcoords(set)?.map(|set| set.to_vec()));
    }
    mesh.colors_into(&mut made.colors)?;
    mesh.influences_into(&mut made.joints, &mut made.weights)?;
    Ok(made)
}

impl UnigineMesh<'_> {
    fn target(&self, frame: usize) -> Result<meshlens_unigine::Target<'_>> {
        let target = self.geometry.target(frame);
        // Targets of other sizes than the first cannot be blended with it.
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
        self.geometry.corner_count() / 3
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

    fn positions(&self, frame: usize) -> Result<ValueLens<'_, [f32; 3]>> {
        Ok(self.target(frame)?.positions.into())
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        out.clear();
        out.extend(self.target(frame)?.tangent_frames.iter().map(|frame| frame.normal));
        Ok(!out.is_empty())
    }

    fn tangent_frames(&self, frame: usize) -> Result<Option<ValueLens<'_, TangentFrame>>> {
        let frames = self.target(frame)?.tangent_frames;
        Ok((!frames.is_empty()).then_some(frames))
    }

    fn tangents_into(&self, frame: usize, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        out.clear();
        out.extend(self.target(frame)?.tangent_frames.iter().map(|frame| {
            let [normal, tangent, binormal] =
                [frame.normal, frame.tangent, frame.binormal].map(glam::Vec3::from);
            let [x, y, z] = frame.tangent;
            [x, y, z, if normal.cross(tangent).dot(binormal) < 0.0 { -1.0 } else { 1.0 }]
        }));
        Ok(!out.is_empty())
    }

    fn texcoord_sets(&self) -> usize {
        let is_present =
            |set: &usize| self.geometry.texcoords(*set).is_ok_and(|texcoords| !texcoords.is_empty());
        (0..2).take_while(is_present).count()
    }

    fn texcoords(&self, set: usize) -> Result<Option<ValueLens<'_, [f32; 2]>>> {
        if set > 1 {
            return Ok(None);
        }
        let texcoords = self.geometry.texcoords(set)?;
        Ok((texcoords.len() == self.corner_count() && !texcoords.is_empty()).then(|| texcoords.into()))
    }

    fn colors_into(&self, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        let colors = self.geometry.colors()?;
        if colors.is_empty() || colors.len() != self.corner_count() {
            return Ok(false);
        }
        out.clear();
        out.extend(colors.iter().map(|color| color.map(|value| f32::from(value) / 255.0)));
        Ok(true)
    }

    fn normal_source(&self, frame: usize) -> Result<Option<ValueSource<'_>>> {
        let frames = self.target(frame)?.tangent_frames;
        Ok((!frames.is_empty()).then(|| Box::new(FrameVectors::normals(frames)) as ValueSource<'_>))
    }

    fn tangent_source(&self, frame: usize) -> Result<Option<ValueSource<'_>>> {
        let frames = self.target(frame)?.tangent_frames;
        Ok((!frames.is_empty()).then(|| Box::new(FrameVectors::tangents(frames)) as ValueSource<'_>))
    }

    fn color_source(&self) -> Result<Option<ValueSource<'_>>> {
        let colors = self.geometry.colors()?;
        if colors.is_empty() || colors.len() != self.corner_count() {
            return Ok(None);
        }
        let bytes = (colors.as_bytes(), colors.byte_range().start, colors.stride());
        let normalized = Lens::new(Unorm8::<4>, bytes.0, bytes.1, bytes.2, colors.len())?;
        Ok(Some(Box::new(normalized)))
    }

    /// Records have different sizes. The index of them takes one number for each 16 points.
    fn influence_sources(&self) -> Result<Option<Influences<'_>>> {
        let influences = self.geometry.weights()?;
        if influences.len() != self.point_count() || influences.len() == 0 || self.joints == 0 {
            return Ok(None);
        }
        let (count, joints, influences) = (influences.len(), self.joints, Arc::new(influences.index()));
        let get = move |point: usize| normalized(&influences.get(point).unwrap_or_default(), joints);
        let get_joints = get.clone();
        let joints = Joints { count, get: move |point| get_joints(point).0 };
        Ok(Some([Box::new(joints), Box::new(Computed::new(count, move |point| get(point).1))]))
    }

    fn influences_into(&self, joints: &mut Vec<[u16; 4]>, weights: &mut Vec<[f32; 4]>) -> Result<bool> {
        let influences = self.geometry.weights()?;
        if influences.len() != self.point_count() || influences.len() == 0 || self.joints == 0 {
            return Ok(false);
        }
        joints.clear();
        weights.clear();
        for influence in influences {
            let (joint, weight) = normalized(&influence, self.joints);
            joints.push(joint);
            weights.push(weight);
        }
        Ok(true)
    }

    fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.geometry.target(frame).map_or(Cow::Borrowed(""), |target| target.name.to_text())
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

/// The joints and weights of one point, with each joint once, sorted by weight; the weights add up to 1. Joints that do
/// not exist are left out. A point without weights is moved by the first joint.
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
        count = count.max(place + 1);
        if let Some(slot) = merged.get_mut(place) {
            *slot = (joint, slot.1 + u32::from(weight));
        }
    }
    let sum: u32 = merged.iter().map(|(_, weight)| *weight).sum();
    if sum == 0 {
        return ([0; 4], [1.0, 0.0, 0.0, 0.0]);
    }
    merged.sort_by_key(|(_, weight)| core::cmp::Reverse(*weight));
    (merged.map(|(joint, _)| joint), merged.map(|(_, weight)| weight as f32 / sum as f32))
}
