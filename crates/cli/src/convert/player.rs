//! A Quake 3 player: lower, upper and head, joined at their tags.

use std::path::Path;

use meshlens::Model;
use meshlens::md3::animation::BodyPart;
use meshlens::md3::{AnimationConfig, Skin};
use meshlens_gltf::Part;

use super::Failure;
use super::beside::Beside;

/// Whether a folder holds a player: its legs and torso, or one of them and the file that moves it.
pub(super) fn is_player(folder: &Path) -> bool {
    let beside = Beside::Folder(folder.into());
    let has = |name: &str| beside.path(name).is_some();
    let parts = [has("lower.md3"), has("upper.md3"), has("animation.cfg")];
    folder.is_dir() && parts.into_iter().filter(|there| *there).count() >= 2
}

/// The part of a player that a file of this name is.
pub(super) fn body_part(stem: &str) -> Option<BodyPart> {
    let is = |name: &str| stem.eq_ignore_ascii_case(name);
    if is("lower") {
        Some(BodyPart::Legs)
    } else if is("upper") {
        Some(BodyPart::Torso)
    } else {
        None
    }
}

/// Gives a model the clips and clothes that lie beside it, and says what of them it could not take.
pub(super) fn companions(
    model: &mut Model<'_>,
    beside: &Beside,
    stem: &str,
    skin: Option<&str>,
) -> Result<Vec<String>, Failure> {
    let mut losses = Vec::new();
    if let Some(part) = body_part(stem)
        && let Some(text) = beside.read("animation.cfg")
    {
        let config = AnimationConfig::parse(&text).map_err(Failure::input)?;
        let missing = model.set_animation_config(&config, part);
        losses.extend(missing.iter().map(|name| format!("clip {name}: {stem}.md3 does not have its frames")));
        for (_, word) in &config.unknown {
            losses.push(format!("animation.cfg: {word}, which is no known word"));
        }
    }
    if let Some(skin) = skin {
        let name = format!("{stem}_{skin}.skin");
        let text = beside
            .read(&name)
            .ok_or_else(|| Failure::system(format!("{name}: there is none beside {stem}.md3")))?;
        model.set_skin(&Skin::parse(&text).map_err(Failure::input)?);
    }
    Ok(losses)
}

/// The frame a part of a player shows while no clip plays.
pub(super) fn rest(model: &Model<'_>) -> usize {
    let idle = ["LEGS_IDLE", "TORSO_STAND"].iter().find_map(|name| model.find_clip(name));
    idle.map_or(0, |clip| clip.frame(0))
}

/// The parts of a player, each hanging on the tag of the one before.
pub(super) fn parts<'m, 'a>(models: &[(&str, &'m Model<'a>)]) -> Vec<Part<'m, 'a>> {
    let mut parts: Vec<Part<'m, 'a>> = Vec::new();
    for (name, model) in models {
        let tag = if *name == "upper" { "tag_torso" } else { "tag_head" };
        let attach =
            parts.iter().enumerate().rev().find_map(|(index, part)| Some((index, part.model.find_tag(tag)?)));
        parts.push(Part { attach, rest: rest(model), ..Part::new(*name, model) });
    }
    parts
}
