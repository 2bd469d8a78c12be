//! Scenes, which `meshlens.open` returns.

use std::sync::Arc;

use meshlens::{Document, model, scene};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::array::{About, Array};
use crate::content::{Content, Shared};
use crate::error::Failure;
use crate::mesh::Mesh;
use crate::node::Node;
use crate::pose::{self, Pose};
use crate::sample;
use crate::space::{Space, format_name};
use crate::tag::Tag;
use crate::view::At;
use crate::{Any, Maybe, types};

#[doc = doc!(Scene)]
#[pyclass(frozen, weakref, module = "meshlens", name = "Scene")]
pub(crate) struct Scene {
    pub(crate) shared: Arc<Shared>,
    /// The arguments of the function that opens the scene again.
    again: Option<Py<PyAny>>,
}

impl Scene {
    pub(crate) fn new(shared: Arc<Shared>, again: Option<Py<PyAny>>) -> Scene {
        Scene { shared, again }
    }
}

impl Scene {
    fn find<'c>(&self, content: &'c Content) -> PyResult<&'c scene::Scene<'c>> {
        Ok(content.scene())
    }

    fn documents<'c>(&self, py: Python<'_>, content: &'c Content) -> PyResult<Vec<Option<Document<'c>>>> {
        content.0.documents().map_err(|error| Failure::from(error).raise(py, Some(&self.shared.name)))
    }
}

fields! {
    Scene, |scene|
    path: String = scene.shared.name.clone();
    closed: bool = scene.shared.is_closed();
}

getters! {
    Scene, |this, py, content, scene|
    format: Option<&'static str> = format_name(content.node(0)?.model.format);
    version: Option<String> = this.documents(py, &content)?[0].as_ref().map(|document| document.version());
    space: Space = Space::of(&content.node(0)?.model.space);
    nodes: Vec<Node> = (0..scene.nodes.len()).map(|index| Node::new(&this.shared, index)).collect();
    meshes: Vec<Mesh> = this.meshes_at(0)?;
    materials: Bound<'py, PyList> = types::materials(py, scene.nodes.iter().flat_map(|node| &node.model.materials))?;
    tags: Vec<Tag> = {
        let nodes = scene.nodes.iter().enumerate();
        let all = nodes.flat_map(|(node, of)| (0..of.model.tags.len()).map(move |index| (node, index)));
        all.map(|(node, index)| Tag { shared: this.shared.clone(), node, index }).collect()
    };
    clips: Bound<'py, PyList> = pose::scene_clips(py, &content)?;
    arrays: Vec<Array> = {
        let documents = this.documents(py, &content)?;
        let all = documents.iter().enumerate();
        let all = all.flat_map(|(node, document)| document.iter().flat_map(move |document| document.arrays().map(move |array| (node, array))));
        // SAFETY: each array belongs to a document of the content.
        all.map(|(node, array)| unsafe { Array::new(&this.shared, node, array.lens, About::from(&array)) }).collect()
    };
    findings: Bound<'py, PyList> = types::findings(py, content.0.findings())?;
    files: Vec<(String, u64)> = content.0.files().iter().map(|file| (file.name.clone(), file.len)).collect();
}

#[pymethods]
impl Scene {
    #[doc = doc!(Scene meshes_at)]
    fn meshes_at(&self, lod: usize) -> PyResult<Vec<Mesh>> {
        let content = self.shared.content()?;
        let scene = content.scene();
        let indices = scene.view(&model::Space::GLTF).lod(lod).mesh_indices();
        let at = indices.into_iter().map(|(node, mesh)| {
            let files = scene.nodes.get(node).map_or(0, |node| node.lods.len());
            At { node, lod: lod.min(files), mesh }
        });
        Ok(at.map(|at| Mesh::new(&self.shared, at)).collect())
    }

    #[doc = doc!(Scene attach)]
    #[pyo3(signature = (other, to))]
    fn attach(&self, other: &Bound<'_, Scene>, to: &Any<'_>) -> PyResult<Scene> {
        let content = self.shared.content()?;
        let to = sample::read_socket(&self.shared, &content, to)?;
        let joined = content.0.attach(&other.get().shared.content()?.0, to);
        Ok(Scene::new(Shared::new(Content(joined), self.shared.name.clone()), None))
    }

    #[doc = doc!(Scene at)]
    #[pyo3(signature = (clip = None, time = 0.0))]
    fn at(&self, py: Python<'_>, clip: Maybe<'_, '_>, time: f32) -> PyResult<Pose> {
        let content = self.shared.content()?;
        let pose = sample::read(py, &content, clip, time)?;
        let shows: Vec<String> = sample::read_clips(clip, time)?
            .into_iter()
            .map(|(name, time)| format!("{name} at {time} s"))
            .collect();
        let shows = if shows.is_empty() { "at rest".into() } else { shows.join(", ") };
        Ok(Pose { shared: self.shared.clone(), pose, shows })
    }

    #[doc = doc!(Scene close)]
    fn close(&self) -> PyResult<()> {
        self.shared.close()
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().shared.content()?;
        Ok(slf)
    }

    #[pyo3(signature = (error = None, *_rest))]
    fn __exit__(&self, error: Maybe<'_, '_>, _rest: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        // An exception of the caller, whose frames may hold arrays, is not replaced.
        self.close().or_else(|failed| if error.is_some() { Ok(()) } else { Err(failed) })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Any<'py>, Any<'py>)> {
        let Some(again) = &self.again else {
            return Err(PyTypeError::new_err("only scenes of paths and of bytes can be pickled"));
        };
        Ok((py.import("meshlens._types")?.getattr("_reopen")?, again.bind(py).clone()))
    }

    fn __repr__(&self) -> PyResult<String> {
        let name = &self.shared.name;
        if self.shared.is_closed() {
            return Ok(format!("<Scene {name:?}, closed>"));
        }
        let content = self.shared.content()?;
        let scene = content.scene();
        let format = scene.nodes.first().and_then(|node| format_name(node.model.format)).unwrap_or("memory");
        let meshes: usize = scene.nodes.iter().map(|node| node.model.meshes.len()).sum();
        let (nodes, clips) = (scene.nodes.len(), scene.clips().len());
        Ok(format!("<Scene {name:?}: {format}, {nodes} nodes, {meshes} meshes, {clips} clips>"))
    }
}
