//! The nodes of a document that become joints of a model.
//!
//! The joints of the model are the joints of all skins, moving nodes that are ancestors or descendants of these or
//! ancestors of a mesh, tags below joints, and all nodes between joints. The transforms of nodes above the topmost
//! joints, such as an armature with a scale and a rotation, are applied to these joints.

use super::node::Node;
use super::scene::Scene;

/// The nodes that become joints, in the order of the joints. The joints of skins come first. Empty if the document has
/// neither skins nor joints without meshes.
pub(super) fn joint_nodes(scene: &Scene<'_>) -> Vec<usize> {
    let visible = scene.nodes().filter(|(node, _)| scene.shown[*node]);
    let mut skins: Vec<usize> = visible.filter_map(|(_, node)| node.skin).collect();
    if skins.is_empty() {
        skins.clone_from(&scene.skins);
    }
    let mut nodes: Vec<usize> = Vec::new();
    let mut included = vec![false; scene.ids.len()];
    let of_skins = skins.iter().flat_map(|skin| scene.joints(*skin));
    for joint in of_skins.chain(alone(scene)) {
        if !std::mem::replace(&mut included[joint], true) {
            nodes.push(joint);
        }
    }
    if nodes.is_empty() {
        return nodes;
    }
    let more = others(scene, &included);
    for (node, more) in more.into_iter().enumerate() {
        if more && !std::mem::replace(&mut included[node], true) {
            nodes.push(node);
        }
    }
    nodes
}

/// The joints of a document that has only animations: nodes that move, and their descendants. Empty if the document has
/// meshes, skins or tags.
fn alone(scene: &Scene<'_>) -> Vec<usize> {
    let Scene { document, shown, .. } = scene;
    if document.meshes.len() + document.skins.len() > 0 || scene.tags.contains(&true) {
        return Vec::new();
    }
    let mut moves = vec![false; shown.len()];
    let tracks = scene.animations.iter().flat_map(|animation| &animation.tracks);
    tracks.filter(|track| track.moves_node()).for_each(|track| moves[track.node] = true);
    let moves = scene.below(&moves);
    (0..shown.len()).filter(|node| moves[*node] && shown[*node]).collect()
}

/// The nodes that are joints although no skin names them.
fn others(scene: &Scene<'_>, joints: &[bool]) -> Vec<bool> {
    let shown = &scene.shown;
    let is_carried =
        |(index, node): (usize, &Node)| shown[index] && node.mesh.is_some() && node.skin.is_none();
    let meshes: Vec<bool> = scene.nodes().map(is_carried).collect();
    let tracks = scene.animations.iter().flat_map(|animation| &animation.tracks);
    let moving = tracks.filter(|track| track.moves_node()).map(|track| track.node);
    let (carries, holds, hangs) = (scene.above(&meshes), scene.above(joints), scene.below(joints));
    let mut all = joints.to_vec();
    for node in moving.filter(|node| shown[*node]) {
        all[node] |= carries[node] || holds[node] || hangs[node];
    }
    for node in 0..all.len() {
        all[node] |= scene.tags[node] && shown[node] && hangs[node];
    }
    // A node with a non-uniform scale above a joint is a joint, since a joint cannot store the shear.
    let uneven: Vec<bool> = scene.rest.iter().map(|state| !is_uniform(state.scale)).collect();
    let (under, held) = (scene.below(&uneven), scene.above(&all));
    for node in 0..all.len() {
        all[node] |= held[node] && under[node];
    }
    let (held, hangs) = (scene.above(&all), scene.below(&all));
    for node in 0..all.len() {
        all[node] |= held[node] && hangs[node];
    }
    all
}

fn is_uniform(scale: glam::Vec3) -> bool {
    scale.min_element() > 0.0 && scale.max_element() - scale.min_element() <= 2e-5 * scale.max_element()
}
