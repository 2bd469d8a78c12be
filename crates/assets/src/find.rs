//! Finds every model below a folder.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use meshlens::Format;
use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::pairs;

use crate::archive_files::is_archive;
use crate::located::{Located, ModelFiles};
use crate::mount::MountKind;
use crate::record::Record;
use crate::scripts::{Import, ScriptMesh, is_script};
use crate::{AssetPath, Assets, Error, FoundFile, unreal};

/// The largest number of files and folders that are visited below one folder.
const MAX_WALKED: usize = 1 << 22;

/// Options that determine which files are listed as models.
#[derive(Clone, Copy, Debug, Default)]
pub struct FindOptions<'o> {
    /// Additional extensions of files to list, without the dot.
    pub extensions: &'o [&'o str],
    /// Whether to check the first bytes of files with other names. Files in archives are never checked.
    pub content: bool,
    /// Whether to search in archives (`.pk3`, `.zip`) that are in folders.
    pub archives: bool,
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
    pub(crate) fn of(located: Result<Located, Error>) -> FoundModels {
        match located {
            Ok(located) => FoundModels { models: vec![located], faults: Vec::new() },
            Err(error) => FoundModels { models: Vec::new(), faults: vec![error] },
        }
    }
}

/// A file that was visited.
struct Walked {
    path: AssetPath,
    file: FoundFile,
}

impl Assets {
    /// Finds every model below a folder, in all mounts, without reading models. Each Unreal mesh is listed once, with
    /// the script that imports it. Other files are recognized by their names or, if the options say so, by their first
    /// bytes.
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
    pub fn find_models(&self, folder: &AssetPath, options: &FindOptions<'_>) -> FoundModels {
        let mut found = FoundModels::default();
        let walked = self.walk(folder, &mut found.faults);
        let mut meshes = Meshes::default();
        for Walked { path, file } in &walked {
            if is_script(path.file_name()) {
                // Most scripts import no mesh; whether they parse does not matter.
                match self.imports(path, file) {
                    Ok(imports) => meshes.scripts.push(imports),
                    Err(Error::Parse { .. }) => {}
                    Err(error) => found.faults.push(error),
                }
            } else if unreal::may_be_half(path.file_name()) {
                meshes.add(path, file);
            }
        }
        let mut meshes = meshes.finish();
        for Walked { path, file } in walked {
            if unreal::may_be_half(path.file_name()) {
                for files in meshes.remove(&path).unwrap_or_default() {
                    let (assets, path) = (self.clone(), path.clone());
                    found.models.push(Located { assets, path, files, record: Record::default() });
                }
            } else if options.archives && is_archive(path.file_name()) && file.mount.kind == MountKind::Folder
            {
                match self.archive(&file) {
                    Ok(archive) => {
                        let inner = archive.first_mount().find_models(&AssetPath::root(), options);
                        let models = inner.models.into_iter();
                        found.models.extend(models.map(|model| Located { assets: archive.clone(), ..model }));
                        found.faults.extend(inner.faults);
                    }
                    Err(error) => found.faults.push(error),
                }
            } else {
                match self.is_model(&path, &file, options) {
                    Ok(true) => {
                        let (assets, files) = (self.clone(), ModelFiles::Single(file));
                        found.models.push(Located { assets, path, files, record: Record::default() });
                    }
                    Ok(false) => {}
                    Err(error) => found.faults.push(error),
                }
            }
        }
        found
    }

    /// The meshes that a script imports.
    pub(crate) fn models_of_script(&self, path: &AssetPath, file: &FoundFile) -> FoundModels {
        let mut found = FoundModels::default();
        match self.imports(path, file) {
            Ok(imports) => {
                for import in imports.iter() {
                    match self.located_import(import, Record::default()) {
                        Ok(model) => found.models.push(model),
                        Err(error) => found.faults.push(error),
                    }
                }
            }
            Err(error) => found.faults.push(error),
        }
        found
    }

    /// Every file below a folder, sorted by path in archives, and by name in each folder.
    fn walk(&self, folder: &AssetPath, faults: &mut Vec<Error>) -> Vec<Walked> {
        let mut walked = Vec::new();
        let mut folders = 0;
        // Reversed, so that the next name is at the end.
        let mut left: Vec<(AssetPath, Option<FoundFile>)> = vec![(folder.clone(), None)];
        while let Some((path, file)) = left.pop() {
            if let Some(file) = file {
                walked.push(Walked { path, file });
                continue;
            }
            folders += 1;
            if folders + walked.len() + left.len() > MAX_WALKED {
                faults.push(Error::TooManyFiles { folder: folder.to_string().into(), limit: MAX_WALKED });
                break;
            }
            let listing = self.listing(&path);
            for (folder, error) in &listing.faults {
                let error = std::io::Error::new(error.kind(), error.to_string());
                faults.push(Error::listing(folder, error));
            }
            faults.extend(listing.loops.iter().map(|path| Error::Loop(self.shown(path).into())));
            let start = left.len();
            for file in listing.files(&self.mounts) {
                left.push((path.child(file.path.file_name()), Some(file)));
            }
            left.extend(listing.folder_names().iter().map(|name| (path.child(name), None)));
            left[start..].sort_by(|(a, _), (b, _)| b.file_name().cmp(a.file_name()));
        }
        if self.mounts.last().is_some_and(|mount| mount.kind == MountKind::Archive) {
            walked.sort_by_cached_key(|walked| walked.path.folded());
            faults.extend(self.mounts.iter().flat_map(|mount| mount.refused()).map(Error::Source));
        }
        walked
    }

    /// A path of the first mount in the form that users write.
    fn shown(&self, path: &AssetPath) -> String {
        match self.mounts.last() {
            Some(mount) => FoundFile { mount: mount.clone(), path: path.clone() }.to_string(),
            None => path.to_string(),
        }
    }

    /// Whether a file is a model. Recognized by its name, so that a broken model is not skipped silently, or else by
    /// its first bytes.
    fn is_model(&self, path: &AssetPath, file: &FoundFile, options: &FindOptions<'_>) -> Result<bool, Error> {
        let extension = path.extension();
        if Format::from_extension(extension).is_some()
            || options.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
        {
            return Ok(true);
        }
        if !options.content || file.mount.kind == MountKind::Archive {
            return Ok(false);
        }
        let head = self.read_range(file, 0..Format::DETECT_BYTES as u64)?;
        Ok(Format::detect(&head.bytes).is_some())
    }
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

/// The files of Unreal meshes below a folder, and the pairs that scripts define.
#[derive(Default)]
struct Meshes {
    folders: BTreeMap<AssetPath, BTreeMap<String, FoundFile>>,
    scripts: Vec<Arc<Vec<Import>>>,
}

impl Meshes {
    fn add(&mut self, path: &AssetPath, file: &FoundFile) {
        self.folders.entry(path.folder()).or_default().insert(path.file_name().into(), file.clone());
    }

    /// The models to list at each file: each pair once, at its geometry file, and each file without a partner.
    fn finish(self) -> HashMap<AssetPath, Vec<ModelFiles>> {
        let mut found: BTreeMap<(AssetPath, AssetPath), Option<Arc<ScriptMesh>>> = BTreeMap::new();
        let mut lone: Vec<(AssetPath, FileKind)> = Vec::new();
        let mut files: HashMap<AssetPath, FoundFile> = HashMap::new();
        for (folder, names) in &self.folders {
            files.extend(names.iter().map(|(name, file)| (folder.child(name), file.clone())));
            for paired in pairs(names.keys().map(String::as_str)) {
                let path = |name: &str| folder.child(name);
                match (paired.geometry.map(path), paired.frames.map(path)) {
                    (Some(geometry), Some(frames)) => {
                        found.insert((geometry, frames), None);
                    }
                    (Some(geometry), None) => lone.push((geometry, FileKind::Geometry)),
                    (None, Some(frames)) => lone.push((frames, FileKind::Frames)),
                    (None, None) => {}
                }
            }
        }
        for import in self.scripts.iter().flat_map(|imports| imports.iter()) {
            let known = |file: &Option<FoundFile>| file.as_ref().map(|file| file.path.clone());
            if let (Some(geometry), Some(frames)) =
                (known(&import.geometry.found), known(&import.frames.found))
                && files.contains_key(&geometry)
                && files.contains_key(&frames)
            {
                found.entry((geometry, frames)).or_default().get_or_insert(import.script.clone());
            }
        }
        let paired: BTreeSet<&AssetPath> = found.keys().flat_map(|(a, b)| [a, b]).collect();
        lone.retain(|(path, _)| !paired.contains(path));
        let mut models: HashMap<AssetPath, Vec<ModelFiles>> = HashMap::new();
        for ((geometry, frames), script) in found {
            let (Some(first), Some(second)) = (files.get(&geometry), files.get(&frames)) else { continue };
            let pair = ModelFiles::Pair { geometry: first.clone(), frames: second.clone(), script };
            models.entry(geometry).or_default().push(pair);
        }
        for (path, kind) in lone {
            if let Some(file) = files.get(&path) {
                let looked_for = unreal::other_path(&path).into_iter().collect();
                let (file, refused) = (file.clone(), Vec::new());
                let half = ModelFiles::Unpaired { kind, file, looked_for, refused };
                models.entry(path).or_default().push(half);
            }
        }
        models
    }
}
