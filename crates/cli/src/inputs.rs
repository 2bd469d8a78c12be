//! Expands the paths of the command line to models, in an order that does not depend on the machine.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::io::stdin;
use std::path::{Path, PathBuf};

use meshlens::wire::Budget;
use meshlens_assets::{Assets, Error, FindOptions, Located, ModelFiles, Models};
use meshlens_gltf::Gltf;
use meshlens_source::{STREAM_NAME, Source, UNSIZED_LIMIT, split_entry_path};

use crate::errors;
use crate::hash::hash;
use crate::item::{Item, has_models};
use crate::remote::{self, FoundModels, Remotes};
use crate::status::Status;
use crate::terminal::tell;

/// Which files in folders and archives are models. A file that is named itself is always taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    GameFormats,
    /// Game formats, and also the skins of MD3 models.
    Skins,
    /// Game formats, and also .glb and .gltf.
    Gltf,
    /// Like [`Gltf`](Self::Gltf), but parts of players are joined to one model.
    Joined,
}

impl Takes {
    const fn options(self) -> FindOptions {
        let imported = matches!(self, Takes::Gltf | Takes::Joined);
        let (players, skins) = (matches!(self, Takes::Joined), matches!(self, Takes::Skins));
        FindOptions { imported, content: true, archives: true, players, skins }
    }
}

/// The search paths of the folders that the user names as roots, later ones first. Memory for files is reserved from
/// `budget`.
pub(crate) fn assets(roots: &[PathBuf], budget: Option<Budget>) -> Result<Assets, String> {
    let mut assets = Assets::new();
    assets.add_importer(Gltf);
    if let Some(budget) = budget {
        assets.set_budget(budget);
    }
    for root in roots {
        assets.mount_folder(root).map_err(|error| errors::asset(&error))?;
    }
    Ok(assets)
}

/// Whether the paths name exactly one model, not a folder, an archive or several models.
pub(crate) fn is_single(paths: &[PathBuf]) -> bool {
    matches!(paths, [path] if !path.is_dir() && !has_models(path) && !is_folder_elsewhere(path))
}

/// Whether the path is a folder of a bucket or of an archive.
fn is_folder_elsewhere(path: &Path) -> bool {
    match remote::url(path) {
        Some(url) => url.ends_with('/'),
        None => {
            let in_archive = split_entry_path(path).and_then(|_| Assets::new().user_path(path).ok());
            in_archive.is_some_and(|given| given.is_folder())
        }
    }
}

/// Whether the path is a script, which can import several meshes.
pub(crate) fn is_script_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("uc"))
}

/// The model on standard input, which can be read once.
#[derive(Default)]
pub(crate) struct Stdin(OnceCell<Result<Located, String>>);

impl Stdin {
    fn located(&self, assets: &Assets) -> &Result<Located, String> {
        self.0.get_or_init(|| {
            let read = Source::from_reader(stdin().lock(), UNSIZED_LIMIT).map_err(Error::from);
            let located = read.and_then(|source| assets.locate_bytes("stdin", source.into_vec()));
            located.map_err(|error| format!("-: {}", errors::reason(STREAM_NAME, &error)))
        })
    }
}

/// Paths, or the reason why a list of paths cannot be read further.
pub(crate) type Paths<'a> = Box<dyn Iterator<Item = Result<PathBuf, String>> + 'a>;

/// The models of a path.
struct Current {
    models: Models,
    /// Whether the path is a file.
    is_file: bool,
    /// Whether it names a model.
    is_named: bool,
    is_remote: bool,
}

/// A path that cannot be followed.
pub(crate) struct Fault {
    pub(crate) path: Box<str>,
    pub(crate) reason: Box<str>,
}

/// The models that paths name, found one after the other. A path that cannot be followed is reported on standard error.
pub(crate) struct Items<'a> {
    assets: &'a Assets,
    paths: Paths<'a>,
    takes: Takes,
    stdin: &'a Stdin,
    /// The models of the current path.
    current: Option<Current>,
    /// The pairs of files that are already listed, as hashes: naming both files lists a mesh once.
    listed: HashSet<u64>,
    faults: u64,
    /// Whether all paths so far are files that exist; `None` before the first.
    are_files: Option<bool>,
    is_silent: bool,
    /// The last fault, until it is returned.
    fault: Option<Fault>,
    /// The servers of URLs. Without them, URLs are faults.
    remotes: Option<&'a Remotes>,
    /// Whether a player at a URL is one model.
    keeps_players: bool,
}

impl<'a> Items<'a> {
    pub(crate) fn new(assets: &'a Assets, paths: Paths<'a>, takes: Takes, stdin: &'a Stdin) -> Self {
        Items {
            assets,
            paths,
            takes,
            stdin,
            current: None,
            listed: HashSet::new(),
            faults: 0,
            are_files: None,
            is_silent: false,
            fault: None,
            remotes: None,
            keeps_players: false,
        }
    }

    /// The same models, and also models at URLs.
    pub(crate) fn with_remotes(self, remotes: &'a Remotes) -> Self {
        Items { remotes: Some(remotes), ..self }
    }

    /// The same models, where a player at a URL is one model, and without printing messages if `is_silent`.
    pub(crate) fn with_players(self, is_silent: bool) -> Self {
        Items { keeps_players: true, is_silent, ..self }
    }

    /// The status so far: whether some path could not be followed.
    pub(crate) const fn status(&self) -> Status {
        if self.faults > 0 { Status::Failed } else { Status::Fine }
    }

    /// The number of paths and files that could not be followed so far.
    pub(crate) const fn faults(&self) -> u64 {
        self.faults
    }

    /// Whether there was a path, and all so far are files that exist, such as archives and scripts.
    pub(crate) fn are_files(&self) -> bool {
        self.are_files == Some(true)
    }

    fn tell(&self, message: impl std::fmt::Display) {
        if !self.is_silent {
            tell!("{message}");
        }
    }

    /// Reports a fault. The message begins with a path.
    fn fail(&mut self, message: impl std::fmt::Display) {
        self.tell(&message);
        self.faults += 1;
        let message = message.to_string();
        let (path, reason) = message.split_once(": ").unwrap_or(("-", &message));
        self.fault = Some(Fault { path: path.into(), reason: reason.into() });
    }

    /// The model that a path names, or the first of several.
    fn path(&mut self, path: &Path) -> Option<Item> {
        if path.as_os_str() == "-" {
            return match self.stdin.located(self.assets) {
                Ok(located) => {
                    Some(Item { uri: "-".into(), is_stdin: true, ..Item::new(located.clone(), true) })
                }
                Err(message) => {
                    self.fail(message);
                    None
                }
            };
        }
        if let Some(url) = remote::url(path) {
            self.are_files = Some(false);
            let Some(remotes) = self.remotes else {
                self.fail(format_args!("{url}: this command takes no URLs"));
                return None;
            };
            match remotes.models(self.assets, url, self.takes.options(), self.keeps_players) {
                Ok(FoundModels::One(located)) => {
                    return Some(Item { uri: url.into(), ..Item::new(*located, true).remote() });
                }
                Ok(FoundModels::Several(models)) => {
                    let models = *models;
                    self.current = Some(Current { models, is_file: false, is_named: false, is_remote: true });
                }
                Err(failure) => self.fail(format_args!("{url}: {}", failure.message)),
            }
            return None;
        }
        match self.assets.user_path(path) {
            Ok(given) => {
                let is_file = given.file().is_some() && !is_script_name(path);
                let models = given.each_model(&self.takes.options());
                let is_named = !given.is_folder();
                self.are_files = Some(is_named && self.are_files != Some(false));
                self.current = Some(Current { models, is_file, is_named, is_remote: false });
            }
            Err(error) => self.fail(errors::asset(&error)),
        }
        None
    }

    fn is_listed(&mut self, located: &Located) -> bool {
        let ModelFiles::Pair { geometry, frames, .. } = located.files() else { return false };
        !self.listed.insert(hash([geometry, frames].map(ToString::to_string)))
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    /// The next model. Faults are only on standard error.
    fn next(&mut self) -> Option<Item> {
        loop {
            if let Ok(item) = self.next_or_fault()? {
                return Some(item);
            }
        }
    }
}

impl Items<'_> {
    /// The next model, or a path that cannot be followed, in the order of the paths.
    pub(crate) fn next_or_fault(&mut self) -> Option<Result<Item, Fault>> {
        loop {
            if let Some(fault) = self.fault.take() {
                return Some(Err(fault));
            }
            let Some(current) = &mut self.current else {
                match self.paths.next()? {
                    Ok(path) => {
                        if let Some(item) = self.path(&path) {
                            return Some(Ok(item));
                        }
                    }
                    Err(message) => self.fail(message),
                }
                continue;
            };
            let Current { is_file, is_named, is_remote, .. } = *current;
            match current.models.next() {
                None => self.current = None,
                Some(Ok(located)) if is_file && self.is_listed(&located) => {}
                Some(Ok(located)) if is_remote => {
                    return Some(Ok(Item::new(located, is_named).remote()));
                }
                Some(Ok(located)) => return Some(Ok(Item::new(located, is_named))),
                // The folder that the loop leads to is also listed by another path.
                Some(Err(fault @ Error::Loop(_))) => self.tell(fault),
                Some(Err(fault)) => self.fail(errors::asset(&fault)),
            }
        }
    }
}
