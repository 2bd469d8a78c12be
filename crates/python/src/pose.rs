//! Poses: the vertex frames and joints of the nodes of a scene at one time.

use std::sync::Arc;

use meshlens::lens::Semantic;
use meshlens::scene;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::clip::Clip;
use crate::content::{Content, Shared};
use crate::error::{no_index, work};
use crate::mesh::Mesh;
use crate::node::Node;
use crate::view::{MeshTopology, TargetSpace};
use crate::{Any, Maybe, NewObject, layout, numbers, sample, types};

#[doc = doc!(Pose)]
#[pyclass(frozen, module = "meshlens", name = "Pose")]
pub(crate) struct Pose {
    pub(crate) shared: Arc<Shared>,
    pub(crate) pose: scene::Pose,
    pub(crate) shows: String,
}

impl Pose {
    /// A mesh of the scene of this pose, and its triangles.
    fn mesh<'m>(&self, content: &Content, mesh: &'m Bound<'_, Mesh>) -> PyResult<MeshTopology<'m>> {
        let (py, mesh) = (mesh.py(), mesh.get());
        if mesh.is_of(&self.shared) {
            return Ok((mesh.at, mesh.topology(py, content)?));
        }
        Err(PyValueError::new_err("the mesh belongs to another scene"))
    }

    /// The index of a node, which is given as a `Node` or as an index.
    fn node(&self, content: &Content, node: &Any<'_>) -> PyResult<usize> {
        if let Ok(node) = node.cast::<Node>() {
            let node = node.get();
            let other = || PyValueError::new_err("the node belongs to another scene");
            return node.is_of(&self.shared).then_some(node.index).ok_or_else(other);
        }
        numbers::index(node, content.scene().nodes.len(), "node")
    }

    fn attribute<'py>(
        &self,
        mesh: &Bound<'py, Mesh>,
        semantic: Semantic,
        space: Maybe<'_, 'py>,
        scale: f32,
    ) -> NewObject<'py> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let found = self.mesh(&content, mesh)?;
        TargetSpace::read(&content, space, scale)?.attribute(py, &content, found, &self.pose, semantic)
    }
}

#[pymethods]
impl Pose {
    #[doc = doc!(Pose vertices)]
    #[pyo3(signature = (mesh, layout = None, *, space = None, scale = 1.0))]
    fn vertices<'py>(
        &self,
        mesh: &Bound<'py, Mesh>,
        layout: Maybe<'_, 'py>,
        space: Maybe<'_, 'py>,
        scale: f32,
    ) -> NewObject<'py> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let (at, topology) = self.mesh(&content, mesh)?;
        let layout = layout::read(py, layout, content.mesh(at.node, at.lod, at.mesh)?)?;
        let wanted = TargetSpace::read(&content, space, scale)?;
        wanted.vertices(py, &content, (at, topology), &self.pose, &layout)
    }

    #[doc = doc!(Pose positions)]
    #[pyo3(signature = (mesh, *, space = None, scale = 1.0))]
    fn positions<'py>(&self, mesh: &Bound<'py, Mesh>, space: Maybe<'_, 'py>, scale: f32) -> NewObject<'py> {
        self.attribute(mesh, Semantic::Position, space, scale)
    }

    #[doc = doc!(Pose normals)]
    #[pyo3(signature = (mesh, *, space = None))]
    fn normals<'py>(&self, mesh: &Bound<'py, Mesh>, space: Maybe<'_, 'py>) -> NewObject<'py> {
        self.attribute(mesh, Semantic::Normal, space, 1.0)
    }

    #[doc = doc!(Pose frames)]
    fn frames(&self, mesh: &Bound<'_, Mesh>) -> PyResult<(usize, usize, f32)> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let found = self.mesh(&content, mesh)?;
        let wanted = TargetSpace::read(&content, None, 1.0)?;
        let blend = work(py, || Ok(wanted.mesh(&content, found)?.frames(&self.pose)?))?;
        Ok((blend.a, blend.b, blend.weight))
    }

    #[doc = doc!(Pose skin)]
    #[pyo3(signature = (mesh, *, space = None, scale = 1.0))]
    fn skin<'py>(&self, mesh: &Bound<'py, Mesh>, space: Maybe<'_, 'py>, scale: f32) -> NewObject<'py> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let found = self.mesh(&content, mesh)?;
        let wanted = TargetSpace::read(&content, space, scale)?;
        let matrices = work(py, || Ok(wanted.mesh(&content, found)?.skin(&self.pose)?.collect::<Vec<_>>()))?;
        numbers::matrices(py, &matrices)
    }

    #[doc = doc!(Pose joints)]
    fn joints<'py>(&self, node: &Any<'py>) -> NewObject<'py> {
        let content = self.shared.content()?;
        let index = self.node(&content, node)?;
        let shown =
            self.pose.node(index).ok_or_else(|| no_index("node", index, content.scene().nodes.len()))?;
        numbers::matrices(node.py(), &shown.joints)
    }

    #[doc = doc!(Pose matrix)]
    #[pyo3(signature = (node, *, space = None, scale = 1.0))]
    fn matrix<'py>(&self, node: &Any<'py>, space: Maybe<'_, 'py>, scale: f32) -> NewObject<'py> {
        let content = self.shared.content()?;
        let index = self.node(&content, node)?;
        let view = TargetSpace::read(&content, space, scale)?.view(&content, 0);
        let found = view.matrix(index, &self.pose);
        numbers::matrix(node.py(), found.ok_or_else(|| no_index("node", index, content.scene().nodes.len()))?)
    }

    #[doc = doc!(Pose socket)]
    #[pyo3(signature = (tag, *, space = None, scale = 1.0))]
    fn socket<'py>(&self, tag: &Any<'py>, space: Maybe<'_, 'py>, scale: f32) -> PyResult<Option<Any<'py>>> {
        let content = self.shared.content()?;
        let to = sample::read_socket(&self.shared, &content, tag)?;
        let view = TargetSpace::read(&content, space, scale)?.view(&content, 0);
        view.socket(to.node, to.socket, &self.pose)
            .map(|matrix| numbers::matrix(tag.py(), matrix))
            .transpose()
    }

    #[doc = doc!(Pose bounds)]
    #[pyo3(signature = (*, space = None, scale = 1.0))]
    fn bounds(
        &self,
        py: Python<'_>,
        space: Maybe<'_, '_>,
        scale: f32,
    ) -> PyResult<Option<([f32; 3], [f32; 3])>> {
        let content = self.shared.content()?;
        let wanted = TargetSpace::read(&content, space, scale)?;
        let bounds = work(py, || Ok(wanted.view(&content, 0).bounds(&self.pose)?))?;
        Ok(bounds.map(|bounds| (bounds.min, bounds.max)))
    }

    fn __repr__(&self) -> String {
        format!("<Pose {}>", self.shows)
    }
}

/// The clips of all nodes, by name, as `SceneClip`.
pub(crate) fn scene_clips<'py>(py: Python<'py>, content: &Content) -> PyResult<Bound<'py, PyList>> {
    let (class, scene) = (types::class(py, "SceneClip")?, content.scene());
    let made = scene.clips().into_iter().map(|found| {
        let tracks = PyDict::new(py);
        for (node, clip) in &found.tracks {
            if let Some(clip) = scene.nodes.get(*node).and_then(|node| node.model.clips.get(*clip)) {
                tracks.set_item(node, Clip(clip.clone()))?;
            }
        }
        class.call1((found.name, tracks))
    });
    PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)
}
