//! The content that the objects of a scene share: the models, and the number of views of their bytes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use meshlens::model::{Mesh, Model};
use meshlens::scene::{self, Node};
use meshlens_assets::Asset;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::error::no_index;

/// The content of a `bytes` object, which lives as long as it is needed.
pub(crate) fn shared(bytes: &Bound<'_, PyBytes>) -> Bytes {
    Bytes::from_owner(PyBackedBytes::from(bytes.clone()))
}

/// The models of a scene. Clones share them.
#[derive(Clone)]
pub(crate) struct Content(pub(crate) Asset);

impl Content {
    pub(crate) fn scene(&self) -> &scene::Scene<'_> {
        self.0.scene()
    }

    pub(crate) fn node(&self, node: usize) -> PyResult<&Node<'_>> {
        let nodes = &self.scene().nodes;
        nodes.get(node).ok_or_else(|| no_index("node", node, nodes.len()))
    }

    /// A model of a node: the model itself, or a coarser level of detail.
    pub(crate) fn model(&self, node: usize, lod: usize) -> PyResult<&Model<'_>> {
        let node = self.node(node)?;
        let model = match lod.checked_sub(1) {
            None => Some(&node.model),
            Some(lod) => node.lods.get(lod),
        };
        model.ok_or_else(|| no_index("level of detail", lod, node.lods.len() + 1))
    }

    pub(crate) fn mesh(&self, node: usize, lod: usize, mesh: usize) -> PyResult<&Mesh<'_>> {
        let meshes = &self.model(node, lod)?.meshes;
        meshes.get(mesh).ok_or_else(|| no_index("mesh", mesh, meshes.len()))
    }
}

/// The content of a scene until it is closed. Every object of a scene has it.
pub(crate) struct Shared {
    content: Mutex<Option<Content>>,
    /// The number of views of the bytes.
    views: AtomicUsize,
    /// The name of the scene in messages: its path, if it has one.
    pub(crate) name: String,
}

impl Shared {
    pub(crate) fn new(content: Content, name: String) -> Arc<Shared> {
        Arc::new(Shared { content: Mutex::new(Some(content)), views: AtomicUsize::new(0), name })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Content>> {
        // Code that panics or waits for the interpreter does not run while the lock is held.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The content.
    ///
    /// # Errors
    ///
    /// `ValueError` if the scene is closed.
    pub(crate) fn content(&self) -> PyResult<Content> {
        self.lock().clone().ok_or_else(|| self.closed())
    }

    fn closed(&self) -> PyErr {
        PyValueError::new_err(format!("the scene {:?} is closed", self.name))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_none()
    }

    /// The content for a view of its bytes. The scene cannot be closed until the view is dropped.
    pub(crate) fn view(self: &Arc<Self>) -> PyResult<Viewed> {
        let locked = self.lock();
        let content = locked.clone().ok_or_else(|| self.closed())?;
        self.views.fetch_add(1, Ordering::Relaxed);
        Ok(Viewed { content, shared: self.clone() })
    }

    /// Frees the content.
    ///
    /// # Errors
    ///
    /// `BufferError` if views of its bytes exist.
    pub(crate) fn close(&self) -> PyResult<()> {
        let mut locked = self.lock();
        let views = self.views.load(Ordering::Relaxed);
        if views > 0 && locked.is_some() {
            let text = format!("{views} views of the bytes of {:?} exist; delete them first", self.name);
            return Err(PyBufferError::new_err(text));
        }
        let content = locked.take();
        drop(locked);
        drop(content);
        Ok(())
    }
}

/// The content of a scene that cannot be closed while this value exists.
pub(crate) struct Viewed {
    pub(crate) content: Content,
    shared: Arc<Shared>,
}

impl Drop for Viewed {
    fn drop(&mut self) {
        self.shared.views.fetch_sub(1, Ordering::Relaxed);
    }
}
