//! MD3 and its companions.

use meshlens::fix::fix_skin;
use meshlens::{Document, Report, Severity};
use meshlens_md3::{AnimationConfig, Md3, Skin, clips, write};

use super::prefix::wanted_prefixes;
use super::{checked, document, error, lens, parsed};
use crate::meter::bounded;

/// Checks bytes as an MD3 model, with every getter.
pub fn md3(bytes: &[u8]) {
    let Some(md3) = parsed(bytes, Md3::parse) else { return };
    frames_and_tags(&md3, bytes);
    for surface in md3.surfaces() {
        lens(surface.triangles(), bytes);
        lens(surface.texcoords(), bytes);
        for frame in 0..surface.frame_count() {
            let positions = surface.positions(frame).expect("the frame is below the count");
            lens(positions, bytes);
            lens(surface.normals(frame).expect("the frame is below the count"), bytes);
            lens(surface.normals_inverse(frame).expect("the frame is below the count"), bytes);
            assert_eq!(surface.vertex_bytes(frame).map(<[u8]>::len), Ok(8 * surface.vertex_count()));
            assert_eq!(surface.compute_bounds(frame).is_some(), surface.vertex_count() > 0);
        }
        if let Some(triangles) = checked(surface.checked_triangles(), bytes) {
            assert!(triangles.iter().flatten().all(|index| (index as usize) < surface.vertex_count()));
        }
        let mut out = vec![[0.0; 3]; surface.vertex_count()];
        if let Some(last) = surface.frame_count().checked_sub(1) {
            surface.lerp_positions_into(0, last, 0.5, &mut out).expect("both frames are there");
            surface.lerp_normals_into(last, 0, 0.25, &mut out).expect("both frames are there");
        }
        for frame in [surface.frame_count(), usize::MAX] {
            error(&surface.positions(frame).expect_err("there is no such frame"), bytes);
            error(&surface.lerp_normals_into(0, frame, 0.5, &mut out).expect_err("nor here"), bytes);
        }
        assert!(surface.shader(surface.shader_count()).is_none());
        assert_eq!(surface.shaders().count(), surface.shader_count());
        assert!(
            md3.find_surface(&surface.name().to_text()).is_some() || !surface.name().to_text().is_ascii()
        );
    }
    assert!(md3.surface(md3.surface_count()).is_none());
    wanted_prefixes(bytes);
    rewrite(&md3);
    document(&Document::Md3(md3), bytes);
}

fn frames_and_tags(md3: &Md3<'_>, bytes: &[u8]) {
    assert_eq!(md3.frames().len(), md3.frame_count());
    assert!(md3.frame(md3.frame_count()).is_none());
    if let Some(frames) = checked(md3.checked_frames(), bytes) {
        assert!(frames.into_iter().all(|frame| frame.is_finite()));
    }
    let is_broken = |frame: &meshlens_md3::Frame<'_>| !frame.is_finite();
    let broken = md3.frames().filter(is_broken).count() as u64;
    let mut report = Report::with_capacity(0);
    meshlens_md3::validate(md3, &mut report);
    assert!(report.count(Severity::Error) >= broken, "NaN bounds are not reported");
    lens(md3.tag_origins(), bytes);
    for row in 0..3 {
        lens(md3.tag_axes(row).expect("a row of the axes"), bytes);
    }
    assert!(md3.tag_axes(3).is_err());
    for frame in 0..md3.frame_count() {
        assert_eq!(md3.tags(frame).count(), md3.tag_count());
    }
    assert!(md3.tag(0, md3.tag_count()).is_none() && md3.tag(md3.frame_count(), 0).is_none());
    for tag in 0..md3.tag_count().min(4) {
        let blended = md3.interpolate_tag(tag, 0, md3.frame_count().saturating_sub(1), 0.5);
        assert!(checked(blended, bytes).is_none() || md3.frame_count() > 0);
    }
    assert_eq!(md3.find_tag("no tag of this name \u{1f}"), None);
}

/// A written model equals the original when it is read back.
fn rewrite(md3: &Md3<'_>) {
    let Ok(model) = write::Model::try_from(md3) else { return };
    // A model whose surfaces share bytes may be larger than the maximum size of a file.
    let Ok(bytes) = model.write() else { return };
    let again = Md3::parse(&bytes).expect("what was written parses");
    let copy = write::Model::try_from(&again).expect("and has the same triangles");
    // Compared as text, so that a NaN equals itself.
    assert!(copy == model || format!("{copy:?}") == format!("{model:?}"), "a rewrite changed the model");
    assert_eq!(copy.write().as_deref(), Ok(&bytes[..]), "a canonical file is not rewritten byte for byte");
    let mut split = model.clone();
    split.split_surfaces(64, 32).expect("a model that was written");
    assert!(
        split.surfaces.iter().all(|surface| surface.texcoords.len() <= 64 && surface.triangles.len() <= 32)
    );
    let triangles = |model: &write::Model| -> usize {
        model.surfaces.iter().map(|surface| surface.triangles.len()).sum()
    };
    assert_eq!(triangles(&split), triangles(&model));
}

/// Checks bytes as an `animation.cfg`, and as clips.
pub fn animation_config(bytes: &[u8]) {
    if let Some(found) = checked(bounded(bytes.len(), "clips", || clips::parse(bytes)), bytes) {
        assert_eq!(clips::parse(clips::write(&found).as_bytes()).as_ref(), Ok(&found));
    }
    let Some(config) = parsed(bytes, AnimationConfig::parse) else { return };
    for name in meshlens_md3::animation::AnimationName::ALL {
        if let Some(clip) = config.clip(*name) {
            assert_eq!(clip.frames().take(4).count(), clip.frames().len().min(4));
            assert!(clip.rate() != 0.0);
        }
    }
    let mut again = AnimationConfig::parse(config.write().as_bytes()).expect("what was written parses");
    assert!(again.unknown.is_empty());
    again.unknown.clone_from(&config.unknown);
    assert_eq!(again, config);
    if let Some(same) = config.with_clips(&[]) {
        for name in meshlens_md3::animation::AnimationName::ALL {
            let clip = config.clip(*name).filter(|clip| clip.frame_count != 0);
            assert!(clip.is_none() || same.clip(*name) == clip, "{name:?}");
        }
    }
}

/// Checks bytes as a `.skin` file.
pub fn skin(bytes: &[u8]) {
    let Some(skin) = parsed(bytes, Skin::parse) else { return };
    let paths = skin.paths();
    for entry in skin.entries.iter().take(64) {
        let path = skin.path(&entry.surface);
        assert!(entry.is_tag() || path.is_some());
        assert_eq!(paths.get(&entry.surface), path);
    }
    let again = Skin::parse(skin.write().as_bytes()).expect("what was written parses");
    let pairs = |skin: &Skin| -> Vec<_> {
        skin.entries.iter().map(|entry| (entry.surface.clone(), entry.path.clone())).collect()
    };
    assert_eq!(pairs(&again), pairs(&skin));
    // A text near the limit may become longer.
    if let Ok(fixed) = bounded(bytes.len(), "fix", || fix_skin(bytes)) {
        let twice = fix_skin(&fixed.files[0]).expect("a mended skin");
        assert!(twice.mended.is_empty(), "{:?}", twice.mended);
        assert_eq!(twice.files, fixed.files);
        let mended = Skin::parse(&fixed.files[0]).expect("a mended skin");
        assert_eq!(pairs(&mended), pairs(&skin));
    }
}
