//! Finds the folder of a game around a path. Names in the files of a game are relative to it.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The number of folders above a path that are checked.
const FOLDERS_ABOVE: usize = 12;
/// The number of entries up to which a folder is listed, instead of asked for each name.
const LISTED: usize = 256;

/// Folders in the folder of a Quake 3 game, such as `baseq3`. It must have one of the first three.
const QUAKE: [&str; 7] = ["models", "textures", "scripts", "sound", "maps", "env", "gfx"];
/// Folders next to `System` in an Unreal Tournament installation.
const UNREAL: [&str; 4] = ["Textures", "Maps", "Sounds", "Music"];
/// Folders next to `Classes` in the sources of an Unreal package.
const PACKAGE: [&str; 2] = ["Models", "Textures"];

/// The folder that names in files are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameFolder {
    pub(crate) path: PathBuf,
    /// Whether its archives (PK3) belong to the game.
    pub(crate) has_archives: bool,
}

/// Finds the game folder that `folder` is, or is inside of, by the names of folders. Opens no file.
///
/// `extension` is the extension of the given file, or empty for a folder. A folder `data` is only recognized for UNIGINE files.
pub(crate) fn around(folder: &Path, extension: &str) -> Option<GameFolder> {
    let is_unigine = is_of_unigine(extension);
    let mut package = None;
    // The root of the file system is not a game folder.
    let above = folder.ancestors().take(FOLDERS_ABOVE).filter(|folder| folder.parent().is_some());
    let packed = above.clone().find(|folder| is_pack(folder)).and_then(Path::parent);
    let has_packs = || {
        folder
            .read_dir()
            .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| is_pack(&entry.path()))))
    };
    if let Some(path) = packed.or_else(|| has_packs().then_some(folder)) {
        return Some(GameFolder { path: path.into(), has_archives: true });
    }
    for folder in above {
        let inside = &Inside::new(folder);
        let is_named = |name: &str| folder.file_name().is_some_and(|found| found.eq_ignore_ascii_case(name));
        let quake: Vec<bool> = QUAKE.iter().map(|name| inside.has_folder(name)).collect();
        let count = quake.iter().filter(|there| **there).count();
        if count >= 2 && quake.iter().take(3).any(|there| *there) || inside.has("pak0.pk3", Path::is_file) {
            return Some(GameFolder { path: folder.into(), has_archives: true });
        }
        let has_any = |names: &[&str]| names.iter().any(|name| inside.has_folder(name));
        let is_data = is_unigine && is_named("data");
        if is_data || inside.has_folder("System") && has_any(&UNREAL) {
            return Some(GameFolder { path: folder.into(), has_archives: false });
        }
        if package.is_none() && inside.has_folder("Classes") && has_any(&PACKAGE) {
            package = Some(GameFolder { path: folder.into(), has_archives: false });
        }
    }
    package
}

/// Whether files with this extension are UNIGINE files.
pub(crate) fn is_of_unigine(extension: &str) -> bool {
    ["mesh", "anim", "node"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether a path is a folder that stands for an archive of a game.
fn is_pack(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pk3dir")) && path.is_dir()
}

/// What is in a folder.
struct Inside<'a> {
    folder: &'a Path,
    /// The names in lowercase; `None` for a folder with many entries, or that cannot be listed.
    names: Option<HashSet<OsString>>,
}

impl Inside<'_> {
    fn new(folder: &Path) -> Inside<'_> {
        let names = folder.read_dir().ok().and_then(|entries| {
            let names =
                entries.take(LISTED + 1).map(|entry| Some(entry.ok()?.file_name().to_ascii_lowercase()));
            names.collect::<Option<HashSet<_>>>().filter(|names| names.len() <= LISTED)
        });
        Inside { folder, names }
    }

    fn has_folder(&self, name: &str) -> bool {
        self.has(name, Path::is_dir)
    }

    fn has(&self, name: &str, is_kind: fn(&Path) -> bool) -> bool {
        let names = spellings(name);
        let is_listed =
            |listed: &HashSet<OsString>| names.iter().any(|name| listed.contains(OsStr::new(name)));
        self.names.as_ref().is_none_or(is_listed) && names.iter().any(|name| is_kind(&self.folder.join(name)))
    }
}

/// The spellings of a name that games use.
fn spellings(name: &str) -> [String; 3] {
    let lower = name.to_ascii_lowercase();
    let mut capital = lower.clone();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    [lower, capital, name.to_ascii_uppercase()]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(folders: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        for folder in folders {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        (keep, root)
    }

    #[test]
    fn folders_of_games_are_recognized_by_the_folders_in_them() {
        let (_keep, root) = tree(&[
            "q3/baseq3/models/players/sarge",
            "q3/baseq3/scripts",
            "ut/System",
            "ut/Textures",
            "ut/Botpack/Models",
            "ut/Botpack/Classes",
            "mod/Guns/Models/Rifle",
            "mod/Guns/Classes",
            "unigine/data/meshes",
            "other/models/x",
            "packed/models",
            "wop/models.pk3dir/models/x",
            "wop/textures.pk3dir/textures",
            "wop/textures.pk3dir/scripts",
        ]);
        fs::write(root.join("packed/pak0.pk3"), "").unwrap();
        let found = |path: &str, extension: &str| {
            let found = around(&root.join(path), extension)?;
            Some((found.path.strip_prefix(&root).unwrap().to_owned(), found.has_archives))
        };
        let game = |path: &str, has_archives| Some((PathBuf::from(path), has_archives));
        assert_eq!(found("q3/baseq3/models/players/sarge", "md3"), game("q3/baseq3", true));
        assert_eq!(found("q3/baseq3", ""), game("q3/baseq3", true));
        assert_eq!(found("q3", ""), None);
        assert_eq!(found("ut/Botpack/Models", "3d"), game("ut", false));
        assert_eq!(found("mod/Guns/Models/Rifle", "3d"), game("mod/Guns", false));
        assert_eq!(found("unigine/data/meshes", "mesh"), game("unigine/data", false));
        assert_eq!(found("unigine/data/meshes", "md3"), None);
        assert_eq!(found("other/models/x", "md3"), None);
        assert_eq!(found("packed/models", "md3"), game("packed", true));
        for path in ["wop", "wop/models.pk3dir/models/x", "wop/textures.pk3dir"] {
            assert_eq!(found(path, "md3"), game("wop", true));
        }
    }
}
