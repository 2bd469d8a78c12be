//! Clips and animations of joints.

use std::sync::Arc;

use meshlens::model::{self, JointAnimation, Rate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::content::{Content, Shared};
use crate::error::{no_index, work};
use crate::numbers::{self, Frames};

/// A named range of frames, with the rate at which they play.
#[pyclass(frozen, eq, module = "meshlens", name = "Clip")]
#[derive(Clone, PartialEq)]
pub(crate) struct Clip(pub(crate) model::Clip);

#[pymethods]
impl Clip {
    #[new]
    #[pyo3(signature = (name, first, count, rate = None, *, loop_frames = 0, reversed = false, animation = None))]
    fn new(
        name: String,
        first: usize,
        count: usize,
        rate: Option<f32>,
        loop_frames: usize,
        reversed: bool,
        animation: Option<usize>,
    ) -> PyResult<Clip> {
        if count == 0 {
            return Err(PyValueError::new_err("a clip has at least one frame"));
        }
        let mut clip = model::Clip::without_rate(name, first, count);
        if let Some(rate) = rate {
            if Rate::new(rate).is_none() {
                return Err(PyValueError::new_err(format!(
                    "a rate is positive and finite, and this one is {rate}"
                )));
            }
            clip.set_rate(rate);
        }
        (clip.loop_frames, clip.reversed, clip.animation) = (loop_frames, reversed, animation);
        Ok(Clip(clip))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn first(&self) -> usize {
        self.0.first
    }

    #[getter]
    fn count(&self) -> usize {
        self.0.count
    }

    #[getter]
    fn rate(&self) -> f32 {
        self.0.rate.get()
    }

    #[getter]
    fn is_rate_assumed(&self) -> bool {
        self.0.is_rate_assumed
    }

    #[getter]
    fn loop_frames(&self) -> usize {
        self.0.loop_frames
    }

    #[getter]
    fn reversed(&self) -> bool {
        self.0.reversed
    }

    #[getter]
    fn animation(&self) -> Option<usize> {
        self.0.animation
    }

    #[getter]
    fn duration(&self) -> f32 {
        self.0.duration()
    }

    #[getter]
    fn is_cycle(&self) -> bool {
        self.0.is_cycle()
    }

    #[getter]
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (first, count) = (self.0.first, self.0.count);
        let end = first
            .checked_add(count)
            .ok_or_else(|| PyValueError::new_err("the frames of the clip are out of range"))?;
        let range = py.get_type::<pyo3::types::PyRange>();
        if self.0.reversed {
            return range.call1((end.cast_signed() - 1, first.cast_signed() - 1, -1));
        }
        range.call1((first, end))
    }

    fn sample(&self, time: f32) -> (usize, usize, f32) {
        let blend = self.0.sample(time);
        (blend.a, blend.b, blend.weight)
    }

    fn __repr__(&self) -> String {
        let model::Clip { name, first, count, rate, .. } = &self.0;
        let kind = if self.0.animation.is_some() { "joints" } else { "frames" };
        format!("<Clip {name:?}: {count} {kind} from {first} at {} per second>", rate.get())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let make = py.import("meshlens._types")?.getattr("_clip")?;
        let clip = &self.0;
        let rate = (!clip.is_rate_assumed).then_some(clip.rate.get());
        let args =
            (&clip.name, clip.first, clip.count, rate, clip.loop_frames, clip.reversed, clip.animation);
        Ok((make, args.into_pyobject(py)?.into_any()))
    }
}

/// An animation of the joints of a node.
#[pyclass(frozen, module = "meshlens", name = "Animation")]
pub(crate) struct Animation {
    pub(crate) shared: Arc<Shared>,
    pub(crate) node: usize,
    pub(crate) index: usize,
}

impl Animation {
    fn find<'c>(&self, content: &'c Content) -> PyResult<&'c JointAnimation<'c>> {
        let animations = &content.node(self.node)?.model.animations;
        animations.get(self.index).ok_or_else(|| no_index("animation", self.index, animations.len()))
    }
}

#[pymethods]
impl Animation {
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.find(&self.shared.content()?)?.name.clone())
    }

    #[getter]
    fn joints(&self) -> PyResult<Vec<usize>> {
        Ok(self.find(&self.shared.content()?)?.joints.clone())
    }

    #[getter]
    fn frame_count(&self) -> PyResult<usize> {
        Ok(self.find(&self.shared.content()?)?.frame_count())
    }

    /// Translations, rotations and scales of frames.
    #[pyo3(signature = (frames = None))]
    fn transforms<'py>(
        &self,
        py: Python<'py>,
        frames: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let content = self.shared.content()?;
        let animation = self.find(&content)?;
        let count = animation.frame_count();
        let wanted = match frames.map(|frames| Frames::read(frames, count)).transpose()? {
            None => (0..count).collect(),
            Some(Frames::One(frame)) => vec![frame],
            Some(Frames::Several(frames)) => frames,
        };
        let transforms = work(py, || {
            let (mut all, mut one) = (Vec::new(), Vec::new());
            if wanted.iter().copied().eq(0..count) {
                animation.frames_into(0..count, &mut all);
            } else {
                for frame in &wanted {
                    animation.frames_into(*frame..frame + 1, &mut one);
                    all.append(&mut one);
                }
            }
            Ok(all)
        })?;
        let shape = |components| [wanted.len(), animation.joints.len(), components];
        split(py, &transforms, shape)
    }

    fn __repr__(&self) -> PyResult<String> {
        let content = self.shared.content()?;
        let animation = self.find(&content)?;
        let (joints, frames) = (animation.joints.len(), animation.frame_count());
        Ok(format!("<Animation {:?}: {frames} frames of {joints} joints>", animation.name))
    }
}

/// The translations, the rotations and the scales of transforms.
pub(crate) fn split<'py>(
    py: Python<'py>,
    transforms: &[model::Transform],
    shape: impl Fn(usize) -> [usize; 3],
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    fn each<'py, const N: usize>(
        py: Python<'py>,
        transforms: &[model::Transform],
        shape: [usize; 3],
        value: fn(&model::Transform) -> [f32; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        numbers::filled3(py, shape, None, |out: &mut [f32]| {
            for (out, transform) in out.chunks_exact_mut(N).zip(transforms) {
                out.copy_from_slice(&value(transform));
            }
            Ok(())
        })
    }
    Ok((
        each(py, transforms, shape(3), |transform| transform.translation)?,
        each(py, transforms, shape(4), |transform| transform.rotation)?,
        each(py, transforms, shape(3), |transform| transform.scale)?,
    ))
}
