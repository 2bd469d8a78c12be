//! Nodes and their tracks: the transform of each node and the weights of its mesh at any time of an animation.

use std::ops::{Add, Mul};

use glam::{Mat4, Quat, Vec3, Vec4};
use meshlens::model::Clip;

use super::broken;
use super::buffers::Buffers;
use super::document::{Channel, Document, Interpolation, Node, Property};
use crate::Error;

/// The keys of one property of a node.
pub(super) struct Track {
    pub(super) node: usize,
    pub(super) times: Vec<f32>,
    values: Values,
    interpolation: Interpolation,
}

enum Values {
    Translations(Vec<Vec3>),
    /// As stored: the tangents of splines have any length.
    Rotations(Vec<Vec4>),
    Scales(Vec<Vec3>),
    Weights(Vec<f32>),
}

impl Track {
    fn read(channel: &Channel, buffers: &Buffers<'_>) -> Result<Track, Error> {
        let output = channel.output;
        let vectors = || -> Result<Vec<Vec3>, Error> {
            Ok(buffers.floats::<3>(output)?.into_iter().map(Vec3::from).collect())
        };
        Ok(Track {
            node: channel.node,
            times: buffers.floats::<1>(channel.input)?.into_flattened(),
            interpolation: channel.interpolation,
            values: match channel.property {
                Property::Translation => Values::Translations(vectors()?),
                Property::Scale => Values::Scales(vectors()?),
                Property::Rotation => {
                    Values::Rotations(buffers.floats::<4>(output)?.into_iter().map(Vec4::from).collect())
                }
                Property::Weights => Values::Weights(buffers.floats::<1>(output)?.into_flattened()),
            },
        })
    }

    /// The keys before and after a time. A key that is later by up to `slack` counts as reached, since times are rounded.
    fn keys(&self, time: f32, slack: f32) -> Keys {
        let after = self.times.partition_point(|key| *key <= time + slack);
        let a = after.saturating_sub(1);
        let b = after.min(self.times.len().saturating_sub(1));
        let key = |index: usize| self.times.get(index).copied().unwrap_or_default();
        let (from, to) = (key(a), key(b));
        let t = if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        match self.interpolation {
            Interpolation::Step => Keys { a, b: a, t: 0.0, seconds: 0.0 },
            _ => Keys { a, b, t, seconds: to - from },
        }
    }

    /// The value between two keys. `value` is the stored value at an index. A spline has three for each key: the in-tangent,
    /// the value and the out-tangent (glTF 2.0: Appendix C.5).
    fn blend<V>(
        &self,
        keys: &Keys,
        value: impl Fn(usize) -> Option<V>,
        linear: impl Fn(V, V, f32) -> V,
    ) -> Option<V>
    where
        V: Copy + Add<Output = V> + Mul<f32, Output = V>,
    {
        let Keys { a, b, t, seconds } = *keys;
        if self.interpolation != Interpolation::CubicSpline {
            return Some(linear(value(a)?, value(b)?, t));
        }
        let part = |key: usize, part: usize| value(key.checked_mul(3)?.checked_add(part)?);
        if a == b {
            return part(a, 1);
        }
        let (t2, t3) = (t * t, t * t * t);
        Some(
            part(a, 1)? * (2.0 * t3 - 3.0 * t2 + 1.0)
                + part(a, 2)? * (seconds * (t3 - 2.0 * t2 + t))
                + part(b, 1)? * (3.0 * t2 - 2.0 * t3)
                + part(b, 0)? * (seconds * (t3 - t2)),
        )
    }

    /// Sets the property of a node's state to its value at a time.
    fn apply(&self, time: f32, slack: f32, state: &mut State) {
        let keys = self.keys(time, slack);
        let lerp = |a: Vec3, b: Vec3, t: f32| a.lerp(b, t);
        match &self.values {
            Values::Translations(values) => {
                let value = self.blend(&keys, |key| values.get(key).copied(), lerp);
                state.translation = value.unwrap_or(state.translation);
            }
            Values::Scales(values) => {
                let value = self.blend(&keys, |key| values.get(key).copied(), lerp);
                state.scale = value.unwrap_or(state.scale);
            }
            Values::Rotations(values) => {
                let slerp = |a: Vec4, b: Vec4, t: f32| -> Vec4 {
                    rotation(a.to_array()).slerp(rotation(b.to_array()), t).into()
                };
                let value = self.blend(&keys, |key| values.get(key).copied(), slerp);
                state.rotation = value.map_or(state.rotation, |value| rotation(value.to_array()));
            }
            Values::Weights(values) => {
                let width = state.weights.len();
                for (index, weight) in state.weights.iter_mut().enumerate() {
                    let value = |key: usize| values.get(key.checked_mul(width)?.checked_add(index)?).copied();
                    let linear = |a: f32, b: f32, t: f32| a * (1.0 - t) + b * t;
                    *weight = self.blend(&keys, value, linear).unwrap_or(*weight);
                }
            }
        }
    }

    /// Whether the property is not the weights of the mesh.
    pub(super) const fn moves_node(&self) -> bool {
        !matches!(self.values, Values::Weights(_))
    }

    /// Whether the value changes in steps. Blender writes constant values as steps.
    pub(super) fn is_step(&self) -> bool {
        self.interpolation == Interpolation::Step && self.varies()
    }

    fn varies(&self) -> bool {
        fn differ<V: PartialEq>(values: &[V]) -> bool {
            values.windows(2).any(|pair| pair[0] != pair[1])
        }
        match &self.values {
            Values::Translations(values) | Values::Scales(values) => differ(values),
            Values::Rotations(values) => differ(values),
            Values::Weights(values) => differ(values),
        }
    }

    /// Whether frames that are blended linearly follow the value only if they are close together.
    fn is_curved(&self) -> bool {
        self.interpolation != Interpolation::Linear && self.varies()
    }

    /// Whether there is a key at every frame between the first and the last.
    fn is_dense(&self, rate: f32) -> bool {
        let (Some(first), Some(last)) = (self.times.first(), self.times.last()) else { return true };
        ((last - first) * rate).round() as usize <= self.times.len().saturating_sub(1)
    }
}

/// Two keys, the position between them from 0 to 1, and the seconds between them.
struct Keys {
    a: usize,
    b: usize,
    t: f32,
    seconds: f32,
}

/// A rotation of length 1. One of length 0 becomes the identity.
fn rotation(q: [f32; 4]) -> Quat {
    let q = Quat::from_array(q);
    let length = q.length();
    if length > 1e-6 && length.is_finite() { q / length } else { Quat::IDENTITY }
}

/// A node's state at a time.
#[derive(Clone)]
pub(super) struct State {
    pub(super) translation: Vec3,
    pub(super) rotation: Quat,
    pub(super) scale: Vec3,
    pub(super) weights: Vec<f32>,
}

/// Frames per second of joints whose keys are not at whole frames of a usual rate.
pub(super) const RESAMPLED: f32 = 30.0;

/// The usual frame rates of modeling programs.
const USUAL_RATES: [f32; 7] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 120.0];

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

    /// Whether the keys show the frames of a clip in order: of `targets` weights, the one of the frame's target is 1.
    pub(super) fn shows(&self, clip: &Clip, targets: usize, target: impl Fn(usize) -> Option<usize>) -> bool {
        let mut frames: Vec<usize> = clip.frames().collect();
        if clip.is_cycle() {
            frames.push(clip.frame(0));
        }
        let on_time = |track: &Track| {
            let times = track.times.iter().zip(0u16..);
            track.times.len() == frames.len()
                && times.into_iter().all(|(time, step)| (time * clip.rate - f32::from(step)).abs() < 0.01)
        };
        self.tracks.iter().all(|track| {
            let Values::Weights(weights) = &track.values else { return on_time(track) };
            let shown = |(frame, weights): (&usize, &[f32])| {
                let wanted = target(*frame);
                let of = |index: usize| if wanted == Some(index) { 1.0 } else { 0.0 };
                weights.iter().enumerate().all(|(index, weight)| (weight - of(index)).abs() < 1e-3)
            };
            on_time(track)
                && weights.len() == targets.saturating_mul(frames.len())
                && frames.iter().zip(weights.chunks_exact(targets.max(1))).all(shown)
        })
    }

    /// The rate of the keys; `None` if a key is not at a whole frame.
    pub(super) fn own_rate(&self) -> Option<f32> {
        let longest = self.tracks.iter().max_by_key(|track| track.times.len())?;
        let [first, second, ..] = longest.times.as_slice() else { return None };
        let rate = 1.0 / (second - first);
        // Times are rounded, and so is the rate.
        let rate = if (rate - rate.round()).abs() < 1e-2 { rate.round() } else { rate };
        ((0.01..=1000.0).contains(&rate) && self.is_whole(rate)).then_some(rate)
    }

    /// Whether every key is at a whole frame.
    pub(super) fn is_whole(&self, rate: f32) -> bool {
        let whole = |time: &f32| ((time * rate) - (time * rate).round()).abs() < 0.05;
        self.tracks.iter().flat_map(|track| &track.times).all(whole)
    }

    /// The rate at which joints are sampled: the rate of the keys, or a multiple of it if there are steps, splines or keys
    /// that are far apart. [`RESAMPLED`] if the keys have no rate.
    pub(super) fn joint_rate(&self) -> f32 {
        let usual = || USUAL_RATES.into_iter().find(|rate| self.is_whole(*rate));
        let Some(rate) = self.own_rate().or_else(usual) else { return RESAMPLED };
        let longest = self.tracks.iter().max_by_key(|track| track.times.len());
        let slow = rate < meshlens::model::DEFAULT_RATE && longest.is_some_and(|track| !track.is_dense(rate));
        let is_few = rate < meshlens::model::DEFAULT_RATE;
        let coarse = self.tracks.iter().any(|track| track.is_curved() && (is_few || !track.is_dense(rate)));
        if rate < RESAMPLED && (slow || coarse) { rate * (RESAMPLED / rate).ceil() } else { rate }
    }
}

/// The nodes of a document.
pub(super) struct Scene {
    pub(super) rest: Vec<State>,
    pub(super) parents: Vec<Option<usize>>,
    /// Every node after its parent.
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
            let tracks = animation.channels.iter().map(|channel| Track::read(channel, buffers));
            animations
                .push(Tracks { name: animation.name(index), tracks: tracks.collect::<Result<_, _>>()? });
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
    // Every node of a mesh has its own weights, at rest and at every time.
    buffers.spend(targets, size_of::<f32>())?;
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
