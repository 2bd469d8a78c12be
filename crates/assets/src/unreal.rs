//! Finds the two files of an Unreal mesh: by their names, or by a script.

use std::sync::Arc;

use meshlens::unreal::FileKind;
use meshlens::unreal::pairing::{FileName, companion, other_names};

use crate::located::ModelFiles;
use crate::record::Record;
use crate::scripts::{Import, ScriptMesh};
use crate::{AssetPath, Assets, Error, FoundFile, Rule};

/// The largest number of scripts that are read to find the one that imports a mesh.
const MAX_SCRIPTS: usize = 4096;
/// The largest number of folders from a mesh up to its package.
const FOLDERS_ABOVE: usize = 3;

/// The kind of a file by its name; `None` if no mesh file has such a name.
pub(crate) fn kind_of(name: &str) -> Option<FileKind> {
    FileName::parse(name).map(|name| name.kind)
}

/// Whether a file may be part of a mesh of two files. Its name or a script then determines the other file.
pub(crate) fn may_be_half(name: &str) -> bool {
    crate::archive_files::has_extension(name, "3d")
}

/// The paths that the other file can have, the preferred one first.
fn other_paths(path: &AssetPath) -> impl Iterator<Item = AssetPath> {
    let folder = path.folder();
    other_names(path.file_name()).into_iter().map(move |name| folder.child(&name))
}

/// The preferred path of the other file.
pub(crate) fn other_path(path: &AssetPath) -> Option<AssetPath> {
    other_paths(path).next()
}

impl Assets {
    /// The mesh that a file belongs to.
    pub(crate) fn mesh_of_half(
        &self,
        path: &AssetPath,
        file: FoundFile,
        kind: FileKind,
        record: &mut Record,
    ) -> ModelFiles {
        let folder = path.folder();
        let looked_for = other_path(path);
        let is_known = |path: &&AssetPath| self.mounts.iter().any(|mount| mount.files.knows(path));
        let known = looked_for.as_ref().filter(is_known).and_then(|known| self.find_any(known));
        let listed = || {
            let listing = self.listing(&folder);
            let usual = looked_for.as_ref().map_or("", AssetPath::file_name);
            let spelled = companion(path.file_name(), listing.spellings(usual));
            spelled.and_then(|name| self.find_any(&folder.child(name)))
        };
        let unlisted = || {
            let other = |path| Some(file.in_same_mount(path)).filter(|other| self.may_exist(other));
            other_paths(path).filter(|_| file.mount.files.has_unlisted()).find_map(other)
        };
        let other = known.or_else(unlisted).or_else(listed);
        if let Some(looked_for) = &looked_for {
            record.look(Rule::Pair, looked_for.clone(), other.clone());
        }
        let (geometry, frames) = match (kind, other) {
            (FileKind::Geometry, other) => (Some(file.clone()), other),
            (FileKind::Frames, other) => (other, Some(file.clone())),
        };
        let imports = |import: &Import| {
            let is = |named: &Option<FoundFile>, file: &Option<FoundFile>| match (named, file) {
                (Some(named), Some(file)) => named.path.names_same(&file.path),
                (Some(_), None) => true,
                _ => false,
            };
            is(&import.geometry.found, &geometry) && is(&import.frames.found, &frames)
        };
        let found = self.scripts_of(path, imports, record);
        match (geometry, frames) {
            (Some(geometry), Some(frames)) => {
                let script = found.into_iter().next().map(|(script, ..)| script);
                ModelFiles::Pair { geometry, frames, script }
            }
            // A script pairs files with other names, if there is only one such pair.
            _ => match <[_; 1]>::try_from(found) {
                Ok([(script, geometry, frames)]) => {
                    let at = if kind == FileKind::Geometry { &frames } else { &geometry };
                    record.look(Rule::Pair, at.path.clone(), Some(at.clone()));
                    let (geometry, frames) = match kind {
                        FileKind::Geometry => (file, frames),
                        FileKind::Frames => (geometry, file),
                    };
                    ModelFiles::Pair { geometry, frames, script: Some(script) }
                }
                Err(_) => {
                    let looked_for = looked_for.into_iter().collect();
                    ModelFiles::Unpaired { kind, file, looked_for, refused: Vec::new() }
                }
            },
        }
    }

    /// The scripts that import a mesh, with its files. Searches the folder of the mesh, and `Classes` in it and above
    /// it.
    fn scripts_of(
        &self,
        path: &AssetPath,
        imports: impl Fn(&Import) -> bool,
        record: &mut Record,
    ) -> Vec<(Arc<ScriptMesh>, FoundFile, FoundFile)> {
        let stem = FileName::parse(path.file_name()).map_or(path.stem(), |name| name.stem);
        let first = format!("{stem}.uc");
        let own = path.folder();
        let packages = own.up_to_root().take(FOLDERS_ABOVE + 1);
        let classes = packages.map(|package| package.child("Classes"));
        let mut left = MAX_SCRIPTS;
        let mut found: Vec<(Arc<ScriptMesh>, FoundFile, FoundFile)> = Vec::new();
        for folder in [own.clone()].into_iter().chain(classes) {
            let scripts = self.scripts_in(&folder, &first);
            for script in scripts.iter().take(left) {
                left -= 1;
                let Ok(Some(file)) = self.find(script) else { continue };
                match self.imports(script, &file) {
                    Ok(known) => {
                        found.extend(known.iter().filter(|import| imports(import)).filter_map(|import| {
                            let (geometry, frames) = (&import.geometry.found, &import.frames.found);
                            Some((import.script.clone(), geometry.clone()?, frames.clone()?))
                        }));
                        if !found.is_empty() {
                            record.look(Rule::Script, script.clone(), Some(file));
                        }
                    }
                    // Most scripts of a package are not relevant.
                    Err(error @ Error::Parse { .. }) => drop(error),
                    Err(error) => record.unreadable(&error),
                }
                if !found.is_empty() {
                    return found;
                }
            }
            if folder == own || self.has_folder(&folder) {
                record.look(Rule::Script, folder.child(&first), None);
            }
        }
        found
    }
}
