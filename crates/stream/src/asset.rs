//! A model that can be streamed: the names of its files and where they are.

use std::fmt;
use std::sync::OnceLock;

use meshlens::lens::Bounds;

use crate::Plan;
use crate::backend::{Backend, Version};
use crate::sync::{Arc, Mutex, lock};

/// The name of a file, as its backend knows it: a path, the name of an entry, a key. Clones share it.
pub type FileName = std::sync::Arc<str>;

/// The number of an asset of a streamer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(pub(crate) u64);

/// A model that can be streamed: one file, or the two of an Unreal mesh. Clones are the same asset. It holds its plan once
/// that is known, and no bytes.
#[derive(Clone)]
pub struct Asset(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) id: AssetId,
    pub(crate) files: Box<[FileName]>,
    pub(crate) backend: std::sync::Arc<dyn Backend>,
    plan: OnceLock<Plan>,
    bounds: OnceLock<Bounds>,
    /// The state in which each file was when it was first read.
    versions: Mutex<Vec<Option<Version>>>,
}

impl Inner {
    pub(crate) fn new(id: AssetId, backend: std::sync::Arc<dyn Backend>, files: Box<[FileName]>) -> Self {
        let versions = Mutex::new(vec![None; files.len()]);
        Inner { id, files, backend, plan: OnceLock::new(), bounds: OnceLock::new(), versions }
    }

    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.plan.get()
    }

    pub(crate) fn set_plan(&self, plan: Plan) {
        let _ = self.plan.set(plan);
    }

    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.bounds.get().copied()
    }

    pub(crate) fn set_bounds(&self, bounds: Bounds) {
        let _ = self.bounds.set(bounds);
    }

    pub(crate) fn version(&self, file: usize) -> Option<Version> {
        lock(&self.versions).get(file).cloned().flatten()
    }

    pub(crate) fn set_version(&self, file: usize, version: Option<Version>) {
        if let Some(slot) = lock(&self.versions).get_mut(file)
            && slot.is_none()
        {
            *slot = version;
        }
    }

    /// The name of a file; that of the first one for errors of the whole model.
    pub(crate) fn file(&self, file: usize) -> FileName {
        self.files.get(file).or(self.files.first()).cloned().unwrap_or_else(|| "no file".into())
    }
}

impl Asset {
    /// The number of the asset.
    pub fn id(&self) -> AssetId {
        self.0.id
    }

    /// The names of the files.
    pub fn files(&self) -> &[FileName] {
        &self.0.files
    }

    /// The plan, once it is known: after the first request for any part.
    pub fn plan(&self) -> Option<&Plan> {
        self.0.plan()
    }

    /// The box around the model in frame 0, once it is known: after a request for [`Part::Bounds`](crate::Part::Bounds), and
    /// for formats that store it near the front of the file (MD3, UNIGINE) after the first read.
    pub fn bounds(&self) -> Option<Bounds> {
        self.0.bounds()
    }
}

impl fmt::Debug for Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asset")
            .field("id", &self.0.id)
            .field("files", &self.0.files)
            .field("has_plan", &self.plan().is_some())
            .finish_non_exhaustive()
    }
}
