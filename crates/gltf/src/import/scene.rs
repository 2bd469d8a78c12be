//! The nodes of a document: the transform of each node and the weights of its mesh at any time of an animation.

use glam::Mat4;

use super::buffers::Buffers;
use super::document::{Document, Node, animation_name};
use super::tracks::{State, Tracks, rotation};
use super::{broken, instances};
use crate::Error;

/// The nodes of a document.
pub(super) struct Scene {
    pub(super) rest: Vec<State>,
    pub(super) parents: Vec<Option<usize>>,
    /// The nodes, each after its parent.
    pub(super) order: Vec<usize>,
    pub(super) animations: Vec<Tracks>,
}

/// The transform of every node, from the node to the scene, and the weights of its mesh.
pub(super) struct Moment {
    pub(super) world: Vec<Mat4>,
    pub(super) weights: Vec<Vec<f32>>,
}

impl Scene {
    pub(super) fn read(document: &Document, buffers: &Buffers<'_>) -> Result<Scene, Error> {
        // Once for the state at rest and once for the state at a time.
        buffers.spend(
            document.nodes.len(),
            2 * size_of::<(State, Option<usize>, [usize; 2], Mat4, Vec<f32>)>(),
        )?;
        let mut parents = vec![None; document.nodes.len()];
        let mut rest = Vec::with_capacity(parents.len());
        for (index, node) in document.nodes.iter().enumerate() {
            for child in &node.children {
                if parents[*child].replace(index).is_some() {
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
        let mut order: Vec<usize> = (0..parents.len()).filter(|node| parents[*node].is_none()).collect();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            order.extend(&document.nodes[node].children);
            next += 1;
        }
        if order.len() != parents.len() {
            return Err(broken("/nodes: a node is its own ancestor"));
        }
        let mut animations = Vec::new();
        for (index, animation) in document.animations.iter().enumerate() {
            animations.push(Tracks::read(animation, animation_name(animation, index), buffers)?);
        }
        Ok(Scene { rest, parents, order, animations })
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
            let State { scale, rotation, translation, .. } = states[*node];
            let local = Mat4::from_scale_rotation_translation(scale, rotation, translation);
            world[*node] = self.parents[*node].map_or(local, |parent| world[parent] * local);
        }
        Moment { world, weights: states.into_iter().map(|state| state.weights).collect() }
    }
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
