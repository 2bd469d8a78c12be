//! What the command works on: models, and what to call them.

use std::path::PathBuf;

use meshlens_assets::{Located, ModelFiles};

/// One model.
#[derive(Clone)]
pub(crate) struct Item {
    /// What to call it: the path as given, or made from it; entries of archives as `archive!entry`.
    pub(crate) uri: String,
    pub(crate) located: Located,
    /// Whether its bytes came from standard input, and are in memory.
    pub(crate) is_stdin: bool,
}

impl Item {
    pub(crate) fn new(located: Located) -> Item {
        Item { uri: located.files().to_string(), located, is_stdin: false }
    }

    /// Whether it is one file of a mesh of two, whose other one is not there.
    pub(crate) fn is_half(&self) -> bool {
        matches!(self.located.files(), ModelFiles::Unpaired { .. })
    }

    /// Whether all of it is in one file.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.located.files(), ModelFiles::Single(_))
    }

    /// The path of its file, if it is a file of the operating system: of two files, the geometry's.
    pub(crate) fn os_path(&self) -> Option<PathBuf> {
        if self.is_stdin {
            return None;
        }
        self.located.files().files().first().and_then(|file| file.os_path())
    }
}
