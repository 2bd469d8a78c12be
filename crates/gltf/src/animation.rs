//! Animations: one for each name of a clip, with the weights of morph targets and the tracks of tags and joints.

use std::collections::HashMap;

use meshlens::Model;
use meshlens::model::{Clip, Rate, Transform};
use meshlens::scene::Scene;

use crate::Error;
use crate::builder::{Builder, added};
use crate::joint_keys::{JointTracks, KeyArrays, shorter_arcs};
use crate::json::{
    Accessor, Animation, Channel, ChannelTarget, Component, Interpolation, Kind, Property, Sampler, Sparse,
    SparseIndices, SparseValues,
};
use crate::nodes::{MeshNode, ModelNodes, NodeTransform};
use crate::selection::Selection;
use crate::split::keys;
use crate::stored::{Elements, Use};

/// The index of a model, and a clip of it with its index.
type ClipOf<'c> = (usize, usize, &'c Clip);

/// The component type of indices below `count`, and its size in bytes.
fn index_component(count: usize) -> Result<(Component, usize), Error> {
    match u32::try_from(count) {
        Ok(count) if count <= u32::from(u16::MAX) => Ok((Component::U16, 2)),
        Ok(_) => Ok((Component::U32, 4)),
        Err(_) => Err(Error::TooManyWeights { count: count as u64 }),
    }
}

impl Builder<'_, '_, '_> {
    pub(crate) fn animations(
        &mut self,
        scene: &Scene<'_>,
        selections: &[Selection],
        nodes: &mut [ModelNodes],
    ) -> Result<(), Error> {
        // Clips of one name are one animation, in the order of their first clips.
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut named: Vec<(&str, Vec<ClipOf<'_>>)> = Vec::new();
        for (number, selection) in selections.iter().enumerate() {
            for (index, clip) in selection.clips.iter().chain(&selection.joint_clips).enumerate() {
                let place = *numbers.entry(&clip.name).or_insert(named.len());
                if place == named.len() {
                    named.push((&clip.name, Vec::new()));
                }
                named[place].1.push((number, index, clip));
            }
        }
        for (name, clips) in named {
            self.memory.elements::<(Animation, [(usize, usize); 2])>(1, "animations")?;
            self.memory.bytes(name.len(), "the name of an animation")?;
            let mut animation = Animation {
                name: Some(name.into()).filter(|_| !name.is_empty()),
                channels: Vec::new(),
                samplers: Vec::new(),
            };
            for (number, index, clip) in clips {
                // The frame, the time and its bytes, and the weights that are 1.
                self.memory.elements::<([usize; 2], [f32; 2])>(clip.count.saturating_add(1), "keys")?;
                let (model, nodes) = (&scene.nodes[number].model, &mut nodes[number]);
                if clip.animation.is_some() {
                    self.joints(&mut animation, clip, model, nodes)?;
                } else {
                    self.weights(&mut animation, clip, &selections[number], nodes)?;
                    if let Some(shown) = selections[number].split.shown.get(index) {
                        self.shown(&mut animation, clip, shown, nodes)?;
                    }
                    self.tags(&mut animation, clip, model, nodes)?;
                }
            }
            // If nothing moves, nothing is lost.
            if !animation.channels.is_empty() {
                self.root.animations.push(animation);
            }
        }
        Ok(())
    }

    /// A sampler of keys from the start of a clip.
    pub(crate) fn sampler(
        &mut self,
        animation: &mut Animation,
        count: usize,
        rate: Rate,
        output: usize,
    ) -> Result<usize, Error> {
        let input = self.times(count, rate)?;
        self.memory.elements::<(Sampler, Channel, (usize, usize))>(1, "channels")?;
        let interpolation = if self.options.step { Interpolation::Step } else { Interpolation::Linear };
        Ok(added(&mut animation.samplers, Sampler { input, output, interpolation }))
    }

    /// The accessor of the times of a clip's keys. Clips of the same length and rate share it.
    fn times(&mut self, count: usize, rate: Rate) -> Result<usize, Error> {
        let rate = rate.get();
        if let Some(known) = self.times.get(&(count, rate.to_bits())) {
            return Ok(*known);
        }
        let times: Vec<f32> = (0..count).map(|key| key as f32 / rate).collect();
        let accessor = self.times_accessor(&times)?;
        self.times.insert((count, rate.to_bits()), accessor);
        Ok(accessor)
    }

    fn times_accessor(&mut self, times: &[f32]) -> Result<usize, Error> {
        let bytes = times.iter().flat_map(|time| time.to_le_bytes()).collect();
        let view = self.bytes_view(Use::Keys, Elements::Attributes(4), bytes)?;
        let mut accessor = Accessor::new(view, Component::F32, Kind::Scalar, times.len());
        accessor.min.extend(times.first());
        accessor.max.extend(times.last());
        self.accessor(accessor)
    }

    /// The weight of every target at every key. Meshes with the same number of targets share a sampler.
    fn weights(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        selection: &Selection,
        nodes: &ModelNodes,
    ) -> Result<(), Error> {
        let mut samplers: HashMap<(usize, Option<usize>), usize> = HashMap::new();
        for MeshNode { node, targets, group } in nodes.meshes.iter().filter(|node| node.targets > 0) {
            let group = group.map(|(group, _)| group);
            let target = |frame: usize| match group {
                Some(group) => selection.split.groups[group].binary_search(&frame).ok(),
                None => selection.target(frame),
            };
            let sampler = match samplers.get(&(*targets, group)) {
                Some(sampler) => *sampler,
                None => {
                    let count = keys(clip).len().checked_mul(*targets);
                    let count = count.ok_or(Error::TooManyWeights { count: u64::MAX })?;
                    let ones: Vec<usize> = keys(clip)
                        .iter()
                        .enumerate()
                        .filter_map(|(key, frame)| Some(key * targets + target(*frame)?))
                        .collect();
                    let output = self.ones(count, &ones)?;
                    let sampler = self.sampler(animation, keys(clip).len(), clip.rate, output)?;
                    samplers.insert((*targets, group), sampler);
                    sampler
                }
            };
            animation.channels.push(Channel {
                sampler,
                target: ChannelTarget { node: Some(*node), path: Property::Weights },
            });
        }
        Ok(())
    }

    /// Shows the meshes of the groups in turn, each from its first key: the others have a scale of 0.
    fn shown(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        shown: &[(usize, usize)],
        nodes: &ModelNodes,
    ) -> Result<(), Error> {
        let mut samplers: HashMap<(usize, [u32; 3]), usize> = HashMap::new();
        let end = keys(clip).len() - 1;
        // Some programs take the length of an animation from the last key of each track.
        let last = shown.last().filter(|(key, _)| *key < end).map(|(_, group)| (end, *group));
        let steps: Vec<(usize, usize)> = shown.iter().copied().chain(last).collect();
        let times: Vec<f32> = steps.iter().map(|(key, _)| *key as f32 / clip.rate.get()).collect();
        for MeshNode { node, group, .. } in &nodes.meshes {
            let Some((group, scale)) = group else { continue };
            let key = (*group, scale.to_array().map(f32::to_bits));
            let sampler = match samplers.get(&key) {
                Some(sampler) => *sampler,
                None => {
                    let input = self.times_accessor(&times)?;
                    let scales: Vec<[f32; 3]> = steps
                        .iter()
                        .map(|(_, shown)| if shown == group { scale.to_array() } else { [0.0; 3] })
                        .collect();
                    let output = self.floats_accessor(Use::Keys, scales.as_flattened(), Kind::Vec3)?;
                    self.memory.elements::<(Sampler, (usize, [u32; 3]))>(1, "channels")?;
                    animation.samplers.push(Sampler { input, output, interpolation: Interpolation::Step });
                    samplers.insert(key, animation.samplers.len() - 1);
                    animation.samplers.len() - 1
                }
            };
            self.memory.elements::<Channel>(1, "channels")?;
            let target = ChannelTarget { node: Some(*node), path: Property::Scale };
            animation.channels.push(Channel { sampler, target });
        }
        Ok(())
    }

    /// An accessor of `count` normalized bytes: 1 at the indices `ones`, and 0 elsewhere. It is sparse if that is smaller.
    fn ones(&mut self, count: usize, ones: &[usize]) -> Result<usize, Error> {
        let (component, width) = index_component(count)?;
        let sparse = (ones.len() * width).next_multiple_of(4) + ones.len().next_multiple_of(4);
        if ones.is_empty() || sparse >= count.next_multiple_of(4) {
            self.memory.bytes(count, "weights of morph targets")?;
            let mut bytes = vec![0; count];
            ones.iter().for_each(|one| bytes[*one] = 255);
            let view = self.bytes_view(Use::Keys, Elements::Opaque, bytes)?;
            return self.accessor(Accessor::new(view, Component::U8, Kind::Scalar, count).normalized());
        }
        let indices =
            ones.iter().flat_map(|one| (*one as u32).to_le_bytes().into_iter().take(width)).collect();
        let indices = self.bytes_view(Use::Sparse, Elements::Opaque, indices)?;
        let values = self.bytes_view(Use::Sparse, Elements::Opaque, vec![255; ones.len()])?;
        let mut accessor = Accessor::new(0, Component::U8, Kind::Scalar, count).normalized();
        accessor.buffer_view = None;
        accessor.sparse = Some(Sparse {
            count: ones.len(),
            indices: SparseIndices { buffer_view: indices, byte_offset: 0, component_type: component },
            values: SparseValues { buffer_view: values, byte_offset: 0 },
        });
        self.accessor(accessor)
    }

    fn tags(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        model: &Model<'_>,
        nodes: &ModelNodes,
    ) -> Result<(), Error> {
        let conversion = self.conversion(model);
        for (tag, node) in model.tags.iter().zip(&nodes.tags) {
            self.memory.array::<KeyArrays>(clip.count.saturating_add(1), "keys of a tag")?;
            let pose = |frame| NodeTransform::new(model.tag_pose(tag.index, frame), &conversion);
            let mut places: Vec<NodeTransform> = keys(clip).into_iter().map(pose).collect();
            self.places(animation, clip, *node, &mut places)?;
        }
        Ok(())
    }

    /// The tracks of the joints that the clip's animation moves.
    fn joints(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        model: &Model<'_>,
        nodes: &mut ModelNodes,
    ) -> Result<(), Error> {
        let moved = clip.animation.and_then(|index| model.animations.get(index));
        let Some(moved) = moved else { return Ok(()) };
        let conversion = self.conversion(model);
        if self.options.compact_joints && nodes.still.is_empty() {
            nodes.still = self.still(model)?;
        }
        let mut tracks = JointTracks::default();
        let count = clip.count.saturating_mul(moved.joints.len());
        self.memory.elements::<Transform>(count, "transforms of joints")?;
        let mut transforms = Vec::new();
        moved.frames_into(clip.first..clip.first + clip.count, &mut transforms);
        let width = moved.joints.len();
        for (column, joint) in moved.joints.iter().enumerate() {
            let Some(node) = nodes.joints.get(*joint) else { continue };
            self.memory.array::<KeyArrays>(clip.count.saturating_add(1), "keys of a joint")?;
            let mut places: Vec<NodeTransform> = Vec::new();
            for frame in keys(clip) {
                let transform = transforms.get((frame - clip.first) * width + column);
                let transform = transform.copied().unwrap_or(Transform::IDENTITY);
                places.push(self.joint_place(&nodes.scales.unscale(*joint, &transform), &conversion));
            }
            if places.iter().any(NodeTransform::is_scaled) {
                nodes.scaled_joints.insert(*joint);
            }
            match nodes.still.get(*joint) {
                Some(still) if self.options.compact_joints => tracks.add(self, *node, *still, &mut places)?,
                _ => self.places(animation, clip, *node, &mut places)?,
            }
        }
        self.joint_tracks(animation, clip, tracks)
    }

    /// Tracks of translation and rotation. A track of scale is left out if the node and all keys have a scale of 1.
    fn places(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        node: usize,
        places: &mut [NodeTransform],
    ) -> Result<(), Error> {
        shorter_arcs(places);
        let translations: Vec<f32> = places.iter().flat_map(|place| place.translation.to_array()).collect();
        self.track(animation, clip, node, Property::Translation, Kind::Vec3, &translations)?;
        let rotations: Vec<f32> = places.iter().flat_map(|place| place.rotation.to_array()).collect();
        self.track(animation, clip, node, Property::Rotation, Kind::Vec4, &rotations)?;
        if self.root.nodes[node].scale.is_some() || places.iter().any(|place| place.scale != glam::Vec3::ONE)
        {
            let scales: Vec<f32> = places.iter().flat_map(|place| place.scale.to_array()).collect();
            self.track(animation, clip, node, Property::Scale, Kind::Vec3, &scales)?;
        }
        Ok(())
    }

    /// A channel of one property of a node.
    fn track(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        node: usize,
        path: Property,
        kind: Kind,
        values: &[f32],
    ) -> Result<(), Error> {
        let output = self.floats_accessor(Use::Keys, values, kind)?;
        let sampler = self.sampler(animation, keys(clip).len(), clip.rate, output)?;
        animation.channels.push(Channel { sampler, target: ChannelTarget { node: Some(node), path } });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_weights_have_at_most_32_bits() {
        let size = |count| index_component(count).map(|(_, size)| size).map_err(|error| error.to_string());
        assert_eq!(size(65535), Ok(2));
        assert_eq!(size(65536), Ok(4));
        assert_eq!(size(u32::MAX as usize), Ok(4));
        #[cfg(target_pointer_width = "64")]
        assert_eq!(
            size(1 << 32),
            Err("a clip has at most 2^32 - 1 weights of morph targets in glTF, and this one has 4294967296"
                .into())
        );
    }
}
