//! Nodes: models with a position in a scene.

use std::sync::Arc;

use meshlens::model::{Model, Transform, joint_parents};
use meshlens::scene::Socket;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::clip::{Animation, Clip, Split, split};
use crate::content::{Content, Shared};
use crate::error::{no_clip, work};
use crate::mesh::Mesh;
use crate::space::{Space, format_name};
use crate::tag::Tag;
use crate::view::At;
use crate::{Any, numbers, types};

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

    /// Whether the node belongs to this scene.
    pub(crate) fn is_of(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    fn find<'c>(&self, content: &'c Content) -> PyResult<&'c Model<'c>> {
        Ok(&content.node(self.index)?.model)
    }

    fn name_of(&self) -> PyResult<String> {
        Ok(self.shared.content()?.node(self.index)?.name.clone())
    }

    /// Objects of the node, by their indices.
    fn each<T>(&self, count: usize, make: impl Fn(Arc<Shared>, usize, usize) -> T) -> Vec<T> {
        (0..count).map(|index| make(self.shared.clone(), self.index, index)).collect()
    }
}

/// The clip of a model, which is given as an object or by name.
fn find_clip(model: &Model<'_>, clip: &Any<'_>) -> PyResult<meshlens::model::Clip> {
    if let Ok(clip) = clip.cast::<Clip>() {
        return Ok(clip.get().0.clone());
    }
    let name: String = clip.extract()?;
    let found = model.find_clip(&name).cloned();
    found.ok_or_else(|| no_clip(&name, model.clips.iter().map(|clip| clip.name.clone())))
}

fields! {
    Node, |node|
    index: usize = node.index;
}

getters! {
    Node, |this, py, content, model|
    name: String = content.node(this.index)?.name.clone();
    model_name: String = model.name.clone();
    format: Option<&'static str> = format_name(model.format);
    space: Space = Space::of(&model.space);
    path: Option<String> =
        content.0.node_path(this.index).filter(|path| !path.is_root()).map(ToString::to_string);
    meshes: Vec<Mesh> = {
        let lods = std::iter::once(model).chain(&content.node(this.index)?.lods).enumerate();
        let all = lods.flat_map(|(lod, model)| (0..model.meshes.len()).map(move |mesh| (lod, mesh)));
        all.map(|(lod, mesh)| Mesh::new(&this.shared, At { node: this.index, lod, mesh })).collect()
    };
    materials: Bound<'py, PyList> = types::materials(py, &model.materials)?;
    tags: Vec<Tag> = this.each(model.tags.len(), |shared, node, index| Tag { shared, node, index });
    clips: Vec<Clip> = model.clips.iter().cloned().map(Clip).collect();
    animations: Vec<Animation> =
        this.each(model.animations.len(), |shared, node, index| Animation { shared, node, index });
    joints: Bound<'py, PyList> = {
        let class = types::class(py, "Joint")?;
        let joints = model.joints.iter().zip(joint_parents(&model.joints)).map(|(joint, parent)| {
            let Transform { translation: t, rotation: r, scale: s } = joint.rest;
            class.call1((&joint.name, parent, PyTuple::new(py, t)?, PyTuple::new(py, r)?, PyTuple::new(py, s)?))
        });
        PyList::new(py, joints.collect::<PyResult<Vec<_>>>()?)?
    };
    frame_count: usize = model.frame_count();
    frame_names: Vec<String> = model.frame_names.clone();
    rest_frame: usize = content.node(this.index)?.rest_frame;
    placement: Any<'py> = numbers::matrix(py, model.placement)?;
    transform: Any<'py> = numbers::matrix(py, content.node(this.index)?.transform.to_matrix())?;
    attachment: Option<(usize, String)> = match content.scene().attachment(this.index) {
        None => None,
        Some(to) => {
            let model = &content.node(to.node)?.model;
            let name = match to.socket {
                Socket::Tag(tag) => model.tags.get(tag).map(|tag| tag.name.clone()),
                Socket::Joint(joint) => model.joints.get(joint).map(|joint| joint.name.clone()),
            };
            Some((to.node, name.unwrap_or_default()))
        }
    };
}

repr! {
    Node, |this, model| {
        let format = format_name(model.format).unwrap_or("memory");
        let (meshes, clips, tags) = (model.meshes.len(), model.clips.len(), model.tags.len());
        format!("<Node {:?}: {format}, {meshes} meshes, {clips} clips, {tags} tags>", this.name_of()?)
    }
}

#[pymethods]
impl Node {
    #[doc = doc!(Node transforms)]
    #[pyo3(signature = (clip, times))]
    fn transforms<'py>(&self, py: Python<'py>, clip: &Any<'py>, times: &Any<'py>) -> PyResult<Split<'py>> {
        let content = self.shared.content()?;
        let model = self.find(&content)?;
        let clip = find_clip(model, clip)?;
        let times = numbers::floats(times, "times")?;
        let all = work(py, || {
            let (mut all, mut pose) =
                (numbers::room(times.len().checked_mul(model.joints.len()))?, Vec::new());
            for time in &times {
                model.pose_into(&clip, *time, &mut pose);
                all.extend_from_slice(&pose);
            }
            Ok(all)
        })?;
        split(py, &all, [times.len(), model.joints.len()])
    }
}
