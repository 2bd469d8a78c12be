//! Tags: named attachment points.

use std::sync::Arc;

use meshlens::model::{Model, TagPose};
use pyo3::prelude::*;

use crate::content::{Content, Shared};
use crate::error::no_index;
use crate::numbers::{self, Frames};

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

/// A pose of a model without this frame: at the origin.
const NONE: TagPose = TagPose { origin: [0.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

getters! {
    Tag, |model|
    frame_count: usize = model.tag_frame_count();
}

#[pymethods]
impl Tag {
    #[doc = doc!(Tag name)]
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.find(&self.shared.content()?)?.tags[self.index].name.clone())
    }

    #[doc = doc!(Tag node)]
    #[getter]
    const fn node(&self) -> usize {
        self.node
    }

    #[doc = doc!(Tag index)]
    #[getter]
    const fn index(&self) -> usize {
        self.index
    }

    #[doc = doc!(Tag matrix)]
    #[pyo3(signature = (frame = None))]
    fn matrix<'py>(&self, py: Python<'py>, frame: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let content = self.shared.content()?;
        let model = self.find(&content)?;
        let count = model.tag_frame_count();
        let frame = frame.map_or_else(|| 0usize.into_pyobject(py).map(Bound::into_any), Ok)?;
        let pose = |frame: usize| model.tag_pose(self.index, frame).unwrap_or(NONE).to_matrix();
        match Frames::read(&frame, count)? {
            Frames::One(frame) => numbers::matrix(py, pose(frame)),
            Frames::Several(frames) => {
                numbers::filled3(py, [frames.len(), 4, 4], None, |out: &mut [f32]| {
                    for (frame, out) in frames.iter().zip(out.chunks_exact_mut(16)) {
                        out.copy_from_slice(numbers::rows(pose(*frame)).as_flattened());
                    }
                    Ok(())
                })
            }
        }
    }

    #[doc = doc!(Tag pose)]
    #[pyo3(signature = (frame = None))]
    fn pose(&self, frame: Option<Bound<'_, PyAny>>) -> PyResult<([f32; 3], [[f32; 3]; 3])> {
        let content = self.shared.content()?;
        let model = self.find(&content)?;
        let count = model.tag_frame_count();
        let frame = frame.map_or(Ok(0), |frame| numbers::index(&frame, count, "frame"))?;
        let pose = model.tag_pose(self.index, frame).ok_or_else(|| no_index("frame", frame, count))?;
        Ok((pose.origin, pose.axes))
    }

    fn __repr__(&self) -> PyResult<String> {
        if self.shared.is_closed() {
            return Ok("<Tag of a closed scene>".into());
        }
        Ok(format!("<Tag {:?}: {} frames>", self.name()?, self.frame_count()?))
    }
}
