//! Writes a model in a game format, with the files beside it.

use std::io::Write as _;
use std::path::Path;

use meshlens::model::export;
use meshlens::scene::Node;
use meshlens::unreal::VertexEncoding;
use meshlens_assets::Assets;

use super::job::Job;
use super::textures::TextureWriter;
use super::written::Written;
use super::{Outcome, Share, clips};
use crate::args::{Convert, Interpolation, Lod, Normals, Target, Textures, UnrealVertices};
use crate::failure::Failure;
use crate::sink::{Sink, is_stdout};

/// Writes a model in a game format.
pub(super) fn write_back(
    arguments: &Convert,
    job: &Job,
    node: &Node<'_>,
    assets: &Assets,
    share: &Share<'_>,
) -> Result<Written, Failure> {
    let _reserved =
        export::reserve(&node.model, share.budget).map_err(|over| Failure::memory(&job.uri, &over))?;
    let failed = |error: meshlens::Error| Failure::input(format!("{}: {error}", job.uri));
    let scale = arguments.scale;
    let mut warnings = Vec::new();
    let images = node.model.materials.iter().filter(|material| material.image.is_some()).count();
    let for_gltf = for_gltf(arguments, images > 0);
    if !for_gltf.is_empty() {
        warnings.push(format!("only for glTF, and ignored: {}", for_gltf.join(", ")));
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
    let mode = arguments.textures(job.target, is_stdout(&job.output));
    let textures = TextureWriter::new(assets, mode, job, arguments.force);
    let model = &*textures.carried(&node.model);
    let (texture_files, unusable) = textures.finish()?;
    warnings.extend(unusable);
    if images > 0 && is_stdout(&job.output) && arguments.textures != Some(Textures::None) {
        warnings.push(format!("the images of {images} materials are not written to standard output"));
    }
    let losses = match job.target {
        Target::Unreal => {
            // x.3d and x_d.3d both give the name x.
            let name = job.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = name.strip_suffix("_d").unwrap_or(&name);
            let (made, losses) = match arguments.vertices {
                None => export::to_unreal(model, name, scale),
                Some(UnrealVertices::Packed32) => {
                    export::to_unreal_as(model, name, scale, VertexEncoding::Packed)
                }
                Some(UnrealVertices::I16x4) => export::to_unreal_as(model, name, scale, VertexEncoding::Wide),
            }
            .map_err(failed)?;
            let beside = |end: &str| job.output.with_file_name(format!("{name}{end}"));
            add(&beside("_d.3d"), &made.files.geometry, arguments.replaces())?;
            add(&beside("_a.3d"), &made.files.frames, arguments.replaces())?;
            add(&beside(".uc"), made.script.as_bytes(), arguments.replaces())?;
            losses
        }
        Target::U3d => {
            let (bytes, losses) = export::to_u3d(model, scale).map_err(failed)?;
            add(&job.output, &bytes, arguments.replaces())?;
            losses
        }
        Target::UnigineAnim => {
            let (bytes, losses) = export::to_unigine_anim(model, scale).map_err(failed)?;
            add(&job.output, &bytes, arguments.replaces())?;
            losses
        }
        Target::Unigine => {
            let (bytes, losses) = export::to_unigine(model, scale).map_err(failed)?;
            add(&job.output, &bytes, arguments.replaces())?;
            losses
        }
        _ => {
            let made = export::to_md3_measured(model, &node.name, scale).map_err(failed)?;
            add(&job.output, &made.bytes, arguments.replaces())?;
            if !is_stdout(&job.output)
                && let Some(clips) = clips::file(&job.output, &made.clips)?
            {
                add(&clips.path, clips.text.as_bytes(), clips.replaces || arguments.replaces())?;
                turn = clips.turn;
            }
            warnings.extend(fit_warning(&made.fit));
            scale_is_named = made.fit.better_scale.is_some();
            made.losses
        }
    };
    files.extend(texture_files);
    Ok(Written {
        files,
        turn,
        outcome: Outcome { bytes_out, losses, warnings, scale_is_named, ..Outcome::default() },
    })
}

/// The options in use that only glTF outputs have.
fn for_gltf(arguments: &Convert, has_images: bool) -> Vec<&'static str> {
    let options = [
        ("--frames", arguments.frames.is_some()),
        ("--clip", arguments.clip.is_some()),
        ("--frame", arguments.frame.is_some()),
        ("--quantize", arguments.quantize),
        ("--normals", arguments.normals == Normals::Base),
        ("--meshopt", arguments.meshopt),
        ("--lod", arguments.lod == Lod::All),
        ("--interpolation", arguments.interpolation == Interpolation::Step),
        ("--textures", arguments.textures.is_some_and(|asked| !has_images || asked == Textures::Embed)),
        ("--embed", arguments.embed),
    ];
    options.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect()
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
