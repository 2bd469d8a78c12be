//! Nodes and what moves them: where each node is, and the weights of its mesh, at any time of an animation.

use glam::{Mat4, Quat, Vec3};
use gltf::animation::{Interpolation, Property};

use super::accessor::Buffers;
use super::broken;
use crate::Error;

/// What an animation does to one node at its keys.
pub(super) struct Track {
    node: usize,
    pub(super) times: Vec<f32>,
    values: Values,
    interpolation: Interpolation,
}

enum Values {
    Translations(Vec<Vec3>),
    Rotations(Vec<Quat>),
    Scales(Vec<Vec3>),
    Weights(Vec<f32>),
}

impl Track {
    fn read(channel: &gltf::animation::Channel<'_>, buffers: &Buffers) -> Result<Track, Error> {
        let (target, sampler) = (channel.target(), channel.sampler());
        let output = sampler.output();
        let vectors = || -> Result<Vec<Vec3>, Error> {
            Ok(buffers.floats::<3>(&output)?.into_iter().map(Vec3::from).collect())
        };
        Ok(Track {
            node: target.node().index(),
            times: buffers.floats::<1>(&sampler.input())?.into_flattened(),
            interpolation: sampler.interpolation(),
            values: match target.property() {
                Property::Translation => Values::Translations(vectors()?),
                Property::Scale => Values::Scales(vectors()?),
                Property::Rotation => {
                    Values::Rotations(buffers.floats::<4>(&output)?.into_iter().map(rotation).collect())
                }
                Property::MorphTargetWeights => {
                    Values::Weights(buffers.floats::<1>(&output)?.into_flattened())
                }
            },
        })
    }

    /// The key before a time, the one after, and how far it is between them. A key up to `slack` later than the time
    /// counts as reached: times and keys are rounded apart.
    fn keys(&self, time: f32, slack: f32) -> (usize, usize, f32) {
        let after = self.times.partition_point(|key| *key <= time + slack);
        let a = after.saturating_sub(1);
        let b = after.min(self.times.len().saturating_sub(1));
        let key = |index: usize| self.times.get(index).copied().unwrap_or_default();
        let (from, to) = (key(a), key(b));
        let t = if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        match self.interpolation {
            Interpolation::Step => (a, a, 0.0),
            _ => (a, b, t),
        }
    }

    /// The place of a key's value: cubic splines keep tangents around it, which are left aside.
    const fn place(&self, key: usize) -> usize {
        match self.interpolation {
            Interpolation::CubicSpline => key.saturating_mul(3).saturating_add(1),
            _ => key,
        }
    }

    pub(super) fn is_cubic(&self) -> bool {
        self.interpolation == Interpolation::CubicSpline
    }
}

/// A rotation of length 1; one of no length turns nothing.
fn rotation(q: [f32; 4]) -> Quat {
    let q = Quat::from_array(q);
    let length = q.length();
    if length > 1e-6 && length.is_finite() { q / length } else { Quat::IDENTITY }
}

/// A node's state at a time.
#[derive(Clone)]
struct State {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    weights: Vec<f32>,
}

/// An animation: its name and tracks.
pub(super) struct Tracks {
    pub(super) name: String,
    pub(super) tracks: Vec<Track>,
}

impl Tracks {
    /// The time of the last key.
    pub(super) fn end(&self) -> f32 {
        let last = self.tracks.iter().filter_map(|track| track.times.last());
        last.fold(0.0, |end, time| end.max(*time))
    }

    /// The rate of the keys, where they all stand at whole frames of it.
    pub(super) fn own_rate(&self) -> Option<f32> {
        let longest = self.tracks.iter().max_by_key(|track| track.times.len())?;
        let [first, second, ..] = longest.times.as_slice() else { return None };
        let rate = 1.0 / (second - first);
        // Times are rounded: what is nearly a whole rate is that rate.
        let rate = if (rate - rate.round()).abs() < 1e-2 { rate.round() } else { rate };
        let whole = |time: &f32| ((time * rate) - (time * rate).round()).abs() < 0.05;
        ((0.01..=1000.0).contains(&rate) && self.tracks.iter().flat_map(|track| &track.times).all(whole))
            .then_some(rate)
    }
}

/// The nodes of a document.
pub(super) struct Scene {
    rest: Vec<State>,
    pub(super) parents: Vec<Option<usize>>,
    /// Every node behind its parent.
    order: Vec<usize>,
    pub(super) animations: Vec<Tracks>,
}

/// Where every node is, and the weights of its mesh.
pub(super) struct Moment {
    pub(super) world: Vec<Mat4>,
    pub(super) weights: Vec<Vec<f32>>,
}

impl Scene {
    pub(super) fn read(document: &gltf::Document, buffers: &Buffers) -> Result<Scene, Error> {
        let mut parents = vec![None; document.nodes().len()];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
        let mut rest = Vec::new();
        for node in document.nodes() {
            for child in node.children().map(|child| child.index()) {
                if parents[child].replace(node.index()).is_some() {
                    return Err(broken(format_args!("node {child}: expected one parent")));
                }
                children[node.index()].push(child);
            }
            rest.push(state(&node, buffers)?);
        }
        let mut order: Vec<usize> = (0..parents.len()).filter(|node| parents[*node].is_none()).collect();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            order.append(&mut children[node]);
            next += 1;
        }
        if order.len() != parents.len() {
            return Err(broken("nodes that are their own ancestors"));
        }
        let mut animations = Vec::new();
        for animation in document.animations() {
            let tracks = animation.channels().map(|channel| Track::read(&channel, buffers));
            animations.push(Tracks {
                name: animation.name().map_or_else(|| format!("animation {}", animation.index()), Into::into),
                tracks: tracks.collect::<Result<_, _>>()?,
            });
        }
        Ok(Scene { rest, parents, order, animations })
    }

    /// How many numbers a moment takes: what looking at one costs.
    pub(super) fn moment_cost(&self) -> usize {
        self.rest.iter().map(|state| state.weights.len() + 16).sum()
    }

    /// The scene at a time of an animation, or at rest.
    pub(super) fn at(&self, animation: Option<usize>, time: f32, slack: f32) -> Moment {
        let mut states = self.rest.clone();
        let tracks = animation.and_then(|index| self.animations.get(index)).map(|found| &found.tracks);
        for track in tracks.into_iter().flatten() {
            let Some(state) = states.get_mut(track.node) else { continue };
            let (a, b, t) = track.keys(time, slack);
            let (a, b) = (track.place(a), track.place(b));
            match &track.values {
                Values::Translations(values) => {
                    if let (Some(a), Some(b)) = (values.get(a), values.get(b)) {
                        state.translation = a.lerp(*b, t);
                    }
                }
                Values::Scales(values) => {
                    if let (Some(a), Some(b)) = (values.get(a), values.get(b)) {
                        state.scale = a.lerp(*b, t);
                    }
                }
                Values::Rotations(values) => {
                    if let (Some(a), Some(b)) = (values.get(a), values.get(b)) {
                        state.rotation = a.slerp(*b, t);
                    }
                }
                Values::Weights(values) => {
                    let width = state.weights.len();
                    for (index, weight) in state.weights.iter_mut().enumerate() {
                        let value = |key: usize| values.get(key.checked_mul(width)?.checked_add(index)?);
                        if let (Some(a), Some(b)) = (value(a), value(b)) {
                            *weight = a * (1.0 - t) + b * t;
                        }
                    }
                }
            }
        }
        let mut world = vec![Mat4::IDENTITY; states.len()];
        for node in &self.order {
            let State { scale, rotation, translation, .. } = states[*node];
            let local = Mat4::from_scale_rotation_translation(scale, rotation, translation);
            world[*node] = self.parents[*node].map_or(local, |parent| world[parent] * local);
        }
        Moment { world, weights: states.into_iter().map(|state| state.weights).collect() }
    }
}

fn state(node: &gltf::Node<'_>, buffers: &Buffers) -> Result<State, Error> {
    let (translation, turn, scale) = node.transform().decomposed();
    let mesh = node.mesh();
    let targets = mesh.as_ref().map_or(0, |mesh| {
        mesh.primitives().map(|primitive| primitive.morph_targets().len()).max().unwrap_or_default()
    });
    // Every node of a mesh has weights of its own, and its moments too.
    buffers.spend(targets, size_of::<f32>())?;
    let own = node.weights().or_else(|| mesh.as_ref().and_then(|mesh| mesh.weights())).unwrap_or_default();
    let mut weights = own.iter().copied().take(targets).collect::<Vec<f32>>();
    weights.resize(targets, 0.0);
    Ok(State { translation: translation.into(), rotation: rotation(turn), scale: scale.into(), weights })
}
