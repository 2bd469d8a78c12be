//! Clips and animations of joints.

use std::sync::Arc;

use meshlens::model::{self, JointAnimation, Rate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::content::{Content, Shared};
use crate::error::{no_index, work};
use crate::numbers::{self, Frames};
use crate::{Any, Maybe, NewObject};

#[doc = doc!(Clip)]
#[pyclass(frozen, eq, module = "meshlens", name = "Clip")]
#[derive(Clone, PartialEq)]
pub(crate) struct Clip(pub(crate) model::Clip);

fields! {
    Clip, |clip|
    first: usize = clip.0.first;
    count: usize = clip.0.count;
    rate: f32 = clip.0.rate.get();
    is_rate_assumed: bool = clip.0.is_rate_assumed;
    loop_frames: usize = clip.0.loop_frames;
    reversed: bool = clip.0.reversed;
    animation: Option<usize> = clip.0.animation;
    duration: f32 = clip.0.duration();
    is_cycle: bool = clip.0.is_cycle();
    name: String = clip.0.name.clone();
}

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
            let wrong =
                || PyValueError::new_err(format!("a rate is positive and finite, and this one is {rate}"));
            clip.set_rate(Rate::new(rate).ok_or_else(wrong)?.get());
        }
        (clip.loop_frames, clip.reversed, clip.animation) = (loop_frames, reversed, animation);
        Ok(Clip(clip))
    }

    #[doc = doc!(Clip frames)]
    #[getter]
    fn frames<'py>(&self, py: Python<'py>) -> NewObject<'py> {
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

    #[doc = doc!(Clip sample)]
    fn sample(&self, time: f32) -> (usize, usize, f32) {
        let blend = self.0.sample(time);
        (blend.a, blend.b, blend.weight)
    }

    fn __repr__(&self) -> String {
        let model::Clip { name, first, count, rate, .. } = &self.0;
        let kind = if self.0.animation.is_some() { "joints" } else { "frames" };
        format!("<Clip {name:?}: {count} {kind} from {first} at {} per second>", rate.get())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Any<'py>, Any<'py>)> {
        let make = py.import("meshlens._types")?.getattr("_clip")?;
        let clip = &self.0;
        let rate = (!clip.is_rate_assumed).then_some(clip.rate.get());
        let args =
            (&clip.name, clip.first, clip.count, rate, clip.loop_frames, clip.reversed, clip.animation);
        Ok((make, args.into_pyobject(py)?.into_any()))
    }
}

#[doc = doc!(Animation)]
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

getters! {
    Animation, |this, py, content, animation|
    name: String = animation.name.clone();
    joints: Vec<usize> = animation.joints.clone();
    frame_count: usize = animation.frame_count();
}

repr! {
    Animation, |_this, animation|
    format!("<Animation {:?}: {} frames of {} joints>", animation.name, animation.frame_count(), animation.joints.len())
}

#[pymethods]
impl Animation {
    #[doc = doc!(Animation transforms)]
    #[pyo3(signature = (frames = None))]
    fn transforms<'py>(&self, py: Python<'py>, frames: Maybe<'_, 'py>) -> PyResult<Split<'py>> {
        let content = self.shared.content()?;
        let animation = self.find(&content)?;
        let count = animation.frame_count();
        let wanted = match frames.map(|frames| Frames::read(frames, count)).transpose()? {
            None => (0..count).collect(),
            Some(Frames::One(frame)) => vec![frame],
            Some(Frames::Several(frames)) => frames,
        };
        let transforms = work(py, || {
            let count = wanted.len().checked_mul(animation.joints.len());
            let (mut all, mut one) = (numbers::room(count)?, Vec::new());
            for frame in &wanted {
                animation.frames_into(*frame..frame + 1, &mut one);
                all.append(&mut one);
            }
            Ok(all)
        })?;
        split(py, &transforms, [wanted.len(), animation.joints.len()])
    }
}

/// Arrays of translations, of rotations and of scales.
pub(crate) type Split<'py> = (Any<'py>, Any<'py>, Any<'py>);

/// The translations, the rotations and the scales of transforms.
pub(crate) fn split<'py>(
    py: Python<'py>,
    transforms: &[model::Transform],
    [frames, joints]: [usize; 2],
) -> PyResult<Split<'py>> {
    let each = |width: usize, numbers: fn(&model::Transform) -> &[f32]| {
        numbers::filled(py, [frames, joints, width], None, |out: &mut [f32]| {
            let places = out.chunks_exact_mut(width).zip(transforms);
            places.for_each(|(place, transform)| place.copy_from_slice(numbers(transform)));
            Ok(())
        })
    };
    Ok((
        each(3, |transform| &transform.translation)?,
        each(4, |transform| &transform.rotation)?,
        each(3, |transform| &transform.scale)?,
    ))
}
