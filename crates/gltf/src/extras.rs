//! Extras of nodes, from which the importer restores data that glTF has no member for: the frame of each morph target,
//! clips as ranges of frames, and the scales of joints at rest. Other readers do not need them.

use meshlens::Model;
use meshlens::model::Clip;
use serde_json::{Map, Value, json};

use crate::builder::Builder;
use crate::nodes::Place;
use crate::selection::Selection;

/// The member of a node's extras that contains these data.
pub(crate) const NAME: &str = "meshlens";

/// The member of [`NAME`] in the node of a joint: the uniform scale at rest, which was moved into translations.
const SCALE: &str = "scale";

/// The extras of a joint whose scale at rest was moved.
pub(crate) fn joint(scale: f32) -> Map<String, Value> {
    Map::from_iter([(NAME.into(), json!({ SCALE: scale }))])
}

/// The scale of a joint at rest; `None` if it is not a positive number.
pub(crate) fn joint_scale(value: &Value) -> Option<f32> {
    let scale = value.get(SCALE)?.as_f64()? as f32;
    (scale.is_finite() && scale > f32::MIN_POSITIVE).then_some(scale)
}

/// The frames of a model. Morph targets are all frames but the one at rest, in order.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    /// The number of frames.
    pub(crate) frames: usize,
    /// The frame at rest.
    pub(crate) rest: usize,
    /// The names of all frames; empty if none has a name.
    pub(crate) frame_names: Vec<String>,
    pub(crate) clips: Vec<Range>,
    /// The names of the tags, whose nodes are children of the model's node.
    pub(crate) tags: Vec<String>,
    /// The poses of tags in frames that no clip shows.
    pub(crate) tag_poses: Vec<TagPoses>,
}

/// A clip as a range of frames. Its animation has a key for each frame, and one more at the end of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// Frames per second.
    pub(crate) rate: f32,
    pub(crate) is_rate_assumed: bool,
    /// The number of frames at the end that repeat.
    pub(crate) loop_frames: usize,
    pub(crate) reversed: bool,
}

/// The translation and rotation of each tag in one frame.
#[derive(Clone, Debug)]
pub(crate) struct TagPoses {
    pub(crate) frame: usize,
    pub(crate) translations: Vec<[f32; 3]>,
    pub(crate) rotations: Vec<[f32; 4]>,
}

/// A member as an unsigned integer; `otherwise` if it is absent, `None` if it is something else.
fn unsigned(object: &Map<String, Value>, name: &str, otherwise: Option<usize>) -> Option<usize> {
    object.get(name).map_or(otherwise, |value| usize::try_from(value.as_u64()?).ok())
}

/// A member as a boolean; false if it is absent.
fn flag(object: &Map<String, Value>, name: &str) -> Option<bool> {
    object.get(name).map_or(Some(false), Value::as_bool)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(String::from)
}

/// A member as a list; empty if it is absent.
fn list<T>(object: &Map<String, Value>, name: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    object.get(name).map_or(Some(Vec::new()), |list| list.as_array()?.iter().map(read).collect())
}

fn vector<const N: usize>(value: &Value) -> Option<[f32; N]> {
    let numbers = value.as_array()?.iter().map(|number| Some(number.as_f64()? as f32));
    numbers.collect::<Option<Vec<f32>>>()?.try_into().ok()
}

impl Frames {
    /// Reads a member of extras; `None` if it is anything else.
    pub(crate) fn read(value: &Value) -> Option<Frames> {
        let object = value.as_object()?;
        Some(Frames {
            frames: unsigned(object, "frames", None)?,
            rest: unsigned(object, "rest", Some(0))?,
            frame_names: list(object, "frameNames", text)?,
            clips: list(object, "clips", Range::read)?,
            tags: list(object, "tags", text)?,
            tag_poses: list(object, "tagPoses", TagPoses::read)?,
        })
    }

    /// The member of extras. Empty lists are omitted.
    fn value(&self) -> Value {
        let mut object =
            Map::from_iter([("frames".into(), self.frames.into()), ("rest".into(), self.rest.into())]);
        let lists = [
            ("frameNames", self.frame_names.iter().map(|name| name.as_str().into()).collect::<Vec<Value>>()),
            ("clips", self.clips.iter().map(Range::value).collect()),
            ("tags", self.tags.iter().map(|name| name.as_str().into()).collect()),
            ("tagPoses", self.tag_poses.iter().map(TagPoses::value).collect()),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            object.insert(name.into(), list.into());
        }
        object.into()
    }
}

impl TagPoses {
    fn read(value: &Value) -> Option<TagPoses> {
        let object = value.as_object()?;
        Some(TagPoses {
            frame: unsigned(object, "frame", None)?,
            translations: list(object, "translations", vector)?,
            rotations: list(object, "rotations", vector)?,
        })
    }

    fn value(&self) -> Value {
        json!({ "frame": self.frame, "translations": self.translations, "rotations": self.rotations })
    }
}

impl Range {
    fn read(value: &Value) -> Option<Range> {
        let object = value.as_object()?;
        Some(Range {
            name: text(object.get("name")?)?,
            first: unsigned(object, "first", None)?,
            count: unsigned(object, "count", None)?,
            rate: object.get("rate")?.as_f64()? as f32,
            is_rate_assumed: flag(object, "isRateAssumed")?,
            loop_frames: unsigned(object, "loopFrames", Some(0))?,
            reversed: flag(object, "reversed")?,
        })
    }

    fn value(&self) -> Value {
        let mut object = Map::from_iter([
            ("name".into(), self.name.as_str().into()),
            ("first".into(), self.first.into()),
            ("count".into(), self.count.into()),
            ("rate".into(), self.rate.into()),
        ]);
        let flags = [("isRateAssumed", self.is_rate_assumed), ("reversed", self.reversed)];
        for (name, _) in flags.into_iter().filter(|(_, set)| *set) {
            object.insert(name.into(), true.into());
        }
        if self.loop_frames > 0 {
            object.insert("loopFrames".into(), self.loop_frames.into());
        }
        object.into()
    }

    /// The clip of a model of `frames` frames; `None` if it does not fit or its rate is not valid.
    pub(crate) fn clip(&self, frames: usize) -> Option<Clip> {
        let end = self.first.checked_add(self.count)?;
        let sound = self.count > 0 && end <= frames && self.rate > 0.0 && self.rate.is_finite();
        let clip = Clip::new(self.name.clone(), self.first, self.count, self.rate);
        sound.then(|| Clip {
            is_rate_assumed: self.is_rate_assumed,
            reversed: self.reversed,
            loop_frames: self.loop_frames.min(self.count),
            ..clip
        })
    }
}

impl Builder<'_, '_, '_> {
    /// The extras of a model's node. They are empty for a model of one frame without clips.
    pub(crate) fn frame_extras(&self, model: &Model<'_>, selection: &Selection) -> Map<String, Value> {
        let all = selection.first..=selection.last;
        let frame_names: Vec<String> = all.clone().map(|frame| model.frame_name(frame).to_owned()).collect();
        let clips = selection.clips.iter().map(|clip| Range {
            name: clip.name.clone(),
            first: clip.first - selection.first,
            count: clip.count,
            rate: clip.rate.get(),
            is_rate_assumed: clip.is_rate_assumed,
            loop_frames: clip.loop_frames,
            reversed: clip.reversed,
        });
        let mut shown = vec![false; selection.last - selection.first + 1];
        for clip in &selection.clips {
            let first = clip.first - selection.first;
            shown.iter_mut().skip(first).take(clip.count).for_each(|shown| *shown = true);
        }
        let conversion = self.conversion(model);
        let place = |tag: usize, frame: usize| Place::new(model.tag_pose(tag, frame), &conversion);
        let hidden = all.zip(&shown).filter(|(frame, shown)| !**shown && *frame != selection.rest);
        let poses = hidden.filter(|_| !model.tags.is_empty()).map(|(frame, _)| TagPoses {
            frame: frame - selection.first,
            translations: model
                .tags
                .iter()
                .map(|tag| place(tag.index, frame).translation.to_array())
                .collect(),
            rotations: model.tags.iter().map(|tag| place(tag.index, frame).rotation.to_array()).collect(),
        });
        let frames = Frames {
            frames: shown.len(),
            rest: selection.rest - selection.first,
            frame_names: if frame_names.iter().all(String::is_empty) { Vec::new() } else { frame_names },
            clips: clips.collect(),
            tags: model.tags.iter().map(|tag| tag.name.clone()).collect(),
            tag_poses: poses.collect(),
        };
        if frames.frames == 1 && frames.clips.is_empty() && frames.frame_names.is_empty() {
            return Map::new();
        }
        Map::from_iter([(NAME.into(), frames.value())])
    }
}
