//! What the objects of a scene share: the models, and the number of views of their bytes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meshlens::model::{Material, Mesh, Model};
use meshlens::scene::{self, Node};
use meshlens::{Document, Format, Report};
use meshlens_assets::{Asset, Assets};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;

use crate::error::no_index;

/// The models of a scene. Clones share them.
#[derive(Clone)]
pub(crate) enum Content {
    /// Models that decode from the bytes of their files.
    Asset(Asset),
    /// Models in memory: imported from glTF, or made by the caller.
    Memory(Arc<InMemory>),
}

pub(crate) struct InMemory {
    pub(crate) scene: scene::Scene<'static>,
    /// Where its textures are found.
    pub(crate) assets: Assets,
    pub(crate) findings: Report,
}

impl Content {
    pub(crate) fn scene(&self) -> &scene::Scene<'_> {
        match self {
            Content::Asset(asset) => asset.scene(),
            Content::Memory(memory) => &memory.scene,
        }
    }

    /// The search path for the textures of a node.
    pub(crate) fn assets(&self, node: usize) -> Assets {
        match self {
            Content::Asset(asset) => asset.node_assets(node).unwrap_or(asset.assets()).clone(),
            Content::Memory(memory) => memory.assets.clone(),
        }
    }

    pub(crate) fn findings(&self) -> &Report {
        match self {
            Content::Asset(asset) => asset.findings(),
            Content::Memory(memory) => &memory.findings,
        }
    }

    pub(crate) fn node(&self, node: usize) -> PyResult<&Node<'_>> {
        let nodes = &self.scene().nodes;
        nodes.get(node).ok_or_else(|| no_index("node", node, nodes.len()))
    }

    /// A model of a node: its own, or that of a coarser level of detail.
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

    /// The document of each node, parsed again. O(headers). Models in memory have none.
    pub(crate) fn documents(&self) -> meshlens::Result<Vec<Document<'_>>> {
        let Content::Asset(asset) = self else { return Ok(Vec::new()) };
        let mut rest = asset.bytes();
        let mut documents = Vec::new();
        for node in &asset.scene().nodes {
            match (node.model.format, rest) {
                (Some(Format::Unreal), [geometry, frames, others @ ..]) => {
                    documents.push(Document::parse_pair(geometry, frames)?);
                    rest = others;
                }
                (_, [file, others @ ..]) => {
                    documents.push(Document::parse(file)?);
                    rest = others;
                }
                (_, []) => break,
            }
        }
        Ok(documents)
    }

    /// Every material of every node.
    pub(crate) fn materials(&self) -> impl Iterator<Item = &Material> {
        self.scene().nodes.iter().flat_map(|node| &node.model.materials)
    }
}

/// The content of a scene until it is closed. Every object of a scene has it.
pub(crate) struct Shared {
    content: Mutex<Option<Content>>,
    /// The number of views of bytes.
    views: AtomicUsize,
    /// The name of the scene in messages: its path, if it has one.
    pub(crate) name: String,
}

impl Shared {
    pub(crate) fn new(content: Content, name: String) -> Arc<Shared> {
        Arc::new(Shared { content: Mutex::new(Some(content)), views: AtomicUsize::new(0), name })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Content>> {
        // Nothing that panics, or that waits for the interpreter, runs while it is locked.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The content.
    ///
    /// # Errors
    ///
    /// `ValueError` if the scene is closed.
    pub(crate) fn content(&self) -> PyResult<Content> {
        self.lock()
            .clone()
            .ok_or_else(|| PyValueError::new_err(format!("the scene {:?} is closed", self.name)))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_none()
    }

    /// The content, for a view of its bytes, which prevents closing until it is dropped.
    pub(crate) fn view(self: &Arc<Self>) -> PyResult<Viewed> {
        let locked = self.lock();
        let content = locked.clone();
        if content.is_some() {
            self.views.fetch_add(1, Ordering::Relaxed);
        }
        drop(locked);
        let content =
            content.ok_or_else(|| PyValueError::new_err(format!("the scene {:?} is closed", self.name)))?;
        Ok(Viewed { content, shared: self.clone() })
    }

    /// Frees the content.
    ///
    /// # Errors
    ///
    /// `BufferError` if there are views of its bytes.
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

/// The content of a scene that cannot be closed.
pub(crate) struct Viewed {
    pub(crate) content: Content,
    shared: Arc<Shared>,
}

impl Drop for Viewed {
    fn drop(&mut self) {
        self.shared.views.fetch_sub(1, Ordering::Relaxed);
    }
}
