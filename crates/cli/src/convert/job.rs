//! The jobs of a conversion: one for each output.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use meshlens::unreal::pairing::FileName;
use meshlens_assets::{FoundFile, ModelFiles};

use crate::args::{Convert, Target};
use crate::inputs::{self, Takes};
use crate::item::Item;
use crate::memory::Memory;
use crate::status::Status;
use crate::terminal;

use super::sink;

/// One output.
pub(super) struct Job {
    /// The name of the input in messages.
    pub(super) uri: String,
    pub(super) item: Item,
    pub(super) output: PathBuf,
    pub(super) target: Target,
}

/// Plans all jobs. The status says whether some path could not be followed. An error means that the arguments
/// contradict each other.
pub(super) fn plan(arguments: &Convert, memory: &Memory) -> Result<(Vec<Job>, Status), String> {
    let target = target(arguments)?;
    let assets = inputs::assets(&arguments.inputs.root, Some(memory.budget().clone()))?;
    // A folder that was converted before contains glTF outputs; they are not converted again.
    let takes = if matches!(target, Target::Glb | Target::Gltf) { Takes::GameFormats } else { Takes::Gltf };
    let mut found: Vec<(Item, PathBuf)> = Vec::new();
    let mut status = Status::Fine;
    for path in &arguments.inputs.paths {
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
        let (items, expanded) = inputs::expand_paths(&assets, std::slice::from_ref(path), takes);
        status = status.max(expanded);
        for item in items {
            let below = below(path, &item);
            found.push((item, below));
        }
    }
    if arguments.output.is_some() && found.len() > 1 {
        return Err(format!("-o takes one model, and {} were named: use --out-dir", found.len()));
    }
    let mut jobs = Vec::new();
    // Two models in a folder with the same stem keep their whole names.
    let mut taken: HashMap<PathBuf, usize> = HashMap::new();
    for (_, below) in &found {
        *taken.entry(below.with_extension("")).or_default() += 1;
    }
    for (item, below) in found {
        let is_player = matches!(item.located.files(), ModelFiles::Player(_));
        let name = if is_player || taken[&below.with_extension("")] > 1 {
            with_suffix(&below, extension(target))
        } else {
            below.with_extension(extension(target))
        };
        let output = match (&arguments.output, &arguments.out_dir, item.os_path()) {
            (Some(output), _, _) => output.clone(),
            (None, Some(folder), _) => folder.join(name),
            (None, None, Some(path)) if is_player => path.with_file_name(name),
            (None, None, Some(path)) => path.with_file_name(name.file_name().unwrap_or_default()),
            (None, None, None) => {
                let uri = &item.uri;
                return Err(format!("{uri}: use -o FILE or --out-dir DIR to name the output"));
            }
        };
        jobs.push(Job { uri: item.uri.clone(), item, output, target });
    }
    Ok((jobs, status))
}

fn target(arguments: &Convert) -> Result<Target, String> {
    let target = target_of_name(arguments)?;
    if arguments.output.as_deref().is_some_and(sink::is_stdout) {
        if matches!(target, Target::Gltf | Target::Unreal) {
            return Err("-o - takes a format of one file: glb, md3, u3d or unigine".into());
        }
        if sink::stdout_is_terminal() && !arguments.force {
            return Err("standard output is a terminal: redirect it, or name a file with -o".into());
        }
    }
    Ok(target)
}

fn target_of_name(arguments: &Convert) -> Result<Target, String> {
    if arguments.separate {
        return Ok(Target::Gltf);
    }
    if let Some(target) = arguments.to {
        return Ok(target);
    }
    let Some(output) = &arguments.output else { return Ok(Target::Glb) };
    if sink::is_stdout(output) {
        return Ok(Target::Glb);
    }
    let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "glb" => Ok(Target::Glb),
        "gltf" => Ok(Target::Gltf),
        "md3" => Ok(Target::Md3),
        "3d" => Ok(Target::Unreal),
        "u3d" => Ok(Target::U3d),
        "mesh" => Ok(Target::Unigine),
        "anim" => Ok(Target::UnigineAnim),
        unknown => {
            let unknown = if unknown.is_empty() {
                "no extension".into()
            } else {
                format!("unknown extension .{unknown}")
            };
            let known = "one of glb, gltf, md3, 3d, u3d, mesh, anim, or --to FORMAT";
            Err(format!("{}: {unknown}; {known}", output.display()))
        }
    }
}

const fn extension(target: Target) -> &'static str {
    match target {
        Target::Glb => "glb",
        Target::Gltf => "gltf",
        Target::Md3 => "md3",
        Target::Unreal => "3d",
        Target::U3d => "u3d",
        Target::Unigine => "mesh",
        Target::UnigineAnim => "anim",
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
