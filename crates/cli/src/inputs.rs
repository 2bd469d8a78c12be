//! From the paths of the command line to the models they name, in an order that does not depend on the machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshlens::Format;
use meshlens_source::{Archive, Entry, HEAD_LEN, Source, read_head, split_entry_path};
use walkdir::WalkDir;

use crate::open;
use crate::status::Status;
use crate::tell::tell;

/// One model: what to call it, and where its bytes are.
#[derive(Clone)]
pub(crate) struct Item {
    /// The path as given, or made from it; entries of archives as `archive!entry`.
    pub(crate) uri: String,
    pub(crate) location: Location,
}

#[derive(Clone)]
pub(crate) enum Location {
    File(PathBuf),
    Entry { archive: Arc<Archive<Source>>, entry: usize },
    Stdin,
}

/// The models that `paths` name, and whether some path could not be followed, of which standard error then tells.
pub(crate) fn expand(paths: &[PathBuf], no_mmap: bool) -> (Vec<Item>, Status) {
    let mut expansion = Expansion { items: Vec::new(), status: Status::Fine, no_mmap };
    for path in paths {
        expansion.path(path);
    }
    (expansion.items, expansion.status)
}

/// Whether the paths name one model by themselves, not a folder, an archive or several.
pub(crate) fn is_single(paths: &[PathBuf]) -> bool {
    matches!(paths, [path] if !path.is_dir() && !is_archive_name(path))
}

struct Expansion {
    items: Vec<Item>,
    status: Status,
    no_mmap: bool,
}

impl Expansion {
    fn fail(&mut self, message: impl std::fmt::Display) {
        tell!("{message}");
        self.status = Status::Failed;
    }

    fn push(&mut self, uri: String, location: Location) {
        self.items.push(Item { uri, location });
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
        } else {
            self.push(path.display().to_string(), Location::File(path.into()));
        }
    }

    /// Every model and archive below a folder, by name; links are followed, but not in circles.
    fn folder(&mut self, folder: &Path) {
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
                Ok(entry) if is_archive_name(entry.path()) => self.archive(entry.path()),
                Ok(entry) => match is_model(entry.path()) {
                    Ok(true) => {
                        self.push(entry.path().display().to_string(), Location::File(entry.into_path()));
                    }
                    Ok(false) => {}
                    Err(error) => self.fail(error),
                },
            }
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
        for (number, entry) in entries {
            if let Some(fault) = entry.name_fault() {
                self.fail(format_args!("{}!{}: {fault}", archive.name(), entry.name().escape_debug()));
            } else if !entry.is_folder() && has_model_name(Path::new(entry.name())) {
                let uri = format!("{}!{}", path.display(), entry.name());
                self.push(uri, Location::Entry { archive: archive.clone(), entry: number });
            }
        }
    }

    fn entry(&mut self, path: &Path, name: &str) {
        let Some(archive) = self.open_archive(path) else { return };
        let found = archive.find(name).map(|entry| entry.header_offset());
        let number = archive.entries().iter().position(|entry| Some(entry.header_offset()) == found);
        match number {
            Some(entry) => {
                self.push(format!("{}!{name}", path.display()), Location::Entry { archive, entry })
            }
            None => self.fail(format_args!("{}: no entry {name}", path.display())),
        }
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
