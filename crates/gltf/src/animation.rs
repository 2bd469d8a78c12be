//! Animations: one for each clip, of morph weights and of tags.

use std::collections::HashMap;

use meshlens::model::{Clip, Transform};

use crate::builder::Builder;
use crate::json::{
    Accessor, Animation, Channel, ChannelTarget, Component, Sampler, Sparse, SparseIndices, SparseValues,
};
use crate::nodes::{PartNodes, Place};
use crate::selection::Selection;
use crate::skeleton;
use crate::{Error, Part};

/// Bytes of a translation, a rotation and a scale at one key.
const KEY_BYTES: usize = 40;

/// The frames at a clip's keys: each once, and the first again at the end of a cycle.
fn keys(clip: &Clip) -> Vec<usize> {
    let mut keys: Vec<usize> = clip.frames().collect();
    if clip.is_cycle() {
        keys.push(clip.frame(0));
    }
    keys
}

impl Builder<'_, '_, '_> {
    pub(crate) fn animations(
        &mut self,
        parts: &[Part<'_, '_>],
        selections: &[Selection],
        nodes: &[PartNodes],
    ) -> Result<(), Error> {
        // Clips of one name are one animation, in the order in which names first come.
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut named: Vec<(&str, Vec<(usize, &Clip)>)> = Vec::new();
        for (number, selection) in selections.iter().enumerate() {
            for clip in selection.clips.iter().chain(&selection.joint_clips) {
                let place = *numbers.entry(&clip.name).or_insert(named.len());
                if place == named.len() {
                    named.push((&clip.name, Vec::new()));
                }
                named[place].1.push((number, clip));
            }
        }
        for (name, clips) in named {
            let mut animation = Animation { name: name.into(), ..Animation::default() };
            for (number, clip) in clips {
                let (part, selection, nodes) = (&parts[number], &selections[number], &nodes[number]);
                if clip.animation.is_some() {
                    self.joints(&mut animation, clip, part, nodes)?;
                } else {
                    self.weights(&mut animation, clip, selection, nodes)?;
                    self.tags(&mut animation, clip, part, nodes)?;
                }
            }
            if animation.channels.is_empty() {
                self.loss(format!("clip {name}: nothing moves in it"));
            } else {
                self.root.animations.push(animation);
            }
        }
        Ok(())
    }

    fn sampler(&mut self, animation: &mut Animation, clip: &Clip, output: usize) -> usize {
        let input = self.times(clip);
        let interpolation = self.options.step.then_some("STEP");
        animation.samplers.push(Sampler { input, output, interpolation });
        animation.samplers.len() - 1
    }

    /// The times of a clip's keys. Clips of one length and rate share them.
    fn times(&mut self, clip: &Clip) -> usize {
        let count = keys(clip).len();
        if let Some(known) = self.times.get(&(count, clip.rate.to_bits())) {
            return *known;
        }
        let times = (0..count).map(|key| key as f32 / clip.rate);
        let view = self.bytes_view(times.clone().flat_map(f32::to_le_bytes).collect());
        let mut accessor = Accessor::new(view, Component::F32, "SCALAR", count);
        accessor.min = times.clone().take(1).collect();
        accessor.max = times.skip(count - 1).collect();
        let accessor = self.accessor(accessor);
        self.times.insert((count, clip.rate.to_bits()), accessor);
        accessor
    }

    /// Weights of every target at every key. Meshes with as many targets share a sampler.
    fn weights(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        selection: &Selection,
        nodes: &PartNodes,
    ) -> Result<(), Error> {
        let mut samplers: HashMap<usize, usize> = HashMap::new();
        for (node, targets) in nodes.meshes.iter().filter(|(_, targets)| *targets > 0) {
            if !samplers.contains_key(targets) {
                self.spend(clip.count + 1, *targets)?;
            }
            let sampler = *samplers.entry(*targets).or_insert_with(|| {
                let ones: Vec<usize> = keys(clip)
                    .iter()
                    .enumerate()
                    .filter_map(|(key, frame)| Some(key * targets + selection.target(*frame)?))
                    .collect();
                let output = self.ones(keys(clip).len() * targets, &ones);
                self.sampler(animation, clip, output)
            });
            let target = ChannelTarget { node: *node, path: "weights" };
            animation.channels.push(Channel { sampler, target });
        }
        Ok(())
    }

    /// An accessor of `count` normalised bytes that are 0 but for those that are 1: stored sparse where that is smaller.
    fn ones(&mut self, count: usize, ones: &[usize]) -> usize {
        let (component, width) =
            if count <= usize::from(u16::MAX) { (Component::U16, 2) } else { (Component::U32, 4) };
        let sparse = (ones.len() * width).next_multiple_of(4) + ones.len().next_multiple_of(4);
        if ones.is_empty() || sparse >= count.next_multiple_of(4) {
            let mut bytes = vec![0; count];
            ones.iter().for_each(|one| bytes[*one] = 255);
            let view = self.bytes_view(bytes);
            return self.accessor(Accessor::new(view, Component::U8, "SCALAR", count).normalized());
        }
        let indices =
            ones.iter().flat_map(|one| (*one as u32).to_le_bytes().into_iter().take(width)).collect();
        let indices = self.bytes_view(indices);
        let values = self.bytes_view(vec![255; ones.len()]);
        let mut accessor = Accessor::new(0, Component::U8, "SCALAR", count).normalized();
        accessor.buffer_view = None;
        accessor.sparse = Some(Sparse {
            count: ones.len(),
            indices: SparseIndices { buffer_view: indices, component_type: component },
            values: SparseValues { buffer_view: values },
        });
        self.accessor(accessor)
    }

    fn tags(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        part: &Part<'_, '_>,
        nodes: &PartNodes,
    ) -> Result<(), Error> {
        self.spend(clip.count + 1, nodes.tags.len() * KEY_BYTES)?;
        let conversion = self.tag_conversion(part.model);
        for (tag, node) in part.model.tags.iter().zip(&nodes.tags) {
            let pose = |frame| Place::new(part.model.tag_pose(tag.index, frame), &conversion);
            let mut places: Vec<Place> = keys(clip).into_iter().map(pose).collect();
            // Every clip has the same tracks, so that one does not shine through another.
            let unit = nodes.unit_tags.get(tag.index).copied().unwrap_or_default();
            self.places(animation, clip, *node, &mut places, |_| unit);
        }
        Ok(())
    }

    /// Tracks of every joint that the clip's animation moves.
    fn joints(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        part: &Part<'_, '_>,
        nodes: &PartNodes,
    ) -> Result<(), Error> {
        let moved = clip.animation.and_then(|index| part.model.animations.get(index));
        let Some(moved) = moved else { return Ok(()) };
        self.spend(clip.count + 1, moved.joints.len() * KEY_BYTES)?;
        let conversion = self.tag_conversion(part.model);
        let mut transforms = Vec::new();
        moved.frames_into(clip.first..clip.first + clip.count, &mut transforms);
        let width = moved.joints.len();
        for (column, joint) in moved.joints.iter().enumerate() {
            let Some(node) = nodes.joints.get(*joint) else { continue };
            let mut places: Vec<Place> = Vec::new();
            for frame in keys(clip) {
                let transform = transforms.get((frame - clip.first) * width + column);
                let transform = transform.copied().unwrap_or(Transform::IDENTITY);
                places.push(skeleton::place(&transform, &conversion));
            }
            self.places(animation, clip, *node, &mut places, |place| place.scale == glam::Vec3::ONE);
        }
        Ok(())
    }

    /// Tracks of translation and rotation, and of scale unless every key `is_unit` and the node has none either.
    fn places(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        node: usize,
        places: &mut [Place],
        is_unit: impl Fn(&Place) -> bool,
    ) {
        for key in 1..places.len() {
            // The shorter way around between two keys.
            if places[key - 1].rotation.dot(places[key].rotation) < 0.0 {
                places[key].rotation = -places[key].rotation;
            }
        }
        let translations: Vec<f32> = places.iter().flat_map(|place| place.translation.to_array()).collect();
        self.track(animation, clip, node, "translation", "VEC3", &translations);
        let rotations: Vec<f32> = places.iter().flat_map(|place| place.rotation.to_array()).collect();
        self.track(animation, clip, node, "rotation", "VEC4", &rotations);
        if self.root.nodes[node].scale.is_some() || !places.iter().all(is_unit) {
            let scales: Vec<f32> = places.iter().flat_map(|place| place.scale.to_array()).collect();
            self.track(animation, clip, node, "scale", "VEC3", &scales);
        }
    }

    /// A channel of floats for one node.
    fn track(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        node: usize,
        path: &'static str,
        kind: &'static str,
        values: &[f32],
    ) {
        let view = self.bytes_view(values.iter().flat_map(|value| value.to_le_bytes()).collect());
        let output = self.accessor(Accessor::new(view, Component::F32, kind, keys(clip).len()));
        let sampler = self.sampler(animation, clip, output);
        animation.channels.push(Channel { sampler, target: ChannelTarget { node, path } });
    }
}
