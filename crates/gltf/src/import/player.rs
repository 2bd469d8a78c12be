//! Players of Quake 3 without the extras of an export: a torso on the tag of the legs, and a head on the tag of the torso.

use meshlens::scene::{Node, Scene as Models, Socket};

use super::scene::Scene;

/// Whether a mesh is below the tag of a torso, and another one is not.
pub(super) fn is_player(whole: &Scene<'_>) -> bool {
    let is_torso = |node: usize| whole.tags[node] && whole.name(node).eq_ignore_ascii_case("tag_torso");
    let mut is_upper = vec![false; whole.ids.len()];
    for node in &whole.order {
        is_upper[*node] = whole.parents[*node].is_some_and(|parent| is_upper[parent] || is_torso(parent));
    }
    let has = |wanted: bool| whole.shown_meshes().any(|(node, ..)| is_upper[node] == wanted);
    has(true) && has(false)
}

/// Names the parts of a player as engines name their files, by the tags that connect them, if only one part can have each name.
pub(super) fn name_parts(scene: &mut Models<'_>) {
    let on = |node: &Node<'_>, name: &str| {
        let attachment = node.attachment?;
        let Socket::Tag(tag) = attachment.socket else { return None };
        let tag = scene.nodes.get(attachment.node)?.model.tags.get(tag)?;
        tag.name.eq_ignore_ascii_case(name).then_some(attachment.node)
    };
    let attached = |name: &str| -> Vec<(usize, usize)> {
        let nodes = scene.nodes.iter().enumerate();
        nodes.filter_map(|(number, node)| Some((number, on(node, name)?))).collect()
    };
    let [(upper, lower)] = attached("tag_torso")[..] else { return };
    let mut names = vec![(lower, "lower"), (upper, "upper")];
    match attached("tag_head")[..] {
        [] => {}
        [(head, parent)] if parent == upper => names.push((head, "head")),
        _ => return,
    }
    let is_free = |(part, name): &(usize, &str)| {
        !scene.nodes.iter().enumerate().any(|(other, node)| other != *part && node.name == *name)
    };
    if names.iter().all(is_free) {
        names.into_iter().for_each(|(part, name)| scene.nodes[part].name = name.into());
    }
}
