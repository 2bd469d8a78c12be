//! The models that a command reads, each with the path of its output.

mod common;
mod name;

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use meshlens::wire::{OverBudget, Reservation};
use meshlens_assets::Assets;

use crate::args::Inputs;
use crate::hash::hash;
use crate::inputs::{self, Items, Stdin, Takes};
use crate::item::{Item, has_models};
use crate::memory::Memory;
use crate::remote::{self, Remotes};
use crate::status::Status;
use crate::terminal::{self, tell};

use name::Name;

/// The destination of outputs.
pub(crate) struct Outputs<'a> {
    pub(crate) inputs: &'a Inputs,
    /// The file for one model.
    pub(crate) file: Option<&'a Path>,
    /// The folder that mirrors the inputs.
    pub(crate) folder: Option<&'a Path>,
    /// The extension of the outputs.
    pub(crate) extension: &'static str,
    pub(crate) takes: Takes,
    /// Whether models that already exist where outputs are written are outputs of an earlier run.
    pub(crate) keeps_existing: bool,
    /// Whether a path may be missing if neither a file nor a folder is given for outputs.
    pub(crate) may_have_no_path: bool,
}

/// A model and the path of its output.
pub(crate) struct Planned {
    pub(crate) item: Item,
    pub(crate) output: Option<PathBuf>,
}

/// The plan of all outputs. The models are visited twice, so that they need not be kept in memory: here, to find models
/// that share a name, and by [`Plan::jobs`].
pub(crate) struct Plan<'a> {
    outputs: Outputs<'a>,
    assets: Assets,
    remotes: Remotes,
    stdin: Stdin,
    /// The folder relative to which paths of a list are mirrored.
    common: Option<PathBuf>,
    /// The number of models whose outputs have this name without extension, by its [key](name::key). Altered names are
    /// not counted.
    taken: HashMap<u64, u32>,
    /// Whether names of some outputs are altered.
    has_altered: bool,
    memory: Reservation,
    count: usize,
    faults: Cell<u64>,
}

impl Outputs<'_> {
    /// Whether a model that was found in a folder is an output of an earlier run beside its input.
    fn has(&self, item: &Item) -> bool {
        let is_beside = self.file.is_none() && self.folder.is_none();
        let is_of_target = |path: PathBuf| {
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(self.extension))
        };
        self.keeps_existing && is_beside && !item.is_named && item.os_path().is_some_and(is_of_target)
    }
}

/// Plans all outputs. An error means that the arguments contradict each other.
pub(crate) fn plan<'a>(outputs: Outputs<'a>, memory: &Memory) -> Result<Plan<'a>, String> {
    let arguments = outputs.inputs;
    if let ([input, output], None, None) = (arguments.paths.as_slice(), outputs.file, outputs.folder)
        && is_output(input, output)
    {
        let output = output.display();
        return Err(format!("{output}: not found; to write a file of this name, use -o {output}"));
    }
    let assets = inputs::assets(&arguments.root, Some(memory.budget().clone()))?;
    let common = outputs.folder.and_then(|_| common::folder(arguments.listed()));
    let mut plan = Plan {
        outputs,
        assets,
        remotes: Remotes::new(&arguments.servers)?,
        stdin: Stdin::default(),
        common,
        taken: HashMap::new(),
        has_altered: false,
        memory: memory.budget().empty(),
        count: 0,
        faults: Cell::new(0),
    };
    let (mut taken, mut reserved) = (HashMap::new(), memory.budget().empty());
    let (mut count, mut has_altered, mut without_path) = (0, false, None);
    let mut found = plan.found(false);
    for (item, name) in found.by_ref() {
        count += 1;
        if plan.outputs.has(&item) {
            continue;
        }
        has_altered |= name.is_altered;
        if !name.is_altered {
            *taken.entry(name.key()).or_insert(0u32) += 1;
        }
        let has_path =
            plan.outputs.file.is_some() || plan.outputs.folder.is_some() || plan.outputs.may_have_no_path;
        if !has_path && item.os_path().is_none() {
            without_path.get_or_insert(item.uri);
        }
        grow(&mut reserved, taken.capacity() * size_of::<(u64, u32)>()).map_err(|over| over_memory(&over))?;
    }
    let faults = found.faults;
    drop(found);
    if plan.outputs.file.is_some() && count > 1 {
        return Err(format!("-o takes one model, and {count} were named: use --out-dir"));
    }
    if let Some(uri) = without_path {
        return Err(format!("{uri}: use -o FILE or --out-dir DIR to name the output"));
    }
    (plan.taken, plan.memory, plan.count, plan.has_altered) = (taken, reserved, count, has_altered);
    plan.faults.set(faults);
    Ok(plan)
}

/// Whether two paths are a model and the name of an output: other commands have no option for that.
fn is_output(input: &Path, output: &Path) -> bool {
    let is_another_format =
        |extension: &OsStr| !input.extension().unwrap_or_default().eq_ignore_ascii_case(extension);
    input.is_file()
        && output.extension().is_some_and(is_another_format)
        && output.try_exists().is_ok_and(|exists| !exists)
        && remote::url(output).is_none()
        && !has_models(output)
        // An entry of an archive.
        && !output.as_os_str().as_encoded_bytes().contains(&b'!')
}

/// Lists of at most this size are not reserved.
const FREE: usize = 64 << 10;

/// Reserves the memory by which a list has grown.
fn grow(reserved: &mut Reservation, bytes: usize) -> Result<(), OverBudget> {
    let more = bytes.saturating_sub(FREE + reserved.bytes());
    if more > 0 { reserved.grow(more, format_args!("the names of the outputs")) } else { Ok(()) }
}

fn over_memory(over: &OverBudget) -> String {
    format!("{over}; --max-memory allows more")
}

impl Plan<'_> {
    /// The number of models that were found.
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// The number of models without an output, because their paths cannot be followed or another model has the same
    /// output. Complete after the last job.
    pub(crate) fn faults(&self) -> u64 {
        self.faults.get()
    }

    /// Whether everything could be planned. Complete after the last job.
    pub(crate) fn status(&self) -> Status {
        if self.faults() > 0 { Status::Failed } else { Status::Fine }
    }

    /// The jobs, in the order of the inputs. Jobs with altered archive names follow the others. A model with the same
    /// output as an earlier model is reported and left out.
    pub(crate) fn jobs(&self) -> Jobs<'_> {
        let memory = self.memory.budget().empty();
        Jobs { plan: self, found: self.found(true), is_altered: false, users: Users::default(), memory }
    }

    fn found(&self, is_silent: bool) -> NamedItems<'_> {
        NamedItems { plan: self, next: 0, items: None, is_silent, faults: 0 }
    }

    /// The path of the output of a model.
    fn output(&self, item: &Item, name: Name) -> Option<PathBuf> {
        let Outputs { file, folder, extension, may_have_no_path, .. } = self.outputs;
        let is_player = matches!(item.located.files(), meshlens_assets::ModelFiles::Player(_));
        let taken = |key: u64| self.taken.get(&key).copied().unwrap_or_default();
        let is_shared = taken(name.key()) > 1;
        let mut most = u32::from(!name.is_altered);
        // A mesh of files with different names gets its other name if another mesh has the first one.
        let path = match name.joined {
            Some(joined) => {
                most = 0;
                let is_taken = is_shared || taken(name::key(&name.path, false)) > 0;
                if is_taken { joined } else { name.path }
            }
            None => name.path,
        };
        let taken = |path: &Path| taken(name::key(path, false));
        // Two models in a folder with the same stem keep their whole names.
        let name = if is_player || taken(&path) > most {
            with_suffix(&path, extension)
        } else {
            path.with_extension(extension)
        };
        match (file, folder, item.os_path()) {
            (Some(file), _, _) => Some(file.to_owned()),
            (None, Some(folder), _) => Some(folder.join(name)),
            (None, None, _) if may_have_no_path => None,
            (None, None, Some(path)) if is_player => Some(path.with_file_name(name)),
            (None, None, path) => Some(path?.with_file_name(name.file_name().unwrap_or_default())),
        }
    }
}

/// The models that are found, with the names of their outputs.
struct NamedItems<'p> {
    plan: &'p Plan<'p>,
    /// The index of the next path.
    next: usize,
    items: Option<Items<'p>>,
    is_silent: bool,
    faults: u64,
}

impl NamedItems<'_> {
    /// The player in a folder that was given, and the name of its output.
    fn player(&self, path: &Path) -> Option<(Item, Name)> {
        if remote::url(path).is_some() {
            return None;
        }
        // An archive that cannot be opened is reported when single models are listed.
        let located = self.plan.assets.user_path(path).ok()?.player()?;
        let name = terminal::file_name(located.path().file_name());
        let name = match located.path().is_root() {
            // `.` and `x/..` have no file name.
            true => path.canonicalize().ok().and_then(|path| path.file_name().map(PathBuf::from)),
            false => Some(PathBuf::from(name)),
        };
        let item = Item { uri: path.display().to_string(), ..Item::new(located, true) };
        Some((item, Name::new(name.unwrap_or_else(|| "player".into()))))
    }
}

impl Iterator for NamedItems<'_> {
    type Item = (Item, Name);

    fn next(&mut self) -> Option<(Item, Name)> {
        let inputs = self.plan.outputs.inputs;
        loop {
            if let Some(items) = &mut self.items {
                if let Some(item) = items.next() {
                    let path = inputs.paths.get(self.next.checked_sub(1)?)?;
                    let root = self.plan.common.as_deref().filter(|_| inputs.is_listed(self.next - 1));
                    let name = Name::of(root.unwrap_or(path), &item);
                    return Some((item, name));
                }
                self.faults += items.faults();
                self.items = None;
            }
            let path = inputs.paths.get(self.next)?;
            self.next += 1;
            if let Some(player) = self.player(path) {
                return Some(player);
            }
            let items = Items::new(
                &self.plan.assets,
                Box::new(std::iter::once(Ok(path.clone()))),
                self.plan.outputs.takes,
                &self.plan.stdin,
            )
            .with_remotes(&self.plan.remotes)
            .with_players(self.is_silent);
            self.items = Some(items);
        }
    }
}

/// The jobs of a plan.
pub(crate) struct Jobs<'p> {
    plan: &'p Plan<'p>,
    found: NamedItems<'p>,
    /// Whether the models with altered names are visited, or the others.
    is_altered: bool,
    users: Users,
    memory: Reservation,
}

impl Iterator for Jobs<'_> {
    type Item = Planned;

    fn next(&mut self) -> Option<Planned> {
        loop {
            let Some((item, name)) = self.found.next() else {
                if self.is_altered || !self.plan.has_altered {
                    return None;
                }
                self.is_altered = true;
                self.found = self.plan.found(true);
                continue;
            };
            if name.is_altered != self.is_altered {
                continue;
            }
            if self.plan.outputs.has(&item) {
                return Some(Planned { output: item.os_path(), item });
            }
            let output = self.plan.output(&item, name);
            if let Some(output) = &output {
                let faults = &self.plan.faults;
                if let Some(user) = self.users.add(&files_of(output), &item.uri) {
                    tell!("{}: {} is already the output of {user}", item.uri, output.display());
                    faults.set(faults.get() + 1);
                    continue;
                }
                if let Err(over) = grow(&mut self.memory, self.users.memory()) {
                    tell!("{}", over_memory(&over));
                    faults.set(faults.get() + 1);
                    return None;
                }
            }
            return Some(Planned { item, output });
        }
    }
}

/// The outputs of a run, as hashes, and the models that they are made from.
#[derive(Default)]
struct Users {
    names: String,
    by_output: HashMap<u64, (usize, usize)>,
}

impl Users {
    /// Adds the output of a model. If an earlier model has the same output, returns the name of that model instead,
    /// because its output would be overwritten.
    fn add(&mut self, output: &Path, uri: &str) -> Option<&str> {
        let key = hash(output);
        let range = (self.names.len(), self.names.len() + uri.len());
        match self.by_output.insert(key, range) {
            None => {
                self.names.push_str(uri);
                None
            }
            Some(earlier) => {
                self.by_output.insert(key, earlier);
                self.names.get(earlier.0..earlier.1)
            }
        }
    }

    fn memory(&self) -> usize {
        self.names.capacity() + self.by_output.capacity() * size_of::<(u64, (usize, usize))>()
    }
}

/// Maps outputs that are written to the same files to one path: x.3d and x_d.3d are both written as x_d.3d and x_a.3d.
fn files_of(output: &Path) -> PathBuf {
    let is_unreal = output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("3d"));
    match output.file_stem().and_then(|stem| stem.to_str()) {
        Some(stem) if is_unreal => output.with_file_name(format!("{}.3d", mesh_name(stem))),
        _ => output.to_owned(),
    }
}

/// The name of an Unreal mesh that is written to a file with this name, without its extension: x for x and for x_d.
pub(crate) fn mesh_name(stem: &str) -> &str {
    match stem.len().checked_sub(2).and_then(|end| stem.split_at_checked(end)) {
        Some((name, half)) if half.eq_ignore_ascii_case("_d") => name,
        _ => stem,
    }
}

/// The geometry file that is written for this output of an Unreal mesh: x_d.3d for x.3d and for x_d.3d.
pub(crate) fn geometry_of(output: &Path) -> PathBuf {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!("{}_d.3d", mesh_name(&stem)))
}

fn with_suffix(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(extension);
    path.with_file_name(name)
}
