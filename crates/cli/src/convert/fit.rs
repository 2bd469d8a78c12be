//! Fits the files of a conversion to an engine, and reports what the engine does not read as it is.

use meshlens::md3::Md3;
use meshlens::md3::write::Model;
use meshlens::model::export::ModelFiles;
use meshlens::unreal::Unreal;
use meshlens::{Document, Error, Report};

use super::Share;
use super::job::Job;
use crate::engines::Engine;
use crate::failure::Failure;
use crate::{codes, engines};

/// Copies the flags of an MD3, which a model does not hold, to the MD3 that is made from it. Returns whether all are kept.
pub(super) fn keep_flags(made: &mut ModelFiles, own: &[u8]) -> bool {
    let (Ok(own), [(_, bytes)]) = (Md3::parse(own), &mut made.files[..]) else { return false };
    let Ok(md3) = Md3::parse(bytes) else { return false };
    let is_whole = md3.surface_count() == own.surface_count();
    let surfaces = md3.surfaces().zip(own.surfaces()).map(|(to, from)| (to.offset() + 68, from.flags()));
    let flags: Vec<(u64, i32)> =
        std::iter::once((72, own.flags())).chain(surfaces.filter(|_| is_whole)).collect();
    for (offset, flags) in flags {
        let offset = offset as usize;
        if let Some(field) = bytes.get_mut(offset..offset + 4) {
            field.copy_from_slice(&flags.to_le_bytes());
        }
    }
    is_whole
}

/// Splits the surfaces of an MD3 for the engine. Returns a note on it.
pub(super) fn split(
    engine: &Engine,
    made: &mut ModelFiles,
    job: &Job,
    share: &Share<'_>,
) -> Result<Option<String>, Failure> {
    let failed = |error: Error| Failure::input(format!("{}: {error}", job.item.uri));
    let ([(_, bytes)], Some((vertices, triangles))) = (&mut made.files[..], engine.surface_limits("md3"))
    else {
        return Ok(None);
    };
    let Document::Md3(md3) = Document::parse(bytes).map_err(failed)? else { return Ok(None) };
    // Every corner can become a vertex, in the model and in its file.
    let corners = md3
        .surfaces()
        .filter(|surface| surface.vertex_count() > vertices || surface.triangle_count() > triangles)
        .fold(0usize, |sum, surface| sum.saturating_add(3 * surface.triangle_count()));
    if corners == 0 {
        return Ok(None);
    }
    let most = corners.saturating_mul(2 * (8 + 4 + 8 * md3.frame_count())).saturating_add(2 * bytes.len());
    let _reserved = share
        .budget
        .reserve(most, format_args!("surfaces that are split"))
        .map_err(|over| Failure::memory(&job.item.uri, &over))?;
    let mut model = Model::try_from(&md3).map_err(failed)?;
    let before = model.surfaces.len();
    let split = model.split_surfaces(vertices, triangles).map_err(failed)?;
    let parts = model.surfaces.len() + split - before;
    *bytes = model.write().map_err(failed)?;
    Ok(Some(format!("surfaces were split for {}: {split} into {parts}", engine.name)))
}

/// Adds a warning about everything that the engine refuses, ignores or draws differently. Without an engine, adds a warning if
/// all known engines of the format refuse the files, and a note if some do.
pub(super) fn judge(
    engine: Option<&Engine>,
    made: &ModelFiles,
    warnings: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> meshlens::Result<()> {
    let document = match &made.files[..] {
        [(_, geometry), (_, frames), ..] => Unreal::parse(geometry, frames)?.into(),
        [(_, bytes)] => Document::parse(bytes)?,
        [] => return Ok(()),
    };
    if let Some(engine) = engine {
        let mut report = Report::default();
        document.validate(&mut report);
        engine.validate(&document, &mut report);
        let groups = report.groups().filter(|group| codes::ALL.contains(&group.code));
        warnings.extend(groups.map(|group| {
            let first = group.first.as_ref().map_or("", |first| &first.message);
            if group.findings == 1 {
                first.to_owned()
            } else {
                format!("{first}, and {} more", group.findings - 1)
            }
        }));
    } else if let Some((names, reason, is_all)) = engines::refusing(&document) {
        let text = format!("{reason}; --engine NAME writes what an engine reads");
        if is_all {
            warnings.push(format!("all known engines of the format ({names}) refuse the result: {text}"));
        } else {
            notes.push(format!("{names} refuse the result: {text}"));
        }
    }
    Ok(())
}
