//! The tracks of animations: the keys of the properties of nodes, and their values between keys.

use std::ops::{Add, Mul};

use glam::{Vec3, Vec4};
use meshlens::Report;
use meshlens::model::Clip;

use super::broken;
use super::buffers::Buffers;
use super::state::{State, rotation};
use crate::json::{Animation, Interpolation, Property, Sampler};
use crate::memory::ROOM;
use crate::split::keys;
use crate::{Error, codes};

/// The keys of one property of a node.
#[derive(Clone)]
pub(super) struct Track {
    pub(super) node: usize,
    pub(super) times: Vec<f32>,
    values: Values,
    interpolation: Interpolation,
}

#[derive(Clone)]
enum Values {
    Translations(Vec<Vec3>),
    /// As stored: the tangents of splines have any length.
    Rotations(Vec<Vec4>),
    Scales(Vec<Vec3>),
    Weights(Vec<f32>),
}

impl Track {
    /// The number of bytes of a copy.
    pub(super) fn size(&self) -> usize {
        size_of::<Track>()
            + size_of_val(&self.times[..])
            + match &self.values {
                Values::Translations(vectors) | Values::Scales(vectors) => size_of_val(&vectors[..]),
                Values::Rotations(turns) => size_of_val(&turns[..]),
                Values::Weights(weights) => size_of_val(&weights[..]),
            }
    }

    fn read(
        (node, property, sampler): (usize, Property, &Sampler),
        buffers: &Buffers<'_>,
    ) -> Result<Track, Error> {
        let Sampler { input, output, interpolation } = *sampler;
        let times = buffers.floats_as_stored::<1>(input)?.into_flattened();
        check_times(input, &times)?;
        check_count((node, property, sampler), times.len(), buffers)?;
        Ok(Track {
            node,
            times,
            interpolation,
            values: match property {
                Property::Translation => {
                    Values::Translations(buffers.vectors(output, "keys of translations")?)
                }
                Property::Scale => Values::Scales(buffers.vectors(output, "keys of scales")?),
                Property::Rotation => Values::Rotations(
                    buffers.floats::<4>(output, "keys of rotations")?.into_iter().map(Vec4::from).collect(),
                ),
                Property::Weights | Property::Other => {
                    Values::Weights(buffers.floats::<1>(output, "keys of weights")?.into_flattened())
                }
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
    pub(super) fn apply(&self, time: f32, slack: f32, state: &mut State) {
        let keys = self.keys(time, slack);
        let vector = |values: &[Vec3], own: Vec3| {
            self.blend(&keys, |key| values.get(key).copied(), Vec3::lerp).unwrap_or(own)
        };
        match &self.values {
            Values::Translations(values) => state.translation = vector(values, state.translation),
            Values::Scales(values) => state.scale = vector(values, state.scale),
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

    /// Sets the weights that are not 0 in some key to 1.
    pub(super) fn mark_shown(&self, weights: &mut [f32]) {
        let Values::Weights(values) = &self.values else { return };
        let width = weights.len().max(1);
        for value in values.chunks(width) {
            let pairs = weights.iter_mut().zip(value).filter(|(_, value)| **value != 0.0);
            pairs.for_each(|(weight, _)| *weight = 1.0);
        }
    }

    /// Whether two keys have the same time: the value jumps from one to the other.
    pub(super) fn jumps(&self) -> bool {
        self.times.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Whether the first key is before time 0.
    fn starts_early(&self) -> bool {
        self.times.first().is_some_and(|time| *time < 0.0)
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

    /// Whether frames must be close together for linear blending to follow the value.
    pub(super) fn is_curved(&self) -> bool {
        self.interpolation != Interpolation::Linear && self.varies()
    }

    /// Whether values between keys lie on a line even after all transforms, which is the case for translations and
    /// weights without curves.
    pub(super) fn is_straight(&self) -> bool {
        let is_even = matches!(self.values, Values::Translations(_) | Values::Weights(_));
        !self.varies() || (is_even && self.interpolation == Interpolation::Linear && !self.jumps())
    }

    /// Whether there is a key at every frame between the first and the last.
    pub(super) fn is_dense(&self, rate: f32) -> bool {
        let (Some(first), Some(last)) = (self.times.first(), self.times.last()) else { return true };
        ((last - first) * rate).round() as usize <= self.times.len().saturating_sub(1)
    }
}

/// Checks that the times of keys are finite and do not decrease.
///
/// glTF 2.0 requires strictly increasing times from 0 on (3.11). Exporters write equal times for values that jump, and
/// negative times for keys before the first frame. Their meaning is clear, so they are accepted, and [`Tracks::losses`]
/// lists them.
fn check_times(accessor: usize, times: &[f32]) -> Result<(), Error> {
    let fault = |key: usize, found: std::fmt::Arguments<'_>| {
        let expected = "times of keys that are finite and increase";
        Err(broken(format_args!("/accessors/{accessor}: expected {expected}, found {found} at key {key}")))
    };
    if let Some((key, time)) = times.iter().enumerate().find(|(_, time)| !time.is_finite()) {
        return fault(key, format_args!("{time}"));
    }
    match times.windows(2).zip(1..).find(|(pair, _)| pair[1] < pair[0]) {
        Some((pair, key)) => fault(key, format_args!("{} after {}", pair[1], pair[0])),
        None => Ok(()),
    }
}

/// Checks that a channel has one value for each key, or three values for a spline (glTF 2.0: 3.11).
fn check_count(
    (node, property, sampler): (usize, Property, &Sampler),
    keys: usize,
    buffers: &Buffers<'_>,
) -> Result<(), Error> {
    let Sampler { output, interpolation, .. } = *sampler;
    let of_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let width = match property {
        Property::Weights => {
            // Weights of a node without a mesh have no effect.
            let document = buffers.document;
            let mesh = document.nodes[node].mesh.and_then(|mesh| document.meshes.get(mesh));
            let Some(mesh) = mesh else { return Ok(()) };
            let part = document.joined.iter().find(|joined| joined.nodes.first() == Some(&node));
            part.and_then(|joined| joined.targets.first()).map_or_else(|| mesh.targets(), Vec::len)
        }
        _ => 1,
    };
    let (found, expected) = (buffers.count(output), keys.saturating_mul(of_key).saturating_mul(width));
    if found == expected {
        return Ok(());
    }
    Err(broken(format_args!(
        "/accessors/{output}: expected {expected} values, {} for each of {keys} keys, found {found}",
        of_key * width
    )))
}

/// Two keys, the position between them from 0 to 1, and the seconds between them.
struct Keys {
    a: usize,
    b: usize,
    t: f32,
    seconds: f32,
}

/// An animation: its name and tracks.
pub(super) struct Tracks {
    pub(super) name: String,
    pub(super) tracks: Vec<Track>,
}

impl Tracks {
    /// Reads the keys of an animation.
    pub(super) fn read(animation: &Animation, name: String, buffers: &Buffers<'_>) -> Result<Tracks, Error> {
        buffers.spend(1, ROOM * size_of::<Tracks>() + name.len())?;
        buffers.spend(animation.channels.len(), ROOM * size_of::<Track>())?;
        let tracks = animation.tracks().map(|track| Track::read(track, buffers));
        Ok(Tracks { name, tracks: tracks.collect::<Result<_, _>>()? })
    }

    /// Lists the keys that glTF does not allow: keys with equal times, and keys before time 0.
    pub(super) fn losses(&self, losses: &mut Report) {
        let name = &self.name;
        let place = format_args!("animation {name}");
        let count = |is_odd: fn(&Track) -> bool| self.tracks.iter().filter(|track| is_odd(track)).count();
        let jumps = count(Track::jumps);
        let message = format_args!("animation {name}: {jumps} tracks with several keys at one time");
        losses.lose(&codes::KEY_TIMES_EQUAL, jumps as u64, place, message);
        let early = count(Track::starts_early);
        let message = format_args!("animation {name}: {early} tracks with keys before time 0");
        losses.lose(&codes::KEY_BEFORE_START, early as u64, place, message);
    }

    /// The number of keys and the weights of a node, if a track sets them without splines.
    pub(super) fn weights(&self, node: usize) -> Option<(usize, &[f32])> {
        self.tracks.iter().filter(|track| track.node == node).find_map(|track| match &track.values {
            Values::Weights(weights) if track.interpolation != Interpolation::CubicSpline => {
                Some((track.times.len(), &**weights))
            }
            _ => None,
        })
    }

    /// Gives the first node these weights, at the keys of its own, and removes the scales and weights of the others.
    pub(super) fn join(&mut self, nodes: &[usize], weights: Option<Vec<f32>>) {
        let first = nodes.first();
        self.tracks.retain(|track| match track.values {
            Values::Weights(_) => !nodes.contains(&track.node) || first == Some(&track.node),
            Values::Scales(_) => !nodes.contains(&track.node),
            _ => true,
        });
        let mut own = self.tracks.iter_mut().filter(|track| first == Some(&track.node));
        let own = own.find_map(|track| match &mut track.values {
            Values::Weights(own) => Some(own),
            _ => None,
        });
        if let (Some(own), Some(weights)) = (own, weights) {
            *own = weights;
        }
    }

    /// The time of the last key.
    pub(super) fn end(&self) -> f32 {
        let last = self.tracks.iter().filter_map(|track| track.times.last());
        last.fold(0.0, |end, time| end.max(*time))
    }

    /// Whether the keys show the frames of a clip in order: the weight of the frame's target is 1, and the other
    /// `targets` weights are 0.
    pub(super) fn shows(&self, clip: &Clip, targets: usize, target: impl Fn(usize) -> Option<usize>) -> bool {
        let frames = keys(clip);
        let on_time = |track: &Track| {
            let mut times = track.times.iter().enumerate();
            track.times.len() == frames.len()
                && times.all(|(step, time)| (time * clip.rate.get() - step as f32).abs() < 0.01)
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
}
