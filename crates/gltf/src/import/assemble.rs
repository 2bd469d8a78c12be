//! Makes the scene of the models of all parts.

use std::cell::Cell;
use std::collections::HashMap;

use meshlens::Report;
use meshlens::import::ImportOptions;
use meshlens::model::{JointAnimation, Material, Mesh, Model, Space};
use meshlens::scene::{Attachment, Node, Scene, Socket};

use super::buffers::Buffers;
use super::parts::{Part, Place};
use super::{Import, companions};
use crate::Error;
use crate::memory::ROOM;

/// The scene of a document. Its nodes are in the order of the document. With `has_files`, they have what belongs to their models.
pub(super) fn assemble(
    parts: Vec<Part<'_>>,
    buffers: &Buffers<'_>,
    mut options: ImportOptions,
    materials: &[Material],
    has_files: bool,
    losses: &mut Report,
) -> Result<Scene<'static>, Error> {
    let mut sockets: HashMap<usize, Socket> = HashMap::new();
    let mut tops: HashMap<usize, usize> = HashMap::new();
    let mut placed: Vec<(Place, Node<'static>)> = Vec::new();
    let count = parts.len();
    for Part { scene, places } in parts {
        let mut node = Node::new("", Model::empty(None, Space::GLTF));
        let import = Import { buffers, scene: &scene, options, work: Cell::new(0) };
        let found = import.fill(&mut node, losses)?;
        options.limits.work = options.limits.work.saturating_sub(import.work.get());
        let frames = frames(&node.model);
        options.limits.frames = options.limits.frames.saturating_sub(frames).max(1);
        sockets.extend(found.into_iter().map(|(socket, of)| (scene.ids[socket], of)));
        if let [place] = &places[..] {
            tops.extend(scene.ids.iter().map(|node| (*node, place.top)));
        }
        if has_files {
            node.companions = companions::files(&scene, buffers, losses)?;
            node.variants = companions::variants(&scene, buffers, &node.model, materials, losses)?;
        }
        if count == 1 {
            materials.clone_into(&mut node.model.materials);
        } else {
            keep_used(&mut node.model, materials);
        }
        let size = size_of::<(Place, Node<'_>)>()
            + node.model.meshes.len() * size_of::<Mesh<'_>>()
            + node.model.materials.len() * size_of::<Material>();
        buffers.spend(places.len(), ROOM * size)?;
        placed.extend(places.into_iter().map(|place| (place, node.clone())));
    }
    placed.sort_by_key(|(place, _)| place.top);
    let has_content = placed.iter().any(|(place, _)| !place.is_empty);
    placed.retain(|(place, _)| !place.is_empty || !has_content);
    let numbers: HashMap<usize, usize> =
        placed.iter().enumerate().map(|(number, (place, _))| (place.top, number)).collect();
    let nodes = placed.into_iter().map(|(place, node)| {
        let attachment = place.parent.and_then(|parent| {
            // Without a socket, the node is attached to the other node itself.
            let socket = sockets.get(&parent).copied().unwrap_or(Socket::Tag(usize::MAX));
            Some(Attachment { node: *numbers.get(tops.get(&parent)?)?, socket })
        });
        Node { name: place.name, transform: place.transform, attachment, ..node }
    });
    Ok(Scene { nodes: nodes.collect() })
}

/// The number of frames that animations have made.
fn frames(model: &Model<'_>) -> usize {
    if model.joints.is_empty() {
        return model.frame_count().saturating_sub(1);
    }
    model.animations.iter().map(JointAnimation::frame_count).sum()
}

/// Gives a model the materials that its meshes use.
fn keep_used(model: &mut Model<'_>, all: &[Material]) {
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    for material in model.meshes.iter_mut().filter_map(|mesh| mesh.material.as_mut()) {
        let next = numbers.len();
        *material = *numbers.entry(*material).or_insert_with(|| {
            model.materials.extend(all.get(*material).cloned());
            next
        });
    }
}
