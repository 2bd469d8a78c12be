//! The search path around a folder of the operating system, cached by folder.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use meshlens_source::Folder;

use crate::mount::{Mount, OsLocation};
use crate::{AssetPath, Assets, game_folder};

/// The search paths of given paths.
#[derive(Default)]
pub(crate) struct Known(Mutex<KnownPaths>);

#[derive(Default)]
struct KnownPaths {
    /// By the root, or the archive, and its name in messages.
    roots: HashMap<(PathBuf, PathBuf), (Assets, Assets)>,
    /// By the folder as it was typed, and whether the given files are UNIGINE files.
    folders: HashMap<(PathBuf, bool), Around>,
}

/// The search path for a folder, the mount of only the folder, and the path of the folder in that mount. The search path
/// is `None` if it is the one that has this cache: otherwise it would never be dropped.
type Around = (Option<Assets>, Assets, AssetPath);

/// The largest number of cached folders, and of cached roots. Memory does not grow with the number of given paths.
const MAX_KNOWN: usize = 1024;

impl Known {
    pub(crate) fn root(&self, key: &(PathBuf, PathBuf)) -> Option<(Assets, Assets)> {
        self.lock().roots.get(key).cloned()
    }

    pub(crate) fn add_root(&self, key: (PathBuf, PathBuf), found: &(Assets, Assets)) {
        insert(&mut self.lock().roots, key, found.clone());
    }

    fn lock(&self) -> MutexGuard<'_, KnownPaths> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn insert<K: Eq + Hash, V>(known: &mut HashMap<K, V>, key: K, value: V) {
    if known.len() >= MAX_KNOWN {
        known.clear();
    }
    known.insert(key, value);
}

impl Assets {
    /// The search path for a folder, the mount of only the folder, and the path of the folder in that mount. The system is
    /// asked once for each folder.
    pub(crate) fn around(&self, typed: &Path, extension: &str) -> (Assets, Assets, AssetPath) {
        let known = self.cache().of::<Known>();
        let key = (typed.to_owned(), game_folder::is_of_unigine(extension));
        let found = known.lock().folders.get(&key).cloned();
        let (assets, here, inside) = found.unwrap_or_else(|| {
            let canonical = canonical(typed);
            let found = match self.mount_around(&known, &canonical) {
                Some((here, inside)) => (None, here, inside),
                None => self.game_around(&known, typed, &canonical, extension),
            };
            insert(&mut known.lock().folders, key, found.clone());
            found
        });
        (assets.unwrap_or_else(|| self.clone()), here, inside)
    }

    fn game_around(&self, known: &Known, typed: &Path, canonical: &Path, extension: &str) -> Around {
        let game = if self.mounts.is_empty() { game_folder::around(canonical, extension) } else { None };
        let root = game.as_ref().map_or(canonical, |game| &game.path);
        let below = canonical.strip_prefix(root).unwrap_or(Path::new(""));
        let inside = AssetPath::new(&Folder::name_of(below)).unwrap_or(AssetPath::root());
        // A root above the given path is named by its whole path, without the part below the given folder.
        let above = typed_root(typed, below.components().count(), root);
        let key = (root.to_owned(), above.clone().unwrap_or(typed.to_owned()));
        if let Some((assets, here)) = known.root(&key) {
            return (Some(assets), here, inside);
        }
        // A folder that cannot be opened counts as empty here; opening a file in it returns the error.
        let Ok(folder) = Folder::open(above.as_deref().unwrap_or(root)) else {
            return (None, Assets::new(), inside);
        };
        let mut assets = self.clone();
        if game.as_ref().is_some_and(|game| game.has_archives) {
            let archives = assets.game_archives(&folder);
            assets.push_archives(&archives);
        }
        let mut mount = Mount::of_folder(folder);
        if above.is_none() {
            mount.shown = Some((inside.clone(), typed.display().to_string().into()));
        }
        assets.push(mount);
        let found = (assets.clone(), assets.first_mount());
        known.add_root(key, &found);
        (Some(found.0), found.1, inside)
    }

    /// The mounted folder that contains a folder, and the path in it.
    fn mount_around(&self, known: &Known, folder: &Path) -> Option<(Assets, AssetPath)> {
        self.mounts.iter().rev().find_map(|mount| {
            let Some(OsLocation::Folder(root)) = &mount.place else { return None };
            let key = (canonical(root.path()), root.path().to_owned());
            let below = folder.strip_prefix(&key.0).ok()?;
            let inside = AssetPath::new(&Folder::name_of(below)).unwrap_or(AssetPath::root());
            let (_, here) = known.root(&key).unwrap_or_else(|| {
                let here = self.only(mount.clone());
                known.add_root(key, &(here.clone(), here.clone()));
                (here.clone(), here)
            });
            Some((here, inside))
        })
    }
}

/// The path with links resolved, or unchanged if the file does not exist.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    here.canonicalize().unwrap_or_else(|_| std::path::absolute(here).unwrap_or_else(|_| here.into()))
}

/// The path of a root that is `depth` folders above a given path: a prefix of that path, or `None` if it has fewer
/// folders.
fn typed_root(typed: &Path, depth: usize, root: &Path) -> Option<PathBuf> {
    let mut path = typed;
    for _ in 0..depth {
        match (path.components().next_back(), path.parent()) {
            (Some(Component::Normal(_)), Some(parent)) => path = parent,
            _ => return None,
        }
    }
    (depth == 0 || canonical(path) == root).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_is_looked_for_once() {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("models/guns");
        fs::create_dir_all(&models).unwrap();
        let mut assets = Assets::new();
        let path =
            |assets: &Assets, name: &str| assets.user_path(models.join(name)).unwrap().path().to_string();
        assert_eq!(path(&assets, "a.md3"), "a.md3");
        // The folder is now the folder of a game. Only another search of the system finds that.
        fs::create_dir(folder.path().join("scripts")).unwrap();
        assert_eq!(path(&assets, "b.md3"), "b.md3");
        assets.refresh();
        assert_eq!(path(&assets, "b.md3"), "models/guns/b.md3");
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_folders() {
        let folder = tempfile::tempdir().unwrap();
        let assets = Assets::new();
        for number in 0..=MAX_KNOWN {
            let inside = folder.path().join(number.to_string());
            fs::create_dir(&inside).unwrap();
            assets.user_path(inside.join("x.md3")).unwrap();
        }
        let known = assets.cache().of::<Known>();
        let known = known.lock();
        assert_eq!((known.folders.len(), known.roots.len()), (1, 1));
    }
}
