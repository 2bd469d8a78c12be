//! Finds every model below a folder, one after the other.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use meshlens::Format;
use meshlens::wire::Budget;

use crate::archive_files::is_archive;
use crate::located::{Located, ModelFiles};
use crate::mount::MountKind;
use crate::player::Players;
use crate::record::Record;
use crate::script_pairs::ScriptPairs;
use crate::scripts::{ScriptMesh, is_script};
use crate::walk::{PairRole, Walk, Walked};
use crate::{AssetPath, Assets, Error, FoundFile, unreal};

/// Options that determine which files are listed as models.
#[derive(Clone, Copy, Debug, Default)]
pub struct FindOptions {
    /// Whether to list files that an [importer](Assets::add_importer) reads, such as those of glTF.
    pub imported: bool,
    /// Whether to check the first bytes of files with other names. Files in archives are never checked, and neither are copies
    /// that were kept before a change, such as `x.md3.bak`.
    pub content: bool,
    /// Whether to search in archives (`.pk3`, `.zip`) that are in folders.
    pub archives: bool,
    /// Whether to list a player once, by its folder, instead of its parts.
    pub players: bool,
    /// Whether to list the skins of MD3 models (`.skin`) as well, which are texts.
    pub skins: bool,
}

/// The models below a folder.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FoundModels {
    /// The models, sorted by the names of their files. An Unreal mesh is sorted by its geometry file.
    pub models: Vec<Located>,
    /// The errors for files and folders that could not be searched.
    pub faults: Vec<Error>,
}

impl FoundModels {
    /// Collects models. The search ends where they would take more memory than the budget has left.
    pub(crate) fn of(
        models: impl IntoIterator<Item = Result<Located, Error>>,
        budget: Option<&Budget>,
    ) -> FoundModels {
        let mut found = FoundModels::default();
        let mut reserved = budget.map(Budget::empty);
        for model in models {
            let bytes = match &model {
                Ok(model) => size_of_val(model) + model.files.files().len() * size_of::<FoundFile>(),
                Err(error) => size_of_val(error),
            };
            let path = model.as_ref().map_or("", |model| model.path.as_str());
            let grown = reserved
                .as_mut()
                .map(|reserved| reserved.grow(bytes + 2 * path.len(), format_args!("the list of models")));
            if let Some(Err(over)) = grown {
                found.faults.push(Error::memory(path, over));
                return found;
            }
            match model {
                Ok(model) => found.models.push(model),
                Err(error) => found.faults.push(error),
            }
        }
        found
    }
}

/// The models below a folder, found one after the other: memory does not grow with their number. Files that cannot be
/// searched are errors, after which the others follow.
///
/// Each folder is listed once. The lists of names and the pairs of files that scripts name are kept, and their memory is
/// reserved from the [budget](Assets::set_budget).
pub struct Models {
    /// The search path that is walked.
    assets: Assets,
    /// The search path of the models.
    search: Assets,
    options: FindOptions,
    walk: Walk,
    scripts: ScriptPairs,
    players: Players,
    /// Found models that have not been returned yet.
    ready: VecDeque<Result<Located, Error>>,
    /// The models in an archive in a folder.
    inner: Option<Box<Models>>,
}

impl Models {
    pub(crate) fn new(assets: &Assets, search: &Assets, folder: &AssetPath, options: &FindOptions) -> Models {
        let mut models = Models::of(assets, search, FoundModels::default());
        models.options = *options;
        match ScriptPairs::read(assets, folder, &mut models.ready) {
            Ok(scripts) => (models.scripts, models.walk) = (scripts, Walk::new(assets, folder, true)),
            Err(error) => models.ready.push_back(Err(error)),
        }
        models
    }

    /// Models that are already found.
    pub(crate) fn of(assets: &Assets, search: &Assets, found: FoundModels) -> Models {
        let mut ready: VecDeque<Result<Located, Error>> = found.models.into_iter().map(Ok).collect();
        ready.extend(found.faults.into_iter().map(Err));
        Models {
            assets: assets.clone(),
            search: search.clone(),
            options: FindOptions::default(),
            walk: Walk::default(),
            scripts: ScriptPairs::default(),
            players: Players::default(),
            ready,
            inner: None,
        }
    }

    fn found(&mut self, path: AssetPath, files: ModelFiles) {
        let assets = self.search.clone();
        self.ready.push_back(Ok(Located { assets, path, files, record: Record::default() }));
    }

    /// A model in one file, or the player that it is a part of.
    fn single(&mut self, path: AssetPath, file: FoundFile) {
        if self.options.players {
            if self.players.has(&path) {
                return;
            }
            if let Some((folder, files, record)) = self.players.find(&self.assets, &path) {
                let assets = self.search.clone();
                self.ready.push_back(Ok(Located { assets, path: folder, files, record }));
                return;
            }
        }
        self.found(path, ModelFiles::Single(file));
    }

    fn visit(&mut self, Walked { path, file, halves }: Walked) -> Result<(), Error> {
        if unreal::may_be_half(path.file_name()) {
            if unreal::kind_of(path.file_name()).is_none() && self.assets.is_packed(&file) {
                self.found(path, ModelFiles::Single(file));
            } else {
                self.meshes(&path, &file, halves);
            }
        } else if is_script(path.file_name()) {
            // The meshes of the script are listed with their geometry files.
        } else if self.options.archives
            && is_archive(path.file_name())
            && file.mount.kind == MountKind::Folder
        {
            let archive = self.assets.archive(&file)?;
            let only = archive.first_mount();
            self.inner = Some(Box::new(Models::new(&only, &archive, &AssetPath::root(), &self.options)));
        } else if self.assets.is_model(&path, &file, &self.options)? {
            self.single(path, file);
        }
        Ok(())
    }

    /// The meshes of an Unreal file: each pair once, at its geometry file, and a file without a partner.
    fn meshes(&mut self, path: &AssetPath, file: &FoundFile, halves: Vec<PairRole>) {
        let mut pairs: BTreeMap<AssetPath, (FoundFile, Option<Arc<ScriptMesh>>)> = BTreeMap::new();
        let mut lone = None;
        for half in halves {
            match half {
                PairRole::Pair(frames) => {
                    pairs.insert(frames.path.clone(), (frames, None));
                }
                PairRole::Lone(kind) => lone = Some(kind),
            }
        }
        for (frames, script) in self.scripts.of(&file.path) {
            let pair = pairs.entry(frames.path.clone()).or_insert_with(|| (frames.clone(), None));
            pair.1.get_or_insert_with(|| script.clone());
        }
        for (frames, script) in pairs.into_values() {
            let geometry = file.clone();
            self.found(path.clone(), ModelFiles::Pair { geometry, frames, script });
        }
        if let Some(kind) = lone.filter(|_| !self.scripts.paired.contains(&file.path)) {
            let looked_for = unreal::other_path(path).into_iter().collect();
            let (file, refused) = (file.clone(), Vec::new());
            self.found(path.clone(), ModelFiles::Unpaired { kind, file, looked_for, refused });
        }
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models").field("assets", &self.assets).finish_non_exhaustive()
    }
}

impl Iterator for Models {
    type Item = Result<Located, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            if let Some(found) = self.inner.as_mut().and_then(|inner| inner.next()) {
                return Some(found);
            }
            self.inner = None;
            let walked = self.walk.next(&self.assets)?;
            if let Err(error) = walked.and_then(|walked| self.visit(walked)) {
                return Some(Err(error));
            }
        }
    }
}

impl Assets {
    /// Finds every model below a folder, in all mounts, without reading models. Each Unreal mesh is listed once, with
    /// the script that imports it. Other files are recognized by their names or, depending on the options, by their
    /// first bytes.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::write(folder.path().join("flag.md3"), "")?;
    /// # std::fs::write(folder.path().join("gun_d.3d"), "")?;
    /// # std::fs::write(folder.path().join("gun_a.3d"), "")?;
    /// # std::fs::write(folder.path().join("readme.txt"), "")?;
    /// use meshlens_assets::{AssetPath, Assets, FindOptions};
    ///
    /// let mut assets = Assets::new();
    /// assets.mount_folder(folder.path())?;
    /// let found = assets.find_models(&AssetPath::root(), &FindOptions::default());
    /// let names: Vec<&str> = found.models.iter().map(|model| model.path().as_str()).collect();
    /// assert_eq!(names, ["flag.md3", "gun_d.3d"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_models(&self, folder: &AssetPath, options: &FindOptions) -> FoundModels {
        FoundModels::of(self.each_model(folder, options), self.budget())
    }

    /// Like [`find_models`](Self::find_models), one model after the other.
    pub fn each_model(&self, folder: &AssetPath, options: &FindOptions) -> Models {
        Models::new(self, self, folder, options)
    }

    /// The meshes that a script imports.
    pub(crate) fn models_of_script(&self, path: &AssetPath, file: &FoundFile) -> FoundModels {
        match self.imports(path, file) {
            Ok(imports) => {
                let found = imports.iter().map(|import| self.located_import(import, Record::default()));
                FoundModels::of(found, self.budget())
            }
            Err(error) => FoundModels::of([Err(error)], None),
        }
    }

    /// A path of the first mount in the form that users write.
    pub(crate) fn shown(&self, path: &AssetPath) -> String {
        match self.mounts.last() {
            Some(mount) => FoundFile { mount: mount.clone(), path: path.clone() }.to_string(),
            None => path.to_string(),
        }
    }

    /// Whether a file has both files of an Unreal mesh.
    fn is_packed(&self, file: &FoundFile) -> bool {
        let start = self.read_range(file, 0..Format::DETECT_BYTES as u64);
        start.is_ok_and(|start| Format::detect(&start.bytes) == Some(Format::Unreal))
    }

    /// Whether a file is a model. It is recognized by its name, so that a broken model is not skipped silently, or
    /// otherwise by its first bytes.
    fn is_model(&self, path: &AssetPath, file: &FoundFile, options: &FindOptions) -> Result<bool, Error> {
        let extension = path.extension();
        if Format::from_extension(extension).is_some()
            || options.imported && self.is_imported(extension)
            || options.skins && extension.eq_ignore_ascii_case("skin")
        {
            return Ok(true);
        }
        if !options.content || is_backup(path) || file.mount.kind == MountKind::Archive {
            return Ok(false);
        }
        let head = self.read_range(file, 0..Format::DETECT_BYTES as u64)?;
        Ok(Format::detect(&head.bytes).is_some())
    }
}

/// Whether a file is a copy of a model from before a change, by its name, such as `x.md3.bak`.
fn is_backup(path: &AssetPath) -> bool {
    let own = path.stem().rsplit_once('.').is_some_and(|(_, own)| Format::from_extension(own).is_some());
    own && path.extension().eq_ignore_ascii_case("bak")
}

impl Located {
    /// Whether the files are in the mounts of `assets`, and not in an archive inside them.
    pub(crate) fn is_in(&self, assets: &Assets) -> bool {
        let own = |file: &&FoundFile| {
            assets.mounts.iter().any(|mount| Arc::ptr_eq(&mount.files, &file.mount.files))
        };
        self.assets.mounts.len() == assets.mounts.len() || self.files.files().iter().all(own)
    }
}
