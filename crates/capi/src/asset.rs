//! Open models, and the handles of them.

#[cfg(feature = "assets")]
use crate::assets::Found;
use crate::content::File;
use crate::handle::{self, Opaque};
use crate::memory::{Allocator, Limited};
use crate::result::Result;

/// An open model. It is immutable: any number of threads may use it at the same time, and all pointers that calls return stay
/// valid until ml_close.
///
/// It is opened from a path with everything that belongs to it (ml_open_path), from a name in a search path or a model found
/// there (ml_open_asset, ml_open_found), from one file in memory (ml_open_memory), or from files that the caller lists
/// (ml_open_files). ml_get_node_asset makes one of a node, and ml_get_loaded_asset of a loaded part. It has one node, or the
/// nodes of a player or of a glTF file; calls without a node are for the first.
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
