//! The frames of a model that are written, and the clips that play them.

use meshlens::model::{Clip, JointAnimation, distinct_names, lose_clip_name};
use meshlens::scene::Scene;
use meshlens::{Model, Report, codes};

use crate::Error;
use crate::split::Split;

/// The frames to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frames<'o> {
    /// All frames.
    #[default]
    All,
    /// The frames from the first number to the second, inclusive. Clips keep their frames that are in this range. If no
    /// model has the whole range, that is a [warning](crate::Export::warnings).
    Range(usize, usize),
    /// The frames of the clip with this name. No other clip is written.
    Clip(&'o str),
    /// One frame. No animation is written.
    One(usize),
}

/// The frames of one model, and the clips that play them.
#[derive(Default)]
pub(crate) struct Selection {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The frame shown at rest.
    pub(crate) rest: usize,
    pub(crate) clips: Vec<Clip>,
    /// The clips of joints, which have their own frames.
    pub(crate) joint_clips: Vec<Clip>,
    /// The frame whose pose the joints have, without an animation.
    pub(crate) still_frame: Option<usize>,
    /// The frames of clips that are not written.
    pub(crate) losses: Report,
    /// The frames in groups, if a mesh may not have all of them as targets.
    pub(crate) split: Split,
}

impl Selection {
    /// The selection of a model; `None` if the requested frames are not in it. Clips of different models that have the
    /// same name become one animation, so the clips of one model must have distinct names. `all` has the clip names of
    /// every model.
    pub(crate) fn new<'n>(
        model: &'n Model<'_>,
        frames: Frames<'_>,
        rest: usize,
        all: impl Iterator<Item = &'n str>,
    ) -> Option<Selection> {
        let end = model.frame_count().saturating_sub(1);
        let mut selection = Selection { last: end, rest, ..Selection::default() };
        let existing = selection.existing_clips(model, frames, all);
        let joint_clips = || existing.iter().filter(|clip| clip.animation.is_some());
        let joint_end = joint_clips().map(|clip| clip.first + clip.count - 1).max();
        let vertex_clips = || existing.iter().filter(|clip| clip.animation.is_none());
        match frames {
            Frames::All => {
                selection.clips.extend(vertex_clips().cloned());
                selection.joint_clips.extend(joint_clips().cloned());
            }
            Frames::Range(first, last) => {
                if first > last || first > end && joint_end.is_none_or(|end| first > end) {
                    return None;
                }
                selection.joint_clips = selection.trim(joint_clips(), first, last);
                (selection.first, selection.last) = (first.min(end), last.min(end));
                selection.clips = selection.trim(vertex_clips(), first, last.min(end));
            }
            Frames::Clip(name) if joint_clips().any(|clip| clip.name.eq_ignore_ascii_case(name)) => {
                let named = joint_clips().filter(|clip| clip.name.eq_ignore_ascii_case(name));
                selection.joint_clips = named.cloned().collect();
            }
            Frames::Clip(name) => {
                let clip = vertex_clips().find(|clip| clip.name.eq_ignore_ascii_case(name))?;
                (selection.first, selection.last) = (clip.first, (clip.first + clip.count - 1).min(end));
                selection.clips.push(clip.clone());
            }
            Frames::One(frame) => {
                if frame > end && joint_end.is_none_or(|end| frame > end) {
                    return None;
                }
                selection.still_frame = joint_end.map(|_| frame);
                (selection.first, selection.last) = (frame.min(end), frame.min(end));
            }
        }
        if !(selection.first..=selection.last).contains(&selection.rest) {
            selection.rest = selection.first;
        }
        Some(selection)
    }

    /// One frame, for a model without the requested frames.
    pub(crate) fn still(model: &Model<'_>, rest: usize) -> Selection {
        let rest = rest.min(model.frame_count().saturating_sub(1));
        Selection { first: rest, last: rest, rest, ..Selection::default() }
    }

    /// The clips of a model whose frames exist, with distinct names. Lists the losses of the requested clips.
    fn existing_clips<'n>(
        &mut self,
        model: &'n Model<'_>,
        frames: Frames<'_>,
        all: impl Iterator<Item = &'n str>,
    ) -> Vec<Clip> {
        let is_wanted = |clip: &Clip| match frames {
            Frames::All | Frames::Range(..) => true,
            Frames::Clip(name) => clip.name.eq_ignore_ascii_case(name),
            Frames::One(_) => false,
        };
        let names = distinct_names(model.clips.iter().map(|clip| &*clip.name), all);
        let mut existing = Vec::new();
        for (clip, name) in model.clips.iter().zip(names) {
            let named = Clip { name: name.into_owned(), ..clip.clone() };
            let is_wanted = is_wanted(&named);
            if is_wanted {
                lose_clip_name(&mut self.losses, &clip.name, &named.name);
            }
            existing.extend(self.existing(model, &named, is_wanted));
        }
        existing
    }

    /// Cuts a clip to the frames of the model or of its animation; `None` if it has no such frame. The fields of clips
    /// are public, so their ranges may be wrong.
    fn existing(&mut self, model: &Model<'_>, clip: &Clip, is_wanted: bool) -> Option<Clip> {
        let frames = match clip.animation {
            Some(animation) => model.animations.get(animation).map_or(0, JointAnimation::frame_count),
            None => model.frame_count(),
        };
        // A clip that begins after the last frame has no frames.
        let present = clip.count.min(frames.saturating_sub(clip.first));
        if present > 0 && present == clip.count {
            return Some(clip.clone());
        }
        if is_wanted {
            let (name, count) = (&clip.name, clip.count);
            let missing = count - present;
            let place = format_args!("clip {name}");
            let message = format_args!("clip {name}: {missing} of {count} frames do not exist");
            self.losses.lose(&codes::CLIP_FRAMES_MISSING, 1, place, message);
        }
        (present > 0).then(|| Clip { count: present, loop_frames: 0, ..clip.clone() })
    }

    /// Cuts clips to the selected frames.
    fn trim<'c>(&mut self, clips: impl Iterator<Item = &'c Clip>, from: usize, to: usize) -> Vec<Clip> {
        let mut all = Vec::new();
        for clip in clips {
            let (first, last) = (clip.first.max(from), (clip.first + clip.count - 1).min(to));
            if first > last {
                let message = format_args!("clip {}: none of its frames was requested", clip.name);
                self.losses.lose(&codes::CLIP_LOST, 1, format_args!("clip {}", clip.name), message);
                continue;
            }
            let mut kept = clip.clone();
            (kept.first, kept.count) = (first, last - first + 1);
            if kept.count < clip.count {
                kept.loop_frames = 0;
                let gone = clip.count - kept.count;
                let message = format_args!("clip {}: {gone} of {} frames", clip.name, clip.count);
                self.losses.lose(&codes::CLIP_LOST, 1, format_args!("clip {}", clip.name), message);
            }
            all.push(kept);
        }
        all
    }

    /// The morph targets: every frame except the frame at rest.
    pub(crate) fn targets(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        (0..self.last - self.first).map(|target| {
            let frame = self.first + target;
            if frame < self.rest { frame } else { frame + 1 }
        })
    }

    /// The index of a frame's target; `None` for the frame at rest.
    pub(crate) fn target(&self, frame: usize) -> Option<usize> {
        let target = frame.checked_sub(self.first + usize::from(frame > self.rest));
        target.filter(|_| frame != self.rest)
    }
}

/// The selections of all models. Returns an error if no model has the requested frames.
pub(crate) fn select(scene: &Scene<'_>, frames: Frames<'_>) -> Result<Vec<Selection>, Error> {
    let nodes = &scene.nodes;
    let names = || nodes.iter().flat_map(|node| &node.model.clips).map(|clip| &*clip.name);
    let selected: Vec<Option<Selection>> =
        nodes.iter().map(|node| Selection::new(&node.model, frames, node.rest_frame, names())).collect();
    if !nodes.is_empty() && selected.iter().all(Option::is_none) {
        let count = nodes.iter().map(|node| node.model.frame_count()).max().unwrap_or_default();
        return Err(match frames {
            Frames::Clip(name) => Error::NoClip { name: name.into() },
            Frames::Range(frame, _) | Frames::One(frame) => Error::NoFrame { frame, count },
            Frames::All => Error::NoFrame { frame: 0, count },
        });
    }
    let stills = nodes.iter().map(|node| Selection::still(&node.model, node.rest_frame));
    Ok(selected.into_iter().zip(stills).map(|(selected, still)| selected.unwrap_or(still)).collect())
}

/// The warning about requested frames that no model has.
pub(crate) fn missing_frames(scene: &Scene<'_>, frames: Frames<'_>) -> Option<String> {
    let Frames::Range(_, last) = frames else { return None };
    let end = scene.nodes.iter().map(|node| last_frame(&node.model)).max()?;
    match last.checked_sub(end)? {
        0 => None,
        1 => Some(format!("there is no frame {last}; frame {end} is the last")),
        _ => Some(format!("there are no frames {} to {last}; frame {end} is the last", end + 1)),
    }
}

/// The last frame of the vertices or of a clip of joints.
fn last_frame(model: &Model<'_>) -> usize {
    let joints = model.clips.iter().filter_map(|clip| {
        let frames = model.animations.get(clip.animation?)?.frame_count();
        clip.first.saturating_add(clip.count).min(frames).checked_sub(1)
    });
    joints.chain([model.frame_count().saturating_sub(1)]).max().unwrap_or_default()
}
