//! The nodes of a document, or of a part of it: the transform of each node and the weights of its mesh at any time of an
//! animation.

use std::rc::Rc;

use glam::Mat4;

use super::buffers::Buffers;
use super::document::{Document, Mesh, animation_name};
use super::node::Node;
use super::state::{State, rotation};
use super::tracks::Tracks;
use super::{broken, instances, split};
use crate::Error;

/// The nodes of a document, or some of them. Indices of nodes are indices into these lists, except in the document.
pub(super) struct Scene<'d> {
    pub(super) document: &'d Document,
    /// The index of each node in the document.
    pub(super) ids: Vec<usize>,
    /// The index of each node of the document in the scene that it belongs to.
    pub(super) local: Rc<[usize]>,
    pub(super) rest: Vec<State>,
    pub(super) parents: Vec<Option<usize>>,
    /// The nodes, each after its parent.
    pub(super) order: Vec<usize>,
    /// Whether the default scene of the document shows the node.
    pub(super) shown: Vec<bool>,
    /// Whether the node is a tag.
    pub(super) tags: Vec<bool>,
    /// The skins whose joints are among the nodes.
    pub(super) skins: Vec<usize>,
    pub(super) animations: Vec<Tracks>,
    /// The node at the origin of the model, such as the tag to which a part of a player is attached. `None` if the model has the
    /// origin of the document.
    pub(super) origin: Option<usize>,
}

/// The transform of every node, from the node to the scene, and the weights of its mesh.
pub(super) struct Moment {
    pub(super) world: Vec<Mat4>,
    pub(super) weights: Vec<Vec<f32>>,
}

/// Whether a node of this name is a tag.
pub(super) fn is_tag(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("tag_"))
}

impl<'d> Scene<'d> {
    /// The bytes of a node: once for the state at rest and once for the state at a time.
    pub(super) const NODE: usize = 2 * size_of::<(State, Option<usize>, [usize; 4], Mat4, Vec<f32>)>();

    /// Reads all nodes of a document at a level of detail, which is 0 for the finest one.
    pub(super) fn read(
        document: &'d Document,
        buffers: &Buffers<'_>,
        level: usize,
    ) -> Result<Scene<'d>, Error> {
        let count = document.nodes.len();
        buffers.spend(count, Self::NODE)?;
        let mut parents = vec![None; count];
        let mut rest = Vec::with_capacity(count);
        for (index, node) in document.nodes.iter().enumerate() {
            for child in node.children.iter().map(|child| document.at_level(*child, level)) {
                if parents[child].replace(index).is_some() {
                    return Err(broken(format_args!("/nodes/{child}: expected one parent")));
                }
            }
            rest.push(state(document, node, buffers)?);
        }
        instances::place(document, buffers, |node, translation, turn, scale| {
            let State { translation: place, rotation: own, scale: size, .. } = &mut rest[node];
            *place = translation.map_or(*place, Into::into);
            *own = turn.map_or(*own, rotation);
            *size = scale.map_or(*size, Into::into);
        })?;
        let order = parents_first(&parents, document, level);
        if order.len() != count {
            return Err(broken("/nodes: a node is its own ancestor"));
        }
        let mut shown = vec![document.roots().is_none(); count];
        let roots = document.roots().into_iter().flatten();
        roots.for_each(|root| shown[document.at_level(*root, level)] = true);
        for node in &order {
            shown[*node] |= parents[*node].is_some_and(|parent| shown[parent]);
        }
        let mut animations = Vec::new();
        for (index, animation) in document.animations.iter().enumerate() {
            let mut tracks = Tracks::read(animation, animation_name(animation, index), buffers)?;
            split::join_tracks(&document.joined, &mut tracks, buffers)?;
            animations.push(tracks);
        }
        let is_tag = |node: &Node| node.mesh.is_none() && node.name.as_deref().is_some_and(is_tag);
        Ok(Scene {
            document,
            ids: (0..count).collect(),
            local: (0..count).collect(),
            rest,
            parents,
            order,
            shown,
            tags: document.nodes.iter().map(is_tag).collect(),
            skins: (0..document.skins.len()).collect(),
            animations,
            origin: None,
        })
    }

    /// A scene of the same document without nodes.
    pub(super) fn empty(&self) -> Scene<'d> {
        Scene {
            document: self.document,
            ids: Vec::new(),
            local: self.local.clone(),
            rest: Vec::new(),
            parents: Vec::new(),
            order: Vec::new(),
            shown: Vec::new(),
            tags: Vec::new(),
            skins: Vec::new(),
            animations: Vec::new(),
            origin: None,
        }
    }

    /// Whether the extras of an export name models.
    pub(super) fn has_models(&self) -> bool {
        self.nodes().any(|(_, node)| node.frames.is_some())
    }

    /// The record of a node.
    pub(super) fn node(&self, node: usize) -> &'d Node {
        &self.document.nodes[self.ids[node]]
    }

    /// The records of all nodes.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (usize, &'d Node)> {
        self.ids.iter().map(|id| &self.document.nodes[*id]).enumerate()
    }

    /// The joints of a skin.
    pub(super) fn joints(&self, skin: usize) -> impl Iterator<Item = usize> {
        self.document.skins[skin].joints.iter().map(|joint| self.local[*joint])
    }

    /// The visible nodes with a mesh: the index, the mesh, and the name of the node, or of the mesh if the node has none.
    pub(super) fn shown_meshes(&self) -> impl Iterator<Item = (usize, &'d Mesh, &'d str)> {
        let nodes = self.nodes().filter(|(index, _)| self.shown[*index]);
        nodes.filter_map(|(index, node)| {
            let mesh = self.document.meshes.get(node.mesh?)?;
            Some((index, mesh, self.name(index)))
        })
    }

    /// The name of a node, or of its mesh if the node has none.
    pub(super) fn name(&self, node: usize) -> &'d str {
        let node = self.node(node);
        let mesh = node.mesh.and_then(|mesh| self.document.meshes.get(mesh));
        node.name.as_ref().or(mesh.and_then(|mesh| mesh.name.as_ref())).map_or("", String::as_str)
    }

    /// These nodes and their ancestors.
    pub(super) fn above(&self, nodes: &[bool]) -> Vec<bool> {
        let mut above = nodes.to_vec();
        for node in self.order.iter().rev() {
            if let Some(parent) = self.parents[*node] {
                above[parent] |= above[*node];
            }
        }
        above
    }

    /// These nodes and their descendants.
    pub(super) fn below(&self, nodes: &[bool]) -> Vec<bool> {
        let mut below = nodes.to_vec();
        for node in &self.order {
            below[*node] |= self.parents[*node].is_some_and(|parent| below[parent]);
        }
        below
    }

    /// The number of floats of a moment, as a measure of its work.
    pub(super) fn moment_cost(&self) -> usize {
        self.rest.iter().map(|state| state.weights.len() + 16).sum()
    }

    /// The states of the nodes at a time of an animation, or at rest.
    pub(super) fn states(&self, animation: Option<usize>, time: f32, slack: f32) -> Vec<State> {
        let mut states = self.rest.clone();
        let tracks = animation.and_then(|index| self.animations.get(index)).map(|found| &found.tracks);
        for track in tracks.into_iter().flatten() {
            if let Some(state) = states.get_mut(track.node) {
                track.apply(time, slack, state);
            }
        }
        states
    }

    /// The transforms and weights at a time of an animation, or at rest.
    pub(super) fn at(&self, animation: Option<usize>, time: f32, slack: f32) -> Moment {
        let states = self.states(animation, time, slack);
        let mut world = vec![Mat4::IDENTITY; states.len()];
        for node in &self.order {
            let local = states[*node].matrix();
            world[*node] = self.parents[*node].map_or(local, |parent| world[parent] * local);
        }
        if let Some(inverse) = self.origin.map(|origin| world[origin].inverse()).filter(Mat4::is_finite) {
            world.iter_mut().for_each(|matrix| *matrix = inverse * *matrix);
        }
        Moment { world, weights: states.into_iter().map(|state| state.weights).collect() }
    }
}

/// The nodes, each after its parent, without those of a cycle.
fn parents_first(parents: &[Option<usize>], document: &Document, level: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..parents.len()).filter(|node| parents[*node].is_none()).collect();
    let mut next = 0;
    while let Some(node) = order.get(next).copied() {
        order.extend(document.nodes[node].children.iter().map(|child| document.at_level(*child, level)));
        next += 1;
    }
    order
}

fn state(document: &Document, node: &Node, buffers: &Buffers<'_>) -> Result<State, Error> {
    let mesh = node.mesh.and_then(|mesh| document.meshes.get(mesh));
    let targets = mesh.map_or(0, |mesh| mesh.targets());
    // Every node with a mesh has its own weights, at rest and at every time.
    buffers.spend(targets, 2 * size_of::<f32>())?;
    let own = node.weights.as_ref().or(mesh.map(|mesh| &mesh.weights));
    let mut weights: Vec<f32> = own.into_iter().flatten().copied().take(targets).collect();
    weights.resize(targets, 0.0);
    Ok(State {
        translation: node.translation.into(),
        rotation: rotation(node.rotation),
        scale: node.scale.into(),
        weights,
    })
}
