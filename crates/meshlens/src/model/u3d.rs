//! Ultimate 3D as a model: frames of vertices, or bones with skins and meshes that hang on one of them. A mesh of the model is
//! the mesh of frame 0, with those of later frames that have as many vertices.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use glam::Mat4;
use meshlens_lens::Floats;
use meshlens_u3d::{Bone, Mesh as U3dMesh, Normals, Skeleton, U3d};
use meshlens_wire::{Error, ErrorKind, Result};

use super::arrays::{Arrays, no_frame};
use super::attribute::Attribute;
use super::clip::{Clip, DEFAULT_RATE};
use super::material::{Alpha, Material};
use super::mesh::Mesh;
use super::skeleton::{Joint, JointAnimation, Tracks, Transform};
use super::topology::{Part, Topology};
use super::{Model, Space};
use crate::{Document, Format};

/// Transforms of all joints in all frames: no byte of the file stands behind its count of frames.
const MAX_TRANSFORMS: u64 = 1 << 22;
/// Keys that are looked at for all frames, of tracks whose keys are in no order.
const MAX_LOOKS: u64 = 1 << 26;
/// Bind matrices of all meshes: each has one for each joint.
const MAX_BINDS: u64 = 1 << 16;

pub(super) fn model(u3d: U3d<'_>) -> Result<Model<'_>> {
    let mut model = Model::empty(Format::U3d, Space::U3D, None);
    model.materials = u3d.materials().map(|material| self::material(&material)).collect();
    if u3d.bone_count() > 0 {
        skeleton(&u3d, &mut model)?;
    }
    let u3d = Arc::new(u3d);
    let carried = Carried::new(&u3d)?;
    for mesh in u3d.meshes().filter(|mesh| mesh.frame() == 0) {
        let skin = carried.skin(&u3d, &mesh);
        let made = FrameMesh {
            u3d: u3d.clone(),
            frames: frames(&u3d, &mesh),
            sets: (0..8).filter(|set| mesh.texcoords(usize::from(*set)).is_some()).collect(),
            joint: skin.as_ref().map(|(joint, _)| *joint),
        };
        let mut made = Mesh::new(mesh.name().to_text().into_owned(), made);
        made.lod = mesh.lod().unwrap_or_default() as usize;
        made.skin = skin.map(|(_, matrices)| matrices);
        model.meshes.push(made);
    }
    let animation = (u3d.bone_count() > 0).then_some(0);
    let frames = match animation.and_then(|index| model.animations.get(index)) {
        Some(animation) => animation.frame_count(),
        None => model.frame_count(),
    };
    for action in u3d.actions() {
        let first = action.first as usize;
        if first < frames && action.last >= action.first {
            let count = (action.last.abs_diff(action.first) as usize)
                .saturating_add(1)
                .min(frames.saturating_sub(first));
            let clip = Clip::new(action.name.to_text(), first, count, DEFAULT_RATE);
            model.clips.push(Clip { animation, ..clip });
        }
    }
    if model.clips.is_empty() && frames > 1 {
        model.clips.push(Clip { animation, ..Clip::new("all", 0, frames, DEFAULT_RATE) });
    }
    model.document = Some(Document::U3d(Arc::unwrap_or_clone(u3d)));
    Ok(model)
}

fn material(material: &meshlens_u3d::Material<'_>) -> Material {
    let mut made = Material::new(material.name().to_text());
    if material.is_opaque() {
        return made;
    }
    let [r, g, b, a] = material.diffuse();
    made.color = [r, g, b, a];
    let [r, g, b, _] = material.emissive();
    made.emissive = [r, g, b];
    made.alpha = if a < 1.0 { Alpha::Blend } else { Alpha::Opaque };
    let texture = material.textures().next();
    let file = texture.and_then(|texture| texture.files().next());
    made.texture = file.map(|file| file.relative().to_text().into_owned()).filter(|path| !path.is_empty());
    made
}

/// The meshes that later frames show in place of one of frame 0, as long as their vertices are as many: others cannot be
/// morphed to.
fn frames(u3d: &U3d<'_>, mesh: &U3dMesh<'_, '_>) -> Vec<usize> {
    let mut frames = alloc::vec![mesh.index()];
    if u3d.bone_count() > 0 {
        return frames;
    }
    for number in 1..u3d.frame_count() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        match u3d.find_mesh(mesh.lod().unwrap_or_default(), mesh.mesh_in_frame(), number) {
            Some(next) if next.vertex_count() == mesh.vertex_count() => frames.push(next.index()),
            _ => break,
        }
    }
    frames
}

/// A mesh in every frame.
#[derive(Clone, Debug)]
struct FrameMesh<'a> {
    u3d: Arc<U3d<'a>>,
    /// The mesh of each frame, by its number in the file.
    frames: Vec<usize>,
    /// The sets of texture coordinates that are there.
    sets: Vec<u8>,
    /// The joint that moves the mesh as a whole, where it has no skin.
    joint: Option<u16>,
}

impl<'a> FrameMesh<'a> {
    fn mesh(&self, frame: usize) -> Result<U3dMesh<'_, 'a>> {
        let found = self.frames.get(frame).and_then(|index| self.u3d.mesh(*index));
        found.ok_or_else(|| no_frame(frame, self.frames.len()))
    }

    fn texcoord_floats(&self, set: usize) -> Option<Floats<'a>> {
        self.mesh(0).ok()?.texcoords(usize::from(*self.sets.get(set)?))
    }
}

impl Arrays for FrameMesh<'_> {
    fn point_count(&self) -> usize {
        self.mesh(0).map_or(0, |mesh| mesh.vertex_count())
    }

    fn triangle_count(&self) -> usize {
        self.mesh(0).map_or(0, |mesh| mesh.triangle_count())
    }

    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn positions(&self, frame: usize) -> Result<Attribute<'_, [f32; 3]>> {
        Ok(self.mesh(frame)?.positions().into())
    }

    fn normals(&self, frame: usize) -> Result<Option<Attribute<'_, [f32; 3]>>> {
        let mesh = self.mesh(frame)?;
        if mesh.normal_scalar() < 0.0 {
            return Ok(None);
        }
        Ok(Some(match mesh.normals() {
            Normals::Bytes(lens) => lens.into(),
            Normals::Shorts(lens) => lens.into(),
        }))
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        let mesh = self.mesh(frame)?;
        out.resize(mesh.vertex_count(), [0.0; 3]);
        // The length is the mesh's own.
        let _ = mesh.normals().decode_into(out);
        if mesh.normal_scalar() < 0.0 {
            out.as_flattened_mut().iter_mut().for_each(|axis| *axis = -*axis);
        }
        Ok(true)
    }

    fn texcoord_sets(&self) -> usize {
        self.sets.len()
    }

    fn texcoords(&self, set: usize) -> Option<Attribute<'_, [f32; 2]>> {
        match self.texcoord_floats(set)? {
            Floats::Two(lens) => Some(lens.into()),
            _ => None,
        }
    }

    /// The first two numbers of each, of sets with one, three or four.
    fn texcoords_into(&self, set: usize, out: &mut Vec<[f32; 2]>) -> bool {
        let Some(floats) = self.texcoord_floats(set) else { return false };
        out.clear();
        out.extend((0..self.point_count()).map(|vertex| {
            let [s, t, ..] = floats.get(vertex).unwrap_or_default();
            [s, t]
        }));
        true
    }

    fn influences_into(&self, joints: &mut Vec<[u16; 4]>, weights: &mut Vec<[f32; 4]>) -> bool {
        let (Some(joint), Ok(mesh)) = (self.joint, self.mesh(0)) else { return false };
        joints.clear();
        weights.clear();
        let named = mesh.skin_bones();
        for vertex in 0..mesh.vertex_count() {
            let (own, shares) = match mesh.weights(vertex) {
                Some(weights) => {
                    normalized(named.get(vertex).unwrap_or_default(), weights, self.u3d.bone_count())
                }
                None => ([joint, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]),
            };
            joints.push(own);
            weights.push(shares);
        }
        true
    }

    /// In the order of the file within each material.
    fn topology_into(&self, _material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let mesh = self.mesh(0)?;
        let triangles = mesh.checked_triangles()?;
        let wears = mesh.triangle_owner().map(|owner| owner.triangle_materials());
        let wear = |number: usize| wears.and_then(|wears| wears.get(number)).unwrap_or_default();
        topology.vertex_count = mesh.vertex_count();
        let in_order = (1..triangles.len()).all(|number| wear(number.saturating_sub(1)) <= wear(number));
        let mut order: Vec<u32> = Vec::new();
        if in_order {
            topology.triangles.extend(triangles.iter());
        } else {
            order.extend(0..u32::try_from(triangles.len()).unwrap_or(u32::MAX));
            order.sort_by_key(|number| wear(*number as usize));
            let corners = order.iter().filter_map(|number| triangles.get(*number as usize));
            topology.triangles.extend(corners);
        }
        let worn = |place: usize| wear(order.get(place).map_or(place, |number| *number as usize));
        for place in 0..topology.triangles.len() {
            let material = Some(usize::from(worn(place)));
            match topology.parts.last_mut() {
                Some(part) if part.material == material => part.triangles.end = place.saturating_add(1),
                _ => topology.parts.push(Part { material, triangles: place..place.saturating_add(1) }),
            }
        }
        if topology.parts.is_empty() {
            topology.one_part(None);
        }
        Ok(())
    }
}

/// Which bones carry which mesh: mesh, bone, and the number of the mesh among those of the bone.
struct Carried(Vec<(u32, u16, usize)>);

impl Carried {
    fn new(u3d: &U3d<'_>) -> Result<Carried> {
        let mut all = Vec::new();
        for (number, bone) in u3d.bones().enumerate() {
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            all.extend(bone.meshes().enumerate().map(|(index, mesh)| (mesh, number, index)));
        }
        all.sort_unstable();
        // Of a mesh that a bone carries twice the first counts.
        all.dedup_by_key(|(mesh, bone, _)| (*mesh, *bone));
        let meshes = all.chunk_by(|a, b| a.0 == b.0).count() as u64;
        limit("bind matrices of meshes", MAX_BINDS, meshes.saturating_mul(u3d.bone_count() as u64))?;
        Ok(Carried(all))
    }

    /// The first bone that carries a mesh, and for each bone what takes the mesh into its space.
    fn skin(&self, u3d: &U3d<'_>, mesh: &U3dMesh<'_, '_>) -> Option<(u16, Arc<[Mat4]>)> {
        let number = u32::try_from(mesh.index()).ok()?;
        let start = self.0.partition_point(|(mesh, ..)| *mesh < number);
        let own = self.0.get(start..)?.chunk_by(|a, b| a.0 == b.0).next()?;
        let (carried, first, _) = own.first()?;
        if *carried != number {
            return None;
        }
        let mut matrices = alloc::vec![Mat4::IDENTITY; u3d.bone_count()];
        for (_, bone, index) in own {
            let matrix = u3d.bone(usize::from(*bone)).and_then(|bone| bone.mesh_to_bone(*index));
            if let (Some(slot), Some(matrix)) = (matrices.get_mut(usize::from(*bone)), matrix) {
                // Rows of a matrix for row vectors are the columns of the same for column vectors.
                *slot = Mat4::from_cols_array_2d(&matrix.rows);
                // The fourth column of the file is always this; another one would be a perspective, which nothing shows.
                (slot.x_axis.w, slot.y_axis.w, slot.z_axis.w, slot.w_axis.w) = (0.0, 0.0, 0.0, 1.0);
            }
        }
        Some((*first, matrices.into()))
    }
}

fn limit(what: &'static str, limit: u64, found: u64) -> Result<()> {
    if found <= limit {
        return Ok(());
    }
    Err(Error::new(meshlens_u3d::FORMAT, 0, ErrorKind::Limit { what, limit, found }))
}

/// Each joint once, weights not negative and adding up to 1; a vertex that nothing moves hangs on the first joint.
fn normalized(named: [u8; 4], weights: [f32; 4], bones: usize) -> ([u16; 4], [f32; 4]) {
    let mut merged: [(u16, f32); 4] = [(0, 0.0); 4];
    let mut count = 0usize;
    for (bone, weight) in named.into_iter().zip(weights) {
        if usize::from(bone) >= bones || !(weight > 1e-6 && weight.is_finite()) {
            continue;
        }
        let known = merged.iter().take(count).position(|(known, _)| *known == u16::from(bone));
        let place = known.unwrap_or(count);
        count = count.max(place.saturating_add(1));
        if let Some(slot) = merged.get_mut(place) {
            *slot = (u16::from(bone), slot.1 + weight);
        }
    }
    let sum: f32 = merged.iter().map(|(_, weight)| weight).sum();
    if sum <= 0.0 {
        return ([0; 4], [1.0, 0.0, 0.0, 0.0]);
    }
    (merged.map(|(joint, _)| joint), merged.map(|(_, weight)| weight / sum))
}

/// The bones as they are in any frame.
#[derive(Clone, Debug)]
struct Bones<'a>(Skeleton<'a>);

impl Bones<'_> {
    fn at(&self, bone: usize, frame: f32) -> Transform {
        let parts = self.0.transform_at(bone, frame);
        parts.map_or(Transform::IDENTITY, |(scaling, rotation, translation)| {
            Transform::new(translation, rotation, scaling)
        })
    }
}

impl Tracks for Bones<'_> {
    fn frames_into(&self, frames: Range<usize>, out: &mut Vec<Transform>) {
        for frame in frames {
            out.extend((0..self.0.len()).map(|bone| self.at(bone, frame as f32)));
        }
    }
}

fn skeleton<'a>(u3d: &U3d<'a>, model: &mut Model<'a>) -> Result<()> {
    let bones = Bones(u3d.skeleton()?);
    let (joints, frames) = (bones.0.len(), u3d.frame_count());
    limit(
        "transforms of bones in all frames",
        MAX_TRANSFORMS,
        (frames as u64).saturating_mul(joints as u64),
    )?;
    let unsorted: u64 = u3d.bones().map(|bone| unsorted_keys(&bone)).fold(0, u64::saturating_add);
    limit("keys in no order, in all frames", MAX_LOOKS, (frames as u64).saturating_mul(unsorted))?;
    for index in 0..joints {
        let bone = bones.0.bone(index);
        model.joints.push(Joint {
            name: bone.map(|bone| bone.name().to_text().into_owned()).unwrap_or_default(),
            parent: bone.and_then(Bone::parent).map(|parent| parent as usize),
            rest: bones.at(index, 0.0),
        });
    }
    model.animations.push(JointAnimation::lazy("all", (0..joints).collect(), frames, bones));
    Ok(())
}

/// Keys that have to be looked at one by one.
fn unsorted_keys(bone: &Bone<'_>) -> u64 {
    let tracks = [bone.scaling_keys(), bone.translation_keys()];
    let vectors = tracks.iter().filter(|keys| !keys.is_sorted()).map(|keys| keys.len() as u64);
    let rotations = bone.rotation_keys();
    vectors.fold(if rotations.is_sorted() { 0 } else { rotations.len() as u64 }, u64::saturating_add)
}
