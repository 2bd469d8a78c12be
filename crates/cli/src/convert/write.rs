//! One job: reads, converts and writes one model.

use std::io::Write as _;
use std::path::Path;
use std::sync::MutexGuard;

use meshlens::model::{Material, export};
use meshlens::unreal::VertexEncoding;
use meshlens::{Code, Model, Report};
use meshlens_assets::{Asset, AssetFile, Assets, Error, FoundFile, LoadedFiles, OpenOptions, Rule};
use meshlens_gltf::{Export, Frames, ImportLimits, ImportOptions, Options, Part, Skins, import_within};

use super::job::Job;
use super::textures::{self, TextureWriter};
use super::{Outcome, Share, clips, notes};
use crate::args::{Convert, Interpolation, Lod, Normals, Target, Textures, UnrealVertices};
use crate::errors;
use crate::failure::{Failure, folder_of};
use crate::sink::{Sink, is_stdout};
use crate::terminal::tell;

pub(super) fn convert(arguments: &Convert, job: &Job, share: &Share<'_>) -> Result<Outcome, Failure> {
    let written = model(arguments, job, share)?;
    written.commit()
}

/// Files that are written but not yet committed.
struct Written {
    files: Vec<Sink>,
    /// Held until a file that other jobs also write is committed.
    turn: Option<MutexGuard<'static, ()>>,
    outcome: Outcome,
}

impl Written {
    fn commit(self) -> Result<Outcome, Failure> {
        let committed = Sink::commit_all(self.files);
        drop(self.turn);
        committed.map_err(Failure::file)?;
        Ok(self.outcome)
    }
}

/// A file name without its extension.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

const fn is_gltf(target: Target) -> bool {
    matches!(target, Target::Glb | Target::Gltf)
}

fn model(arguments: &Convert, job: &Job, share: &Share<'_>) -> Result<Written, Failure> {
    let item = &job.item;
    let loaded = item.located.load(arguments.inputs.password.get());
    let loaded = loaded.map_err(|error| Failure::asset(&error))?;
    let (bytes, name) = (loaded.first(), item.located.path().file_name());
    let is_gltf_name = name.to_ascii_lowercase().ends_with(".gltf");
    if item.is_single() && (bytes.starts_with(b"glTF") || !bytes.is_empty() && is_gltf_name) {
        return imported(arguments, job, &loaded, share);
    }
    if let Err(error) = loaded.document() {
        let uri = &job.uri;
        return Err(Failure::input(format!("{uri}: {}", errors::model(uri, &loaded, &error))));
    }
    if item.is_half() {
        return Err(Failure::system(format!("{}: {}", job.uri, errors::missing_half(item))));
    }
    let animations = animations(arguments, job)?;
    let options = OpenOptions {
        skin: arguments.skin.clone(),
        levels: arguments.lod == Lod::All,
        animations: Some(animations.clone()),
        // Other formats keep the names in the file.
        materials: is_gltf(job.target),
        password: None,
    };
    let asset = item.located.clone().open_loaded(loaded, &options);
    let asset = asset.map_err(|error| failure(job, &animations, &error))?;
    let models: Vec<Model<'_>> = asset.parts().iter().map(|part| timed(arguments, &part.model)).collect();
    let parts: Vec<Part<'_, '_>> = asset
        .parts()
        .iter()
        .zip(&models)
        .map(|(part, model)| Part {
            attach: part.attach,
            rest: part.rest_frame,
            lods: part.levels.iter().collect(),
            ..Part::new(part.name.as_str(), model)
        })
        .collect();
    let mut written = write(arguments, job, asset.assets(), &parts, share)?;
    let mut losses = only(asset.findings(), |code| !is_about_files(code) && is_wanted(arguments, code));
    losses.append(written.outcome.losses);
    written.outcome.losses = losses;
    let about_files = only(asset.findings(), is_about_files);
    let faults = asset.assets().faults().iter().cloned();
    let warnings = about_files.findings().map(|finding| finding.message.clone()).chain(faults);
    written.outcome.warnings.splice(0..0, warnings);
    written.outcome.bytes_in = bytes_in(&asset);
    Ok(written)
}

/// The number of bytes in the files of a model, without texts and textures.
fn bytes_in(asset: &Asset) -> u64 {
    let is_own = |file: &&AssetFile| {
        matches!(file.rule, Rule::Named | Rule::Pair | Rule::PlayerPart | Rule::Level | Rule::Animation)
    };
    asset.files().iter().filter(is_own).map(|file| file.len).sum()
}

/// The model with the rate of `--fps` in clips that have no rate.
fn timed<'a>(arguments: &Convert, model: &Model<'a>) -> Model<'a> {
    let mut model = model.clone();
    if let Some(rate) = arguments.fps {
        model.clips.iter_mut().filter(|clip| clip.is_rate_assumed).for_each(|clip| {
            (clip.rate, clip.is_rate_assumed) = (rate, false);
        });
    }
    model
}

/// The animation files that the arguments name.
fn animations(arguments: &Convert, job: &Job) -> Result<Vec<FoundFile>, Failure> {
    let named = arguments.anim.iter().map(|path| {
        let given = job.item.located.assets().given(path).map_err(|error| Failure::asset(&error))?;
        let file = given.file().cloned();
        file.ok_or_else(|| Failure::system(format!("{}: is not a file", path.display())))
    });
    named.collect()
}

/// The reason why a model cannot be opened. For an animation file, what the file is instead.
fn failure(job: &Job, animations: &[FoundFile], error: &Error) -> Failure {
    if let Error::Parse { file, error } = error
        && let Some(found) = animations.iter().find(|found| found.to_string() == **file)
        && let Ok(bytes) = job.item.located.assets().read(found)
    {
        return Failure::input(format!("{file}: {}", errors::of_kind("UNIGINE animation", &bytes, error)));
    }
    Failure::asset(error)
}

/// Whether a finding is about files that could not be found or read, not about the model.
fn is_about_files(code: &Code) -> bool {
    meshlens_assets::codes::ALL.contains(&code)
}

/// Whether to report a finding: without textures, a missing texture is not reported.
fn is_wanted(arguments: &Convert, code: &Code) -> bool {
    arguments.textures != Some(Textures::None) || *code != meshlens_assets::material::codes::TEXTURE_NOT_FOUND
}

/// The findings with some codes only.
fn only(report: &Report, is_kept: impl Fn(&Code) -> bool) -> Report {
    let mut kept = Report::default();
    for group in report.groups().filter(|group| is_kept(group.code)) {
        let own = report.findings().filter(|finding| finding.code == group.code.name);
        for finding in own {
            let (pointer, message) = (&finding.pointer, &finding.message);
            kept.lose(group.code, finding.count, format_args!("{pointer}"), format_args!("{message}"));
        }
    }
    kept
}

/// Reads a glTF file.
fn imported(
    arguments: &Convert,
    job: &Job,
    loaded: &LoadedFiles,
    share: &Share<'_>,
) -> Result<Written, Failure> {
    let (assets, path) = (job.item.located.assets(), job.item.located.path());
    let bytes = loaded.first();
    let read = |name: &str| {
        let bytes = assets.read_named(&path.folder(), name);
        bytes
            .unwrap_or_else(|error| {
                tell!("{}: {}", job.uri, errors::asset(&error));
                None
            })
            .map(Vec::from)
    };
    // Formats that store frames of vertices take the movement of joints as frames.
    let skins = match job.target {
        Target::Md3 | Target::Unreal => Skins::Bake,
        _ => Skins::Keep,
    };
    let options = ImportOptions { rate: arguments.fps, skins, read: &read };
    let limits = ImportLimits { bytes: share.limit, ..ImportLimits::DEFAULT };
    let imported = import_within(bytes, &options, &limits, share.budget);
    let (mut model, mut losses) = imported.map_err(|error| match error {
        meshlens_gltf::Error::Memory(over) => Failure::memory(&job.uri, &over),
        error => Failure::input(format!("{}: {error}", job.uri)),
    })?;
    if is_gltf(job.target) {
        let findings = assets.resolve_materials(&mut model, path);
        losses.append(only(&findings, |code| is_wanted(arguments, code)));
    }
    let mut written = write(arguments, job, assets, &[Part::new(stem(path.file_name()), &model)], share)?;
    losses.append(written.outcome.losses);
    written.outcome.losses = losses;
    written.outcome.bytes_in = bytes.len() as u64;
    Ok(written)
}

fn write(
    arguments: &Convert,
    job: &Job,
    assets: &Assets,
    parts: &[Part<'_, '_>],
    share: &Share<'_>,
) -> Result<Written, Failure> {
    let mut written = write_target(arguments, job, assets, parts, share)?;
    let outcome = &mut written.outcome;
    if let (Some(size), Some(first)) = (notes::size(parts, arguments.scale), parts.first()) {
        outcome.size = Some(notes::size_text(size, job.target));
        if !outcome.scale_is_named {
            outcome.notes.extend(notes::scale_hint(size, &first.model.space, job.target, arguments.scale));
        }
    }
    outcome.notes.extend(parts.iter().filter_map(|part| notes::assumed_rates(part.model, job.target)));
    Ok(written)
}

fn write_target(
    arguments: &Convert,
    job: &Job,
    assets: &Assets,
    parts: &[Part<'_, '_>],
    share: &Share<'_>,
) -> Result<Written, Failure> {
    let folder = folder_of(&job.output);
    if arguments.out_dir.is_some() {
        std::fs::create_dir_all(&folder).map_err(|error| {
            Failure::system(format!("{}: cannot create the folder: {error}", folder.display()))
        })?;
    }
    if !matches!(job.target, Target::Glb | Target::Gltf) {
        let [part] = parts else {
            return Err(Failure::system(format!("{}: only glTF takes a player as one file", job.uri)));
        };
        return write_back(arguments, job, part, share);
    }
    let mode = arguments.textures(job.target, is_stdout(&job.output));
    let textures = TextureWriter::new(assets, mode, &job.output, arguments.force);
    let find = |material: &Material| textures.find(material);
    let options = Options {
        frames: match (arguments.frames, &arguments.clip, arguments.frame) {
            (Some((first, last)), _, _) => Frames::Range(first, last),
            (_, Some(clip), _) => Frames::Clip(clip),
            (_, _, Some(frame)) => Frames::One(frame),
            _ => Frames::All,
        },
        step: arguments.interpolation == Interpolation::Step,
        quantize: arguments.quantize,
        normals: match arguments.normals {
            Normals::All => meshlens_gltf::Normals::All,
            Normals::Base => meshlens_gltf::Normals::Base,
        },
        meshopt: arguments.meshopt,
        levels: arguments.lod == Lod::All,
        scale: arguments.scale,
        textures: Some(&find),
        budget: Some(share.budget),
    };
    let failed = |error: meshlens_gltf::Error| match error {
        meshlens_gltf::Error::Memory(over) => Failure::memory(&job.uri, &over),
        meshlens_gltf::Error::Io(error) => Failure::output(&job.output, &error),
        meshlens_gltf::Error::NoClip(name) => {
            let clips = parts.iter().flat_map(|part| &part.model.clips);
            Failure::no_clip(&job.uri, &name, clips.map(|clip| clip.name.as_str()))
        }
        meshlens_gltf::Error::NoFrame(frame, count) => Failure::no_frame(&job.uri, frame, count.max(1)),
        error => Failure::input(format!("{}: {error}", job.uri)),
    };
    // Created before any work: the file may exist already.
    let mut file = Sink::create(&job.output, arguments.force).map_err(Failure::file)?;
    let mut export = Export::plan(parts, &options).map_err(failed)?;
    let mut files = Vec::new();
    let bytes_out = match job.target {
        Target::Glb => export.write_glb(&mut file).map_err(failed)?,
        Target::Gltf => {
            let path = job.output.with_extension("bin");
            let uri = textures::escape(&path.file_name().unwrap_or_default().to_string_lossy());
            let mut written = 0;
            if export.has_bin() {
                let mut bin = Sink::create(&path, arguments.force).map_err(Failure::file)?;
                written += export.write_bin(&mut bin).map_err(failed)?;
                files.push(bin);
            }
            written + export.write_json(&uri, &mut file).map_err(failed)?
        }
        // Already written, by `write_back`.
        Target::Md3 | Target::Unreal | Target::U3d | Target::Unigine | Target::UnigineAnim => 0,
    };
    files.push(file);
    let losses = export.losses().clone();
    let mut warnings = export.warnings().to_vec();
    drop(export);
    let (made, unusable) = textures.finish()?;
    files.extend(made);
    warnings.extend(unusable);
    Ok(Written { files, turn: None, outcome: Outcome { bytes_out, losses, warnings, ..Outcome::default() } })
}

/// The warning about positions that do not fit the steps of MD3.
fn fit_warning(fit: &export::PositionFit) -> Option<String> {
    if !fit.is_poor() {
        return None;
    }
    let mut text = Vec::new();
    if fit.clamped > 0 {
        text.push(format!("{} positions beyond 512 units are clamped", fit.clamped));
    }
    if fit.merged > 0 {
        text.push(format!("{} of {} distinct positions are merged", fit.merged, fit.distinct));
    }
    let better = fit.better_scale.map(|scale| format!("; --scale {scale} helps")).unwrap_or_default();
    Some(text.join(", ") + &better)
}

/// Writes a model in a game format.
fn write_back(
    arguments: &Convert,
    job: &Job,
    part: &Part<'_, '_>,
    share: &Share<'_>,
) -> Result<Written, Failure> {
    let _reserved =
        export::reserve(part.model, share.budget).map_err(|over| Failure::memory(&job.uri, &over))?;
    let failed = |error: meshlens::Error| Failure::input(format!("{}: {error}", job.uri));
    let scale = arguments.scale;
    let mut warnings = Vec::new();
    if arguments.frames.is_some()
        || arguments.clip.is_some()
        || arguments.frame.is_some()
        || arguments.quantize
        || arguments.meshopt
        || arguments.normals == Normals::Base
    {
        warnings
            .push("--frames, --clip, --frame, --quantize, --normals and --meshopt are for glTF".to_owned());
    }
    let mut files = Vec::new();
    let mut scale_is_named = false;
    let mut bytes_out = 0;
    let mut turn = None;
    let mut add = |path: &Path, bytes: &[u8], force: bool| -> Result<(), Failure> {
        let mut file = Sink::create(path, force).map_err(Failure::file)?;
        file.write_all(bytes).map_err(|error| Failure::output(path, &error))?;
        bytes_out += bytes.len() as u64;
        files.push(file);
        Ok(())
    };
    let losses = match job.target {
        Target::Unreal => {
            // x.3d and x_d.3d both give the name x.
            let name = job.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = name.strip_suffix("_d").unwrap_or(&name);
            let (made, losses) = match arguments.vertices {
                None => export::to_unreal(part.model, name, scale),
                Some(UnrealVertices::Packed32) => {
                    export::to_unreal_as(part.model, name, scale, VertexEncoding::Packed)
                }
                Some(UnrealVertices::I16x4) => {
                    export::to_unreal_as(part.model, name, scale, VertexEncoding::Wide)
                }
            }
            .map_err(failed)?;
            let beside = |end: &str| job.output.with_file_name(format!("{name}{end}"));
            add(&beside("_d.3d"), &made.files.geometry, arguments.force)?;
            add(&beside("_a.3d"), &made.files.frames, arguments.force)?;
            add(&beside(".uc"), made.script.as_bytes(), arguments.force)?;
            losses
        }
        Target::U3d => {
            let (bytes, losses) = export::to_u3d(part.model, scale).map_err(failed)?;
            add(&job.output, &bytes, arguments.force)?;
            losses
        }
        Target::UnigineAnim => {
            let (bytes, losses) = export::to_unigine_anim(part.model, scale).map_err(failed)?;
            add(&job.output, &bytes, arguments.force)?;
            losses
        }
        Target::Unigine => {
            let (bytes, losses) = export::to_unigine(part.model, scale).map_err(failed)?;
            add(&job.output, &bytes, arguments.force)?;
            losses
        }
        _ => {
            let made = export::to_md3_measured(part.model, &part.name, scale).map_err(failed)?;
            add(&job.output, &made.bytes, arguments.force)?;
            if !is_stdout(&job.output)
                && let Some(clips) = clips::file(&job.output, &made.clips)?
            {
                add(&clips.path, clips.text.as_bytes(), clips.replaces || arguments.force)?;
                turn = clips.turn;
            }
            warnings.extend(fit_warning(&made.fit));
            scale_is_named = made.fit.better_scale.is_some();
            made.losses
        }
    };
    Ok(Written {
        files,
        turn,
        outcome: Outcome { bytes_out, losses, warnings, scale_is_named, ..Outcome::default() },
    })
}
