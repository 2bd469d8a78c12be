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

#[doc = doc!(Node)]
#[pyclass(frozen, module = "meshlens", name = "Node")]
pub(crate) struct Node {
    shared: Arc<Shared>,
    pub(crate) index: usize,
}

impl Node {
    pub(crate) fn new(shared: &Arc<Shared>, index: usize) -> Node {
        Node { shared: shared.clone(), index }
    }

    fn find<'c>(&self, content: &'c Content) -> PyResult<&'c Model<'c>> {
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

fields! {
    Node, |node|
    index: usize = node.index;
}

getters! {
    Node, |model|
    model_name: String = model.name.clone();
    clips: Vec<Clip> = model.clips.iter().cloned().map(Clip).collect();
    frame_count: usize = model.frame_count();
    frame_names: Vec<String> = model.frame_names.clone();
}

#[pymethods]
impl Node {
    #[doc = doc!(Node name)]
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.shared.content()?.node(self.index)?.name.clone())
    }

    #[doc = doc!(Node format)]
    #[getter]
    fn format(&self) -> PyResult<Option<&'static str>> {
        Ok(format_name(self.find(&self.shared.content()?)?.format))
    }

    #[doc = doc!(Node space)]
    #[getter]
    fn space(&self) -> PyResult<Space> {
        Ok(Space::of(&self.find(&self.shared.content()?)?.space))
    }

    #[doc = doc!(Node path)]
    #[getter]
    fn path(&self) -> PyResult<Option<String>> {
        match self.shared.content()? {
            Content::Asset(asset) => Ok(asset.node_path(self.index).map(ToString::to_string)),
            Content::Memory(_) => Ok(None),
        }
    }

    #[doc = doc!(Node meshes)]
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

    #[doc = doc!(Node materials)]
    #[getter]
    fn materials<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let list = PyList::empty(py);
        for material in &self.find(&content)?.materials {
            list.append(types::material(py, material)?)?;
        }
        Ok(list)
    }

    #[doc = doc!(Node tags)]
    #[getter]
    fn tags(&self) -> PyResult<Vec<Tag>> {
        let count = self.find(&self.shared.content()?)?.tags.len();
        Ok((0..count).map(|index| Tag { shared: self.shared.clone(), node: self.index, index }).collect())
    }

    #[doc = doc!(Node animations)]
    #[getter]
    fn animations(&self) -> PyResult<Vec<Animation>> {
        let count = self.find(&self.shared.content()?)?.animations.len();
        Ok((0..count)
            .map(|index| Animation { shared: self.shared.clone(), node: self.index, index })
            .collect())
    }

    #[doc = doc!(Node joints)]
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let joints = &self.find(&content)?.joints;
        let (class, list) = (types::class(py, "Joint")?, PyList::empty(py));
        for (Joint { name, rest, .. }, parent) in joints.iter().zip(joint_parents(joints)) {
            let Transform { translation: t, rotation: r, scale: s } = rest;
            let (t, r, s) = (PyTuple::new(py, t)?, PyTuple::new(py, r)?, PyTuple::new(py, s)?);
            list.append(class.call1((name, parent, t, r, s))?)?;
        }
        Ok(list)
    }

    #[doc = doc!(Node rest_frame)]
    #[getter]
    fn rest_frame(&self) -> PyResult<usize> {
        Ok(self.shared.content()?.node(self.index)?.rest_frame)
    }

    #[doc = doc!(Node placement)]
    #[getter]
    fn placement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numbers::matrix(py, self.find(&self.shared.content()?)?.placement)
    }

    #[doc = doc!(Node attachment)]
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

    #[doc = doc!(Node transforms)]
    #[pyo3(signature = (clip, times))]
    fn transforms<'py>(
        &self,
        py: Python<'py>,
        clip: &Bound<'py, PyAny>,
        times: &Bound<'py, PyAny>,
    ) -> PyResult<Arrays<'py>> {
        let content = self.shared.content()?;
        let model = self.find(&content)?;
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
        let (node, model) = (content.node(self.index)?, self.find(&content)?);
        let format = format_name(model.format).unwrap_or("memory");
        let (meshes, clips, tags) = (model.meshes.len(), model.clips.len(), model.tags.len());
        Ok(format!("<Node {:?}: {format}, {meshes} meshes, {clips} clips, {tags} tags>", node.name))
    }
}
