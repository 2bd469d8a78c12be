//! Walks through the files below a folder, one after the other.

use std::sync::Arc;

use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::pairs;
use meshlens::wire::{OverBudget, Reservation};

use crate::index::Listing;
use crate::mount::{FoundFile, MountKind};
use crate::{AssetPath, Assets, Error, MAX_PATH_BYTES, unreal};

/// The largest number of files and folders that are visited below one folder.
const MAX_WALKED: usize = 1 << 22;
/// The largest number of folders inside one another. Only a file system whose folders do not end has more.
const MAX_DEPTH: usize = 1024;

/// A file that was visited.
pub(crate) struct Walked {
    pub(crate) path: AssetPath,
    pub(crate) file: FoundFile,
    /// The meshes of two files in its folder that are listed at this file, by their names.
    pub(crate) halves: Vec<PairRole>,
}

/// The part that a file has in a mesh of two files, by the names in its folder.
pub(crate) enum PairRole {
    /// The geometry file of a mesh with these frames.
    Pair(FoundFile),
    /// A file without its other file.
    Lone(FileKind),
}

/// The files below a folder. In archives, they are sorted by path in any case; in folders, by name.
#[derive(Default)]
pub(crate) struct Walk {
    /// The folders from the first one down to the current one.
    levels: Vec<Level>,
    /// Errors to be returned first, in reverse.
    faults: Vec<Error>,
    visited: usize,
    is_archive: bool,
    /// Whether all files are visited, or only scripts.
    is_whole: bool,
    /// Whether no more folders are entered.
    is_too_deep: bool,
    /// The folder that is walked; `None` if it was not yet listed.
    next: Option<AssetPath>,
    /// Entries of the archive from this index on may have names that are refused.
    refused: usize,
}

/// A folder that is being walked.
struct Level {
    path: AssetPath,
    listing: Arc<Listing>,
    /// The folders in it: their indices in the listing.
    folders: Vec<u32>,
    /// The files and folders in their order: indices of files, then of folders.
    order: Vec<u32>,
    at: usize,
    /// The geometry files and lone files of meshes, sorted by index.
    halves: Vec<(u32, NamedRole)>,
    _reserved: Option<Reservation>,
}

/// A [`PairRole`] by the index of the other file.
#[derive(Clone, Copy)]
enum NamedRole {
    Pair(u32),
    Lone(FileKind),
}

impl Walk {
    /// Visits all files below a folder, or only scripts.
    pub(crate) fn new(assets: &Assets, folder: &AssetPath, is_whole: bool) -> Walk {
        let is_archive = assets.mounts.last().is_some_and(|mount| mount.kind == MountKind::Archive);
        Walk { is_archive, is_whole, next: Some(folder.clone()), ..Walk::default() }
    }

    /// The next file, or an error for a folder or an entry.
    pub(crate) fn next(&mut self, assets: &Assets) -> Option<Result<Walked, Error>> {
        loop {
            if let Some(fault) = self.faults.pop() {
                return Some(Err(fault));
            }
            if let Some(folder) = self.next.take() {
                self.enter(assets, folder);
                continue;
            }
            let Some(level) = self.levels.last_mut() else { return self.next_refused(assets) };
            let Some(&index) = level.order.get(level.at) else {
                self.levels.pop();
                continue;
            };
            level.at += 1;
            let index = index as usize;
            if let Some(folder) = index.checked_sub(level.listing.file_count()) {
                if self.is_too_deep {
                    continue;
                }
                let name = level.folders.get(folder).map(|index| level.listing.folder_name(*index));
                self.next = name.map(|name| level.path.child(name));
                continue;
            }
            let name = level.listing.file_name(index);
            if !self.is_whole && !crate::scripts::is_script(name) {
                continue;
            }
            let path = level.path.child(name);
            let Some(file) = level.listing.file(index, &assets.mounts) else { continue };
            return Some(Ok(Walked { path, file, halves: level.halves(index, assets) }));
        }
    }

    /// The next entry of an archive whose name is refused.
    fn next_refused(&mut self, assets: &Assets) -> Option<Result<Walked, Error>> {
        let mount = assets.mounts.last().filter(|_| self.is_archive && self.is_whole)?;
        let (after, error) = mount.refused(self.refused)?;
        self.refused = after;
        Some(Err(error.into()))
    }

    /// Ends the walk with an error.
    fn end(&mut self, error: Error) {
        self.levels.clear();
        self.faults.push(error);
    }

    fn enter(&mut self, assets: &Assets, path: AssetPath) {
        if self.levels.len() >= MAX_DEPTH || path.as_str().len() > MAX_PATH_BYTES {
            // The files of the folders that were entered are still visited.
            self.is_too_deep = true;
            let start = self.levels.first().map(|level| level.path.clone()).unwrap_or(path);
            let folder = assets.shown(&start).into();
            return self.faults.push(Error::TooDeep { folder, limit: MAX_DEPTH });
        }
        let listing = assets.listing(&path);
        if self.levels.is_empty() && !listing.is_there() && listing.faults.is_empty() {
            self.faults.extend(assets.fault_at(&path));
        }
        for (folder, error) in &listing.faults {
            match Error::listing(folder, error) {
                error @ Error::Memory { .. } => return self.end(error),
                error => self.faults.push(error),
            }
        }
        self.faults.extend(listing.loops.iter().map(|path| Error::Loop(assets.shown(path).into())));
        if self.is_whole {
            self.faults.extend(listing.refused(&assets.mounts));
        }
        self.faults.reverse();
        let level = match Level::new(assets, path.clone(), listing, self.is_archive, self.is_whole) {
            Ok(level) => level,
            Err(over) => return self.end(Error::memory(assets.shown(&path), over)),
        };
        self.visited += 1 + level.order.len();
        if self.visited > MAX_WALKED {
            return self.end(Error::TooManyFiles { folder: path.to_string().into(), limit: MAX_WALKED });
        }
        self.levels.push(level);
    }
}

impl Level {
    fn new(
        assets: &Assets,
        path: AssetPath,
        listing: Arc<Listing>,
        is_archive: bool,
        is_whole: bool,
    ) -> Result<Level, OverBudget> {
        let folders = listing.first_folders();
        let files = listing.file_count();
        let mut reserved = assets.budget().map(|budget| budget.empty());
        let mut reserve = |bytes: usize| match &mut reserved {
            Some(reserved) => reserved.grow(bytes, format_args!("the order of the names in a folder")),
            None => Ok(()),
        };
        reserve((files + 2 * folders.len()) * size_of::<u32>())?;
        let mut order: Vec<u32> = (0..(files + folders.len()) as u32).collect();
        let name = |index: u32| match (index as usize).checked_sub(files) {
            Some(folder) => (folders.get(folder).map_or("", |index| listing.folder_name(*index)), "/"),
            None => (listing.file_name(index as usize), ""),
        };
        if is_archive {
            // Sorted as whole paths.
            order.sort_by(|a, b| {
                let ((a, a_end), (b, b_end)) = (name(*a), name(*b));
                let folded = |name| str::bytes(name).map(|byte| byte.to_ascii_lowercase());
                folded(a).chain(a_end.bytes()).cmp(folded(b).chain(b_end.bytes()))
            });
        } else {
            order.sort_by(|a, b| name(*a).0.cmp(name(*b).0));
        }
        let halves = if is_whole { halves(&listing) } else { Vec::new() };
        reserve(size_of_val(&*halves))?;
        Ok(Level { path, listing, folders, order, at: 0, halves, _reserved: reserved })
    }

    /// The meshes at a file.
    fn halves(&self, file: usize, assets: &Assets) -> Vec<PairRole> {
        let start = self.halves.partition_point(|(at, _)| (*at as usize) < file);
        let own = self.halves.get(start..).unwrap_or_default().iter();
        let own = own.take_while(|(at, _)| *at as usize == file);
        let half = |(_, half): &(u32, NamedRole)| match half {
            NamedRole::Pair(frames) => {
                Some(PairRole::Pair(self.listing.file(*frames as usize, &assets.mounts)?))
            }
            NamedRole::Lone(kind) => Some(PairRole::Lone(*kind)),
        };
        own.filter_map(half).collect()
    }
}

/// The files of meshes of two files in a folder.
fn halves(listing: &Listing) -> Vec<(u32, NamedRole)> {
    let names = (0..listing.file_count()).map(|index| listing.file_name(index));
    let index = |name: &str| listing.file_index(name).and_then(|index| u32::try_from(index).ok());
    let half = |geometry: Option<&str>, frames: Option<&str>| match (geometry, frames) {
        (Some(geometry), Some(frames)) => Some((index(geometry)?, NamedRole::Pair(index(frames)?))),
        (Some(geometry), None) => Some((index(geometry)?, NamedRole::Lone(FileKind::Geometry))),
        (None, Some(frames)) => Some((index(frames)?, NamedRole::Lone(FileKind::Frames))),
        (None, None) => None,
    };
    let paired = pairs(names.filter(|name| unreal::may_be_half(name)));
    let mut halves: Vec<_> = paired.iter().filter_map(|pair| half(pair.geometry, pair.frames)).collect();
    halves.sort_by_key(|(at, _)| *at);
    halves
}
