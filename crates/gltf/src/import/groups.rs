//! Which nodes of a document belong to one part.

use std::collections::BTreeMap;

use glam::Mat4;
use meshlens::model::Transform;

use super::scene::Scene;
use super::state::State;

/// What a node below a top is, from nothing to what a model is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    Nothing,
    /// A mesh that only joints place.
    Skinned,
    Tag,
    /// A mesh or a joint.
    Solid,
}

/// The nodes of a document in groups. The lists have an element for each node.
pub(super) struct Groups<'w, 'd> {
    whole: &'w Scene<'d>,
    /// The node at which the nodes around this one begin: a root, or a node that is attached.
    top: Vec<usize>,
    /// For each top, a top of the same group that is nearer to the first one.
    nearer: Vec<usize>,
    /// The number of ancestors.
    depth: Vec<usize>,
    /// The transform from the node to the parent of its top, at rest.
    rest: Vec<Mat4>,
    /// Whether an animation changes the node, or an ancestor up to its top.
    moves: Vec<bool>,
    /// Whether the node is a joint of a skin, or below one up to its top.
    is_joint: Vec<bool>,
    /// The first node with the same mesh, if the node is an instance of it.
    instance: Vec<Option<usize>>,
    content: Vec<Content>,
}

impl<'w, 'd> Groups<'w, 'd> {
    /// Bytes of each node.
    pub(super) const NODE: usize = size_of::<([usize; 8], Mat4, [bool; 8])>();

    pub(super) fn new(whole: &'w Scene<'d>) -> Groups<'w, 'd> {
        let count = whole.ids.len();
        let mut groups = Groups {
            whole,
            top: (0..count).collect(),
            nearer: (0..count).collect(),
            depth: vec![0; count],
            rest: whole.rest.iter().map(State::matrix).collect(),
            moves: vec![false; count],
            is_joint: vec![false; count],
            instance: vec![None; count],
            content: vec![Content::Nothing; count],
        };
        let tracks = whole.animations.iter().flat_map(|animation| &animation.tracks);
        tracks.for_each(|track| groups.moves[track.node] = true);
        let joints = whole.document.skins.iter().flat_map(|skin| &skin.joints);
        joints.for_each(|joint| groups.is_joint[*joint] = true);
        groups.find_tops();
        groups.find_instances();
        for (node, record) in whole.nodes() {
            let content = match () {
                () if groups.is_joint[node] || record.frames.is_some() => Content::Solid,
                () if record.mesh.is_none() && whole.tags[node] => Content::Tag,
                () if record.mesh.is_none() || !whole.shown[node] => Content::Nothing,
                () if groups.instance[node].is_some() => Content::Nothing,
                () if record.skin.is_some() => Content::Skinned,
                () => Content::Solid,
            };
            let top = &mut groups.content[groups.top[node]];
            *top = content.max(*top);
        }
        groups.join_all();
        groups
    }

    fn find_tops(&mut self) {
        let whole = self.whole;
        let meshes: Vec<bool> =
            whole.nodes().map(|(node, record)| whole.shown[node] && record.mesh.is_some()).collect();
        let has_mesh = whole.above(&meshes);
        let joints = self.is_joint.clone();
        for node in whole.order.iter().copied() {
            let Some(parent) = whole.parents[node] else { continue };
            self.depth[node] = self.depth[parent] + 1;
            // An export attaches models to tags and joints of other models, or to the models themselves.
            let model = whole.parents[parent].unwrap_or(parent);
            let is_socket =
                joints[parent] || [parent, model].iter().any(|node| whole.node(*node).frames.is_some());
            if whole.tags[parent] && has_mesh[node] || whole.node(node).frames.is_some() && is_socket {
                continue;
            }
            self.top[node] = self.top[parent];
            self.rest[node] = self.rest[parent] * self.rest[node];
            self.moves[node] |= self.moves[parent];
            self.is_joint[node] |= self.is_joint[parent];
        }
    }

    /// Finds the nodes that only place a mesh that other nodes have, too.
    fn find_instances(&mut self) {
        let mut instances: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (node, record) in self.whole.nodes() {
            let Some(mesh) = record.mesh.filter(|_| self.whole.shown[node] && record.children.is_empty())
            else {
                continue;
            };
            let is_still = !self.moves[node] && !self.is_joint[node] && record.skin.is_none();
            let is_plain = record.frames.is_none() && self.whole.rest[node].weights.is_empty();
            if is_still && is_plain && self.placement(node).is_some() {
                instances.entry(mesh).or_default().push(node);
            }
        }
        for nodes in instances.values().filter(|nodes| nodes.len() > 1) {
            nodes.iter().for_each(|node| self.instance[*node] = Some(nodes[0]));
        }
    }

    fn join_all(&mut self) {
        let whole = self.whole;
        for (node, skin) in whole.nodes().filter_map(|(node, record)| Some((node, record.skin?))) {
            whole.document.skins[skin].joints.iter().for_each(|joint| self.join(*joint, node));
        }
        let roots = || whole.order.iter().copied().filter(|node| whole.parents[*node].is_none());
        let most = roots().map(|root| self.content[root]).max().unwrap_or(Content::Nothing);
        let first = roots().find(|root| self.content[*root] == most);
        let content = self.content.clone();
        let others = roots().filter(|root| matches!(content[*root], Content::Nothing | Content::Tag));
        for (first, root) in first.into_iter().flat_map(|first| others.clone().map(move |root| (first, root)))
        {
            self.join(first, root);
        }
    }

    /// The first top of a node's group.
    fn find(&mut self, node: usize) -> usize {
        let mut top = self.top[node];
        while self.nearer[top] != top {
            // Chains become shorter.
            self.nearer[top] = self.nearer[self.nearer[top]];
            top = self.nearer[top];
        }
        top
    }

    /// Joins the groups of two nodes. The group begins at the top with the fewest ancestors. Other tops stay below their parents,
    /// whose groups are joined, too.
    fn join(&mut self, a: usize, b: usize) {
        let mut next = Some((a, b));
        while let Some((a, b)) = next.take() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                break;
            }
            let (first, other) = if self.depth[b] < self.depth[a] { (b, a) } else { (a, b) };
            self.nearer[other] = first;
            next = self.whole.parents[other].map(|parent| (parent, other));
        }
    }

    /// The group of each node: its first node. `None` for an instance of a mesh that an earlier node shows.
    pub(super) fn firsts(&mut self) -> Vec<Option<usize>> {
        let nodes = 0..self.top.len();
        let of = |node: usize| match self.instance[node] {
            Some(first) => (first == node).then_some(node),
            None => Some(self.find(node)),
        };
        nodes.map(of).collect()
    }

    /// The instances, each with the first node that has the same mesh, and the node that its top is attached to.
    pub(super) fn instances(&self) -> impl Iterator<Item = (usize, usize, Option<usize>)> {
        let instances = self.instance.iter().enumerate();
        instances.filter_map(|(node, first)| Some((node, (*first)?, self.whole.parents[self.top[node]])))
    }

    /// Whether a group is nothing but nodes without content.
    pub(super) fn is_empty(&self, first: usize) -> bool {
        self.content[first] == Content::Nothing
    }

    /// The groups whose first node can be the origin of their model: no animation moves it, and no other root has a place in the
    /// group. Joints keep the transforms above them, except those of models that an export wrote.
    pub(super) fn origins(&mut self) -> BTreeMap<usize, Transform> {
        let whole = self.whole;
        let tops = (0..self.top.len()).filter(|node| self.top[*node] == *node);
        let mut origins: BTreeMap<usize, Transform> =
            tops.map(|top| (top, whole.rest[top].transform())).filter(|(_, own)| is_placement(own)).collect();
        let tracks = whole.animations.iter().flat_map(|animation| &animation.tracks);
        for track in tracks.filter(|track| track.moves_node()) {
            origins.remove(&track.node);
        }
        for (node, record) in whole.nodes() {
            let first = self.find(node);
            let is_placed =
                first != node && whole.parents[node].is_none() && self.content[node] >= Content::Tag;
            if is_placed || record.skin.is_some() && whole.node(first).frames.is_none() {
                origins.remove(&first);
            }
        }
        origins
    }

    /// The transform of an instance, relative to the parent of its top. `None` if a node of a scene cannot have it.
    pub(super) fn placement(&self, node: usize) -> Option<Transform> {
        if self.top[node] == node {
            return Some(self.whole.rest[node].transform()).filter(is_placement);
        }
        let matrix = self.rest[node];
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let again = Mat4::from_scale_rotation_translation(scale, rotation, translation);
        let size = matrix.to_cols_array().iter().fold(0.0f32, |size, value| size.max(value.abs()));
        let transform = Transform::new(translation.into(), rotation.into(), scale.into());
        (again.abs_diff_eq(matrix, 1e-5 * size)).then_some(transform).filter(is_placement)
    }
}

/// Whether a node of a scene can have a transform.
fn is_placement(transform: &Transform) -> bool {
    let Transform { translation, scale, .. } = transform;
    translation.iter().all(|value| value.is_finite())
        && scale.iter().all(|value| *value > 0.0 && value.is_finite())
}
