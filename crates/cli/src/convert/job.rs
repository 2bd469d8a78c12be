//! What is converted, and where to: one job for each output.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::args::{Convert, Target};
use meshlens::unreal::pairing::HalfName;

use crate::inputs::{self, Input, Item, Location};
use crate::status::Status;

use super::player;

/// One output.
pub(super) struct Job {
    /// What to call the input.
    pub(super) uri: String,
    pub(super) source: Source,
    pub(super) output: PathBuf,
    pub(super) target: Target,
}

pub(super) enum Source {
    Model(Item),
    /// A folder with a Quake 3 player's models in it.
    Player(PathBuf),
}

/// Every job, and whether some path could not be followed; an error where the arguments do not fit together.
pub(super) fn plan(arguments: &Convert) -> Result<(Vec<Job>, Status), String> {
    let target = target(arguments)?;
    let mut found: Vec<(String, Source, PathBuf)> = Vec::new();
    let mut status = Status::Fine;
    for path in &arguments.inputs.paths {
        if player::is_player(path) {
            // `.` and `x/..` have no name of their own.
            let name = path.canonicalize().ok().and_then(|path| path.file_name().map(PathBuf::from));
            let name = name.unwrap_or_else(|| "player".into());
            found.push((path.display().to_string(), Source::Player(path.clone()), name));
            continue;
        }
        let (items, expanded) = inputs::expand(std::slice::from_ref(path), arguments.inputs.no_mmap);
        status = status.max(expanded);
        for item in items {
            let below = below(path, &item);
            found.push((item.uri.clone(), Source::Model(item), below));
        }
    }
    if arguments.output.is_some() && found.len() > 1 {
        return Err(format!("-o takes one model, and {} were named: use --out-dir", found.len()));
    }
    let mut jobs = Vec::new();
    // Two models of one name in a folder keep their whole names.
    let mut taken: HashMap<PathBuf, usize> = HashMap::new();
    for (_, _, below) in &found {
        *taken.entry(below.with_extension("")).or_default() += 1;
    }
    for (uri, source, below) in found {
        let is_player = matches!(source, Source::Player(_));
        let name = if is_player || taken[&below.with_extension("")] > 1 {
            with_suffix(&below, extension(target))
        } else {
            below.with_extension(extension(target))
        };
        let output = match (&arguments.output, &arguments.out_dir, &source) {
            (Some(output), _, _) => output.clone(),
            (None, Some(folder), _) => folder.join(name),
            (None, None, Source::Player(folder)) => folder.join(name),
            (None, None, Source::Model(item)) if let Location::File(path) = item.location() => {
                let file = name.file_name().unwrap_or_default();
                path.with_file_name(file)
            }
            (None, None, Source::Model(_)) => {
                return Err(format!("{uri}: -o or --out-dir has to say where to"));
            }
        };
        jobs.push(Job { uri, source, output, target });
    }
    Ok((jobs, status))
}

fn target(arguments: &Convert) -> Result<Target, String> {
    if arguments.separate {
        return Ok(Target::Gltf);
    }
    if let Some(target) = arguments.to {
        return Ok(target);
    }
    let Some(output) = &arguments.output else { return Ok(Target::Glb) };
    let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "glb" => Ok(Target::Glb),
        "gltf" => Ok(Target::Gltf),
        "md3" => Ok(Target::Md3),
        "3d" => Ok(Target::Unreal),
        "u3d" => Ok(Target::U3d),
        "mesh" => Ok(Target::Unigine),
        _ => Err(format!("{}: --to has to say which format that is", output.display())),
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
    }
}

fn with_suffix(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(extension);
    path.with_file_name(name)
}

/// Where an item lies below what was named: the path to mirror. A mesh of two files is called as its frames are, which
/// are its own where several meshes share triangles.
fn below(root: &Path, item: &Item) -> PathBuf {
    let path = place(root, item.location());
    let Input::Pair { frames, .. } = &item.input else { return path };
    let frames = place(root, frames);
    let name = frames.file_name().and_then(|name| name.to_str()).and_then(HalfName::parse);
    match name.filter(|name| !name.is_numbered) {
        // A stem may have a dot, which is no extension to take off.
        Some(name) => path.with_file_name(format!("{}.3d", name.stem)),
        None => path,
    }
}

fn place(root: &Path, location: &Location) -> PathBuf {
    match location {
        Location::Stdin => "stdin".into(),
        Location::File(path) => match path.strip_prefix(root) {
            Ok(below) if !below.as_os_str().is_empty() => below.into(),
            _ => path.file_name().unwrap_or_default().into(),
        },
        Location::Entry { archive, entry } => {
            // Names of entries that would leave the folder are not listed at all.
            let entry = archive.entries()[*entry].name().replace('\\', "/");
            match Path::new(archive.name()).strip_prefix(root) {
                Ok(below) if !below.as_os_str().is_empty() => below.join(entry),
                _ => entry.into(),
            }
        }
    }
}
