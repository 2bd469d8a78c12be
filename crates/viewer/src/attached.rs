//! A model that is attached to a tag of the open model, such as a weapon.

use meshlens::scene::Attachment;

use crate::opened::Opened;
use crate::playback::Track;

/// A model that is attached to a tag of the open model.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The node of the open model and its tag.
    pub at: Attachment,
    /// Its name in the list.
    pub name: String,
    /// The attached model.
    pub opened: Opened,
    /// Its clips.
    pub tracks: Vec<Track>,
}
