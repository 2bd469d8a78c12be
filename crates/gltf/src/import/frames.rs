//! Restores the frames of a file that this crate wrote: the extras have the frame of each target and the range of each
//! clip. They are compared with the targets and keys of the file. An edited file is baked like any other file.

use std::collections::{HashMap, HashSet};

use glam::{Mat4, Quat, Vec3};
use meshlens::model::Clip;

use super::scene::{Moment, Scene};
use crate::extras::{self, Range};

/// The frames of a document, from its extras.
pub(super) struct Frames<'d> {
    stored: &'d extras::Frames,
    /// The node with the extras.
    node: usize,
    /// The clips, each with its animation; `None` if nothing moves.
    clips: Vec<(Clip, Option<usize>)>,
    /// The names of the tags.
    tags: HashSet<&'d str>,
}

/// The time of a frame.
pub(super) struct Time {
    pub(super) animation: Option<usize>,
    pub(super) time: f32,
    /// A key that is later than the time by less than this counts as reached.
    pub(super) slack: f32,
    pub(super) name: String,
}

impl Time {
    /// The time while no animation plays.
    pub(super) const REST: Time = Time { animation: None, time: 0.0, slack: 0.0, name: String::new() };
}

/// The nodes with frames in their extras.
fn stored<'d>(scene: &Scene<'d>) -> impl Iterator<Item = (usize, &'d extras::Frames)> {
    scene.nodes().filter_map(|(index, node)| Some((index, node.frames.as_ref()?)))
}

/// The cycles of a document: clips whose last key shows their first frame again.
pub(super) fn cycles(scene: &Scene<'_>) -> HashMap<String, Range> {
    let all = stored(scene).flat_map(|(_, frames)| &frames.clips);
    let cycles = all.filter(|range| range.count > 1 && range.loop_frames >= range.count);
    cycles.map(|range| (range.name.clone(), range.clone())).collect()
}

impl<'d> Frames<'d> {
    /// The frames of a scene of one model; `None` if the extras do not describe the scene.
    pub(super) fn read(scene: &Scene<'d>, most: usize) -> Option<Frames<'d>> {
        let mut found = stored(scene);
        let (node, stored) = found.next()?;
        let targets = stored.frames.checked_sub(1)?;
        if found.next().is_some() || !scene.skins.is_empty() || stored.frames > most || stored.rest > targets
        {
            return None;
        }
        let meshes = scene.nodes().filter_map(|(_, node)| scene.document.meshes.get(node.mesh?));
        let primitives = meshes.flat_map(|mesh| &mesh.primitives);
        let mut counts = primitives.map(|primitive| primitive.targets.len());
        if counts.any(|count| count != 0 && count != targets) {
            return None;
        }
        let names = scene.animations.iter().map(|animation| animation.name.as_str());
        let mut animations: HashMap<&str, usize> = names.zip(0..).collect();
        if animations.len() < scene.animations.len() {
            return None;
        }
        let mut clips: Vec<(Clip, Option<usize>)> = Vec::new();
        for range in &stored.clips {
            // If two clips have the same name, the second has no animation.
            clips.push((range.clip(stored.frames)?, animations.remove(range.name.as_str())));
        }
        let tags = stored.tags.iter().map(String::as_str).collect();
        let frames = Frames { stored, node, clips, tags };
        // Every animation belongs to a clip. A clip has no animation only if nothing moves.
        let known = frames.clips.iter().filter(|(_, animation)| animation.is_some()).count();
        let shown = frames.clips.iter().all(|(clip, animation)| match animation {
            Some(animation) => {
                scene.animations[*animation].shows(clip, targets, |frame| frames.target(frame))
            }
            None => scene.animations.is_empty(),
        });
        (known == scene.animations.len() && shown).then_some(frames)
    }

    /// The frame at rest.
    pub(super) const fn rest(&self) -> usize {
        self.stored.rest
    }

    /// The number of frames.
    pub(super) const fn len(&self) -> usize {
        self.stored.frames
    }

    /// The target of a frame; `None` for the frame at rest.
    fn target(&self, frame: usize) -> Option<usize> {
        let rest = self.stored.rest;
        (frame != rest).then(|| frame - usize::from(frame > rest))
    }

    pub(super) fn clips(&self) -> impl Iterator<Item = Clip> + '_ {
        self.clips.iter().map(|(clip, _)| clip.clone())
    }

    /// The names of all frames; empty if they have none.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = self.stored.frame_names.clone();
        if !names.is_empty() {
            names.resize(self.len(), String::new());
        }
        names
    }

    /// The name of a frame in a mesh, from its `targetNames`; empty if it is only the frame's index.
    pub(super) fn target_name(&self, names: &[String], frame: usize) -> String {
        let name = match self.target(frame) {
            Some(target) => names.get(target),
            None => self.stored.frame_names.get(frame),
        };
        let name = name.cloned().unwrap_or_default();
        if name == format!("frame {frame}") { String::new() } else { name }
    }

    /// The time of a frame: in the first clip that has it, or at rest.
    pub(super) fn time(&self, frame: usize) -> Time {
        let shows = |clip: &Clip| clip.first <= frame && frame - clip.first < clip.count;
        let found = self.clips.iter().find(|(clip, _)| shows(clip));
        let Some((clip, animation)) = found else { return Time::REST };
        let (step, rate) = (frame - clip.first, clip.rate.get());
        let step = if clip.reversed { clip.count - 1 - step } else { step };
        Time { animation: *animation, time: step as f32 / rate, slack: 0.01 / rate, ..Time::REST }
    }

    /// Whether a node is one of the tags.
    pub(super) fn is_tag(&self, scene: &Scene<'_>, node: usize, name: &str) -> bool {
        scene.parents[node] == Some(self.node) && self.tags.contains(name)
    }

    /// Changes a moment to a frame: the weight of its target is 1, and tags have the poses of the extras.
    pub(super) fn show(&self, scene: &Scene<'_>, frame: usize, tags: &[usize], moment: &mut Moment) {
        let target = self.target(frame);
        for weights in moment.weights.iter_mut().filter(|weights| !weights.is_empty()) {
            weights.fill(0.0);
            if let Some(weight) = target.and_then(|target| weights.get_mut(target)) {
                *weight = 1.0;
            }
        }
        let Some(poses) = self.stored.tag_poses.iter().find(|poses| poses.frame == frame) else { return };
        let of_part = tags.iter().filter(|tag| scene.parents[**tag] == Some(self.node));
        for ((tag, translation), rotation) in of_part.zip(&poses.translations).zip(&poses.rotations) {
            let rotation = Quat::from_array(*rotation);
            let translation = Vec3::from(*translation);
            if rotation.is_finite() && translation.is_finite() {
                let local = Mat4::from_rotation_translation(rotation.normalize(), translation);
                moment.world[*tag] = moment.world[self.node] * local;
            }
        }
    }
}
