//! Extras of nodes, from which the importer restores data that glTF has no member for: the frame of each morph target,
//! clips as ranges of frames, and the scales of joints at rest. Other readers do not need them.

use meshlens::model::Clip;
use serde::{Deserialize, Serialize};

use crate::files::{File, any_files};

/// Whether a member is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The extras of a node.
#[derive(Serialize)]
pub(crate) enum NodeExtras {
    /// For the node of a model.
    #[serde(rename = "meshlens")]
    Frames(Frames),
    /// For a joint.
    #[serde(rename = "meshlens")]
    Joint(Joint),
    /// The part of the screen at which each level of detail begins.
    #[serde(rename = "MSFT_screencoverage")]
    ScreenCoverage(Vec<f64>),
}

/// A joint whose scale at rest was moved into translations.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Joint {
    /// The uniform scale at rest.
    pub(crate) scale: f32,
}

/// The frames of a model. Every frame except the frame at rest is a morph target, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frames {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) clips: Vec<Range>,
    /// The files that belong to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "any_files")]
    pub(crate) files: Vec<File>,
    /// The names of all frames; empty if none has a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) frame_names: Vec<String>,
    /// The number of frames.
    pub(crate) frames: usize,
    /// The frame at rest.
    #[serde(default)]
    pub(crate) rest: usize,
    /// The poses of tags in frames that no clip shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tag_poses: Vec<TagPoses>,
    /// The names of the tags, whose nodes are children of the model's node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
}

/// A clip as a range of frames. Its animation has a key for each frame, and one more at the end of a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Range {
    pub(crate) count: usize,
    pub(crate) first: usize,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) is_rate_assumed: bool,
    /// The number of frames at the end that repeat.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) loop_frames: usize,
    pub(crate) name: String,
    /// Frames per second.
    pub(crate) rate: f32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) reversed: bool,
}

/// The translation and rotation of each tag in one frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TagPoses {
    pub(crate) frame: usize,
    #[serde(default)]
    pub(crate) rotations: Vec<[f32; 4]>,
    #[serde(default)]
    pub(crate) translations: Vec<[f32; 3]>,
}

impl Range {
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
