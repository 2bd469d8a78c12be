//! Divides the nodes of a document into parts. Each part becomes one model.
//!
//! A part begins at a root, at a model that is attached to a tag or a joint, or at an instance of a mesh. All instances of a mesh
//! are one part. Roots that a skin connects are one part, and roots without meshes belong to the first one with a mesh.

use std::collections::BTreeMap;
use std::rc::Rc;

use meshlens::import::Roots;
use meshlens::model::Transform;

use super::buffers::Buffers;
use super::groups::Groups;
use super::scene::Scene;
use super::tracks::{Track, Tracks};
use crate::Error;
use crate::memory::ROOM;

/// A part of a document, and the nodes of the scene that show it.
pub(super) struct Part<'d> {
    pub(super) scene: Scene<'d>,
    pub(super) places: Vec<Place>,
}

/// A node of the scene that shows a part.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) transform: Transform,
    /// The node of the document at which the part begins.
    pub(super) top: usize,
    /// The node of the document that the part is attached to.
    pub(super) parent: Option<usize>,
    /// Whether the node is left out if other nodes have content.
    pub(super) is_empty: bool,
}

/// Divides a document into at least one part. `is_player` is for [`Roots::Models`].
pub(super) fn divide<'d>(
    whole: Scene<'d>,
    buffers: &Buffers<'_>,
    roots: Roots,
    is_player: bool,
) -> Result<Vec<Part<'d>>, Error> {
    let models = || whole.nodes().filter(|(_, node)| node.frames.is_some()).count();
    let is_merged = roots == Roots::Merged || roots == Roots::Models && !(is_player || models() > 1);
    // Joints without meshes belong together.
    if is_merged || whole.document.meshes.is_empty() || whole.ids.is_empty() {
        let transform = Transform::IDENTITY;
        let name = whole.order.first().filter(|_| roots == Roots::Nodes).map_or("", |root| whole.name(*root));
        let place = Place { name: name.to_owned(), transform, top: 0, parent: None, is_empty: true };
        return Ok(vec![Part { scene: whole, places: vec![place] }]);
    }
    let node = Scene::NODE + Groups::NODE + ROOM * size_of::<(Part<'_>, Place)>();
    buffers.spend(whole.ids.len(), node)?;
    let mut groups = Groups::new(&whole);
    let (firsts, origins) = (groups.firsts(), groups.origins());
    let mut parts: BTreeMap<usize, Part<'d>> = BTreeMap::new();
    let mut local = vec![0; whole.ids.len()];
    for (node, first) in firsts.iter().enumerate().filter_map(|(node, first)| Some((node, (*first)?))) {
        let part = parts.entry(first).or_insert_with(|| Part { scene: whole.empty(), places: Vec::new() });
        local[node] = part.scene.ids.len();
        part.scene.ids.push(node);
        part.scene.rest.push(whole.rest[node].clone());
        part.scene.shown.push(whole.shown[node]);
        part.scene.tags.push(whole.tags[node]);
        part.scene.parents.push(None);
    }
    let place = |top: usize, transform: Option<Transform>, parent: Option<usize>, is_empty: bool| Place {
        name: whole.name(top).to_owned(),
        transform: transform.unwrap_or(Transform::IDENTITY),
        top,
        parent,
        is_empty,
    };
    for (node, first, parent) in groups.instances() {
        if let Some(part) = parts.get_mut(&first) {
            buffers.spend(1, size_of::<Place>() + whole.name(node).len())?;
            part.scene.rest[0].set_transform(&Transform::IDENTITY);
            part.places.push(place(node, groups.placement(node), parent, false));
        }
    }
    for (first, part) in parts.iter_mut().filter(|(_, part)| part.places.is_empty()) {
        let origin = origins.get(first);
        if origin.is_some() {
            part.scene.rest[local[*first]].set_transform(&Transform::IDENTITY);
        }
        part.places.push(place(*first, origin.copied(), whole.parents[*first], groups.is_empty(*first)));
    }
    let local: Rc<[usize]> = local.into();
    for node in &whole.order {
        let Some(part) = firsts[*node].and_then(|first| parts.get_mut(&first)) else { continue };
        part.scene.order.push(local[*node]);
        let parent = whole.parents[*node].filter(|parent| firsts[*parent] == firsts[*node]);
        part.scene.parents[local[*node]] = parent.map(|parent| local[parent]);
    }
    for (index, skin) in whole.document.skins.iter().enumerate() {
        let part = skin.joints.first().and_then(|joint| parts.get_mut(&firsts[*joint]?));
        part.into_iter().for_each(|part| part.scene.skins.push(index));
    }
    // Whatever others are attached to is a tag.
    let sockets: Vec<usize> =
        parts.values().flat_map(|part| &part.places).filter_map(|place| place.parent).collect();
    for node in sockets
        .into_iter()
        .filter(|node| whole.node(*node).mesh.is_none() && whole.node(*node).frames.is_none())
    {
        if let Some(part) = firsts[node].and_then(|first| parts.get_mut(&first)) {
            part.scene.tags[local[node]] = true;
        }
    }
    for animation in whole.animations {
        let given = give(animation, &mut parts, &firsts, &local);
        buffers.spend(given.0, ROOM * size_of::<Tracks>() + given.1)?;
    }
    let parts = parts.into_values();
    Ok(parts.map(|part| Part { scene: Scene { local: local.clone(), ..part.scene }, ..part }).collect())
}

/// Gives each part the tracks of its nodes. The first part gets an animation without tracks. Returns the number of parts and the
/// length of the name.
fn give(
    animation: Tracks,
    parts: &mut BTreeMap<usize, Part<'_>>,
    firsts: &[Option<usize>],
    local: &[usize],
) -> (usize, usize) {
    let Tracks { name, tracks } = animation;
    let mut own: BTreeMap<usize, Vec<Track>> = BTreeMap::new();
    for mut track in tracks {
        // An animated node is no instance.
        let first = firsts[track.node].unwrap_or_default();
        track.node = local[track.node];
        own.entry(first).or_default().push(track);
    }
    if own.is_empty() {
        own.extend(parts.keys().next().map(|first| (*first, Vec::new())));
    }
    let given = (own.len(), name.len());
    for (first, tracks) in own {
        if let Some(part) = parts.get_mut(&first) {
            part.scene.animations.push(Tracks { name: name.clone(), tracks });
        }
    }
    given
}
