//! From the paths of the command line to the models they name, in an order that does not depend on the machine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshlens::Format;
use meshlens::unreal::Role;
use meshlens_source::{Archive, Entry, HEAD_LEN, Source, read_head, split_entry_path};
use walkdir::WalkDir;

use crate::open;
use crate::pairs::{self, FolderMeshes, Import, Names, ScriptMesh};
use crate::status::Status;
use crate::tell::tell;

/// One model: what to call it, and where its bytes are.
#[derive(Clone)]
pub(crate) struct Item {
    /// The path as given, or made from it; entries of archives as `archive!entry`. Of two files, the geometry's.
    pub(crate) uri: String,
    pub(crate) input: Input,
}

impl Item {
    /// Where the model is: of two files, the geometry.
    pub(crate) const fn location(&self) -> &Location {
        match &self.input {
            Input::One(location) | Input::Half(_, location) | Input::Pair { geometry: location, .. } => {
                location
            }
        }
    }
}

/// The files of a model.
#[derive(Clone)]
pub(crate) enum Input {
    /// All of it is in one file.
    One(Location),
    /// The two files of an Unreal mesh, and the script that named them.
    Pair { geometry: Location, frames: Location, script: Option<Arc<ScriptMesh>> },
    /// One file of an Unreal mesh, whose other one is not there.
    Half(Role, Location),
}

#[derive(Clone)]
pub(crate) enum Location {
    File(PathBuf),
    Entry { archive: Arc<Archive<Source>>, entry: usize },
    Stdin,
}

/// The models that `paths` name, and whether some path could not be followed, of which standard error then tells.
pub(crate) fn expand(paths: &[PathBuf], no_mmap: bool) -> (Vec<Item>, Status) {
    let mut expansion = Expansion {
        items: Vec::new(),
        status: Status::Fine,
        no_mmap,
        names: Names::default(),
        listed: HashSet::new(),
    };
    for path in paths {
        expansion.path(path);
    }
    (expansion.items, expansion.status)
}

/// Whether the paths name one model by themselves, not a folder, an archive or several.
pub(crate) fn is_single(paths: &[PathBuf]) -> bool {
    matches!(paths, [path] if !path.is_dir() && !is_archive_name(path) && !pairs::is_script_name(path))
}

struct Expansion {
    items: Vec<Item>,
    status: Status,
    no_mmap: bool,
    names: Names,
    /// The pairs that were named file by file, so that naming both files lists them once.
    listed: HashSet<(PathBuf, PathBuf)>,
}

impl Expansion {
    fn fail(&mut self, message: impl std::fmt::Display) {
        tell!("{message}");
        self.status = Status::Failed;
    }

    fn push(&mut self, uri: String, location: Location) {
        self.items.push(Item { uri, input: Input::One(location) });
    }

    fn path(&mut self, path: &Path) {
        if path.as_os_str() == "-" {
            self.push("-".into(), Location::Stdin);
        } else if path.is_dir() {
            self.folder(path);
        } else if let Some((archive, entry)) = split_entry_path(path) {
            self.entry(archive, entry);
        } else if is_archive_name(path) {
            self.archive(path);
        } else if pairs::is_script_name(path) {
            self.script(path);
        } else if let Some(role) = pairs::role(path) {
            self.half(path, role);
        } else {
            self.push(path.display().to_string(), Location::File(path.into()));
        }
    }

    /// A file that its name says is half of a mesh, with the other half beside it.
    fn half(&mut self, path: &Path, role: Role) {
        match self.names.companion(path) {
            Some(other) => {
                let (geometry, frames) = match role {
                    Role::Geometry => (path.to_owned(), other),
                    Role::Frames => (other, path.to_owned()),
                };
                if self.listed.insert((geometry.clone(), frames.clone())) {
                    self.items.push(pairs::item(&geometry, &frames, None));
                }
            }
            None => self.items.push(pairs::half(path, role)),
        }
    }

    /// The meshes that a script imports.
    fn script(&mut self, path: &Path) {
        let text = match open::source(path, self.no_mmap, Vec::new()) {
            Ok(source) => source,
            Err(error) => return self.fail(error),
        };
        let imports = match pairs::imports(path, &text, &mut self.names) {
            Ok(imports) => imports,
            Err(error) => return self.fail(format_args!("{}: {error}", path.display())),
        };
        for import in imports {
            match import {
                Import { geometry: Some(geometry), frames: Some(frames), script, .. } => {
                    self.items.push(pairs::item(&geometry, &frames, Some(script)));
                }
                Import { geometry: Some(geometry), .. } => {
                    self.items.push(pairs::half(&geometry, Role::Geometry));
                }
                Import { frames: Some(frames), .. } => self.items.push(pairs::half(&frames, Role::Frames)),
                Import { mesh, .. } => {
                    self.fail(format_args!("{}: the files of mesh {mesh} are not there", path.display()));
                }
            }
        }
    }

    /// Every model and archive below a folder, by name; links are followed, but not in circles.
    fn folder(&mut self, folder: &Path) {
        let mut meshes = FolderMeshes::default();
        let mut found = Vec::new();
        for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
            match entry {
                // What a circle leads to has been listed, or will be.
                Err(error) if error.loop_ancestor().is_some() => tell!("{error}"),
                Err(error) => self.fail(error),
                Ok(entry) if entry.file_type().is_dir() => {}
                // Opening a pipe would wait for somebody to write to it.
                Ok(entry) if !entry.file_type().is_file() => {
                    if has_model_name(entry.path()) || is_archive_name(entry.path()) {
                        self.fail(format_args!("{}: not a regular file", entry.path().display()));
                    }
                }
                Ok(entry) => {
                    if pairs::is_script_name(entry.path()) {
                        self.folder_script(entry.path(), &mut meshes);
                    } else if pairs::may_be_half(entry.path()) {
                        meshes.add(entry.path());
                    }
                    found.push(entry.into_path());
                }
            }
        }
        // Which files belong together is only known once all of them are.
        let mut meshes = meshes.finish();
        for path in found {
            if is_archive_name(&path) {
                self.archive(&path);
            } else if pairs::may_be_half(&path) {
                self.items.extend(meshes.remove(&path).unwrap_or_default());
            } else {
                match is_model(&path) {
                    Ok(true) => self.push(path.display().to_string(), Location::File(path)),
                    Ok(false) => {}
                    Err(error) => self.fail(error),
                }
            }
        }
    }

    /// A script in a folder is only asked which files belong together; most import no mesh at all.
    fn folder_script(&mut self, path: &Path, meshes: &mut FolderMeshes) {
        match open::source(path, self.no_mmap, Vec::new()) {
            Ok(source) => {
                let imports = pairs::imports(path, &source, &mut self.names).unwrap_or_default();
                imports.into_iter().for_each(|import| meshes.add_import(import));
            }
            Err(error) => self.fail(error),
        }
    }

    fn open_archive(&mut self, path: &Path) -> Option<Arc<Archive<Source>>> {
        let opened = open::source(path, self.no_mmap, Vec::new()).and_then(Archive::open);
        opened.map(Arc::new).map_err(|error| self.fail(error)).ok()
    }

    /// Every model of an archive, by name. Entries with unsafe names are reported, and the rest goes on.
    fn archive(&mut self, path: &Path) {
        let Some(archive) = self.open_archive(path) else { return };
        let mut entries: Vec<(usize, &Entry)> = archive.entries().iter().enumerate().collect();
        entries.sort_by_key(|(number, entry)| (entry.name().to_ascii_lowercase(), *number));
        let mut meshes = pairs::in_archive(path, &archive);
        for (number, entry) in entries {
            if let Some(fault) = entry.name_fault() {
                self.fail(format_args!("{}!{}: {fault}", archive.name(), entry.name().escape_debug()));
            } else if let Some(items) = meshes.remove(&number) {
                self.items.extend(items);
            } else if !entry.is_folder()
                && has_model_name(Path::new(entry.name()))
                && !pairs::may_be_half(Path::new(entry.name()))
            {
                let uri = format!("{}!{}", path.display(), entry.name());
                self.push(uri, Location::Entry { archive: archive.clone(), entry: number });
            }
        }
    }

    fn entry(&mut self, path: &Path, name: &str) {
        let Some(archive) = self.open_archive(path) else { return };
        let found = archive.find(name).map(|entry| entry.header_offset());
        let number = archive.entries().iter().position(|entry| Some(entry.header_offset()) == found);
        let Some(entry) = number else {
            return self.fail(format_args!("{}: no entry {name}", path.display()));
        };
        if pairs::role(Path::new(name)).is_some() {
            let of_entry = |item: &Item| match &item.input {
                Input::Pair { geometry, frames, .. } => geometry.is_entry(entry) || frames.is_entry(entry),
                Input::Half(_, location) | Input::One(location) => location.is_entry(entry),
            };
            let meshes = pairs::in_archive(path, &archive);
            return self.items.extend(meshes.into_values().flatten().find(of_entry));
        }
        self.push(format!("{}!{name}", path.display()), Location::Entry { archive, entry });
    }
}

impl Location {
    fn is_entry(&self, number: usize) -> bool {
        matches!(self, Location::Entry { entry, .. } if *entry == number)
    }
}

fn is_archive_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("pk3") || extension.eq_ignore_ascii_case("zip")
}

fn has_model_name(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).and_then(Format::from_extension).is_some()
}

/// Whether a file found in a folder is a model: by its name, so that a broken one is not passed over in silence, or
/// else by how it begins.
fn is_model(path: &Path) -> Result<bool, meshlens_source::Error> {
    if has_model_name(path) {
        return Ok(true);
    }
    let mut head = [0; HEAD_LEN];
    Ok(Format::detect(read_head(path, &mut head)?.bytes()).is_some())
}
