//! The models that a command reads, each with the path of the file that is made from it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use meshlens::unreal::pairing::FileName;
use meshlens_assets::{FoundFile, ModelFiles};

use crate::args::Inputs;
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::memory::Memory;
use crate::status::Status;
use crate::terminal::{self, tell};

/// Where outputs go.
pub(crate) struct Outputs<'a> {
    pub(crate) inputs: &'a Inputs,
    /// The file for one model.
    pub(crate) file: Option<&'a Path>,
    /// The folder that mirrors the inputs.
    pub(crate) folder: Option<&'a Path>,
    /// The extension of the outputs.
    pub(crate) extension: &'static str,
    pub(crate) takes: Takes,
    /// Whether an output may be left without a path if neither a file nor a folder is named.
    pub(crate) may_have_no_path: bool,
}

/// A model and the path of its output.
pub(crate) struct Planned {
    /// The name of the input in messages.
    pub(crate) uri: String,
    pub(crate) item: Item,
    pub(crate) output: Option<PathBuf>,
}

/// Plans all outputs. The status says whether some path could not be followed. An error means that the arguments
/// contradict each other.
pub(crate) fn plan(outputs: &Outputs<'_>, memory: &Memory) -> Result<(Vec<Planned>, Status), String> {
    let arguments = outputs.inputs;
    let assets = inputs::assets(&arguments.root, Some(memory.budget().clone()))?;
    let mut found: Vec<(Item, PathBuf)> = Vec::new();
    let mut status = Status::Fine;
    for path in &arguments.paths {
        // An archive that cannot be opened is reported when single models are listed.
        if let Some(located) = assets.given(path).ok().and_then(|given| given.player()) {
            let name = terminal::file_name(located.path().file_name());
            let name = match located.path().is_root() {
                // `.` and `x/..` have no file name of their own.
                true => path.canonicalize().ok().and_then(|path| path.file_name().map(PathBuf::from)),
                false => Some(PathBuf::from(name)),
            };
            let item = Item { uri: path.display().to_string(), located, is_stdin: false };
            found.push((item, name.unwrap_or_else(|| "player".into())));
            continue;
        }
        let (items, expanded) = inputs::expand_paths(&assets, std::slice::from_ref(path), outputs.takes);
        status = status.max(expanded);
        for item in items {
            let below = below(path, &item);
            found.push((item, below));
        }
    }
    if outputs.file.is_some() && found.len() > 1 {
        return Err(format!("-o takes one model, and {} were named: use --out-dir", found.len()));
    }
    let mut planned = Vec::new();
    // Two models in a folder with the same stem keep their whole names.
    let mut taken: HashMap<PathBuf, usize> = HashMap::new();
    for (_, below) in &found {
        *taken.entry(below.with_extension("")).or_default() += 1;
    }
    for (item, below) in found {
        let is_player = matches!(item.located.files(), ModelFiles::Player(_));
        let name = if is_player || taken[&below.with_extension("")] > 1 {
            with_suffix(&below, outputs.extension)
        } else {
            below.with_extension(outputs.extension)
        };
        let output = match (outputs.file, outputs.folder, item.os_path()) {
            (Some(file), _, _) => Some(file.to_owned()),
            (None, Some(folder), _) => Some(folder.join(name)),
            (None, None, _) if outputs.may_have_no_path => None,
            (None, None, Some(path)) if is_player => Some(path.with_file_name(name)),
            (None, None, Some(path)) => Some(path.with_file_name(name.file_name().unwrap_or_default())),
            (None, None, None) => {
                let uri = &item.uri;
                return Err(format!("{uri}: use -o FILE or --out-dir DIR to name the output"));
            }
        };
        planned.push(Planned { uri: item.uri.clone(), item, output });
    }
    if refuse_shared(&mut planned) {
        status = Status::Failed;
    }
    Ok((planned, status))
}

/// Removes and reports the models whose output is already that of an earlier model, which would be lost. Returns whether
/// there are any.
fn refuse_shared(planned: &mut Vec<Planned>) -> bool {
    let mut users: HashMap<PathBuf, String> = HashMap::new();
    let count = planned.len();
    planned.retain(|Planned { uri, output, .. }| {
        let Some(output) = output else { return true };
        match users.entry(files_of(output)) {
            Entry::Vacant(free) => {
                free.insert(uri.clone());
                true
            }
            Entry::Occupied(user) => {
                tell!("{uri}: {} is already the output of {}", output.display(), user.get());
                false
            }
        }
    });
    planned.len() < count
}

/// Equal for outputs with the same files: x.3d and x_d.3d are both written as x_d.3d and x_a.3d.
fn files_of(output: &Path) -> PathBuf {
    let is_unreal = output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("3d"));
    let stem = output.file_stem().and_then(|stem| stem.to_str()?.strip_suffix("_d"));
    match stem {
        Some(stem) if is_unreal => output.with_file_name(format!("{stem}.3d")),
        _ => output.to_owned(),
    }
}

fn with_suffix(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(extension);
    path.with_file_name(name)
}

/// The path of an item below the named folder, to mirror it. A mesh of two files is named after its frames file,
/// because several meshes can share one geometry file.
fn below(root: &Path, item: &Item) -> PathBuf {
    if item.is_stdin {
        return "stdin".into();
    }
    let files = item.located.files();
    let path = files.files().first().map(|file| place(root, file)).unwrap_or_default();
    let ModelFiles::Pair { frames, .. } = files else { return path };
    let frames = place(root, frames);
    let name = frames.file_name().and_then(|name| name.to_str()).and_then(FileName::parse);
    match name.filter(|name| !name.is_numbered) {
        // A stem may contain a dot, which does not start an extension.
        Some(name) => path.with_file_name(format!("{}.3d", name.stem)),
        None => path,
    }
}

fn place(root: &Path, file: &FoundFile) -> PathBuf {
    let below = |path: &Path| {
        let canonical = root.canonicalize().ok();
        let roots = [Some(root), canonical.as_deref()];
        let below = roots.into_iter().flatten().find_map(|root| path.strip_prefix(root).ok());
        below.filter(|below| !below.as_os_str().is_empty()).map(Path::to_owned)
    };
    match (file.archive(), file.os_path()) {
        (Some(archive), _) => {
            // Entries whose names lead out of the folder are not listed.
            let entry = terminal::file_name(file.path().as_str());
            below(Path::new(archive)).map(|below| below.join(&entry)).unwrap_or_else(|| entry.into())
        }
        (None, Some(path)) => below(&path).unwrap_or_else(|| path.file_name().unwrap_or_default().into()),
        (None, None) => file.path().file_name().into(),
    }
}
