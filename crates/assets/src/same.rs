//! Whether a model is the same as another one, which it was made from by way of a format with other coordinates.

use meshlens::model::{Clip, Model, Space, Topology, decode_gathered};

/// How far a position may be from the other one, as a part of the largest coordinate.
const DISTANCE: f32 = 1e-5;
/// How far texture coordinates may be from the others.
const TEXCOORDS: f32 = 1e-4;
/// The smallest product of equal rotations of tags, of a quarter of a degree.
const ROTATION: f32 = 0.99999;

/// Whether `model` with lengths multiplied by `scale` has the drawn triangles, texture coordinates, materials, frames, tags and
/// clips of `own`, in the same order. Vertices may be divided otherwise. O(triangles x frames).
pub(crate) fn is_same(own: &Model<'_>, model: &Model<'_>, scale: f32) -> bool {
    own.frame_count() == model.frame_count()
        && same_clips(&own.clips, &model.clips)
        && has_tags(own, model, scale)
        && matches!((parts(own), parts(model)), (Some(a), Some(b)) if same_parts(own, &a, model, &b, scale))
}

/// Whether two lists of clips play the same frames at the same rates.
pub(crate) fn same_clips(a: &[Clip], b: &[Clip]) -> bool {
    let same = |(a, b): (&Clip, &Clip)| {
        a.name == b.name
            && (a.first, a.count, a.loop_frames, a.reversed) == (b.first, b.count, b.loop_frames, b.reversed)
            && a.rate.get().to_bits() == b.rate.get().to_bits()
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// The drawn triangles of one material, of a mesh with its topology.
struct Part {
    mesh: usize,
    material: String,
    topology: Topology,
    triangles: Vec<[u32; 3]>,
}

fn parts(model: &Model<'_>) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for (number, mesh) in model.meshes.iter().enumerate() {
        let topology = mesh.topology().ok()?;
        for submesh in topology.submeshes().iter().filter(|submesh| !submesh.triangles.is_empty()) {
            let material = submesh.material.and_then(|material| model.materials.get(material));
            if material.is_some_and(|material| material.hidden) {
                continue;
            }
            parts.push(Part {
                mesh: number,
                material: material.map(|material| material.name.clone()).unwrap_or_default(),
                triangles: topology.submesh_triangles(submesh).to_vec(),
                topology: topology.clone(),
            });
        }
    }
    Some(parts)
}

fn same_parts(own: &Model<'_>, a: &[Part], model: &Model<'_>, b: &[Part], scale: f32) -> bool {
    let same = |(a, b): (&Part, &Part)| a.material == b.material && a.triangles.len() == b.triangles.len();
    let frames = own.frame_count();
    a.len() == b.len()
        && a.iter().zip(b).all(same)
        && a.iter().zip(b).all(|(a, b)| {
            let points = |frame: usize| {
                let (a, b) = (positions(own, a, frame, 1.0)?, positions(model, b, frame, scale)?);
                let largest = a.as_flattened().iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
                Some(are_close(a.as_flattened(), b.as_flattened(), DISTANCE * largest))
            };
            let pairs = || {
                let (a, b) = (texcoords(own, a)?, texcoords(model, b)?);
                Some(are_close(a.as_flattened(), b.as_flattened(), TEXCOORDS))
            };
            (0..frames).all(|frame| points(frame) == Some(true)) && pairs() == Some(true)
        })
}

fn are_close(a: &[f32], b: &[f32], distance: f32) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= distance)
}

/// The positions of the corners of a part in one frame, in the space of glTF.
fn positions(model: &Model<'_>, part: &Part, frame: usize, scale: f32) -> Option<Vec<[f32; 3]>> {
    let mesh = model.meshes.get(part.mesh)?;
    let placement = model.placement_in(&Space::GLTF).scaled(scale);
    let (mut decoded, mut values) = (Vec::new(), Vec::new());
    let stored = mesh.positions(mesh.clamp_frame(frame)).ok()?;
    decode_gathered(stored, part.topology.points(), &mut decoded, &mut values).ok()?;
    let corners = part.triangles.iter().flat_map(|triangle| placement.corners(*triangle));
    corners.map(|corner| Some(placement.position(*values.get(corner as usize)?))).collect()
}

/// The texture coordinates of the corners of a part.
fn texcoords(model: &Model<'_>, part: &Part) -> Option<Vec<[f32; 2]>> {
    let mesh = model.meshes.get(part.mesh)?;
    let placement = model.placement_in(&Space::GLTF);
    let mut stored = Vec::new();
    if !mesh.texcoords_into(0, &mut stored).ok()? {
        return Some(Vec::new());
    }
    let corners = part.triangles.iter().flat_map(|triangle| placement.corners(*triangle));
    let of = |corner: u32| match part.topology.corners() {
        Some(map) => stored.get(*map.get(corner as usize)? as usize).copied(),
        None => stored.get(corner as usize).copied(),
    };
    corners.map(of).collect()
}

fn has_tags(own: &Model<'_>, model: &Model<'_>, scale: f32) -> bool {
    let (from, to) = (own.space.to(&Space::GLTF), model.space.to(&Space::GLTF).scaled(scale));
    let names = |model: &Model<'_>| model.tags.iter().map(|tag| tag.name.clone()).collect::<Vec<_>>();
    let is_close = |tag: usize, frame: usize| {
        let (Some(a), Some(b)) = (own.tag_pose(tag, frame), model.tag_pose(tag, frame)) else { return false };
        let (origin, other) = (from.position(a.origin), to.position(b.origin));
        let largest = origin.iter().fold(1.0f32, |largest, value| largest.max(value.abs()));
        let (turn, turned) = (from.rotation(a.rotation()), to.rotation(b.rotation()));
        let product = turn.iter().zip(turned).map(|(a, b)| a * b).sum::<f32>();
        are_close(&origin, &other, 1e-4 * largest) && product.abs() > ROTATION
    };
    names(own) == names(model)
        && (0..own.tags.len()).all(|tag| (0..own.tag_frame_count()).all(|frame| is_close(tag, frame)))
}
