//! Clips by name, each with its time, and the pose that they give.

use meshlens::scene;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::clip::Clip;
use crate::content::Content;
use crate::error::{no_clip, work};

/// Clips by name, each with its time.
pub(crate) fn read_clips(clips: Option<&Bound<'_, PyAny>>, time: f32) -> PyResult<Vec<(String, f32)>> {
    let Some(clips) = clips else { return Ok(Vec::new()) };
    if let Ok(name) = clips.extract::<String>() {
        return Ok(vec![(name, time)]);
    }
    if let Ok(clip) = clips.cast::<Clip>() {
        return Ok(vec![(clip.get().0.name.clone(), time)]);
    }
    if let Ok(times) = clips.cast::<PyDict>() {
        return times.iter().map(|(name, time)| Ok((name.extract()?, time.extract()?))).collect();
    }
    if let Ok(name) = clips.getattr("name").and_then(|name| name.extract()) {
        return Ok(vec![(name, time)]);
    }
    Err(PyTypeError::new_err("a clip is a Clip or its name; several are a dictionary of names and seconds"))
}

/// The pose of clips, by name; at rest without any.
pub(crate) fn read(
    py: Python<'_>,
    content: &Content,
    clips: Option<&Bound<'_, PyAny>>,
    time: f32,
) -> PyResult<scene::Pose> {
    let clips = read_clips(clips, time)?;
    work(py, || {
        let scene = content.scene();
        let mut pose = scene.rest_pose();
        for (name, time) in &clips {
            if pose.play(scene, name, *time).is_err() {
                return Err(no_clip(name, scene.clips().into_iter().map(|clip| clip.name.to_owned())).into());
            }
        }
        Ok(pose)
    })
}
