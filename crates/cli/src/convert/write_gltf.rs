//! Writes scenes as glTF: the options of the export, and its files.

use meshlens::model::Material;
use meshlens::scene::Scene;
use meshlens_gltf::{Export, Frames, Options};

use super::job::Job;
use super::textures::{self, TextureWriter};
use super::written::Written;
use super::{Outcome, Work};
use crate::args::{Convert, Interpolation, Lod, Meshopt, Normals, Target};
use crate::failure::Failure;
use crate::sink::Sink;

/// Writes a scene as one glTF document.
pub(super) fn write_gltf(work: &Work<'_>, scene: &Scene<'_>) -> Result<Written, Failure> {
    let Work { arguments, job, share, .. } = *work;
    let textures = TextureWriter::new(work);
    let find = |material: &Material| textures.find(material);
    let is_whole = matches!(job.target, Target::Glb | Target::Gltf);
    let own = options(arguments);
    // The mesh of vertex animation textures has one frame, and its lengths are those of the textures.
    let own = if is_whole { own } else { Options { meshopt: own.meshopt, ..Options::default() } };
    let options = Options { textures: Some(&find), budget: Some(share.budget), ..own };
    let failed = |error| failure(job, scene, error);
    // The file is created before any work, because it may exist already.
    let mut file = Sink::create(&job.output, arguments.replaces())?;
    let mut export = Export::plan(scene, &options).map_err(failed)?;
    let mut files = Vec::new();
    let bytes_out = if job.target == Target::Gltf {
        let path = job.output.with_extension("bin");
        let uri = textures::escape(&path.file_name().unwrap_or_default().to_string_lossy());
        let mut written = 0;
        if export.has_bin() {
            let mut bin = Sink::create(&path, arguments.replaces())?;
            written += export.write_bin(&mut bin).map_err(failed)?;
            files.push(bin);
        }
        written + export.write_json(&uri, &mut file).map_err(failed)?
    } else {
        export.write_glb(&mut file).map_err(failed)?
    };
    files.insert(0, file);
    let losses = export.losses().clone();
    let mut warnings = export.warnings().to_vec();
    drop(export);
    let (made, unusable) = textures.finish()?;
    files.extend(made);
    warnings.extend(unusable);
    let mut outcome = Outcome { bytes_out, losses, warnings, ..Outcome::default() };
    if outcome.losses.groups().any(|group| *group.code == meshlens_gltf::codes::MORPH_TARGETS_SPLIT) {
        let others =
            if cfg!(feature = "carriers") { "; --to vat and --to usda have no such limit" } else { "" };
        outcome.notes.push(format!("--max-targets N allows more morph targets in a mesh{others}"));
    }
    Ok(Written { files, outcome, ..Written::default() })
}

/// The options of the export, according to the arguments.
fn options(arguments: &Convert) -> Options<'_> {
    Options {
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
        max_targets: arguments.max_targets,
        compact_joints: arguments.makes_skeleton(),
        meshopt: arguments.meshopt.map(|extension| match extension {
            Meshopt::Khr => meshlens_gltf::Meshopt::Khr,
            Meshopt::Ext => meshlens_gltf::Meshopt::Ext,
        }),
        lods: arguments.lod == Lod::All,
        scale: arguments.scale,
        ..Options::default()
    }
}

fn failure(job: &Job, scene: &Scene<'_>, error: meshlens_gltf::Error) -> Failure {
    match error {
        meshlens_gltf::Error::Io(error) => Failure::output(&job.output, &error),
        meshlens_gltf::Error::Memory(over) => Failure::memory(&job.item.uri, &over),
        meshlens_gltf::Error::NoClip { name } => Failure::no_clip(&job.item.uri, &name, scene),
        meshlens_gltf::Error::NoFrame { frame, count } => {
            Failure::no_frame(&job.item.uri, frame, count.max(1))
        }
        error => Failure::input(format!("{}: {error}", job.item.uri)),
    }
}
