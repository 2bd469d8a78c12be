//! Cached folder listings of all mounts. A folder is listed when it is first searched.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use crate::filesystem::EntryKind;
use crate::mount::{FoundFile, Mount, is_missing};
use crate::path::fold;
use crate::{AssetPath, Error};

/// The folders that were listed, by their folded paths.
#[derive(Default)]
pub(crate) struct Index {
    folders: RwLock<HashMap<Box<str>, Arc<Listing>>>,
}

/// One folder, merged over all mounts.
#[derive(Default)]
pub(crate) struct Listing {
    /// The files with each folded name, in the first mount that has the name; several if they differ only in case.
    files: BTreeMap<Box<str>, Vec<Place>>,
    /// The folders with each folded name, in every mount.
    folders: BTreeMap<Box<str>, Vec<Place>>,
    /// Links to folders that contain them.
    pub(crate) loops: Vec<AssetPath>,
    /// The errors of mounts that could not be listed, with the folder.
    pub(crate) faults: Vec<(String, std::io::Error)>,
    is_there: bool,
}

/// A path in a mount, in the spelling of the mount.
#[derive(Clone)]
struct Place {
    mount: u32,
    path: AssetPath,
}

impl Index {
    /// The content of a folder. Listed once; later calls are O(1) in the number of mounts.
    pub(crate) fn listing(&self, folder: &AssetPath, mounts: &[Mount]) -> Arc<Listing> {
        let key = folder.folded();
        if let Some(found) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return found.clone();
        }
        let places = if folder.is_root() {
            let numbers = (0..mounts.len()).rev().filter_map(|mount| u32::try_from(mount).ok());
            numbers.map(|mount| Place { mount, path: AssetPath::root() }).collect()
        } else {
            let parent = self.listing(&folder.folder(), mounts);
            parent.folders.get(&*fold(folder.file_name())).cloned().unwrap_or_default()
        };
        let listing = Arc::new(Listing::new(&places, mounts));
        // A missing folder is not cached, because names in files could refer to any number of them.
        if listing.is_there {
            let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
            return folders.entry(key).or_insert(listing).clone();
        }
        listing
    }
}

impl Listing {
    fn new(places: &[Place], mounts: &[Mount]) -> Listing {
        let mut listing = Listing::default();
        for place in places {
            let Some(mount) = mounts.get(place.mount as usize) else { continue };
            let entries = match mount.files.list(&place.path) {
                Ok(entries) => entries,
                Err(error) if is_missing(&error) => continue,
                Err(error) => {
                    let folder = FoundFile { mount: mount.clone(), path: place.path.clone() };
                    listing.faults.push((folder.to_string(), error));
                    continue;
                }
            };
            listing.is_there = true;
            for entry in entries {
                // Names from a file system are checked like all others.
                let Ok(name) = AssetPath::new(&entry.name) else { continue };
                if name.as_str() != entry.name || name.as_str().contains('/') {
                    continue;
                }
                let found = Place { mount: place.mount, path: place.path.child(&entry.name) };
                let key = fold(&entry.name);
                match entry.kind {
                    EntryKind::File => {}
                    EntryKind::Folder => {
                        listing.folders.entry(key).or_default().push(found);
                        continue;
                    }
                    EntryKind::Loop => {
                        listing.loops.push(found.path);
                        continue;
                    }
                }
                let files = listing.files.entry(key).or_default();
                if files.first().is_none_or(|first| first.mount == place.mount) {
                    files.push(found);
                }
            }
        }
        listing.files.values_mut().for_each(|files| files.sort_by(|a, b| a.path.cmp(&b.path)));
        listing
    }

    /// The file with this path, which is in this folder.
    pub(crate) fn find(&self, path: &AssetPath, mounts: &[Mount]) -> Result<Option<FoundFile>, Error> {
        let Some(places) = self.files.get(&*fold(path.file_name())) else { return Ok(None) };
        let exact = places.iter().find(|place| place.path == *path);
        let by_name = || {
            let mut same = places.iter().filter(|place| place.path.file_name() == path.file_name());
            same.next().filter(|_| same.next().is_none())
        };
        let found = |place: &Place| {
            let mount = mounts.get(place.mount as usize)?.clone();
            Some(FoundFile { mount, path: place.path.clone() })
        };
        if let Some(place) = exact.or_else(by_name).or(places.first().filter(|_| places.len() == 1)) {
            return Ok(found(place));
        }
        let candidates = places.iter().filter_map(found).collect();
        Err(Error::Ambiguous { name: path.clone(), candidates })
    }

    /// The folder with this name as a [`FoundFile`]; reading it returns an error with its kind.
    pub(crate) fn find_folder(&self, path: &AssetPath, mounts: &[Mount]) -> Option<FoundFile> {
        let place = self.folders.get(&*fold(path.file_name()))?.first()?;
        Some(FoundFile { mount: mounts.get(place.mount as usize)?.clone(), path: place.path.clone() })
    }

    /// All files, in the spelling of their mounts.
    pub(crate) fn files<'l>(&'l self, mounts: &'l [Mount]) -> impl Iterator<Item = FoundFile> + 'l {
        self.files.values().flatten().filter_map(|place| {
            let mount = mounts.get(place.mount as usize)?.clone();
            Some(FoundFile { mount, path: place.path.clone() })
        })
    }

    pub(crate) fn is_there(&self) -> bool {
        self.is_there
    }

    /// Each name once. Files of a mount that differ only in case are all listed.
    pub(crate) fn file_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.files.values().flatten().map(|place| place.path.file_name().into()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(crate) fn folder_names(&self) -> Vec<String> {
        let first = |places: &Vec<Place>| places.first().map(|place| place.path.file_name().to_owned());
        self.folders.values().filter_map(first).collect()
    }
}
