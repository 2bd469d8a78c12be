//! Scenes: what `meshlens.open` returns.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::array::{About, Array};
use crate::content::{Content, Shared};
use crate::error::Failure;
use crate::mesh::Mesh;
use crate::node::Node;
use crate::pose::{self, Pose};
use crate::sample;
use crate::space::{Space, format_name};
use crate::tag::Tag;
use crate::types;
use crate::view::At;

/// What opens a scene again.
type Again = (Py<PyAny>, Option<Py<PyDict>>);

#[doc = doc!(Scene)]
#[pyclass(frozen, weakref, module = "meshlens", name = "Scene")]
pub(crate) struct Scene {
    pub(crate) shared: Arc<Shared>,
    again: Option<Again>,
}

impl Scene {
    pub(crate) fn new(shared: Arc<Shared>, again: Option<Again>) -> Scene {
        Scene { shared, again }
    }
}

#[pymethods]
impl Scene {
    #[doc = doc!(Scene path)]
    #[getter]
    fn path(&self) -> &str {
        &self.shared.name
    }

    #[doc = doc!(Scene format)]
    #[getter]
    fn format(&self) -> PyResult<Option<&'static str>> {
        Ok(format_name(self.shared.content()?.node(0)?.model.format))
    }

    #[doc = doc!(Scene version)]
    #[getter]
    fn version(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let content = self.shared.content()?;
        let documents =
            content.documents().map_err(|error| Failure::from(error).raise(py, Some(&self.shared.name)))?;
        Ok(documents.first().map(|document| document.version()))
    }

    #[doc = doc!(Scene space)]
    #[getter]
    fn space(&self) -> PyResult<Space> {
        Ok(Space::of(&self.shared.content()?.node(0)?.model.space))
    }

    #[doc = doc!(Scene nodes)]
    #[getter]
    fn nodes(&self) -> PyResult<Vec<Node>> {
        let count = self.shared.content()?.scene().nodes.len();
        Ok((0..count).map(|index| Node::new(&self.shared, index)).collect())
    }

    #[doc = doc!(Scene meshes)]
    #[getter]
    fn meshes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.meshes_at(py, 0)
    }

    #[doc = doc!(Scene meshes_at)]
    fn meshes_at<'py>(&self, py: Python<'py>, lod: usize) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let (scene, list) = (content.scene(), PyList::empty(py));
        for (node, mesh) in scene.view(&meshlens::model::Space::GLTF).at_lod(lod).mesh_indices() {
            let files = scene.nodes.get(node).map_or(0, |node| node.lods.len());
            list.append(Mesh::new(&self.shared, At { node, lod: lod.min(files), mesh }).into_pyobject(py)?)?;
        }
        Ok(list)
    }

    #[doc = doc!(Scene materials)]
    #[getter]
    fn materials<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let list = PyList::empty(py);
        for material in content.materials() {
            list.append(types::material(py, material)?)?;
        }
        Ok(list)
    }

    #[doc = doc!(Scene tags)]
    #[getter]
    fn tags(&self) -> PyResult<Vec<Tag>> {
        let content = self.shared.content()?;
        let nodes = content.scene().nodes.iter().enumerate();
        let of = |(node, of): (usize, &meshlens::scene::Node<'_>)| {
            let shared = self.shared.clone();
            (0..of.model.tags.len()).map(move |index| Tag { shared: shared.clone(), node, index })
        };
        Ok(nodes.flat_map(of).collect())
    }

    #[doc = doc!(Scene clips)]
    #[getter]
    fn clips<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pose::scene_clips(py, &self.shared.content()?)
    }

    #[doc = doc!(Scene arrays)]
    #[getter]
    fn arrays(&self, py: Python<'_>) -> PyResult<Vec<Array>> {
        let content = self.shared.content()?;
        let documents =
            content.documents().map_err(|error| Failure::from(error).raise(py, Some(&self.shared.name)))?;
        let mut arrays = Vec::new();
        for (node, document) in documents.iter().enumerate() {
            for array in document.arrays() {
                // SAFETY: the array is one of a document of the content.
                arrays.push(unsafe { Array::new(&self.shared, node, array.lens, About::from(&array)) });
            }
        }
        Ok(arrays)
    }

    #[doc = doc!(Scene findings)]
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        types::findings(py, self.shared.content()?.findings())
    }

    #[doc = doc!(Scene files)]
    #[getter]
    fn files(&self) -> PyResult<Vec<(String, u64)>> {
        match self.shared.content()? {
            Content::Asset(asset) => {
                Ok(asset.files().iter().map(|file| (file.name.clone(), file.len)).collect())
            }
            Content::Memory(_) => Ok(Vec::new()),
        }
    }

    #[doc = doc!(Scene at)]
    #[pyo3(signature = (clip = None, time = 0.0))]
    fn at(&self, py: Python<'_>, clip: Option<&Bound<'_, PyAny>>, time: f32) -> PyResult<Pose> {
        let content = self.shared.content()?;
        let pose = sample::read(py, &content, clip, time)?;
        let shows: Vec<String> = sample::read_clips(clip, time)?
            .into_iter()
            .map(|(name, time)| format!("{name} at {time} s"))
            .collect();
        let shows = if shows.is_empty() { "at rest".into() } else { shows.join(", ") };
        Ok(Pose { shared: self.shared.clone(), pose, shows })
    }

    #[doc = doc!(Scene closed)]
    #[getter]
    fn closed(&self) -> bool {
        self.shared.is_closed()
    }

    #[doc = doc!(Scene close)]
    fn close(&self) -> PyResult<()> {
        self.shared.close()
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().shared.content()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let Some((source, kwargs)) = &self.again else {
            return Err(PyTypeError::new_err("only scenes of paths and of bytes can be pickled"));
        };
        let make = py.import("meshlens._types")?.getattr("_reopen")?;
        let args = (source.bind(py), kwargs.as_ref().map(|kwargs| kwargs.bind(py)));
        Ok((make, args.into_pyobject(py)?.into_any()))
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
