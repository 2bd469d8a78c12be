//! [`Folder`] on systems without files: no folder can be opened.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A folder whose files are opened by relative names. This system has no files, so that there is no value of this type.
#[derive(Debug)]
pub struct Folder(Never);

#[derive(Clone, Copy, Debug)]
enum Never {}

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

/// A file or a folder in a [`Folder`].
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
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link to a folder that contains the link.
    Loop,
}

impl Folder {
    /// Fails.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Folder> {
        Err(Error::io(path.as_ref(), "open")(ErrorKind::Unsupported.into()))
    }

    /// The path with which the folder was opened.
    pub fn path(&self) -> &Path {
        match self.0 {}
    }

    /// The name to use for a file with this relative path.
    pub fn name_of(path: &Path) -> String {
        let components = path.components().filter_map(|component| component.as_os_str().to_str());
        components.collect::<Vec<_>>().join("/")
    }

    /// The path of a file in the folder.
    pub fn path_of(&self, _: &str) -> PathBuf {
        match self.0 {}
    }

    /// Reads a whole file.
    ///
    /// # Errors
    ///
    /// Never: there is no folder.
    pub fn read(&self, _: impl AsRef<str>, _: u64) -> Result<Vec<u8>> {
        match self.0 {}
    }

    /// Reads the bytes of a file in a range.
    ///
    /// # Errors
    ///
    /// Never: there is no folder.
    pub fn read_range(&self, _: impl AsRef<str>, _: Range<u64>) -> Result<FilePart> {
        match self.0 {}
    }

    /// Lists a folder.
    ///
    /// # Errors
    ///
    /// Never: there is no folder.
    pub fn list(&self, _: impl AsRef<str>) -> Result<Vec<FolderEntry>> {
        match self.0 {}
    }
}
