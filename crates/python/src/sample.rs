//! Clips by name, each with its time, and the pose that results from them.

use std::sync::Arc;

use meshlens::scene::{self, Attachment, Socket};
use pyo3::exceptions::{PyLookupError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::clip::Clip;
use crate::content::{Content, Shared};
use crate::error::{no_clip, work};
use crate::tag::Tag;
use crate::{Any, Maybe};

/// Clips by name, each with its time.
pub(crate) fn read_clips(clips: Maybe<'_, '_>, time: f32) -> PyResult<Vec<(String, f32)>> {
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

/// The pose that results from clips, by name. Without clips, it is the rest pose.
pub(crate) fn read(
    py: Python<'_>,
    content: &Content,
    clips: Maybe<'_, '_>,
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

/// A tag, which is given as an object, or the first tag or joint with a name.
pub(crate) fn read_socket(shared: &Arc<Shared>, content: &Content, tag: &Any<'_>) -> PyResult<Attachment> {
    if let Ok(tag) = tag.cast::<Tag>() {
        let tag = tag.get();
        if !Arc::ptr_eq(&tag.shared, shared) {
            return Err(PyValueError::new_err("the tag belongs to another scene"));
        }
        return Ok(Attachment { node: tag.node, socket: Socket::Tag(tag.index) });
    }
    let name: String = tag.extract().map_err(|_| PyTypeError::new_err("a tag is a Tag, or its name"))?;
    let scene = content.scene();
    let joint = || {
        scene.nodes.iter().enumerate().find_map(|(node, of)| {
            let joint = of.model.joints.iter().position(|joint| joint.name == name)?;
            Some(Attachment { node, socket: Socket::Joint(joint) })
        })
    };
    let found = scene.find_tag(&name).or_else(joint);
    found.ok_or_else(|| PyLookupError::new_err(format!("there is no tag or joint {name:?}")))
}
