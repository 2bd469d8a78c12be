//! A model that is attached to a tag of the open model.

use crate::opened::Opened;
use crate::playback::Track;

/// A model that is attached to a tag of the open model.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The part and the tag.
    pub at: (usize, usize),
    /// Its name in the list.
    pub name: String,
    /// The attached model.
    pub opened: Opened,
    /// Its clips.
    pub tracks: Vec<Track>,
}
