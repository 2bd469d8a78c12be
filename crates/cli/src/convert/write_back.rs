//! Writes a model in a game format, with the files beside it.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::Path;

use meshlens::model::export;
use meshlens::scene::Node;
use meshlens::unreal::VertexEncoding;
use meshlens_assets::Assets;
use meshlens_gltf::PORTABLE_MORPH_TARGETS;

use super::job::Job;
use super::textures::{TextureWriter, game_folder};
use super::written::Written;
use super::{Outcome, Share, clips, fit};
use crate::args::{Convert, Interpolation, Lod, Normals, Target, Textures, UnrealVertices};
use crate::engines;
use crate::failure::Failure;
use crate::sink::{Sink, is_stdout};

/// Writes a model in a game format. `own` is the file of the model, if the result may keep what a model does not hold.
pub(super) fn write_back(
    arguments: &Convert,
    job: &Job,
    node: &Node<'_>,
    own: Option<&[u8]>,
    assets: &Assets,
    share: &Share<'_>,
) -> Result<Written, Failure> {
    let _reserved =
        export::reserve(&node.model, share.budget).map_err(|over| Failure::memory(&job.uri, &over))?;
    let mut warnings = Vec::new();
    let to_stdout = is_stdout(&job.output);
    let images = node.model.materials.iter().filter(|material| material.image.is_some()).count();
    let for_gltf = for_gltf(arguments, images > 0 || game_folder(job).is_some());
    if !for_gltf.is_empty() {
        warnings.push(format!("only for glTF, and ignored: {}", for_gltf.join(", ")));
    }
    let mode = arguments.textures(job.target, to_stdout);
    let textures = TextureWriter::new(assets, mode, job, arguments.force);
    let model = &*textures.carried(&node.model);
    let (texture_files, unusable) = textures.finish()?;
    warnings.extend(unusable);
    if images > 0 && to_stdout && arguments.textures != Some(Textures::None) {
        warnings.push(format!("the images of {images} materials are not written to standard output"));
    }
    let vertices = arguments.vertices.map(|vertices| match vertices {
        UnrealVertices::Packed32 => VertexEncoding::Packed,
        UnrealVertices::I16x4 => VertexEncoding::Wide,
    });
    let name = name(job, node);
    let engine = arguments.engine.as_deref().and_then(engines::find);
    let packs = vertices.is_none() && engine.is_some_and(engines::Engine::packs_vertices);
    let vertices = if packs { Some(VertexEncoding::Packed) } else { vertices };
    let own_u3d = own.filter(|_| job.target == Target::U3d);
    let mut made = match own_u3d.and_then(|own| export::ModelFiles::rewritten_u3d(own, &name)) {
        Some(made) => made,
        None => export::to_files(model, target(job.target), &name, arguments.scale, vertices)
            .map_err(|error| Failure::input(format!("{}: {error}", job.uri)))?,
    };
    let keeps_flags = own.is_some_and(|own| fit::keep_flags(&mut made, own));
    let split = match engine {
        Some(engine) => fit::split(engine, &mut made, job, share)?,
        None => None,
    };
    let mut notes: Vec<String> = split.into_iter().collect();
    fit::judge(engine, &made, &mut warnings, &mut notes)
        .map_err(|error| Failure::input(format!("{}: {error}", job.uri)))?;
    let (mut files, mut bytes_out, mut turn) = (Vec::new(), 0, None);
    for (file, bytes) in &made.files {
        let beside = job.output.with_file_name(file);
        let path = if made.files.len() == 1 { &job.output } else { &beside };
        files.push(write(path, bytes, arguments.replaces())?);
        bytes_out += bytes.len() as u64;
    }
    if !to_stdout && let Some(clips) = clips::file(&job.output, &made.clips)? {
        files.push(write(&clips.path, clips.text.as_bytes(), clips.replaces || arguments.replaces())?);
        bytes_out += clips.text.len() as u64;
        turn = clips.turn;
    }
    files.extend(texture_files);
    let better_scale = made.fit.better_scale;
    let better = better_scale.map(|scale| format!("; --scale {scale} helps")).unwrap_or_default();
    warnings.extend(made.fit.warning().map(|text| text + &better));
    let (losses, scale_is_named) = (made.losses, better_scale.is_some());
    let outcome = Outcome { bytes_out, losses, warnings, notes, scale_is_named, ..Outcome::default() };
    Ok(Written { files, turn, outcome, keeps_flags })
}

/// The name of the model in its files. The name for x.3d and x_d.3d is x.
fn name<'a>(job: &'a Job, node: &'a Node<'_>) -> Cow<'a, str> {
    if job.target != Target::Unreal {
        return Cow::Borrowed(&node.name);
    }
    let stem = job.output.file_stem().unwrap_or_default().to_string_lossy();
    match stem.strip_suffix("_d") {
        Some(name) => Cow::Owned(name.to_owned()),
        None => stem,
    }
}

fn write(path: &Path, bytes: &[u8], force: bool) -> Result<Sink, Failure> {
    let mut file = Sink::create(path, force).map_err(Failure::file)?;
    file.write_all(bytes).map_err(|error| Failure::output(path, &error))?;
    Ok(file)
}

/// The options in use that only apply to glTF outputs.
pub(super) fn for_gltf(arguments: &Convert, has_images: bool) -> Vec<&'static str> {
    let options = [
        ("--frames", arguments.frames.is_some()),
        ("--clip", arguments.clip.is_some()),
        ("--frame", arguments.frame.is_some()),
        ("--quantize", arguments.quantize),
        ("--normals", arguments.normals == Normals::Base),
        ("--max-targets", arguments.max_targets != PORTABLE_MORPH_TARGETS),
        ("--meshopt", arguments.meshopt.is_some()),
        ("--lod", arguments.lod == Lod::All),
        ("--interpolation", arguments.interpolation == Interpolation::Step),
        ("--textures", arguments.textures.is_some_and(|asked| !has_images || asked == Textures::Embed)),
        ("--embed", arguments.embed),
    ];
    options.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect()
}

/// The game format of a target.
fn target(target: Target) -> export::Target {
    match target {
        Target::Unreal => export::Target::Unreal,
        Target::U3d => export::Target::U3d,
        Target::Unigine => export::Target::Unigine,
        Target::UnigineAnim => export::Target::UnigineAnim,
        // Targets that are not written here.
        _ => export::Target::Md3,
    }
}
