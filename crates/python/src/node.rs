//! Nodes: models that stand in a scene.

use std::sync::Arc;

use meshlens::model::{Joint, Model, Transform, joint_parents};
use meshlens::scene::Socket;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::clip::{Animation, Clip, split};
use crate::content::{Content, Shared};
use crate::error::{no_clip, work};
use crate::mesh::Mesh;
use crate::space::{Space, format_name};
use crate::tag::Tag;
use crate::view::At;
use crate::{numbers, types};

/// A model that stands in a scene.
#[pyclass(frozen, module = "meshlens", name = "Node")]
pub(crate) struct Node {
    shared: Arc<Shared>,
    #[pyo3(get)]
    pub(crate) index: usize,
}

impl Node {
    pub(crate) fn new(shared: &Arc<Shared>, index: usize) -> Node {
        Node { shared: shared.clone(), index }
    }

    fn model<'c>(&self, content: &'c Content) -> PyResult<&'c Model<'c>> {
        Ok(&content.node(self.index)?.model)
    }
}

/// The clip of a model, given as such or by name.
fn find_clip(model: &Model<'_>, clip: &Bound<'_, PyAny>) -> PyResult<meshlens::model::Clip> {
    if let Ok(clip) = clip.cast::<Clip>() {
        return Ok(clip.get().0.clone());
    }
    let name: String = clip.extract()?;
    let found = model.find_clip(&name).cloned();
    found.ok_or_else(|| no_clip(&name, model.clips.iter().map(|clip| clip.name.clone())))
}

type Arrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

#[pymethods]
impl Node {
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.shared.content()?.node(self.index)?.name.clone())
    }

    #[getter]
    fn model_name(&self) -> PyResult<String> {
        Ok(self.model(&self.shared.content()?)?.name.clone())
    }

    #[getter]
    fn format(&self) -> PyResult<Option<&'static str>> {
        Ok(format_name(self.model(&self.shared.content()?)?.format))
    }

    #[getter]
    fn space(&self) -> PyResult<Space> {
        Ok(Space::of(&self.model(&self.shared.content()?)?.space))
    }

    #[getter]
    fn path(&self) -> PyResult<Option<String>> {
        match self.shared.content()? {
            Content::Asset(asset) => Ok(asset.node_path(self.index).map(ToString::to_string)),
            Content::Memory(_) => Ok(None),
        }
    }

    #[getter]
    fn meshes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let (node, list) = (content.node(self.index)?, PyList::empty(py));
        for (lod, model) in std::iter::once(&node.model).chain(&node.lods).enumerate() {
            for mesh in 0..model.meshes.len() {
                list.append(Mesh::new(&self.shared, At { node: self.index, lod, mesh }).into_pyobject(py)?)?;
            }
        }
        Ok(list)
    }

    #[getter]
    fn materials<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let list = PyList::empty(py);
        for material in &self.model(&content)?.materials {
            list.append(types::material(py, material)?)?;
        }
        Ok(list)
    }

    #[getter]
    fn tags(&self) -> PyResult<Vec<Tag>> {
        let count = self.model(&self.shared.content()?)?.tags.len();
        Ok((0..count).map(|index| Tag { shared: self.shared.clone(), node: self.index, index }).collect())
    }

    #[getter]
    fn clips(&self) -> PyResult<Vec<Clip>> {
        Ok(self.model(&self.shared.content()?)?.clips.iter().cloned().map(Clip).collect())
    }

    #[getter]
    fn animations(&self) -> PyResult<Vec<Animation>> {
        let count = self.model(&self.shared.content()?)?.animations.len();
        Ok((0..count)
            .map(|index| Animation { shared: self.shared.clone(), node: self.index, index })
            .collect())
    }

    /// The joints at rest.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let joints = &self.model(&content)?.joints;
        let (class, list) = (types::class(py, "Joint")?, PyList::empty(py));
        for (Joint { name, rest, .. }, parent) in joints.iter().zip(joint_parents(joints)) {
            let Transform { translation: t, rotation: r, scale: s } = rest;
            let (t, r, s) = (PyTuple::new(py, t)?, PyTuple::new(py, r)?, PyTuple::new(py, s)?);
            list.append(class.call1((name, parent, t, r, s))?)?;
        }
        Ok(list)
    }

    #[getter]
    fn frame_count(&self) -> PyResult<usize> {
        Ok(self.model(&self.shared.content()?)?.frame_count())
    }

    #[getter]
    fn frame_names(&self) -> PyResult<Vec<String>> {
        Ok(self.model(&self.shared.content()?)?.frame_names.clone())
    }

    #[getter]
    fn rest_frame(&self) -> PyResult<usize> {
        Ok(self.shared.content()?.node(self.index)?.rest_frame)
    }

    /// The placement by a script.
    #[getter]
    fn placement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numbers::matrix(py, self.model(&self.shared.content()?)?.placement)
    }

    /// The node that this one is attached to, and the name of the tag or joint.
    #[getter]
    fn attachment(&self) -> PyResult<Option<(usize, String)>> {
        let content = self.shared.content()?;
        let Some(to) = content.scene().attachment(self.index) else { return Ok(None) };
        let model = &content.node(to.node)?.model;
        let name = match to.socket {
            Socket::Tag(tag) => model.tags.get(tag).map(|tag| tag.name.clone()),
            Socket::Joint(joint) => model.joints.get(joint).map(|joint| joint.name.clone()),
        };
        Ok(Some((to.node, name.unwrap_or_default())))
    }

    /// The transforms of all joints, relative to their parents, at times of a clip.
    #[pyo3(signature = (clip, times))]
    fn transforms<'py>(
        &self,
        py: Python<'py>,
        clip: &Bound<'py, PyAny>,
        times: &Bound<'py, PyAny>,
    ) -> PyResult<Arrays<'py>> {
        let content = self.shared.content()?;
        let model = self.model(&content)?;
        let clip = find_clip(model, clip)?;
        let times = numbers::floats(times, "times", [])?.0;
        let all = work(py, || {
            let (mut all, mut pose) = (Vec::with_capacity(times.len() * model.joints.len()), Vec::new());
            for time in &times {
                model.pose_into(&clip, *time, &mut pose);
                all.extend_from_slice(&pose);
            }
            Ok(all)
        })?;
        split(py, &all, |components| [times.len(), model.joints.len(), components])
    }

    fn __repr__(&self) -> PyResult<String> {
        if self.shared.is_closed() {
            return Ok("<Node of a closed scene>".into());
        }
        let content = self.shared.content()?;
        let (node, model) = (content.node(self.index)?, self.model(&content)?);
        let format = format_name(model.format).unwrap_or("memory");
        let (meshes, clips, tags) = (model.meshes.len(), model.clips.len(), model.tags.len());
        Ok(format!("<Node {:?}: {format}, {meshes} meshes, {clips} clips, {tags} tags>", node.name))
    }
}
