//! Files beside a model: in its folder, or in its archive.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshlens_source::{Archive, Source};

use crate::inputs::{Item, Location};

/// The most a companion may have: a text, a texture, a coarser model.
const LIMIT: u64 = 256 << 20;

/// The place a model lies in.
pub(super) enum Beside {
    Folder(PathBuf),
    /// An archive, and the folder in it, with a slash at its end unless it is the root.
    Archive(Arc<Archive<Source>>, String),
    Nowhere,
}

impl Beside {
    /// The place of an item, and its file's name.
    pub(super) fn of(item: &Item) -> (Beside, String) {
        match item.location() {
            Location::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (Beside::Folder(folder_of(path)), name)
            }
            Location::Entry { archive, entry } => {
                let path = archive.entries()[*entry].name().replace('\\', "/");
                let cut = path.rfind('/').map_or(0, |at| at + 1);
                (Beside::Archive(archive.clone(), path[..cut].into()), path[cut..].into())
            }
            Location::Stdin => (Beside::Nowhere, "stdin".into()),
        }
    }

    /// The names of the files there.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Beside::Folder(folder) => {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
            }
            Beside::Archive(archive, folder) => {
                let names = archive.entries().iter().map(|entry| entry.name().replace('\\', "/"));
                let inside = names.filter_map(|name| {
                    let (start, rest) = name.split_at_checked(folder.len())?;
                    (start.eq_ignore_ascii_case(folder) && !rest.contains('/')).then(|| rest.to_owned())
                });
                inside.collect()
            }
            Beside::Nowhere => Vec::new(),
        }
    }

    /// The file of this name, in any case, if it is there and can be read.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        match self {
            Beside::Folder(_) => Some(Source::read_limited(self.path(name)?, LIMIT).ok()?.into_vec()),
            Beside::Archive(archive, folder) => {
                archive.read_name(&format!("{folder}{name}")).ok().map(|bytes| bytes.into_owned())
            }
            Beside::Nowhere => None,
        }
    }

    /// The path of the file of this name, in any case.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        let Beside::Folder(folder) = self else { return None };
        let exact = folder.join(name);
        if exact.is_file() {
            return Some(exact);
        }
        let found = self.names().into_iter().find(|other| other.eq_ignore_ascii_case(name))?;
        Some(folder.join(found))
    }
}

/// The folder of a file.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => ".".into(),
    }
}
