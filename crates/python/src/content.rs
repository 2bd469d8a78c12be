//! The content that the objects of a scene share: the models, and the number of views of their bytes.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use meshlens::model::{ImageSource, Material, Mesh, Model};
use meshlens::scene::{self, Node};
use meshlens_assets::{Asset, Assets, FoundFile};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::error::no_index;

/// The content of a `bytes` object, which lives as long as it is needed.
pub(crate) fn shared(bytes: &Bound<'_, PyBytes>) -> Bytes {
    Bytes::from_owner(PyBackedBytes::from(bytes.clone()))
}

/// Stands before and after the node in a mark. No path has it.
const MARK: char = '\0';

/// The image with a mark. An image that the file of the model contains is the same in every search path.
fn mark(node: usize, image: Option<&ImageSource>) -> Option<ImageSource> {
    match image {
        None => Some(ImageSource::File(format!("{MARK}{node}{MARK}"))),
        Some(ImageSource::File(path)) => Some(ImageSource::File(format!("{MARK}{node}{MARK}={path}"))),
        Some(embedded) => Some(embedded.clone()),
    }
}

/// The node and the path of a marked image.
fn marked(material: &Material) -> Option<(usize, &str)> {
    let Some(ImageSource::File(image)) = &material.image else { return None };
    let (node, path) = image.strip_prefix(MARK)?.split_once(MARK)?;
    Some((node.parse().ok()?, path))
}

/// Whether two search paths have found the same file, or none. Files of object stores are taken for different ones, because
/// their mounts have one name.
fn is_same_file(one: Option<&FoundFile>, two: Option<&FoundFile>) -> bool {
    let Some((one, two)) = one.zip(two) else { return one.is_none() && two.is_none() };
    (one.os_path().is_some() || one.archive().is_some()) && one.to_string() == two.to_string()
}

/// The models of a scene. Clones share them.
#[derive(Clone)]
pub(crate) struct Content(pub(crate) Asset);

impl Content {
    pub(crate) fn scene(&self) -> &scene::Scene<'_> {
        self.0.scene()
    }

    /// The search path of each node.
    fn search_paths(&self) -> impl Iterator<Item = &Assets> {
        (0..self.scene().nodes.len()).filter_map(|node| self.0.node_assets(node))
    }

    /// Marks the materials of a copy of the scene whose textures are other files in the search path of their node than in the
    /// first one that has them. [`texture`](Self::texture) reads the marks: what it is given has no node.
    pub(crate) fn mark(&self, scene: &mut scene::Scene<'_>) {
        if scene.nodes.len() < 2 {
            return;
        }
        for (index, node) in scene.nodes.iter_mut().enumerate() {
            let Some(assets) = self.0.node_assets(index) else { continue };
            let is_other = |material: &Material| {
                let first = self.search_paths().find_map(|assets| assets.find_texture(material));
                !is_same_file(assets.find_texture(material).as_ref(), first.as_ref())
            };
            let models = iter::once(&mut node.model).chain(&mut node.lods);
            for material in models.flat_map(|model| model.materials.iter_mut()) {
                if is_other(material) {
                    material.image = mark(index, material.image.as_ref());
                }
                if let Some(map) = material.normal_map.as_mut().filter(|map| is_other(&map.material(false)))
                    && let Some(image) = mark(index, Some(&map.image))
                {
                    map.image = image;
                }
            }
        }
    }

    /// The texture of a material of a scene that was [marked](Self::mark), found in the search path of its node. Other
    /// materials, and height maps, which have no image to mark, are looked up in those of all nodes.
    pub(crate) fn texture<T>(
        &self,
        material: &Material,
        find: impl Fn(&Assets, &Material) -> Option<T>,
    ) -> Option<T> {
        let Some((node, path)) = marked(material) else {
            return self.search_paths().find_map(|assets| find(assets, material));
        };
        let image = path.strip_prefix('=').map(|path| ImageSource::File(path.to_owned()));
        find(self.0.node_assets(node)?, &Material { image, ..material.clone() })
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
