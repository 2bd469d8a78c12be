//! The nodes of a document that become joints of a model.
//!
//! The joints of the model are the joints of all skins, moving nodes that are ancestors or descendants of these or
//! ancestors of a mesh, tags below joints, and all nodes between joints. The transforms of nodes above the topmost
//! joints, such as an armature with a scale and a rotation, are applied to these joints.

use super::document::{Document, Node};
use super::scene::Scene;
use super::tracks::State;

/// The nodes that become joints, in the order of the joints. The joints of skins come first. Empty if the document has
/// neither skins nor joints without meshes.
pub(super) fn joint_nodes(document: &Document, scene: &Scene, shown: &[bool]) -> Vec<usize> {
    let rest = &scene.rest;
    let visible = document.nodes.iter().zip(shown).filter(|(_, shown)| **shown);
    let mut skins: Vec<usize> = visible.filter_map(|(node, _)| node.skin).collect();
    if skins.is_empty() {
        skins = (0..document.skins.len()).collect();
    }
    let mut nodes: Vec<usize> = Vec::new();
    let mut included = vec![false; rest.len()];
    let of_skins = skins.iter().flat_map(|skin| &document.skins[*skin].joints).copied();
    for joint in of_skins.chain(alone(document, scene, shown)) {
        if !std::mem::replace(&mut included[joint], true) {
            nodes.push(joint);
        }
    }
    if nodes.is_empty() {
        return nodes;
    }
    let more = others(document, scene, rest, shown, &included);
    for (node, more) in more.into_iter().enumerate() {
        if more && !std::mem::replace(&mut included[node], true) {
            nodes.push(node);
        }
    }
    nodes
}

/// The joints of a document that has only animations: nodes that move, and their descendants. Empty if the document has
/// meshes, skins or tags.
fn alone(document: &Document, scene: &Scene, shown: &[bool]) -> Vec<usize> {
    let is_tag = |node: &Node| node.name.as_deref().is_some_and(super::tags::is_tag);
    if document.meshes.len() + document.skins.len() > 0 || document.nodes.iter().any(is_tag) {
        return Vec::new();
    }
    let mut moves = vec![false; shown.len()];
    let tracks = scene.animations.iter().flat_map(|animation| &animation.tracks);
    tracks.filter(|track| track.moves_node()).for_each(|track| moves[track.node] = true);
    for node in &scene.order {
        moves[*node] |= scene.parents[*node].is_some_and(|parent| moves[parent]);
    }
    (0..shown.len()).filter(|node| moves[*node] && shown[*node]).collect()
}

/// The nodes that are joints although no skin names them.
fn others(document: &Document, scene: &Scene, rest: &[State], shown: &[bool], joints: &[bool]) -> Vec<bool> {
    let parent = |node: usize| scene.parents[node];
    let below = |flags: &[bool]| -> Vec<bool> {
        let mut below = flags.to_vec();
        for node in scene.order.iter().rev() {
            if let Some(parent) = parent(*node).filter(|_| below[*node]) {
                below[parent] = true;
            }
        }
        below
    };
    let above = |flags: &[bool]| -> Vec<bool> {
        let mut above = flags.to_vec();
        for node in &scene.order {
            above[*node] |= parent(*node).is_some_and(|parent| above[parent]);
        }
        above
    };
    let mut meshes = vec![false; rest.len()];
    let mut tags = vec![false; rest.len()];
    for (index, node) in document.nodes.iter().enumerate().filter(|(index, _)| shown[*index]) {
        meshes[index] = node.mesh.is_some() && node.skin.is_none();
        tags[index] = node.mesh.is_none() && node.name.as_deref().is_some_and(super::tags::is_tag);
    }
    let tracks = scene.animations.iter().flat_map(|animation| &animation.tracks);
    let moving = tracks.filter(|track| track.moves_node()).map(|track| track.node);
    let (carries, holds, hangs) = (below(&meshes), below(joints), above(joints));
    let mut all = joints.to_vec();
    for node in moving.filter(|node| shown[*node]) {
        all[node] |= carries[node] || holds[node] || hangs[node];
    }
    for (node, tag) in tags.iter().enumerate() {
        all[node] |= *tag && hangs[node];
    }
    // A node with a non-uniform scale above a joint is a joint, since a joint cannot store the shear.
    let uneven: Vec<bool> = rest.iter().map(|state| !is_uniform(state.scale)).collect();
    let (under, held) = (above(&uneven), below(&all));
    for node in 0..all.len() {
        all[node] |= held[node] && under[node];
    }
    let (held, hangs) = (below(&all), above(&all));
    for node in 0..all.len() {
        all[node] |= held[node] && hangs[node];
    }
    all
}

fn is_uniform(scale: glam::Vec3) -> bool {
    scale.min_element() > 0.0 && scale.max_element() - scale.min_element() <= 2e-5 * scale.max_element()
}
