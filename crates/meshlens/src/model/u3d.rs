//! Ultimate 3D as a model: frames of vertices, or bones with skins and meshes that hang on one of them. Everything is put
//! together when the model is made: the format spreads one mesh over chunks that borrow from one another.

use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::Mat4;
use meshlens_u3d::{Bone, Mesh as U3dMesh, Skeleton, U3d};
use meshlens_wire::Result;

use super::clip::{Clip, DEFAULT_RATE};
use super::material::{Alpha, Material};
use super::plain::{PlainFrame, PlainMesh};
use super::skeleton::{Joint, JointAnimation, Transform};
use super::topology::Part;
use super::{Model, Space};
use crate::{Document, Format};

/// Transforms of all frames of all bones that are made of any file, and of each bone and key: no byte of the file stands
/// behind its count of frames.
const TRANSFORMS: (usize, usize) = (1 << 16, 1 << 12);
/// Transforms that are made at most.
const MAX_TRANSFORMS: usize = 1 << 22;
/// Keys that are looked at at most, where they are not sorted and each has to be for each frame.
const MAX_UNSORTED: usize = 1 << 24;

pub(super) fn model(u3d: U3d<'_>) -> Result<Model<'_>> {
    let mut model = Model::empty(Format::U3d, Space::U3D, None);
    model.materials = u3d.materials().map(|material| self::material(&material)).collect();
    if u3d.bone_count() > 0 {
        skeleton(&u3d, &mut model)?;
    }
    let first = u3d.meshes().filter(|mesh| mesh.frame() == 0);
    for mesh in first {
        let mut plain = PlainMesh::default();
        triangles(&mesh, &mut plain)?;
        plain.frames.push(frame(&mesh));
        if u3d.bone_count() == 0 {
            later_frames(&u3d, &mesh, &mut plain);
        }
        for set in 0..8 {
            let Some(floats) = mesh.texcoords(set) else { continue };
            let all = (0..mesh.vertex_count()).map(|vertex| {
                let [s, t, ..] = floats.get(vertex).unwrap_or_default();
                [s, t]
            });
            plain.texcoords.push(all.collect());
        }
        let skin = influences(&u3d, &mesh, &mut plain);
        let mut made = plain.into_mesh(mesh.name().to_text().into_owned())?;
        made.lod = mesh.lod().unwrap_or_default() as usize;
        made.skin = skin;
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
    model.document = Some(Document::U3d(u3d));
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

fn frame(mesh: &U3dMesh<'_, '_>) -> PlainFrame {
    let sign = if mesh.normal_scalar() < 0.0 { -1.0 } else { 1.0 };
    PlainFrame {
        positions: mesh.positions().iter().collect(),
        normals: mesh.normals().iter().map(|normal| normal.map(|axis| axis * sign)).collect(),
        ..PlainFrame::default()
    }
}

/// The frames after the first, as long as their vertices are as many: others cannot be morphed to.
fn later_frames(u3d: &U3d<'_>, mesh: &U3dMesh<'_, '_>, plain: &mut PlainMesh) {
    for number in 1..u3d.frame_count() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let next = u3d.find_mesh(mesh.lod().unwrap_or_default(), mesh.mesh_in_frame(), number);
        match next {
            Some(next) if next.vertex_count() == mesh.vertex_count() => plain.frames.push(frame(&next)),
            _ => break,
        }
    }
}

fn triangles(mesh: &U3dMesh<'_, '_>, plain: &mut PlainMesh) -> Result<()> {
    let all = mesh.checked_triangles()?;
    let owner = mesh.triangle_owner();
    let wears: Vec<u16> = owner.map(|owner| owner.triangle_materials().iter().collect()).unwrap_or_default();
    let mut dressed: Vec<(u16, [u32; 3])> = all
        .iter()
        .enumerate()
        .map(|(number, corners)| (wears.get(number).copied().unwrap_or_default(), corners))
        .collect();
    // In the order of the file within each material.
    dressed.sort_by_key(|(wear, _)| *wear);
    for run in dressed.chunk_by(|a, b| a.0 == b.0) {
        let start = plain.triangles.len();
        plain.triangles.extend(run.iter().map(|(_, corners)| *corners));
        let material = run.first().map(|(wear, _)| usize::from(*wear));
        plain.parts.push(Part { material, triangles: start..plain.triangles.len() });
    }
    Ok(())
}

/// The bones of each vertex: those of its skin, or the one that the whole mesh hangs on.
fn influences(u3d: &U3d<'_>, mesh: &U3dMesh<'_, '_>, plain: &mut PlainMesh) -> Option<Arc<[Mat4]>> {
    let number = u32::try_from(mesh.index()).ok()?;
    let bones: Vec<Bone<'_>> = u3d.bones().collect();
    let holds = |bone: &Bone<'_>| bone.meshes().position(|mesh| mesh == number);
    let first = bones.iter().position(|bone| holds(bone).is_some())?;
    let matrix = |bone: &Bone<'_>| {
        let matrix = holds(bone).and_then(|index| bone.mesh_to_bone(index)).unwrap_or_default();
        // Rows of a matrix for row vectors are the columns of the same for column vectors.
        Mat4::from_cols_array_2d(&matrix.rows)
    };
    for vertex in 0..mesh.vertex_count() {
        let weights = mesh.weights(vertex);
        let named = mesh.skin_bones().get(vertex).unwrap_or_default();
        let (joints, weights) = match weights {
            Some(weights) => normalized(named, weights, bones.len()),
            None => ([u16::try_from(first).unwrap_or_default(), 0, 0, 0], [1.0, 0.0, 0.0, 0.0]),
        };
        plain.joints.push(joints);
        plain.weights.push(weights);
    }
    Some(bones.iter().map(matrix).collect())
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

fn skeleton(u3d: &U3d<'_>, model: &mut Model<'_>) -> Result<()> {
    let skeleton: Skeleton<'_> = u3d.skeleton()?;
    let sorted: Vec<bool> = u3d.bones().map(|bone| bone.is_sorted()).collect();
    let at = |index: usize, frame: f32| {
        let Some(bone) = skeleton.bone(index) else { return Transform::IDENTITY };
        let frame = skeleton.frame_of(index, frame).unwrap_or(frame);
        let (scaling, rotation, translation) = if sorted.get(index) == Some(&true) {
            bone.parts_at_sorted(frame)
        } else {
            (bone.scaling_at(frame), bone.rotation_at(frame), bone.translation_at(frame))
        };
        Transform::new(translation, rotation, scaling)
    };
    for index in 0..skeleton.len() {
        let bone = skeleton.bone(index);
        model.joints.push(Joint {
            name: bone.map(|bone| bone.name().to_text().into_owned()).unwrap_or_default(),
            parent: bone.and_then(Bone::parent).map(|parent| parent as usize),
            rest: at(index, 0.0),
        });
    }
    let joints = skeleton.len();
    let keys = |only: &dyn Fn(usize) -> bool| -> usize {
        let bones = u3d.bones().enumerate().filter(|(index, _)| only(*index));
        bones.map(|(_, bone)| bone.key_count()).fold(0, usize::saturating_add)
    };
    let (base, each) = TRANSFORMS;
    let transforms = joints.saturating_add(keys(&|_| true)).saturating_mul(each).saturating_add(base);
    let unsorted = keys(&|index| sorted.get(index) != Some(&true));
    let frames = u3d
        .frame_count()
        .min(transforms.min(MAX_TRANSFORMS).checked_div(joints).unwrap_or_default())
        .min(MAX_UNSORTED.checked_div(unsorted).unwrap_or(usize::MAX));
    let mut animation =
        JointAnimation { name: "all".into(), joints: (0..joints).collect(), ..JointAnimation::default() };
    for frame in 0..frames {
        animation.transforms.extend((0..joints).map(|joint| at(joint, frame as f32)));
    }
    model.animations.push(animation);
    Ok(())
}
