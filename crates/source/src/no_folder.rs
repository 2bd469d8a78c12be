//! [`Folder`] on systems without files. Opening a folder always fails.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::folder_entry::{FilePart, FolderEntry};
use crate::{Error, Result};

/// A folder whose files are opened by relative names. Values of this type do not exist, because this system has no
/// files.
#[derive(Debug)]
pub struct Folder(Never);

#[derive(Clone, Copy, Debug)]
enum Never {}

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
