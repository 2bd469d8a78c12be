//! The results of a [`Folder`](crate::Folder), which are the same on every system.

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    /// The requested bytes, or fewer if the file ends before.
    pub bytes: Vec<u8>,
    /// The length of the whole file.
    pub file_len: u64,
    /// A number that changes when the file is written to or replaced.
    pub version: u64,
}

/// A file or a folder in a [`Folder`](crate::Folder).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// The name.
    pub name: String,
    /// The kind of the entry.
    pub kind: FolderEntryKind,
}

/// The kind of a [`FolderEntry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FolderEntryKind {
    /// A file, or a link that cannot be followed. Opening such a link returns the reason.
    File,
    /// A folder, or a link to a folder inside.
    Folder,
    /// A link to a folder that contains the link.
    Loop,
}
