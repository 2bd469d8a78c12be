//! Open models, and the handles of them.

use meshlens::Report;
use meshlens::scene::Scene;
#[cfg(feature = "assets")]
use meshlens_assets::Asset;

#[cfg(feature = "assets")]
use crate::assets::Found;
use crate::content::{Counts, File};
use crate::handle::{self, Opaque};
use crate::memory::{Allocator, Limited};
use crate::result::Result;

/// An open model. It is immutable: any number of threads may use it at the same time, and all pointers that calls return stay
/// valid until ml_close.
///
/// It is opened from a path with everything that belongs to it (ml_open_path), from a name in a search path or a model found
/// there (ml_open_asset, ml_open_found), from one file in memory (ml_open_memory), or from files that the caller lists
/// (ml_open_files). ml_get_node_asset makes one of a node, and ml_get_loaded_asset of a loaded part. It has one node, or the
/// nodes of a player or of a glTF file. ml_open_scene, ml_validate, ml_get_file_info and ml_write_glb are for all nodes; other
/// calls without a node are for the first.
pub struct ml_asset(Kind);

enum Kind {
    File(Box<File>),
    #[cfg(feature = "assets")]
    Found(Box<Found>),
}

impl From<File> for ml_asset {
    fn from(file: File) -> Self {
        ml_asset(Kind::File(Box::new(file)))
    }
}

#[cfg(feature = "assets")]
impl From<Found> for ml_asset {
    fn from(found: Found) -> Self {
        ml_asset(Kind::Found(Box::new(found)))
    }
}

impl ml_asset {
    /// The model of the first node.
    pub(crate) fn file(&self) -> Result<&File> {
        match &self.0 {
            Kind::File(file) => Ok(file),
            #[cfg(feature = "assets")]
            Kind::Found(found) => found.first(),
        }
    }

    /// The models that were opened by name or path, unless they are half of an Unreal mesh.
    #[cfg(feature = "assets")]
    pub(crate) fn whole(&self) -> Option<&Asset> {
        self.found().and_then(Found::whole)
    }

    /// Whether it was opened by name or path, as a whole or by a streamer: it then has findings of opening it.
    #[cfg(feature = "assets")]
    pub(crate) fn is_opened_by_name(&self) -> bool {
        match &self.0 {
            Kind::File(file) => file.is_streamed(),
            Kind::Found(found) => found.whole().is_some(),
        }
    }

    /// Passes on all nodes, and the findings of opening them.
    pub(crate) fn with_scene<R>(
        &self,
        then: impl for<'q> FnOnce(&Scene<'q>, &Report) -> Result<R>,
    ) -> Result<R> {
        #[cfg(feature = "assets")]
        if let Some(asset) = self.whole() {
            return then(asset.scene(), asset.findings());
        }
        self.file()?.with_model(|content| then(&content.scene, &content.losses))
    }

    /// The counts of all files.
    pub(crate) fn counts(&self) -> Result<Counts> {
        match &self.0 {
            Kind::File(file) => file.counts(),
            #[cfg(feature = "assets")]
            Kind::Found(found) => found.counts(),
        }
    }

    /// Adds the findings about the content of all files.
    pub(crate) fn validate(&self, report: &mut Report) -> Result<()> {
        match &self.0 {
            Kind::File(file) => file.validate(report),
            #[cfg(feature = "assets")]
            Kind::Found(found) => found.validate(report),
        }
    }

    pub(crate) fn memory(&self) -> &Limited {
        match &self.0 {
            Kind::File(file) => &file.memory,
            #[cfg(feature = "assets")]
            Kind::Found(found) => &found.memory,
        }
    }

    /// What was found beside the model; `None` for a model without companions.
    #[cfg(feature = "assets")]
    pub(crate) fn found(&self) -> Option<&Found> {
        match &self.0 {
            Kind::File(_) => None,
            Kind::Found(found) => Some(found),
        }
    }
}

impl Opaque for ml_asset {
    const NAME: &'static str = "ml_asset";

    fn allocator(&self) -> Allocator {
        self.memory().allocator
    }
}

/// The model of the first node of an asset.
///
/// # Safety
///
/// Same as [`handle::get`].
pub(crate) unsafe fn model_of<'h>(asset: *const ml_asset) -> Result<&'h File> {
    // SAFETY: guaranteed by the caller.
    unsafe { handle::get(asset)? }.file()
}
