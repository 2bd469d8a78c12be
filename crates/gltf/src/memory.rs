//! The memory of an export, from the counts of its models: it is reserved before any frame is decoded.

use meshlens::Model;
use meshlens::model::Clip;
use meshlens::scene::Scene;
use meshlens::wire::{Budget, Reservation};

use crate::Error;
use crate::nodes::ModelNodes;
use crate::selection::Selection;

/// Bytes of one attribute of a morph target: its records, here and as JSON.
const TARGET: usize = 1536;
/// Bytes of a morph target in each primitive that has it.
const PRIMITIVE_TARGET: usize = 192;
/// Bytes of a vertex, a point or a corner: indices, small attributes, and one frame while it is decoded.
const VERTEX: usize = 224;
/// Bytes of a triangle.
const TRIANGLE: usize = 96;
/// Bytes of a node, a mesh, a primitive or a material.
const RECORD: usize = 4096;
/// Bytes of a track: accessors, samplers and channels for translation, rotation and scale.
const TRACK: usize = 8192;
/// Bytes of a key of a track, decoded and encoded.
const KEY: usize = 256;
/// Bytes of every export.
const BASE: usize = 64 << 10;

/// Reserves the memory of the meshes, nodes and targets of a scene.
pub(crate) fn reserve(
    budget: &Budget,
    scene: &Scene<'_>,
    selections: &[Selection],
) -> Result<Reservation, Error> {
    let (mut bytes, mut targets_in_all) = (BASE, 0usize);
    for (node, selection) in scene.nodes.iter().zip(selections) {
        let targets = selection.last - selection.first;
        for model in std::iter::once(&node.model).chain(&node.lods) {
            bytes = bytes.saturating_add(still(model));
            let moving = model.meshes.iter().filter(|mesh| mesh.frame_count() > 1).count();
            let targets = targets.saturating_mul(moving);
            targets_in_all = targets_in_all.saturating_add(targets);
            bytes = bytes.saturating_add(targets.saturating_mul(2 * TARGET));
        }
    }
    let nodes = scene.nodes.len();
    Ok(budget.reserve(bytes, format_args!("{nodes} models with {targets_in_all} morph targets"))?)
}

/// Bytes of a model without its frames.
fn still(model: &Model<'_>) -> usize {
    let meshes = model.meshes.iter().map(|mesh| {
        // A matrix for each joint.
        let skin = if mesh.skin.is_some() { model.joints.len().saturating_mul(256) } else { 0 };
        let vertices = mesh.point_count().saturating_add(mesh.corner_count()).saturating_mul(VERTEX);
        let sizes =
            [vertices, mesh.triangle_count().saturating_mul(TRIANGLE), skin, RECORD, mesh.name.len() * 16];
        sizes.into_iter().fold(0, usize::saturating_add)
    });
    let names = model.materials.iter().map(|material| {
        let texture = material.texture.as_deref().unwrap_or_default().len();
        material.name.len().saturating_add(texture).saturating_mul(16)
    });
    let tags = model.tags.iter().map(|tag| tag.name.len() * 8);
    let joints = model.joints.iter().map(|joint| joint.name.len() * 8);
    let count = model.materials.len() + model.tags.len() + model.joints.len() + model.clips.len();
    meshes.chain(names).chain(tags).chain(joints).fold(count.saturating_mul(RECORD), usize::saturating_add)
}

/// Reserves the targets of one mesh in each of its primitives, and their names.
pub(crate) fn primitives(
    memory: &mut Reservation,
    primitives: usize,
    targets: usize,
    names: usize,
) -> Result<(), Error> {
    let bytes = primitives.saturating_mul(targets).saturating_mul(PRIMITIVE_TARGET);
    let bytes = bytes.saturating_add(names.saturating_mul(4));
    Ok(memory.grow(bytes, format_args!("{primitives} primitives x {targets} morph targets"))?)
}

/// Reserves the keys of all clips.
pub(crate) fn animations(
    memory: &mut Reservation,
    scene: &Scene<'_>,
    selections: &[Selection],
    nodes: &[ModelNodes],
) -> Result<(), Error> {
    let (mut bytes, mut keys_in_all, mut clips) = (0usize, 0usize, 0usize);
    for ((node, selection), nodes) in scene.nodes.iter().zip(selections).zip(nodes) {
        for clip in selection.clips.iter().chain(&selection.joint_clips) {
            let tracks = tracks(&node.model, clip, nodes);
            let keys = clip.count.saturating_add(1).saturating_mul(tracks.saturating_add(1));
            keys_in_all = keys_in_all.saturating_add(keys);
            clips += 1;
            let records = tracks.saturating_add(nodes.meshes.len()).saturating_add(1).saturating_mul(TRACK);
            // Weights are sparse where that is smaller, so that a key takes a few bytes for each mesh.
            let weights = clip.count.saturating_add(1).saturating_mul(nodes.meshes.len()).saturating_mul(64);
            let sizes = [keys.saturating_mul(KEY), records, weights, clip.name.len().saturating_mul(8)];
            bytes = sizes.into_iter().fold(bytes, usize::saturating_add);
        }
    }
    Ok(memory.grow(bytes, format_args!("{clips} clips with {keys_in_all} keys of nodes"))?)
}

/// The number of nodes that a clip moves.
fn tracks(model: &Model<'_>, clip: &Clip, nodes: &ModelNodes) -> usize {
    match clip.animation.and_then(|index| model.animations.get(index)) {
        Some(animation) => animation.joints.len(),
        None => nodes.tags.len(),
    }
}
