//! Tags: named attachment points.

use std::sync::Arc;

use meshlens::model::{Model, TagPose};
use pyo3::prelude::*;

use crate::content::{Content, Shared};
use crate::error::no_index;
use crate::numbers::{self, Frames};
use crate::{Maybe, NewObject};

#[doc = doc!(Tag)]
#[pyclass(frozen, module = "meshlens", name = "Tag")]
pub(crate) struct Tag {
    pub(crate) shared: Arc<Shared>,
    pub(crate) node: usize,
    pub(crate) index: usize,
}

impl Tag {
    fn find<'c>(&self, content: &'c Content) -> PyResult<&'c Model<'c>> {
        let model = &content.node(self.node)?.model;
        match model.tags.get(self.index) {
            Some(_) => Ok(model),
            None => Err(no_index("tag", self.index, model.tags.len())),
        }
    }
}

/// The pose for a frame that the model does not have: at the origin.
const NONE: TagPose = TagPose { origin: [0.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

fields! {
    Tag, |tag|
    node: usize = tag.node;
    index: usize = tag.index;
}

getters! {
    Tag, |tag, py, content, model|
    name: String = model.tags[tag.index].name.clone();
    frame_count: usize = model.tag_frame_count();
}

repr! {
    Tag, |tag, model| format!("<Tag {:?}: {} frames>", model.tags[tag.index].name, model.tag_frame_count())
}

#[pymethods]
impl Tag {
    #[doc = doc!(Tag matrix)]
    #[pyo3(signature = (frame = None))]
    fn matrix<'py>(&self, py: Python<'py>, frame: Maybe<'_, 'py>) -> NewObject<'py> {
        let content = self.shared.content()?;
        let model = self.find(&content)?;
        let pose = |frame: usize| model.tag_pose(self.index, frame).unwrap_or(NONE).to_matrix();
        match frame.map_or(Ok(Frames::One(0)), |frame| Frames::read(frame, model.tag_frame_count()))? {
            Frames::One(frame) => numbers::matrix(py, pose(frame)),
            Frames::Several(frames) => {
                numbers::matrices(py, &frames.into_iter().map(pose).collect::<Vec<_>>())
            }
        }
    }

    #[doc = doc!(Tag pose)]
    #[pyo3(signature = (frame = None))]
    fn pose(&self, frame: Maybe<'_, '_>) -> PyResult<([f32; 3], [[f32; 3]; 3])> {
        let content = self.shared.content()?;
        let model = self.find(&content)?;
        let count = model.tag_frame_count();
        let frame = numbers::frame(frame, count)?;
        let pose = model.tag_pose(self.index, frame).ok_or_else(|| no_index("frame", frame, count))?;
        Ok((pose.origin, pose.axes))
    }
}
