//! Tracks of joints in fewer bytes.

use std::collections::BTreeMap;

use meshlens::Model;
use meshlens::model::{Clip, Transform};

use crate::Error;
use crate::builder::Builder;
use crate::json::{Accessor, Animation, Channel, ChannelTarget, Component, Kind, Property};
use crate::nodes::{NodeTransform, Still};
use crate::stored::{Elements, Use};

/// The data of each key of a track: its frame, its place, and its values as floats and as bytes.
pub(crate) type KeyArrays = ([usize; 2], [NodeTransform; 3], [[f32; 4]; 3]);

/// Negates rotations, so that readers interpolate along the shorter arc.
pub(crate) fn shorter_arcs(places: &mut [NodeTransform]) {
    for key in 1..places.len() {
        if places[key - 1].rotation.dot(places[key].rotation) < 0.0 {
            places[key].rotation = -places[key].rotation;
        }
    }
}

/// A track that is not stored yet.
struct Track {
    node: usize,
    path: Property,
    component: Component,
    kind: Kind,
    count: usize,
    bytes: Vec<u8>,
}

/// The tracks of the joints that one clip moves.
#[derive(Default)]
pub(crate) struct JointTracks(Vec<Track>);

impl JointTracks {
    /// Adds the tracks of a joint.
    pub(crate) fn add(
        &mut self,
        builder: &mut Builder<'_, '_, '_>,
        node: usize,
        still: Still,
        places: &mut [NodeTransform],
    ) -> Result<(), Error> {
        builder.memory.array::<(Track, KeyArrays)>(places.len().saturating_add(3), "keys of a joint")?;
        shorter_arcs(places);
        let translations = places.iter().map(|place| place.translation.to_array());
        let rotations = places.iter().map(|place| place.rotation.to_array());
        let scales = places.iter().map(|place| place.scale.to_array());
        if !still[0] {
            self.push(node, Property::Translation, Component::F32, translations.map(floats).collect());
        }
        match (still[1], builder.options.quantize) {
            (true, _) => {}
            (false, true) => {
                let rounded = |value: f32| ((value * f32::from(i16::MAX)).round() as i16).to_le_bytes();
                let values = rotations.map(|rotation| rotation.map(rounded).as_flattened().to_vec());
                self.push(node, Property::Rotation, Component::I16, values.collect());
            }
            (false, false) => {
                self.push(node, Property::Rotation, Component::F32, rotations.map(floats).collect());
            }
        }
        if !still[2] {
            self.push(node, Property::Scale, Component::F32, scales.map(floats).collect());
        }
        Ok(())
    }

    /// Adds a track; of equal keys, one is enough.
    fn push(&mut self, node: usize, path: Property, component: Component, mut keys: Vec<Vec<u8>>) {
        if keys.iter().all(|key| *key == keys[0]) {
            keys.truncate(1);
        }
        let kind = if path == Property::Rotation { Kind::Vec4 } else { Kind::Vec3 };
        self.0.push(Track { node, path, component, kind, count: keys.len(), bytes: keys.concat() });
    }
}

/// Floats as bytes.
fn floats<const N: usize>(values: [f32; N]) -> Vec<u8> {
    values.map(f32::to_le_bytes).as_flattened().to_vec()
}

impl Builder<'_, '_, '_> {
    /// The properties of each joint that no animation moves.
    pub(crate) fn still(&mut self, model: &Model<'_>) -> Result<Vec<Still>, Error> {
        let mut still = vec![[true; 3]; model.joints.len()];
        let mut transforms = Vec::new();
        for animation in &model.animations {
            let count = animation.frame_count().saturating_mul(animation.joints.len());
            self.memory.elements::<Transform>(count, "transforms of joints")?;
            transforms.clear();
            animation.frames_into(0..animation.frame_count(), &mut transforms);
            for (joint, transform) in animation.joints.iter().cycle().zip(&transforms) {
                if let (Some(still), Some(of)) = (still.get_mut(*joint), model.joints.get(*joint)) {
                    still[0] &= transform.translation == of.rest.translation;
                    still[1] &= transform.rotation == of.rest.rotation;
                    still[2] &= transform.scale == of.rest.scale;
                }
            }
        }
        Ok(still)
    }

    /// Stores the tracks of a clip.
    pub(crate) fn joint_tracks(
        &mut self,
        animation: &mut Animation,
        clip: &Clip,
        tracks: JointTracks,
    ) -> Result<(), Error> {
        let tracks = tracks.0;
        let mut places: Vec<(usize, u64)> = Vec::new();
        if self.options.meshopt.is_some() {
            for track in &tracks {
                let stride = track.kind.components() * track.component.size();
                let view = self.bytes_view(Use::Keys, Elements::Attributes(stride), track.bytes.clone())?;
                places.push((view, 0));
            }
        } else if !tracks.is_empty() {
            let mut all: Vec<u8> = Vec::new();
            let mut known: BTreeMap<&[u8], u64> = BTreeMap::new();
            for track in &tracks {
                let offset = *known.entry(&track.bytes).or_insert(all.len() as u64);
                if offset == all.len() as u64 {
                    all.extend(&track.bytes);
                }
                places.push((0, offset));
            }
            let view = self.bytes_view(Use::Keys, Elements::Opaque, all)?;
            places.iter_mut().for_each(|place| place.0 = view);
        }
        for (track, (view, offset)) in tracks.iter().zip(places) {
            let mut accessor = Accessor::new(view, track.component, track.kind, track.count).at(offset);
            accessor.normalized = track.component != Component::F32;
            let output = self.accessor(accessor)?;
            let sampler = self.sampler(animation, track.count, clip.rate, output)?;
            let target = ChannelTarget { node: Some(track.node), path: track.path };
            animation.channels.push(Channel { sampler, target });
        }
        Ok(())
    }
}
