//! The name of an output below its folder, which mirrors the input.

use std::path::{Path, PathBuf};

use meshlens::unreal::pairing::FileName;
use meshlens_assets::{FoundFile, ModelFiles};

use crate::hash::hash;
use crate::item::Item;
use crate::terminal;

/// The name of an output, with the extension of the input.
pub(super) struct Name {
    pub(super) path: PathBuf,
    /// Another name, for a mesh whose two files have different names.
    pub(super) joined: Option<PathBuf>,
    /// Whether characters of the name in an archive are replaced. Such a name never replaces the output of another
    /// model.
    pub(super) is_altered: bool,
}

/// The key of a name without extension. Names of meshes with [another name](Name::joined) are counted separately.
pub(super) fn key(path: &Path, has_another: bool) -> u64 {
    hash((path.with_extension(""), has_another))
}

impl Name {
    pub(super) fn key(&self) -> u64 {
        key(&self.path, self.joined.is_some())
    }

    pub(super) const fn new(path: PathBuf) -> Name {
        Name { path, joined: None, is_altered: false }
    }

    /// The name of the output of an item below the named folder. A mesh of two files is named after its frames file,
    /// because several meshes can share one geometry file.
    pub(super) fn of(root: &Path, item: &Item) -> Name {
        if item.is_stdin {
            return Name::new("stdin".into());
        }
        let files = item.located.files();
        let is_altered = files.files().into_iter().any(is_altered);
        let path = files.files().first().map(|file| place(root, file)).unwrap_or_default();
        if let ModelFiles::Player(_) = files {
            let folder = path.parent().filter(|folder| folder.file_name().is_some());
            return Name { is_altered, ..Name::new(folder.unwrap_or(Path::new("player")).to_owned()) };
        }
        let name = Name { is_altered, ..Name::new(path) };
        let ModelFiles::Pair { geometry, frames, .. } = files else { return name };
        let stem = |file: &FoundFile| {
            let place = place(root, file);
            let name = FileName::parse(place.file_name()?.to_str()?).filter(|name| !name.is_numbered)?;
            Some(name.stem.to_owned())
        };
        let Some(own) = stem(frames) else { return name };
        // A stem may contain a dot, which does not start an extension.
        let with_stem = |stem: &str| name.path.with_file_name(format!("{stem}.3d"));
        let other = stem(geometry).filter(|other| !other.eq_ignore_ascii_case(&own));
        let joined = other.map(|other| with_stem(&format!("{other}_{own}")));
        Name { path: with_stem(&own), joined, is_altered }
    }
}

fn is_altered(file: &FoundFile) -> bool {
    let name = file.path().as_str();
    file.archive().is_some() && terminal::file_name(name) != name
}

/// The path of a file relative to a folder, or its name if it is not in the folder.
fn place(root: &Path, file: &FoundFile) -> PathBuf {
    let below = |path: &Path| {
        let canonical = root.canonicalize().ok();
        let roots = [Some(root), canonical.as_deref()];
        let strip = |path: &Path| {
            let below =
                roots.into_iter().flatten().find_map(|root| path.strip_prefix(root).ok().map(Path::to_owned));
            below.filter(|below| !below.as_os_str().is_empty())
        };
        // The folder of a list may lead to the file by another path.
        strip(path).or_else(|| strip(&path.canonicalize().ok()?))
    };
    match (file.archive(), file.os_path()) {
        (Some(archive), _) => {
            // Entries whose names lead out of the folder are not listed.
            let entry = terminal::file_name(file.path().as_str());
            below(Path::new(archive)).map(|below| below.join(&entry)).unwrap_or_else(|| entry.into())
        }
        (None, Some(path)) => below(&path).unwrap_or_else(|| path.file_name().unwrap_or_default().into()),
        // For a URL, the path below its folder.
        (None, None) => {
            let url = PathBuf::from(file.to_string());
            let below = url.strip_prefix(root).ok().and_then(|below| below.to_str());
            terminal::file_name(below.filter(|below| !below.is_empty()).unwrap_or(file.path().file_name()))
                .into()
        }
    }
}
