//! One job: from bytes to the finished file.

use std::io::Write as _;
use std::path::Path;

use meshlens::md3::lod;
use meshlens::model::export;
use meshlens::unigine::Anim;
use meshlens::unreal::{Mode, Script};
use meshlens::{Document, Limits, Model};
use meshlens_gltf::{Export, Frames, ImportOptions, Options, Part, import};
use meshlens_source::{AtomicFile, Source};

use super::beside::Beside;
use super::job::{self, Job};
use super::{Failure, Outcome, player, textures};
use crate::args::{Convert, Interpolation, Lod, Target};
use crate::inputs::{Input, Item};
use crate::open::{self, Buffers, Files, Unlocked};

pub(super) fn convert(arguments: &Convert, job: &Job, buffers: &mut Buffers) -> Result<Outcome, Failure> {
    let written = match &job.source {
        job::Source::Player(folder) => player(arguments, job, folder)?,
        job::Source::Model(item) => {
            let (beside, name) = Beside::of(item);
            let converted = open::with_files(&item.input, arguments.inputs.no_mmap, buffers, |files| {
                model(arguments, job, item, &beside, &name, files)
            });
            // An error here is a file that changed while it was read: what was written of it is dropped.
            converted.map_err(Failure::system)??
        }
    };
    written.commit()
}

/// Files that are written but not yet in their place.
struct Written {
    files: Vec<AtomicFile>,
    outcome: Outcome,
}

impl Written {
    fn commit(self) -> Result<Outcome, Failure> {
        AtomicFile::commit_all(self.files).map_err(Failure::system)?;
        Ok(self.outcome)
    }
}

/// A name without its ending.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn prepare<'a>(
    arguments: &Convert,
    uri: &str,
    document: meshlens::Result<Document<'a>>,
) -> Result<Model<'a>, Failure> {
    let model = document.and_then(Model::new);
    let mut model = model.map_err(|error| Failure::input(format!("{uri}: {error}")))?;
    if let Some(rate) = arguments.fps {
        model.set_rate(rate);
    }
    Ok(model)
}

fn model(
    arguments: &Convert,
    job: &Job,
    item: &Item,
    beside: &Beside,
    name: &str,
    files: Files<'_>,
) -> Result<Written, Failure> {
    if let Files::One(bytes) = files
        && (bytes.starts_with(b"glTF") || name.to_ascii_lowercase().ends_with(".gltf"))
    {
        return imported(arguments, job, beside, name, bytes);
    }
    let plain = files.unlock(&arguments.inputs.password);
    let document = plain.as_ref().map_err(|error| *error).and_then(Unlocked::parse);
    let mut model = prepare(arguments, &job.uri, document)?;
    let skin = arguments.skin.as_deref();
    let mut losses = player::companions(&mut model, beside, stem(name), skin)?;
    let mut bytes_in = files.len();
    if let Input::Pair { script: Some(script), .. } = &item.input {
        let parsed =
            Script::parse_with(&script.text, Mode::Lenient, &Limits::DEFAULT).map_err(Failure::input)?;
        losses.extend(model.set_script(&parsed, &script.mesh).unwrap_or_default());
    }
    for path in &arguments.anim {
        let source = open::source(path, arguments.inputs.no_mmap, Vec::new()).map_err(Failure::system)?;
        let broken = |error| Failure::input(format!("{}: {error}", path.display()));
        let anim = Anim::parse(&source).map_err(broken)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        losses.extend(model.add_anim(&anim, &name));
        bytes_in += source.len() as u64;
        source.intact().map_err(Failure::system)?;
    }
    if let Some(rate) = arguments.fps {
        // .anim files have no rate of their own.
        model.clips.iter_mut().filter(|clip| clip.animation.is_some()).for_each(|clip| clip.rate = rate);
    }

    let coarser: Vec<(String, Vec<u8>)> =
        if arguments.lod == Lod::All { levels(beside, name) } else { Vec::new() };
    let mut lods = Vec::new();
    for (name, bytes) in &coarser {
        bytes_in += bytes.len() as u64;
        lods.push(prepare(arguments, name, Document::parse(bytes))?);
    }
    let part =
        Part { rest: player::rest(&model), lods: lods.iter().collect(), ..Part::new(stem(name), &model) };
    let mut written = write(arguments, job, beside, &[part])?;
    losses.append(&mut written.outcome.losses);
    written.outcome.losses = losses;
    written.outcome.bytes_in = bytes_in;
    Ok(written)
}

/// A glTF file, as a modelling program wrote it.
fn imported(
    arguments: &Convert,
    job: &Job,
    beside: &Beside,
    name: &str,
    bytes: &[u8],
) -> Result<Written, Failure> {
    // Files beside the document and no others: a path may not climb out of its folder.
    let read = |path: &str| {
        let inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let folder = if let Beside::Folder(folder) = beside { folder } else { return beside.read(path) };
        inside.then(|| Source::read_limited(folder.join(path), 1 << 30).ok()).flatten().map(Source::into_vec)
    };
    let options = ImportOptions { rate: arguments.fps, read: &read };
    let imported = import(bytes, &options);
    let (model, losses) = imported.map_err(|error| Failure::input(format!("{}: {error}", job.uri)))?;
    let mut written = write(arguments, job, beside, &[Part::new(stem(name), &model)])?;
    written.outcome.losses.splice(0..0, losses);
    written.outcome.bytes_in = bytes.len() as u64;
    Ok(written)
}

/// The coarser levels beside a model that is the finest.
fn levels(beside: &Beside, name: &str) -> Vec<(String, Vec<u8>)> {
    if lod::level(name).0 > 0 {
        return Vec::new();
    }
    let names = beside.names();
    let coarser = lod::siblings(name, names.iter().map(String::as_str)).into_iter();
    coarser
        .filter(|other| lod::level(other).0 > 0)
        .filter_map(|other| Some((other.into(), beside.read(other)?)))
        .collect()
}

fn player(arguments: &Convert, job: &Job, folder: &Path) -> Result<Written, Failure> {
    let beside = Beside::Folder(folder.into());
    let mut files = Vec::new();
    for name in ["lower", "upper", "head"] {
        let Some(path) = beside.path(&format!("{name}.md3")) else { continue };
        files.push((
            name,
            open::source(&path, arguments.inputs.no_mmap, Vec::new()).map_err(Failure::system)?,
        ));
    }
    let mut models = Vec::new();
    let mut losses = Vec::new();
    for (name, bytes) in &files {
        let mut model = prepare(arguments, &format!("{}/{name}.md3", job.uri), Document::parse(bytes))?;
        losses.extend(player::companions(&mut model, &beside, name, arguments.skin.as_deref())?);
        models.push((*name, model));
    }
    let models: Vec<(&str, &Model<'_>)> = models.iter().map(|(name, model)| (*name, model)).collect();
    let mut written = write(arguments, job, &beside, &player::parts(&models))?;
    losses.append(&mut written.outcome.losses);
    written.outcome.losses = losses;
    written.outcome.bytes_in = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    for (_, file) in &files {
        file.intact().map_err(Failure::system)?;
    }
    Ok(written)
}

fn write(
    arguments: &Convert,
    job: &Job,
    beside: &Beside,
    parts: &[Part<'_, '_>],
) -> Result<Written, Failure> {
    let folder = super::beside::folder_of(&job.output);
    if arguments.out_dir.is_some() {
        std::fs::create_dir_all(&folder)
            .map_err(|error| Failure::system(format!("{}: {error}", folder.display())))?;
    }
    if !matches!(job.target, Target::Glb | Target::Gltf) {
        let [part] = parts else {
            return Err(Failure::system(format!("{}: only glTF takes a player as one file", job.uri)));
        };
        return write_back(arguments, job, part);
    }
    let find = |path: &str| textures::find(beside, &job.output, arguments.embed, path);
    let options = Options {
        frames: match (arguments.frames, &arguments.clip, arguments.frame) {
            (Some((first, last)), _, _) => Frames::Range(first, last),
            (_, Some(clip), _) => Frames::Clip(clip),
            (_, _, Some(frame)) => Frames::One(frame),
            _ => Frames::All,
        },
        step: arguments.interpolation == Interpolation::Step,
        quantize: arguments.quantize,
        levels: arguments.lod == Lod::All,
        scale: arguments.scale,
        textures: Some(&find),
    };
    let failed = |error: meshlens_gltf::Error| match error {
        meshlens_gltf::Error::Io(error) => Failure::system(format!("{}: {error}", job.output.display())),
        error => Failure::input(format!("{}: {error}", job.uri)),
    };
    // Before any work is done: the file may be there already.
    let mut file = AtomicFile::create(&job.output, arguments.force).map_err(Failure::system)?;
    let mut export = Export::plan(parts, &options).map_err(failed)?;
    let mut files = Vec::new();
    let bytes_out = match job.target {
        Target::Glb => export.write_glb(&mut file).map_err(failed)?,
        Target::Gltf => {
            let path = job.output.with_extension("bin");
            let uri = textures::escape(&path.file_name().unwrap_or_default().to_string_lossy());
            let mut written = 0;
            if export.has_bin() {
                let mut bin = AtomicFile::create(&path, arguments.force).map_err(Failure::system)?;
                written += export.write_bin(&mut bin).map_err(failed)?;
                files.push(bin);
            }
            written + export.write_json(&uri, &mut file).map_err(failed)?
        }
        // Written already, by other means.
        Target::Md3 | Target::Unreal | Target::U3d | Target::Unigine => 0,
    };
    files.push(file);
    let (losses, warnings) = (export.losses().to_vec(), export.warnings().to_vec());
    Ok(Written { files, outcome: Outcome { bytes_in: 0, bytes_out, losses, warnings } })
}

/// A model in another game's format.
fn write_back(arguments: &Convert, job: &Job, part: &Part<'_, '_>) -> Result<Written, Failure> {
    let failed = |error: meshlens::Error| Failure::input(format!("{}: {error}", job.uri));
    let scale = arguments.scale;
    let mut warnings = Vec::new();
    if arguments.frames.is_some()
        || arguments.clip.is_some()
        || arguments.frame.is_some()
        || arguments.quantize
    {
        warnings.push("--frames, --clip, --frame and --quantize are for glTF".to_owned());
    }
    let mut files = Vec::new();
    let mut bytes_out = 0;
    let mut add = |path: &Path, bytes: &[u8]| -> Result<(), Failure> {
        let mut file = AtomicFile::create(path, arguments.force).map_err(Failure::system)?;
        file.write_all(bytes).map_err(|error| Failure::system(format!("{}: {error}", path.display())))?;
        bytes_out += bytes.len() as u64;
        files.push(file);
        Ok(())
    };
    let losses = match job.target {
        Target::Unreal => {
            // x.3d and x_d.3d both mean x.
            let name = job.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = name.strip_suffix("_d").unwrap_or(&name);
            let (made, losses) = export::to_unreal(part.model, name, scale).map_err(failed)?;
            let beside = |end: &str| job.output.with_file_name(format!("{name}{end}"));
            add(&beside("_d.3d"), &made.files.geometry)?;
            add(&beside("_a.3d"), &made.files.frames)?;
            add(&beside(".uc"), made.script.as_bytes())?;
            losses
        }
        Target::U3d => {
            let (bytes, losses) = export::to_u3d(part.model, scale).map_err(failed)?;
            add(&job.output, &bytes)?;
            losses
        }
        Target::Unigine => {
            let (bytes, losses) = export::to_unigine(part.model, scale).map_err(failed)?;
            add(&job.output, &bytes)?;
            losses
        }
        _ => {
            let (bytes, losses) = export::to_md3(part.model, &part.name, scale).map_err(failed)?;
            add(&job.output, &bytes)?;
            losses
        }
    };
    Ok(Written { files, outcome: Outcome { bytes_in: 0, bytes_out, losses, warnings } })
}
