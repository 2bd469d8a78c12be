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
    let mut warnings = Vec::new();
    let images = node.model.materials.iter().filter(|material| material.image.is_some()).count();
    let for_gltf = for_gltf(arguments, images > 0);
    if !for_gltf.is_empty() {
        warnings.push(format!("only for glTF, and ignored: {}", for_gltf.join(", ")));
    }
    let mut files = Vec::new();
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
    let stem = job.output.file_stem().unwrap_or_default().to_string_lossy();
    // x.3d and x_d.3d both give the name x.
    let name = match job.target {
        Target::Unreal => stem.strip_suffix("_d").unwrap_or(&stem),
        _ => &node.name,
    };
    let vertices = arguments.vertices.map(|vertices| match vertices {
        UnrealVertices::Packed32 => VertexEncoding::Packed,
        UnrealVertices::I16x4 => VertexEncoding::Wide,
    });
    let made = export::to_files(model, target(job.target), name, arguments.scale, vertices);
    let made = made.map_err(|error| Failure::input(format!("{}: {error}", job.uri)))?;
    for (file, bytes) in &made.files {
        let beside = job.output.with_file_name(file);
        let path = if made.files.len() == 1 { &job.output } else { &beside };
        add(path, bytes, arguments.replaces())?;
    }
    if !is_stdout(&job.output)
        && let Some(clips) = clips::file(&job.output, &made.clips)?
    {
        add(&clips.path, clips.text.as_bytes(), clips.replaces || arguments.replaces())?;
        turn = clips.turn;
    }
    let better_scale = made.fit.better_scale;
    let better = better_scale.map(|scale| format!("; --scale {scale} helps")).unwrap_or_default();
    warnings.extend(made.fit.warning().map(|text| text + &better));
    files.extend(texture_files);
    Ok(Written {
        files,
        turn,
        outcome: Outcome {
            bytes_out,
            losses: made.losses,
            warnings,
            scale_is_named: better_scale.is_some(),
            ..Outcome::default()
        },
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

/// The game format of a target.
fn target(target: Target) -> export::Target {
    match target {
        Target::Unreal => export::Target::Unreal,
        Target::U3d => export::Target::U3d,
        Target::Unigine => export::Target::Unigine,
        Target::UnigineAnim => export::Target::UnigineAnim,
        Target::Md3 | Target::Glb | Target::Gltf => export::Target::Md3,
    }
}
