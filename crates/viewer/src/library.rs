//! The list of models, from paths and from files in memory.

use std::collections::BTreeSet;
#[cfg(not(target_arch = "wasm32"))]
use std::path::Path;
use std::sync::Arc;

use meshlens::wire::Budget;
use meshlens_assets::{Assets, FindOptions, Located, MemoryFiles, ModelFiles};

use crate::content::{Failure, assets};
use crate::memory::{LOOSE, insert};
use crate::opened::Opened;
use crate::text;

/// A model of the list. It is not opened yet.
#[derive(Clone, Debug)]
pub struct Item {
    /// A number that is unique in the list. It changes if the files of the model change.
    pub id: u64,
    /// The name for people.
    pub name: String,
    /// The model, or the reason why its path names no model.
    located: Result<Located, String>,
    /// Whether it was found among the files in memory.
    in_memory: bool,
    /// The password of encrypted files.
    password: Option<Arc<str>>,
}

/// A list of models.
#[derive(Clone, Debug)]
pub struct Library {
    items: Vec<Item>,
    /// The files in memory.
    memory: MemoryFiles,
    /// Files that could not be searched.
    pub faults: Vec<String>,
    /// The password of encrypted files.
    password: Option<Arc<str>>,
    /// The number of the next item.
    next: u64,
    budget: Budget,
}

impl Default for Library {
    /// An empty list, with a budget of [`DEFAULT_MEMORY`](Self::DEFAULT_MEMORY).
    fn default() -> Self {
        Library {
            items: Vec::new(),
            memory: MemoryFiles::default(),
            faults: Vec::new(),
            password: None,
            next: 0,
            budget: Budget::new(Library::DEFAULT_MEMORY),
        }
    }
}

impl Item {
    fn new(id: u64, located: Located, in_memory: bool) -> Item {
        let name = match located.files() {
            files @ ModelFiles::Player(_) if located.path().is_root() => {
                let folder = files.to_string();
                format!(
                    "{} (player)",
                    folder.rsplit(['/', '\\']).find(|name| !name.is_empty()).unwrap_or(&folder)
                )
            }
            ModelFiles::Player(_) => format!("{} (player)", located.path()),
            _ => located.path().to_string(),
        };
        let name = name.strip_prefix(&format!("{LOOSE}/")).unwrap_or(&name);
        Item { id, name: text::line(name), located: Ok(located), in_memory, password: None }
    }

    /// The time at which one of its files was last changed; `None` if none of them is a separate file in a folder.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn modified(&self) -> Option<std::time::SystemTime> {
        let located = self.located.as_ref().ok()?;
        let times = located.files().files().into_iter().filter_map(|file| {
            let path = file.os_path()?;
            path.metadata().ok()?.modified().ok()
        });
        times.max()
    }

    /// Opens the model, with a skin if one is requested.
    ///
    /// # Errors
    ///
    /// The reason why the model cannot be shown.
    pub fn open(&self, skin: Option<&str>) -> Result<Opened, Failure> {
        Opened::new(self.located()?, skin, self.password())
    }

    /// The password of encrypted files.
    pub(crate) fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// The model, or the reason why its path names no model.
    pub(crate) fn located(&self) -> Result<Located, Failure> {
        self.located.clone().map_err(Failure::new)
    }
}

impl Library {
    /// The default of [`set_budget`](Self::set_budget): 2 GiB.
    pub const DEFAULT_MEMORY: usize = 2 << 30;

    /// Sets the budget from which memory is reserved for the files of the models that are added after this call, while they are
    /// open, and for the names in the folders that are searched.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// The models, in the order in which they were found.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Adds the models at a path: one model, or the models in a folder or an archive. If there are none, an item with
    /// the reason is added.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn add_path(&mut self, path: &Path) {
        let shown = text::line(&path.display().to_string());
        let given = match assets(&self.budget).user_path(path) {
            Ok(given) => given,
            Err(error) => return self.fail(shown, error.to_string(), false),
        };
        let found = given.models(&FindOptions { imported: true, archives: true, ..FindOptions::default() });
        if found.models.is_empty() {
            let why = found.faults.first().map_or_else(|| "no model was found".into(), ToString::to_string);
            return self.fail(shown, why, false);
        }
        let root = given.player();
        let is_folder = given.is_folder();
        self.add_found(found.models, root, false);
        if is_folder {
            self.faults.extend(found.faults.iter().map(|fault| text::line(&fault.to_string())));
        }
    }

    /// Adds files in memory, and lists the models in them again. Names may contain folders. Returns the index of the
    /// first model of these files.
    pub fn add_files(&mut self, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Option<usize> {
        let mut added = BTreeSet::new();
        for (name, bytes) in files {
            match insert(&mut self.memory, &name, bytes) {
                Some(path) => _ = added.insert(path.to_string()),
                None => self.faults.push(format!("{}: not the name of a file", text::line(&name))),
            }
        }
        let mut assets = assets(&self.budget);
        assets.mount("", self.memory.clone());
        self.items.retain(|item| !item.in_memory);
        self.faults.clear();
        let start = self.items.len();
        let options = FindOptions { imported: true, content: true, ..FindOptions::default() };
        let found = assets.find_models(&meshlens_assets::AssetPath::root(), &options);
        self.faults.extend(found.faults.iter().map(|fault| text::line(&fault.to_string())));
        self.add_found(found.models, None, true);
        for path in self.memory.iter().map(|(path, _)| path.to_owned()).collect::<Vec<_>>() {
            self.add_archive(&assets, &path);
        }
        let items = self.items.iter().enumerate().skip(start);
        let mut new = items.filter(|(_, item)| {
            let located = item.located.as_ref().ok();
            located.is_some_and(|located| {
                let names = located.files().files();
                names.iter().any(|file| {
                    added.contains(file.path().as_str())
                        || added.iter().any(|path| file.archive().is_some_and(|name| name.ends_with(path)))
                })
            })
        });
        new.next().map(|(index, _)| index)
    }

    /// Adds the models in an archive that is in memory.
    fn add_archive(&mut self, assets: &Assets, path: &str) {
        let name = path.to_ascii_lowercase();
        if !name.ends_with(".pk3") && !name.ends_with(".zip") {
            return;
        }
        let archive = meshlens_assets::AssetPath::new(path)
            .map_err(|error| error.to_string())
            .and_then(|path| assets.find(&path).map_err(|error| error.to_string()))
            .and_then(|file| file.ok_or_else(|| "no such file".into()))
            .and_then(|file| assets.archive(&file).map_err(|error| error.to_string()));
        match archive {
            Ok(archive) => {
                let options = FindOptions { imported: true, ..FindOptions::default() };
                let found = archive.find_models(&meshlens_assets::AssetPath::root(), &options);
                self.faults.extend(found.faults.iter().map(|fault| text::line(&fault.to_string())));
                // Files next to the archive are searched, too.
                self.add_found(found.models, None, true);
            }
            Err(error) => self.fail(text::line(path), error, true),
        }
    }

    /// Adds found models. The players that their folders contain are added before their parts.
    fn add_found(&mut self, models: Vec<Located>, root: Option<Located>, in_memory: bool) {
        let mut players: BTreeSet<String> = BTreeSet::new();
        if let Some(player) = root {
            players.insert(player.path().to_string());
            self.push(player, in_memory);
        }
        for located in models {
            let (path, folder) = (located.path(), located.path().folder());
            let is_part = ["lower", "upper"].iter().any(|part| path.stem().eq_ignore_ascii_case(part));
            if is_part && !folder.is_root() && players.insert(folder.to_string()) {
                let player = located.assets().locate(folder.as_str()).ok();
                let whole = player.filter(|player| player.files().files().len() > 1);
                if let Some(player) = whole {
                    self.push(player, in_memory);
                }
            }
            self.push(located, in_memory);
        }
    }

    fn push(&mut self, located: Located, in_memory: bool) {
        let id = self.take_id();
        let password = self.password.clone();
        self.items.push(Item { password, ..Item::new(id, located, in_memory) });
    }

    fn fail(&mut self, name: String, why: String, in_memory: bool) {
        let id = self.take_id();
        self.items.push(Item { id, name, located: Err(text::line(&why)), in_memory, password: None });
    }

    /// A number that no item has.
    fn take_id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Sets the password of encrypted files. Every item gets another number, because its picture may change.
    pub(crate) fn set_password(&mut self, password: &str) {
        self.password = Some(password.into()).filter(|_| !password.is_empty());
        for item in &mut self.items {
            self.next += 1;
            (item.id, item.password) = (self.next, self.password.clone());
        }
    }

    /// Gives an item another number, because its files have changed.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn renew(&mut self, index: usize) {
        let id = self.take_id();
        if let Some(item) = self.items.get_mut(index) {
            item.id = id;
        }
    }
}
