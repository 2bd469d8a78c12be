//! Players of Quake 3 without the extras of an export: a torso on the tag of the legs, and a head on the tag of the torso, or
//! meshes whose names say to which part they belong.

use meshlens::import::{ImportOptions, Roots, Skins};
use meshlens::model::Transform;
use meshlens::scene::{Node, Scene as Models, Socket};

use super::buffers::Buffers;
use super::parts::{self, Part, Place};
use super::scene::Scene;
use super::tracks::{Track, Tracks};
use crate::Error;
use crate::memory::ROOM;

/// The parts of a player: the name of its file, the beginnings of the names of its meshes, and the tags that it has beside those
/// below its nodes. The first tag is its origin.
const PARTS: [(&str, &[&str], &[&str]); 3] = [
    ("lower", &["lower", "legs", "l_"], &["tag_torso"]),
    ("upper", &["upper", "torso", "u_"], &["tag_torso", "tag_head", "tag_weapon"]),
    ("head", &["head", "h_"], &["tag_head"]),
];

/// Divides a document into at least one part, after the tags or the names of a player if it is one.
pub(super) fn divide<'d>(
    whole: Scene<'d>,
    buffers: &Buffers<'_>,
    options: ImportOptions,
) -> Result<Vec<Part<'d>>, Error> {
    let is_foreign = options.roots == Roots::Models && !whole.has_models();
    let is_player = is_foreign && is_player(&whole);
    if is_foreign
        && !is_player
        && options.skins == Skins::Bake
        && let Some(parts) = by_names(&whole, buffers)?
    {
        return Ok(parts);
    }
    parts::divide(whole, buffers, options.roots, is_player)
}

/// Whether a mesh is below the tag of a torso, and another one is not.
pub(super) fn is_player(whole: &Scene<'_>) -> bool {
    let is_torso = |node: usize| whole.tags[node] && whole.name(node).eq_ignore_ascii_case("tag_torso");
    let on_torso: Vec<bool> = whole.parents.iter().map(|parent| parent.is_some_and(is_torso)).collect();
    let is_upper = whole.below(&on_torso);
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

/// The part that a name begins with: `upper`, `upper_armor` and `u_armor`, but not `uppercut`.
fn part(name: &str) -> Option<usize> {
    let begins = |word: &&str| {
        let rest = name.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
        let next = rest.and_then(|_| name[word.len()..].chars().next());
        rest.is_some() && (word.ends_with('_') || !next.is_some_and(char::is_alphabetic))
    };
    PARTS.iter().position(|(_, words, _)| words.iter().any(begins))
}

/// The parts of a player by the names of its nodes: of a mesh, of its node, or of the nearest node above it that names a part. `None`
/// if a visible mesh is in no part, or a part has no mesh. Each part has all nodes, and shows its own.
fn by_names<'d>(whole: &Scene<'d>, buffers: &Buffers<'_>) -> Result<Option<Vec<Part<'d>>>, Error> {
    let mut parts: Vec<Option<usize>> = vec![None; whole.ids.len()];
    for node in &whole.order {
        let above = || parts[whole.parents[*node]?];
        parts[*node] = part(whole.name(*node)).or_else(above);
    }
    let mut has = [false; 3];
    for (node, mesh, _) in whole.shown_meshes() {
        let Some(part) = parts[node].or_else(|| part(mesh.name.as_deref()?)) else { return Ok(None) };
        (parts[node], has[part]) = (Some(part), true);
    }
    if has.contains(&false) {
        return Ok(None);
    }
    let mut made = Vec::new();
    for (number, (name, _, tags)) in PARTS.into_iter().enumerate() {
        buffers.spend(whole.ids.len(), Scene::NODE + ROOM * size_of::<[usize; 4]>())?;
        let mut scene = Scene {
            ids: whole.ids.clone(),
            local: whole.local.clone(),
            rest: whole.rest.clone(),
            shown: whole.shown.clone(),
            tags: whole.tags.clone(),
            parents: whole.parents.clone(),
            order: whole.order.clone(),
            skins: whole.skins.clone(),
            ..whole.empty()
        };
        let first = |tag: &str| {
            whole
                .order
                .iter()
                .copied()
                .find(|node| whole.tags[*node] && whole.name(*node).eq_ignore_ascii_case(tag))
        };
        for (node, record) in whole.nodes() {
            let of_player = PARTS.iter().flat_map(|(.., tags)| *tags).copied();
            let shared = of_player.into_iter().find(|tag| whole.name(node).eq_ignore_ascii_case(tag));
            let is_own = match shared {
                Some(tag) => tags.contains(&tag) && first(tag) == Some(node),
                // A tag in no part is one of the torso, which holds things.
                None => parts[node].unwrap_or(1) == number,
            };
            scene.tags[node] &= is_own;
            scene.shown[node] &= is_own || record.mesh.is_none();
        }
        scene.origin = if number == 0 { None } else { first(tags[0]) };
        scene.animations = moving(whole, &scene, buffers)?;
        let place = Place {
            name: name.to_owned(),
            transform: Transform::IDENTITY,
            top: number,
            parent: None,
            is_empty: false,
        };
        made.push(Part { scene, places: vec![place] });
    }
    Ok(Some(made))
}

/// The animations that move what a part shows.
fn moving(whole: &Scene<'_>, part: &Scene<'_>, buffers: &Buffers<'_>) -> Result<Vec<Tracks>, Error> {
    let mut moves = part.tags.clone();
    for (node, ..) in part.shown_meshes() {
        moves[node] = true;
        if let Some(skin) = part.node(node).skin {
            part.joints(skin).for_each(|joint| moves[joint] = true);
        }
    }
    let moves = part.above(&moves);
    let mut animations = Vec::new();
    for Tracks { name, tracks } in &whole.animations {
        let own = || tracks.iter().filter(|track| moves[track.node]);
        let size: usize = own().map(Track::size).sum();
        buffers.spend(1, ROOM * size_of::<Tracks>() + name.len() + size)?;
        if own().next().is_some() {
            animations.push(Tracks { name: name.clone(), tracks: own().cloned().collect() });
        }
    }
    Ok(animations)
}
