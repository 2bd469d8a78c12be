//! Poses: what the nodes of a scene show at one time.

use std::sync::Arc;

use meshlens::lens::Semantic;
use meshlens::scene::{self, Socket};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::clip::Clip;
use crate::content::{Content, Shared};
use crate::error::{no_index, work};
use crate::mesh::Mesh;
use crate::node::Node;
use crate::tag::Tag;
use crate::view::Wanted;
use crate::{layout, numbers, types};

#[doc = doc!(Pose)]
#[pyclass(frozen, module = "meshlens", name = "Pose")]
pub(crate) struct Pose {
    pub(crate) shared: Arc<Shared>,
    pub(crate) pose: scene::Pose,
    pub(crate) shows: String,
}

impl Pose {
    /// Checks that a mesh is one of the scene of this pose.
    fn mesh<'m>(&self, mesh: &'m Bound<'_, Mesh>) -> PyResult<&'m Mesh> {
        let mesh = mesh.get();
        if mesh.is_of(&self.shared) {
            Ok(mesh)
        } else {
            Err(PyValueError::new_err("the mesh belongs to another scene"))
        }
    }

    /// The index of a node, which is given as such or as an index.
    fn node(&self, content: &Content, node: &Bound<'_, PyAny>) -> PyResult<usize> {
        if let Ok(node) = node.cast::<Node>() {
            return Ok(node.get().index);
        }
        numbers::index(node, content.scene().nodes.len(), "node")
    }

    fn attribute<'py>(
        &self,
        mesh: &Bound<'py, Mesh>,
        semantic: Semantic,
        space: Option<&Bound<'py, PyAny>>,
        scale: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let mesh = self.mesh(mesh)?;
        let wanted = Wanted::read(&content, space, scale)?;
        wanted.attribute(py, &content, (mesh.at, mesh.topology(py, &content)?), &self.pose, semantic)
    }
}

#[pymethods]
impl Pose {
    #[doc = doc!(Pose vertices)]
    #[pyo3(signature = (mesh, layout = None, *, space = None, scale = 1.0))]
    fn vertices<'py>(
        &self,
        mesh: &Bound<'py, Mesh>,
        layout: Option<&Bound<'py, PyAny>>,
        space: Option<&Bound<'py, PyAny>>,
        scale: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let mesh = self.mesh(mesh)?;
        let layout = layout::read(py, layout, content.mesh(mesh.at.node, mesh.at.lod, mesh.at.mesh)?)?;
        let wanted = Wanted::read(&content, space, scale)?;
        wanted.vertices(py, &content, (mesh.at, mesh.topology(py, &content)?), &self.pose, &layout)
    }

    #[doc = doc!(Pose positions)]
    #[pyo3(signature = (mesh, *, space = None, scale = 1.0))]
    fn positions<'py>(
        &self,
        mesh: &Bound<'py, Mesh>,
        space: Option<&Bound<'py, PyAny>>,
        scale: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.attribute(mesh, Semantic::Position, space, scale)
    }

    #[doc = doc!(Pose normals)]
    #[pyo3(signature = (mesh, *, space = None))]
    fn normals<'py>(
        &self,
        mesh: &Bound<'py, Mesh>,
        space: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.attribute(mesh, Semantic::Normal, space, 1.0)
    }

    #[doc = doc!(Pose frames)]
    fn frames(&self, mesh: &Bound<'_, Mesh>) -> PyResult<(usize, usize, f32)> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let mesh = self.mesh(mesh)?;
        let found = (mesh.at, mesh.topology(py, &content)?);
        let wanted = Wanted::read(&content, None, 1.0)?;
        work(py, || wanted.frames(&content, found, &self.pose))
    }

    #[doc = doc!(Pose skin)]
    #[pyo3(signature = (mesh, *, space = None, scale = 1.0))]
    fn skin<'py>(
        &self,
        mesh: &Bound<'py, Mesh>,
        space: Option<&Bound<'py, PyAny>>,
        scale: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, content) = (mesh.py(), self.shared.content()?);
        let mesh = self.mesh(mesh)?;
        let found = (mesh.at, mesh.topology(py, &content)?);
        let wanted = Wanted::read(&content, space, scale)?;
        let matrices = work(py, || wanted.skin(&content, found, &self.pose))?;
        numbers::matrices(py, &matrices)
    }

    #[doc = doc!(Pose joints)]
    fn joints<'py>(&self, node: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let content = self.shared.content()?;
        let index = self.node(&content, node)?;
        let shown =
            self.pose.node(index).ok_or_else(|| no_index("node", index, content.scene().nodes.len()))?;
        numbers::matrices(node.py(), &shown.joints)
    }

    #[doc = doc!(Pose matrix)]
    #[pyo3(signature = (node, *, space = None, scale = 1.0))]
    fn matrix<'py>(
        &self,
        node: &Bound<'py, PyAny>,
        space: Option<&Bound<'py, PyAny>>,
        scale: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let content = self.shared.content()?;
        let index = self.node(&content, node)?;
        let view = Wanted::read(&content, space, scale)?.view(&content, 0);
        let found = view.matrix(index, &self.pose);
        numbers::matrix(node.py(), found.ok_or_else(|| no_index("node", index, content.scene().nodes.len()))?)
    }

    #[doc = doc!(Pose socket)]
    #[pyo3(signature = (tag, *, space = None, scale = 1.0))]
    fn socket<'py>(
        &self,
        tag: &Bound<'py, PyAny>,
        space: Option<&Bound<'py, PyAny>>,
        scale: f32,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let content = self.shared.content()?;
        let (node, socket) = match tag.cast::<Tag>() {
            Ok(tag) => (tag.get().node, Socket::Tag(tag.get().index)),
            Err(_) => {
                let name: String =
                    tag.extract().map_err(|_| PyTypeError::new_err("a tag is a Tag, or its name"))?;
                let found = content.scene().find_tag(&name);
                let found = found.ok_or_else(|| {
                    pyo3::exceptions::PyLookupError::new_err(format!("there is no tag {name:?}"))
                })?;
                (found.node, found.socket)
            }
        };
        let view = Wanted::read(&content, space, scale)?.view(&content, 0);
        view.socket(node, socket, &self.pose).map(|matrix| numbers::matrix(tag.py(), matrix)).transpose()
    }

    #[doc = doc!(Pose bounds)]
    #[pyo3(signature = (*, space = None, scale = 1.0))]
    fn bounds(
        &self,
        py: Python<'_>,
        space: Option<&Bound<'_, PyAny>>,
        scale: f32,
    ) -> PyResult<Option<([f32; 3], [f32; 3])>> {
        let content = self.shared.content()?;
        let wanted = Wanted::read(&content, space, scale)?;
        let bounds = work(py, || Ok(wanted.view(&content, 0).bounds(&self.pose)?))?;
        Ok(bounds.map(|bounds| (bounds.min, bounds.max)))
    }

    fn __repr__(&self) -> String {
        format!("<Pose {}>", self.shows)
    }
}

/// The clips of all nodes, by name, as `SceneClip`.
pub(crate) fn scene_clips<'py>(py: Python<'py>, content: &Content) -> PyResult<Bound<'py, PyList>> {
    let (class, list) = (types::class(py, "SceneClip")?, PyList::empty(py));
    let scene = content.scene();
    for found in scene.clips() {
        let tracks = PyDict::new(py);
        for (node, clip) in &found.tracks {
            if let Some(clip) = scene.nodes.get(*node).and_then(|node| node.model.clips.get(*clip)) {
                tracks.set_item(node, Clip(clip.clone()))?;
            }
        }
        list.append(class.call1((found.name, tracks))?)?;
    }
    Ok(list)
}
