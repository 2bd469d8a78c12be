//! One job: from bytes to the finished file.

use std::path::Path;

use meshlens::Model;
use meshlens::md3::lod;
use meshlens::unigine::Anim;
use meshlens_gltf::{Export, Frames, Options, Part};
use meshlens_source::AtomicFile;

use super::beside::Beside;
use super::job::{Job, Source};
use super::{Failure, Outcome, player, textures};
use crate::args::{Convert, Interpolation, Lod, Target};
use crate::open;

pub(super) fn convert(arguments: &Convert, job: &Job, buffer: &mut Vec<u8>) -> Result<Outcome, Failure> {
    match &job.source {
        Source::Player(folder) => player(arguments, job, folder),
        Source::Model(item) => {
            let (beside, name) = Beside::of(item);
            let converted = open::with_bytes(item, arguments.inputs.no_mmap, buffer, |bytes| {
                model(arguments, job, &beside, &name, bytes)
            });
            converted.unwrap_or_else(|error| Err(Failure::system(error)))
        }
    }
}

/// A name without its ending.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn parse<'a>(arguments: &Convert, uri: &str, bytes: &'a [u8]) -> Result<Model<'a>, Failure> {
    let mut model = Model::parse(bytes).map_err(|error| Failure::input(format!("{uri}: {error}")))?;
    if let Some(rate) = arguments.fps {
        model.set_rate(rate);
    }
    Ok(model)
}

fn model(
    arguments: &Convert,
    job: &Job,
    beside: &Beside,
    name: &str,
    bytes: &[u8],
) -> Result<Outcome, Failure> {
    let mut model = parse(arguments, &job.uri, bytes)?;
    let skin = arguments.skin.as_deref();
    let mut losses = player::companions(&mut model, beside, stem(name), skin)?;
    let mut bytes_in = bytes.len() as u64;
    for path in &arguments.anim {
        let source = open::source(path, arguments.inputs.no_mmap, Vec::new()).map_err(Failure::system)?;
        let broken = |error| Failure::input(format!("{}: {error}", path.display()));
        let anim = Anim::parse(&source).map_err(broken)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        losses.extend(model.add_anim(&anim, &name));
        bytes_in += source.len() as u64;
    }
    if let Some(rate) = arguments.fps {
        // Those that a companion gave a rate keep it; .anim files have none.
        model.clips.iter_mut().filter(|clip| clip.animation.is_some()).for_each(|clip| clip.rate = rate);
    }

    let coarser: Vec<(String, Vec<u8>)> =
        if arguments.lod == Lod::All { levels(beside, name) } else { Vec::new() };
    let mut lods = Vec::new();
    for (name, bytes) in &coarser {
        bytes_in += bytes.len() as u64;
        lods.push(parse(arguments, name, bytes)?);
    }
    let part =
        Part { rest: player::rest(&model), lods: lods.iter().collect(), ..Part::new(stem(name), &model) };
    let outcome = write(arguments, job, beside, &[part])?;
    losses.extend(outcome.losses);
    Ok(Outcome { bytes_in, losses, ..outcome })
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

fn player(arguments: &Convert, job: &Job, folder: &Path) -> Result<Outcome, Failure> {
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
        let mut model = parse(arguments, &format!("{}/{name}.md3", job.uri), bytes)?;
        losses.extend(player::companions(&mut model, &beside, name, arguments.skin.as_deref())?);
        models.push((*name, model));
    }
    let models: Vec<(&str, &Model<'_>)> = models.iter().map(|(name, model)| (*name, model)).collect();
    let outcome = write(arguments, job, &beside, &player::parts(&models))?;
    losses.extend(outcome.losses);
    let bytes_in = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    Ok(Outcome { bytes_in, losses, ..outcome })
}

fn write(
    arguments: &Convert,
    job: &Job,
    beside: &Beside,
    parts: &[Part<'_, '_>],
) -> Result<Outcome, Failure> {
    let folder = super::beside::folder_of(&job.output);
    if arguments.out_dir.is_some() {
        std::fs::create_dir_all(&folder)
            .map_err(|error| Failure::system(format!("{}: {error}", folder.display())))?;
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
    let bytes_out = match job.target {
        Target::Glb => {
            let written = export.write_glb(&mut file).map_err(failed)?;
            file.commit().map_err(Failure::system)?;
            written
        }
        Target::Gltf => {
            let path = job.output.with_extension("bin");
            let uri = textures::escape(&path.file_name().unwrap_or_default().to_string_lossy());
            let mut written = 0;
            let bin = if export.has_bin() {
                let mut bin = AtomicFile::create(&path, arguments.force).map_err(Failure::system)?;
                written += export.write_bin(&mut bin).map_err(failed)?;
                Some(bin)
            } else {
                None
            };
            written += export.write_json(&uri, &mut file).map_err(failed)?;
            bin.map_or(Ok(()), AtomicFile::commit).map_err(Failure::system)?;
            file.commit().map_err(Failure::system)?;
            written
        }
    };
    let (losses, warnings) = (export.losses().to_vec(), export.warnings().to_vec());
    Ok(Outcome { bytes_in: 0, bytes_out, losses, warnings })
}
