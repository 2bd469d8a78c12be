//! Writes scenes as carriers of vertex animation: vertex animation textures, and USD.

use std::io::Write as _;

use meshlens::model::Material;
use meshlens::scene::Scene;
use meshlens_carriers::skeleton::{self, Rigged, skeleton};
use meshlens_carriers::vat::Vat;
use meshlens_carriers::{Error, usd, vat};
use meshlens_gltf::Texture;
use percent_encoding::percent_decode_str;

use super::job::Job;
use super::textures::TextureWriter;
use super::write_back::{for_gltf, ignored};
use super::write_gltf::write_gltf;
use super::written::Written;
use super::{Outcome, Work};
use crate::failure::Failure;
use crate::sink::{Sink, is_stdout};

/// Writes textures of vertices, their description, and the mesh as a GLB: `x_vat.png`, `x_vnrm.png`, `x-remap_info.json` and
/// `x.glb`.
pub(super) fn write_vat(work: &Work<'_>, scene: &Scene<'_>) -> Result<Written, Failure> {
    let Work { arguments, job, share, .. } = *work;
    let failed = |error| failure(job, error);
    let stem = job.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let options = vat::Options { scale: arguments.scale, budget: Some(share.budget) };
    let vat = Vat::plan(scene, &options).map_err(failed)?;
    let mut losses = vat.losses().clone();
    let mesh = vat.mesh(&stem, &mut losses).map_err(failed)?;
    let mut written = write_gltf(work, &mesh)?;
    let [positions, normals, description] =
        ["_vat.png", "_vnrm.png", "-remap_info.json"].map(|end| format!("{stem}{end}"));
    let mut add = |name: &str, write: &dyn Fn(&mut Sink) -> Result<(), Error>| {
        let path = job.output.with_file_name(name);
        let mut file = Sink::create(&path, arguments.replaces())?;
        write(&mut file).map_err(|error| match error {
            Error::Io(error) => Failure::output(&path, &error),
            error => failed(error),
        })?;
        written.outcome.bytes_out += file.bytes;
        written.files.push(file);
        Ok(())
    };
    add(&positions, &|file| vat.write_positions(file))?;
    if vat.has_normals() {
        add(&normals, &|file| vat.write_normals(file))?;
    }
    let text = vat.description(&positions, &normals).map_err(failed)?;
    add(&description, &|file| Ok(file.write_all(text.as_bytes())?))?;
    losses.append(std::mem::take(&mut written.outcome.losses));
    written.outcome.losses = losses;
    let mut options = for_gltf(arguments, true);
    options.retain(|option| !["--textures", "--embed", "--meshopt"].contains(option));
    written.outcome.warnings.extend(ignored(&options));
    let (width, height) = vat.size();
    written.outcome.notes.push(format!(
        "{} frames of {} vertices in textures of {width} x {height} texels",
        vat.frames(),
        vat.vertices()
    ));
    Ok(written)
}

/// Writes a scene as USD.
pub(super) fn write_usd(work: &Work<'_>, scene: &Scene<'_>) -> Result<Written, Failure> {
    let Work { arguments, job, share, .. } = *work;
    let textures = TextureWriter::new(work);
    let find = |material: &Material| match textures.find(material)? {
        Texture::File(uri) => Some(percent_decode_str(&uri).decode_utf8_lossy().into_owned()),
        _ => None,
    };
    let name = job.output.file_stem().unwrap_or_default().to_string_lossy();
    let name =
        if is_stdout(&job.output) { scene.nodes.first().map_or("scene", |node| &node.name) } else { &name };
    let options = usd::Options { scale: arguments.scale, textures: Some(&find), budget: Some(share.budget) };
    let mut file = Sink::create(&job.output, arguments.replaces())?;
    let losses = usd::write(scene, name, &options, &mut file).map_err(|error| failure(job, error))?;
    let bytes_out = file.bytes;
    let (made, warnings) = textures.finish()?;
    let files = std::iter::once(file).chain(made).collect();
    let mut outcome = Outcome { bytes_out, losses, warnings, ..Outcome::default() };
    outcome.warnings.extend(ignored(&for_gltf(arguments, true)));
    Ok(Written { files, outcome, ..Written::default() })
}

/// The scene as one model with a skeleton, if the arguments ask for it.
pub(super) fn rigged(work: &Work<'_>, scene: &Scene<'_>) -> Result<Option<Rigged>, Failure> {
    let Work { arguments, job, share, .. } = *work;
    if !arguments.skeleton {
        return Ok(None);
    }
    let error = arguments.skeleton_error.map(f64::from);
    let options = skeleton::Options { error, budget: Some(share.budget) };
    skeleton(scene, &options).map(Some).map_err(|error| failure(job, error))
}

fn failure(job: &Job, error: Error) -> Failure {
    match error {
        Error::Io(error) => Failure::output(&job.output, &error),
        Error::Memory(over) => Failure::memory(&job.item.uri, &over),
        Error::NoSkeleton { met_rms, met_max, .. } => {
            let met = met_rms.max(met_max / skeleton::MAX) * 1.05;
            Failure::input(format!("{}: {error}; --skeleton-error {met:.3} asks for that", job.item.uri))
        }
        error => Failure::input(format!("{}: {error}", job.item.uri)),
    }
}
