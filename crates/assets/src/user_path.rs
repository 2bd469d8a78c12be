//! Paths of the operating system that users give, and the search paths for them.

use std::path::{Path, PathBuf};

use meshlens::wire::Budget;
use meshlens_source::{Folder, FolderEntryKind, RandomAccessFile, split_entry_path};

use crate::archive_files::{has_extension, is_archive};
use crate::around::{Known, canonical};
use crate::find::{FindOptions, FoundModels, Models};
use crate::game_folder::{self, GameFolder};
use crate::located::{Located, ModelFiles};
use crate::mount::Mount;
use crate::open_archive::open_archive;
use crate::record::Record;
use crate::scripts::is_script;
use crate::{Asset, AssetPath, Assets, Error, FoundFile, OpenOptions, Rule, player};

/// A path from the user, its search path, and the model that it names.
///
/// The search path is the folder of the game around the path, with its archives, if that is recognized:
///
/// | game | folder |
/// |---|---|
/// | Quake 3 | has `pak0.pk3`, or the given folder `*.pk3dir` or one above it; has a folder `*.pk3dir`, if it is the given folder; or two of `models`, `textures`, `scripts`, `sound`, `maps`, `env` and `gfx`, including one of the first three |
/// | Unreal Tournament | has `System`, and `Textures`, `Maps`, `Sounds` or `Music` |
/// | an Unreal package | has `Classes`, and `Models` or `Textures` |
/// | UNIGINE (`.mesh`, `.anim`, `.node`) | is called `data` |
///
/// Otherwise the search path is the file's own folder, the given folder, or the given archive.
///
/// If the [`Assets`] have mounts, no game is detected. A path in a mounted folder is looked up there. For any other
/// path, its folder is searched first, then the mounts.
#[derive(Clone, Debug)]
pub struct UserPath {
    assets: Assets,
    /// The mount that contains the path.
    here: Assets,
    /// The path inside `here`.
    path: AssetPath,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    File(FoundFile),
    /// A mesh of a script, by its name.
    Mesh(FoundFile, String),
    /// A name in an archive.
    Entry(String),
    /// A folder, or a whole archive.
    Folder,
}

impl Assets {
    /// Opens a model by a path of the operating system. Links in the path are followed, wherever they lead. Companion
    /// files are looked up in the search path that [`UserPath`] describes.
    ///
    /// # Errors
    ///
    /// Same as [`open`](Self::open).
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("flag.md3");
    /// # std::fs::write(&path, meshlens::md3::write::Model::new("flag")?.write()?)?;
    /// use meshlens_assets::Assets;
    ///
    /// let flag = Assets::new().open_path(&path)?;
    /// assert_eq!(flag.files()[0].name, path.display().to_string());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_path(&self, path: impl AsRef<Path>) -> Result<Asset, Error> {
        self.user_path(path)?.locate()?.open(&OpenOptions::default())
    }

    /// Determines the model that a path of the operating system names. Search paths are cached, so further paths in the
    /// same folder or archive are cheap.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] for an archive that cannot be opened. Files are opened later.
    pub fn user_path(&self, path: impl AsRef<Path>) -> Result<UserPath, Error> {
        let path = path.as_ref();
        if path.is_dir() {
            let (assets, here, inside) = self.around(path, "");
            return Ok(UserPath { assets, here, path: inside, kind: Kind::Folder });
        }
        match split_entry_path(path) {
            Some((script, mesh)) if is_script(&script.to_string_lossy()) => {
                let (given, file) = self.user_file(script);
                Ok(UserPath { kind: Kind::Mesh(file, mesh.into()), ..given })
            }
            Some((archive, entry)) => {
                let (assets, here) = self.given_archive(archive)?;
                Ok(UserPath { assets, here, path: AssetPath::root(), kind: Kind::Entry(entry.into()) })
            }
            None if is_archive(&path.to_string_lossy()) => {
                let (assets, here) = self.given_archive(path)?;
                Ok(UserPath { assets, here, path: AssetPath::root(), kind: Kind::Folder })
            }
            None => Ok(self.user_file(path).0),
        }
    }

    fn user_file(&self, path: &Path) -> (UserPath, FoundFile) {
        let parent = path.parent().unwrap_or(Path::new(""));
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let (assets, here, folder) = self.around(parent, &extension);
        let name = Folder::name_of(Path::new(path.file_name().unwrap_or_default()));
        let inside = folder.join(&name).unwrap_or(folder);
        let mount = Mount::of_named_file(&inside, path);
        let file = FoundFile { mount, path: inside.clone() };
        (UserPath { assets, here, path: inside, kind: Kind::File(file.clone()) }, file)
    }

    /// The search path for an archive, and a search path with only the archive.
    fn given_archive(&self, path: &Path) -> Result<(Assets, Assets), Error> {
        let file = canonical(path);
        let known = self.cache().of::<Known>();
        let key = (file.clone(), path.to_owned());
        if let Some(found) = known.root(&key) {
            return Ok(found);
        }
        let mount = archive_mount(path, self.budget())?;
        let mut assets = self.clone();
        let parent = file.parent().unwrap_or(Path::new(""));
        if self.mounts.is_empty()
            && let Some(GameFolder { path: root, has_archives: true }) = game_folder::around(parent, "")
            && root == parent
            && let Ok(folder) = Folder::open(path.parent().unwrap_or(Path::new("")))
        {
            let mut archives = assets.game_archives(&folder);
            archives.retain(|archive| canonical(archive) != file);
            assets.push(Mount::of_folder(folder));
            assets.push_archives(&archives);
        }
        let assets = assets.with(mount);
        let found = (assets.clone(), assets.first_mount());
        known.add_root(key, &found);
        Ok(found)
    }

    /// The archives of a game, and its folders `*.pk3dir`, in the order in which the game opens them: by their names.
    /// Later ones override earlier ones. A folder that cannot be listed is one of the [`faults`](Self::faults).
    pub(crate) fn game_archives(&mut self, folder: &Folder) -> Vec<PathBuf> {
        let entries = folder.list("").unwrap_or_else(|error| {
            self.add_fault(error.to_string());
            Vec::new()
        });
        let packs = entries.into_iter().filter(|entry| match entry.kind {
            FolderEntryKind::Folder => has_extension(&entry.name, "pk3dir"),
            _ => has_extension(&entry.name, "pk3"),
        });
        let mut names: Vec<String> = packs.map(|entry| entry.name).collect();
        names.sort_by_key(|name| name.to_ascii_lowercase());
        names.iter().map(|name| folder.path_of(name)).collect()
    }

    /// Mounts the archives of a game. Archives that cannot be opened are listed in [`faults`](Self::faults).
    pub(crate) fn push_archives(&mut self, archives: &[PathBuf]) {
        for path in archives {
            match archive_mount(path, self.budget()) {
                Ok(mount) => self.push(mount),
                Err(error) => self.add_fault(error.to_string()),
            }
        }
    }
}

fn archive_mount(path: &Path, budget: Option<&Budget>) -> Result<Mount, Error> {
    if path.is_dir() {
        return Ok(Mount::of_folder(Folder::open(path)?));
    }
    let (file, name) = (RandomAccessFile::open(path)?, path.display().to_string());
    open_archive(file, &name, budget)
}

impl UserPath {
    /// The search path for companion files.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// The path in its mount.
    pub fn path(&self) -> &AssetPath {
        &self.path
    }

    /// The file, if the path names a single file, and not a folder, an archive or an entry.
    pub fn file(&self) -> Option<&FoundFile> {
        if let Kind::File(file) = &self.kind { Some(file) } else { None }
    }

    /// Whether the path names a folder, also one in an archive, or a whole archive.
    pub fn is_folder(&self) -> bool {
        match &self.kind {
            Kind::Folder => true,
            Kind::Entry(name) => AssetPath::new(name).is_ok_and(|path| self.here.listing(&path).is_there()),
            Kind::File(_) | Kind::Mesh(..) => false,
        }
    }

    /// Locates the one model that the path names, like [`Assets::locate`] for names.
    ///
    /// # Errors
    ///
    /// Same as [`Assets::locate`].
    pub fn locate(&self) -> Result<Located, Error> {
        let mut located = match &self.kind {
            Kind::File(file) => self.here.located_file(self.path.clone(), file.clone())?,
            Kind::Mesh(file, mesh) => self.here.located_mesh(self.path.clone(), file.clone(), Some(mesh))?,
            Kind::Entry(name) => self.here.locate(name)?,
            Kind::Folder if self.path.is_root() => {
                self.player().ok_or_else(|| self.here.not_found("", &AssetPath::root()))?
            }
            Kind::Folder => self.here.locate(self.path.as_str())?,
        };
        located.assets = self.assets.clone();
        Ok(located)
    }

    /// The player in the folder that the path names; `None` if there is no player in it.
    pub fn player(&self) -> Option<Located> {
        let path = match &self.kind {
            Kind::Folder => self.path.clone(),
            Kind::Entry(name) => AssetPath::new(name).ok()?,
            Kind::File(_) | Kind::Mesh(..) => return None,
        };
        let mut record = Record::default();
        let files = player::find(&self.here, &path, &mut record)?;
        Some(Located { assets: self.assets.clone(), path, files, record })
    }

    /// The Unreal mesh with this file as its geometry and another file as its frames, independent of their names.
    /// `None` if one of the two is not a file.
    pub fn with_frames(&self, frames: &UserPath) -> Option<Located> {
        let (geometry, frames) = (self.file()?, frames.file()?);
        let mut record = Record::default();
        for file in [geometry, frames] {
            record.look(Rule::Named, file.path.clone(), Some(file.clone()));
        }
        let files = ModelFiles::Pair { geometry: geometry.clone(), frames: frames.clone(), script: None };
        Some(Located { assets: self.assets.clone(), path: self.path.clone(), files, record })
    }

    /// Every model that the path names: one model, the meshes of a script, or all models below a folder or in an
    /// archive. The order does not depend on the machine. Files that cannot be searched are listed as faults.
    pub fn models(&self, options: &FindOptions) -> FoundModels {
        FoundModels::of(self.each_model(options), self.here.budget())
    }

    /// Like [`models`](Self::models), one model after the other.
    pub fn each_model(&self, options: &FindOptions) -> Models {
        let mut found = match &self.kind {
            Kind::File(file) if is_script(self.path.file_name()) => {
                self.here.models_of_script(&self.path, file)
            }
            Kind::Entry(name) => match AssetPath::new(name) {
                Ok(path) if matches!(self.here.find(&path), Ok(None)) && self.here.has_folder(&path) => {
                    return Models::new(&self.here, &self.assets, &path, options);
                }
                _ => FoundModels::of([self.here.locate(name)], None),
            },
            Kind::Folder => return Models::new(&self.here, &self.assets, &self.path, options),
            Kind::File(_) | Kind::Mesh(..) => FoundModels::of([self.locate()], None),
        };
        for model in &mut found.models {
            // Models in an archive inside the folder have their own search path.
            if model.is_in(&self.here) {
                model.assets = self.assets.clone();
            }
        }
        Models::of(&self.here, &self.assets, found)
    }
}
