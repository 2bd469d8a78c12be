//! One job: reads, converts and writes one model.

use std::collections::HashSet;

use meshlens::import::{ImportLimits, ImportOptions};
use meshlens::scene::{CompanionKind, Scene};
use meshlens::wire::Reservation;
use meshlens::{Code, Format, Report};
use meshlens_assets::{Asset, AssetFile, ModelFiles, OpenOptions, Rule};

use super::job::Job;
use super::textures::game_folder;
use super::write_back::{write_back, write_models};
#[cfg(feature = "carriers")]
use super::write_carriers::{rigged, write_usd, write_vat};
use super::write_gltf::write_gltf;
use super::written::Written;
use super::{Outcome, Share, Work, notes};
use crate::animations;
use crate::args::{Carry, Convert, Lod, Target, Textures};
use crate::failure::{Failure, folder_of};
use crate::forward::turned;
use crate::sink::create_folder;

pub(super) fn convert(arguments: &Convert, job: &Job, share: &Share<'_>) -> Result<Outcome, Failure> {
    let mut written = model(arguments, job, share)?;
    let outcome = &mut written.outcome;
    let is_warned = |code: &Code| {
        *code == meshlens::codes::VALUE_NOT_FINITE
            || *code == meshlens_gltf::codes::VALUE_REPLACED
            || *code == meshlens_gltf::codes::MORPH_TARGETS_SPLIT
            || *code == meshlens_gltf::codes::MORPH_TARGETS_MANY
    };
    let warned = only(&outcome.losses, is_warned);
    outcome.warnings.extend(warned.findings().map(|finding| finding.message.clone()));
    written.commit()
}

fn model(arguments: &Convert, job: &Job, share: &Share<'_>) -> Result<Written, Failure> {
    let item = &job.item;
    let loaded = item.load(&arguments.inputs.password)?;
    let animations = animations::of(&item.located, &arguments.anim)?;
    // A game finds the images of a model of another format only if they are written and named for it.
    let is_foreign = loaded.document().is_ok_and(|document| document.format() != Format::Md3);
    let options = OpenOptions {
        skin: arguments.skin.clone(),
        lods: arguments.lod == Lod::All || job.target == Target::Md3 && loaded.importer().is_some(),
        animations: Some(animations.clone()),
        // Other formats keep the names in the file. An Unreal mesh only needs its textures resolved.
        materials: (job.target.takes_scenes() || is_foreign && game_folder(job).is_some())
            && !(arguments.textures == Some(Textures::None)
                && matches!(item.located.files(), ModelFiles::Pair { .. })),
        password: None,
        import: ImportOptions {
            rate: arguments.fps,
            limits: ImportLimits { bytes: share.limit, ..ImportLimits::DEFAULT },
            ..job.target.game_format().map_or_else(ImportOptions::default, ImportOptions::for_export)
        },
    };
    let is_plain = arguments.scale == 1.0 && arguments.forward.is_none();
    let own =
        (job.target == Target::Md3 || job.target == Target::U3d && is_plain).then(|| loaded.first().to_vec());
    let asset = item.located.clone().open_loaded(loaded, &options);
    let asset = asset.map_err(|error| animations::failure(&item.located, &animations, &error))?;
    let (mut scene, mut unread) = if job.target.writes_gltf() && arguments.carry == Carry::All {
        asset.scene_with_companions(arguments.variants)
    } else {
        (asset.scene().clone(), Report::default())
    };
    let _carried = carry(arguments, job, &mut scene, share)?;
    if let Some(rate) = arguments.fps {
        let clips = scene.nodes.iter_mut().flat_map(|node| &mut node.model.clips);
        clips.filter(|clip| clip.is_rate_assumed).for_each(|clip| clip.set_rate(rate));
    }
    let work = Work { arguments, job, assets: asset.assets(), share };
    let mut written = write(&work, &scene, own.as_deref())?;
    let mut losses = only(asset.findings(), |code| !is_about_files(code) && is_wanted(arguments, code));
    losses.append(written.outcome.losses);
    if written.keeps_flags {
        losses.retain(|code| *code != meshlens::md3::codes::FLAGS_LOST);
    }
    written.outcome.losses = losses;
    unread.append(only(asset.findings(), is_about_files));
    let faults = asset.assets().faults().iter().cloned();
    written.outcome.file_warnings =
        unread.findings().map(|finding| finding.message.clone()).chain(faults).collect();
    // A file that several models use is looked up for each of them.
    let mut known = HashSet::new();
    written.outcome.warnings.retain(|warning| known.insert(warning.clone()));
    written.outcome.bytes_in = bytes_in(&asset);
    Ok(written)
}

/// Leaves out the files that do not travel, and reserves the memory of the others.
fn carry(
    arguments: &Convert,
    job: &Job,
    scene: &mut Scene<'_>,
    share: &Share<'_>,
) -> Result<Reservation, Failure> {
    // A model that is turned does not become the same MD3 again.
    let is_kept = |kind: CompanionKind| kind != CompanionKind::Rest || arguments.forward.is_none();
    let mut bytes = 0usize;
    for node in &mut scene.nodes {
        if arguments.carry == Carry::None {
            node.companions.clear();
        }
        node.companions.retain(|file| is_kept(file.kind));
        bytes = node.companions.iter().fold(bytes, |sum, file| sum.saturating_add(file.bytes.len()));
    }
    let reserved = share.budget.reserve(bytes, format_args!("files that belong to the model"));
    reserved.map_err(|over| Failure::memory(&job.item.uri, &over))
}

/// The number of bytes in the files of a model, without texts and textures.
fn bytes_in(asset: &Asset) -> u64 {
    let is_own = |file: &&AssetFile| {
        matches!(file.rule, Rule::Named | Rule::Pair | Rule::PlayerPart | Rule::Level | Rule::Animation)
    };
    asset.files().iter().filter(is_own).map(|file| file.len).sum()
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
fn only(report: &Report, is_kept: impl Fn(&'static Code) -> bool) -> Report {
    let mut kept = report.clone();
    kept.retain(is_kept);
    kept
}

fn write(work: &Work<'_>, scene: &Scene<'_>, own: Option<&[u8]>) -> Result<Written, Failure> {
    let Work { arguments, job, .. } = *work;
    let scene = &*turned(scene, arguments.forward)?;
    #[cfg(feature = "carriers")]
    let rigged = rigged(work, scene)?;
    #[cfg(feature = "carriers")]
    let (scene, own) = rigged.as_ref().map_or((scene, own), |rigged| (&rigged.scene, None));
    let mut written = write_target(work, scene, own)?;
    #[cfg(feature = "carriers")]
    written.outcome.notes.extend(rigged.iter().flat_map(|rigged| &rigged.reports).map(ToString::to_string));
    let outcome = &mut written.outcome;
    if let Some(engine) = arguments.engine.as_ref().filter(|_| job.target.takes_scenes()) {
        let what = if job.target.writes_gltf() { "glTF" } else { "USD" };
        outcome.warnings.push(format!("{engine} does not read {what}: --to names a format"));
    }
    if let (Some(size), Some(first)) = (notes::size(scene, arguments.scale), scene.nodes.first()) {
        outcome.size = Some(notes::size_text(size, job.target));
        if !outcome.scale_is_named {
            outcome.notes.extend(notes::scale_hint(size, &first.model.space, job.target, arguments.scale));
        }
    }
    // The models of a player can have clips of the same name.
    for note in scene.nodes.iter().filter_map(|node| notes::assumed_rates(arguments, &node.model, job.target))
    {
        if !outcome.notes.contains(&note) {
            outcome.notes.push(note);
        }
    }
    Ok(written)
}

fn write_target(work: &Work<'_>, scene: &Scene<'_>, own: Option<&[u8]>) -> Result<Written, Failure> {
    let Work { arguments, job, .. } = *work;
    if arguments.out_dir.is_some() {
        create_folder(&folder_of(&job.output))?;
    }
    let is_imported = scene.nodes.iter().all(|node| node.model.format.is_none());
    match (job.target, &scene.nodes[..]) {
        #[cfg(feature = "carriers")]
        (Target::Vat, _) => write_vat(work, scene),
        #[cfg(feature = "carriers")]
        (Target::Usda, _) => write_usd(work, scene),
        (Target::Glb | Target::Gltf, _) => write_gltf(work, scene),
        (_, [node]) => write_back(work, node, own),
        (_, nodes) if is_imported => write_models(work, nodes),
        _ => Err(Failure::system(format!("{}: only glTF takes a player as one file", job.item.uri))),
    }
}
