//! Cached folder listings of all mounts. A folder is listed when it is first searched.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use meshlens::wire::{Budget, OverBudget, Reservation};

use crate::archive_files::has_extension;
use crate::filesystem::EntryKind;
use crate::mount::{FoundFile, Mount, is_missing, over_budget};
use crate::{AssetPath, Error, Refused};

/// The folders that were listed, by their folded paths.
#[derive(Default)]
pub(crate) struct Index {
    folders: RwLock<HashMap<Box<str>, Arc<Listing>>>,
    memory: Mutex<Memory>,
}

/// The memory of all listings.
#[derive(Default)]
struct Memory {
    bytes: usize,
    reserved: Option<Reservation>,
}

/// Listings of at most this size in all are not reserved.
const FREE: usize = 64 << 10;

impl Memory {
    /// Counts what a listing has grown by.
    fn grow(&mut self, more: usize, budget: &Budget) -> Result<(), OverBudget> {
        self.bytes = self.bytes.saturating_add(more);
        let reserved = self.reserved.get_or_insert_with(|| budget.empty());
        match self.bytes.saturating_sub(FREE + reserved.bytes()) {
            0 => Ok(()),
            more => reserved.grow(more, format_args!("the lists of names in folders")),
        }
    }
}

/// One folder, merged over all mounts.
#[derive(Default)]
pub(crate) struct Listing {
    /// The folder in every mount that has it, in search order. A mount may have several that differ only in case.
    places: Vec<MountPath>,
    /// The names of all files and folders.
    names: String,
    /// The files. Files with the same folded name are all in the first mount that has the name. Sorted by
    /// folded name, then by name.
    files: Vec<Listed>,
    /// The folders in every mount, sorted by folded name, then by place.
    folders: Vec<Listed>,
    /// Files and folders whose names are not components of paths.
    refused: Vec<Listed>,
    /// The indices of the files with an extension that was asked for.
    of_extension: [OnceLock<Box<[u32]>>; Extension::COUNT],
    /// Links to folders that contain them.
    pub(crate) loops: Vec<AssetPath>,
    /// The errors of mounts that could not be listed, with the folder.
    pub(crate) faults: Vec<(String, Arc<std::io::Error>)>,
    is_there: bool,
    /// The memory that is counted.
    counted: usize,
}

/// A path in a mount, in the spelling of the mount.
#[derive(Clone)]
struct MountPath {
    mount: u32,
    path: AssetPath,
}

/// A file or a folder: the range of its name in the names of the listing, and its place.
#[derive(Clone, Copy)]
struct Listed {
    start: u32,
    len: u16,
    place: u16,
}

impl Index {
    /// The content of a folder. Listed once; later calls are O(1) in the number of mounts. Its memory is reserved from
    /// `budget`.
    pub(crate) fn listing(
        &self,
        folder: &AssetPath,
        mounts: &[Mount],
        budget: Option<&Budget>,
    ) -> Arc<Listing> {
        let key = folder.folded();
        if let Some(found) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return found.clone();
        }
        let places = if folder.is_root() {
            let numbers = (0..mounts.len()).rev().filter_map(|mount| u32::try_from(mount).ok());
            numbers.map(|mount| MountPath { mount, path: AssetPath::root() }).collect()
        } else {
            let parent = self.listing(&folder.folder(), mounts, budget);
            let named = parent.named(&parent.folders, folder.file_name());
            named.iter().filter_map(|listed| parent.place(*listed)).collect()
        };
        let listing = Arc::new(Listing::new(places, mounts, &|more| self.grow(more, budget)));
        // A missing folder is not cached, because names in files could refer to any number of them.
        if listing.is_there || !listing.faults.is_empty() {
            let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
            return folders.entry(key).or_insert(listing).clone();
        }
        listing
    }

    fn grow(&self, more: usize, budget: Option<&Budget>) -> Result<(), OverBudget> {
        let Some(budget) = budget else { return Ok(()) };
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).grow(more, budget)
    }
}

/// Counts memory.
type Grow<'g> = &'g dyn Fn(usize) -> Result<(), OverBudget>;

impl Listing {
    fn new(places: Vec<MountPath>, mounts: &[Mount], grow: Grow<'_>) -> Listing {
        let mut listing = Listing { places, ..Listing::default() };
        for number in 0..listing.places.len() {
            let Some(place) = listing.places.get(number).cloned() else { continue };
            let Some(mount) = mounts.get(place.mount as usize) else { continue };
            let listed = listing.count(grow).and_then(|()| {
                let add = &mut |name: &str, kind| listing.add(number, &place, name, kind, grow);
                mount.files.list_each(&place.path, add)
            });
            match listed {
                Ok(()) => listing.is_there = true,
                Err(error) if is_missing(&error) => {}
                Err(error) => {
                    // A partial listing of a folder is not used.
                    listing.is_there |= over_budget(&error).is_some();
                    for all in [&mut listing.files, &mut listing.folders, &mut listing.refused] {
                        all.retain(|listed| usize::from(listed.place) != number);
                    }
                    let folder = FoundFile { mount: mount.clone(), path: place.path.clone() };
                    listing.faults.push((folder.to_string(), Arc::new(error)));
                }
            }
        }
        listing.sort();
        listing
    }

    fn add(
        &mut self,
        number: usize,
        place: &MountPath,
        name: &str,
        kind: EntryKind,
        grow: Grow<'_>,
    ) -> std::io::Result<()> {
        // Names from a file system are checked like all others.
        let is_refused = AssetPath::component_refusal(name).is_some();
        if kind == EntryKind::Loop && !is_refused {
            self.loops.push(place.path.child(name));
            return Ok(());
        }
        let (Ok(start), Ok(len), Ok(number)) =
            (u32::try_from(self.names.len()), u16::try_from(name.len()), u16::try_from(number))
        else {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        };
        self.names.push_str(name);
        let listed = Listed { start, len, place: number };
        match kind {
            _ if is_refused => self.refused.push(listed),
            EntryKind::Folder => self.folders.push(listed),
            _ => self.files.push(listed),
        }
        self.count(grow)
    }

    /// Counts what the listing has grown by.
    fn count(&mut self, grow: Grow<'_>) -> std::io::Result<()> {
        let listed = self.files.capacity() + self.folders.capacity() + self.refused.capacity();
        // The path is also a key.
        let paths: usize = self.places.iter().map(|place| 2 * place.path.as_str().len()).sum();
        let taken = size_of::<Listing>() + paths + self.names.capacity() + listed * size_of::<Listed>();
        let more = taken.saturating_sub(self.counted);
        self.counted += more;
        if more == 0 {
            return Ok(());
        }
        grow(more).map_err(|over| std::io::Error::new(std::io::ErrorKind::OutOfMemory, over))
    }

    fn sort(&mut self) {
        let mut files = std::mem::take(&mut self.files);
        let mut folders = std::mem::take(&mut self.folders);
        let by_name = |a: &Listed, b: &Listed| compare_folded(self.name(*a), self.name(*b));
        let in_order = |a: &Listed, b: &Listed| {
            by_name(a, b).then(a.place.cmp(&b.place)).then_with(|| self.name(*a).cmp(self.name(*b)))
        };
        folders.sort_unstable_by(in_order);
        files.sort_unstable_by(in_order);
        // Files with the same folded name are only kept from the first mount that has the name.
        let mut first: Option<Listed> = None;
        let mount = |listed: Listed| self.places.get(usize::from(listed.place)).map(|place| place.mount);
        files.retain(|file| match first {
            Some(first) if by_name(&first, file).is_eq() => mount(first) == mount(*file),
            _ => {
                first = Some(*file);
                true
            }
        });
        // A file system may list a name several times.
        files.dedup_by(|a, b| a.place == b.place && self.name(*a) == self.name(*b));
        folders.dedup_by(|a, b| a.place == b.place && self.name(*a) == self.name(*b));
        (self.files, self.folders) = (files, folders);
    }

    fn name(&self, listed: Listed) -> &str {
        let start = listed.start as usize;
        self.names.get(start..start + usize::from(listed.len)).unwrap_or_default()
    }

    fn place(&self, listed: Listed) -> Option<MountPath> {
        let folder = self.places.get(usize::from(listed.place))?;
        Some(MountPath { mount: folder.mount, path: folder.path.child(self.name(listed)) })
    }

    /// The items of `all` with this name, in any case.
    fn named<'l>(&self, all: &'l [Listed], name: &str) -> &'l [Listed] {
        let compare = |listed: &Listed| compare_folded(self.name(*listed), name);
        let start = all.partition_point(|listed| compare(listed).is_lt());
        let rest = all.get(start..).unwrap_or_default();
        let len = rest.partition_point(|listed| compare(listed).is_eq());
        rest.get(..len).unwrap_or_default()
    }

    fn found(&self, listed: Listed, mounts: &[Mount]) -> Option<FoundFile> {
        let place = self.place(listed)?;
        Some(FoundFile { mount: mounts.get(place.mount as usize)?.clone(), path: place.path })
    }

    /// The errors for the files and folders whose names are not components of paths.
    pub(crate) fn refused(&self, mounts: &[Mount]) -> impl Iterator<Item = Error> {
        self.refused.iter().filter_map(|listed| {
            let reason = AssetPath::component_refusal(self.name(*listed))?;
            let name = self.found(*listed, mounts)?.to_string().into();
            Some(Error::Refused(Refused { name, reason }))
        })
    }

    /// The file with this path, which is in this folder.
    pub(crate) fn find(&self, path: &AssetPath, mounts: &[Mount]) -> Result<Option<FoundFile>, Error> {
        let named = self.named(&self.files, path.file_name());
        let found = |listed: &Listed| self.found(*listed, mounts);
        let is_exact = |listed: &&Listed| self.place(**listed).is_some_and(|place| place.path == *path);
        let by_name = || {
            let mut same = named.iter().filter(|listed| self.name(**listed) == path.file_name());
            same.next().filter(|_| same.next().is_none())
        };
        let only = || named.first().filter(|_| named.len() == 1);
        if let Some(listed) = named.iter().find(is_exact).or_else(by_name).or_else(only) {
            return Ok(found(listed));
        }
        if named.is_empty() {
            return Ok(None);
        }
        let mut candidates: Vec<FoundFile> = named.iter().filter_map(found).collect();
        candidates.sort_by(|a, b| a.path.cmp(&b.path));
        Err(Error::Ambiguous { name: path.clone(), candidates })
    }

    /// The folder with this name as a [`FoundFile`]; reading it returns an error with its kind.
    pub(crate) fn find_folder(&self, path: &AssetPath, mounts: &[Mount]) -> Option<FoundFile> {
        self.found(*self.named(&self.folders, path.file_name()).first()?, mounts)
    }

    /// The number of files. Their indices are sorted by folded name.
    pub(crate) const fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The name of a file.
    pub(crate) fn file_name(&self, index: usize) -> &str {
        self.files.get(index).map_or("", |listed| self.name(*listed))
    }

    /// A file, in the spelling of its mount.
    pub(crate) fn file(&self, index: usize, mounts: &[Mount]) -> Option<FoundFile> {
        self.found(*self.files.get(index)?, mounts)
    }

    /// The index of the file with exactly this name.
    pub(crate) fn file_index(&self, name: &str) -> Option<usize> {
        let start = self.files.partition_point(|file| compare_folded(self.name(*file), name).is_lt());
        let same = self.files.get(start..)?.iter();
        let same = same.take_while(|file| compare_folded(self.name(**file), name).is_eq());
        same.enumerate().find_map(|(at, file)| (self.name(*file) == name).then_some(start + at))
    }

    /// The names of the files and folders that have this name in any case.
    pub(crate) fn spellings<'l>(&'l self, name: &str) -> impl Iterator<Item = &'l str> + use<'l> {
        let (files, folders) = (self.named(&self.files, name), self.named(&self.folders, name));
        files.iter().chain(folders).map(|listed| self.name(*listed))
    }

    /// The files with an extension, found once.
    pub(crate) fn with_extension(&self, extension: Extension) -> impl Iterator<Item = &str> {
        let indices = self.of_extension.get(extension as usize).map_or(&[][..], |indices| {
            indices.get_or_init(|| {
                let has = |index: &u32| has_extension(self.file_name(*index as usize), extension.text());
                (0..self.files.len() as u32).filter(has).collect()
            })
        });
        indices.iter().map(|index| self.file_name(*index as usize))
    }

    /// The files whose names begin with `start`, in any case.
    pub(crate) fn beginning(&self, start: &str) -> impl Iterator<Item = &str> {
        let from = self.files.partition_point(|file| compare_folded(self.name(*file), start).is_lt());
        let names = self.files.get(from..).unwrap_or_default().iter().map(|file| self.name(*file));
        let begins = |name: &str| {
            name.as_bytes()
                .get(..start.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
        };
        names.take_while(move |name| begins(name))
    }

    pub(crate) fn is_there(&self) -> bool {
        self.is_there
    }

    /// The names of the files, by their folded spelling. Files of a mount that differ only in case are all listed.
    pub(crate) fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| self.name(*file))
    }

    /// Each folder once, in the spelling of the first mount that has it.
    pub(crate) fn folder_names(&self) -> impl Iterator<Item = &str> {
        self.first_folders().into_iter().map(|index| self.folder_name(index))
    }

    /// The indices of the folders, each once.
    pub(crate) fn first_folders(&self) -> Vec<u32> {
        let mut last = None;
        let mut is_new = |name| last.replace(name).is_none_or(|last| compare_folded(last, name).is_ne());
        let names = (0..).zip(&self.folders).map(|(index, folder)| (index, self.name(*folder)));
        names.filter(|(_, name)| is_new(*name)).map(|(index, _)| index).collect()
    }

    /// The name of a folder.
    pub(crate) fn folder_name(&self, index: u32) -> &str {
        self.folders.get(index as usize).map_or("", |listed| self.name(*listed))
    }
}

/// An extension by which the files of a folder are asked for again and again, for each of its models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extension {
    Uc,
    Shader,
    Anim,
}

impl Extension {
    const COUNT: usize = 3;

    const fn text(self) -> &'static str {
        match self {
            Extension::Uc => "uc",
            Extension::Shader => "shader",
            Extension::Anim => "anim",
        }
    }
}

/// Compares names by their folded spelling.
pub(crate) fn compare_folded(a: &str, b: &str) -> Ordering {
    let fold = |name| str::bytes(name).map(|byte| byte.to_ascii_lowercase());
    fold(a).cmp(fold(b))
}
