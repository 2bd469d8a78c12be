//! Quake 3 players: legs, torso and head in one folder, attached to one another at their tags.

use std::collections::VecDeque;

use meshlens::Model;
use meshlens::md3::animation::BodyPart;
use meshlens::md3::lod;
use meshlens::scene::{Attachment, Scene, Socket};

use crate::located::ModelFiles;
use crate::record::Record;
use crate::{AssetPath, Assets, Rule};

/// The files of a player. Each model is attached to a tag of the previous one. The last file is not a model.
pub(crate) const NAMES: [&str; 4] = ["lower.md3", "upper.md3", "head.md3", "animation.cfg"];

/// The player in a folder: it has legs and torso, or one of them and `animation.cfg`.
pub(crate) fn find(assets: &Assets, folder: &AssetPath, record: &mut Record) -> Option<ModelFiles> {
    if !assets.has_folder(folder) {
        return None;
    }
    let mut look = |name: &str| match name {
        "animation.cfg" => assets.find_any(&folder.child(name)),
        name => record.find(assets, Rule::PlayerPart, folder.child(name)),
    };
    let [lower, upper, head, config] = NAMES.map(&mut look);
    let evidence = [&lower, &upper, &config].into_iter().flatten().count();
    let parts = [lower, upper, head].into_iter().flatten();
    (evidence >= 2).then(|| ModelFiles::Player(parts.collect()))
}

/// The part of a player with this file name (without its extension): the legs or the torso, which `animation.cfg`
/// animates. `None` for the head and for other names.
pub fn body_part(stem: &str) -> Option<BodyPart> {
    let is = |name: &str| stem.eq_ignore_ascii_case(name);
    if is("lower") {
        Some(BodyPart::Legs)
    } else if is("upper") {
        Some(BodyPart::Torso)
    } else {
        None
    }
}

/// The name of a part of a player without its level of detail and its extension; of other models, without the extension.
pub(crate) fn stem(path: &AssetPath) -> &str {
    let (level, stem) = lod::level(path.file_name());
    if level > 0 && is_part_name(stem) { stem } else { path.stem() }
}

fn is_part_name(stem: &str) -> bool {
    ["lower", "upper", "head"].iter().any(|part| stem.eq_ignore_ascii_case(part))
}

/// Whether a file is a part of a player, or a level of detail of one: it has the name of a part, and its
/// folder contains a player.
pub(crate) fn is_part(assets: &Assets, path: &AssetPath) -> bool {
    path.has_extension("md3")
        && is_part_name(stem(path))
        && find(assets, &path.folder(), &mut Record::default()).is_some()
}

/// The players of a walk, each of which is listed once.
#[derive(Default)]
pub(crate) struct Players {
    /// The folders of the last players: the parts of one folder follow one another or are close together.
    recent: VecDeque<AssetPath>,
}

impl Players {
    /// Whether a file is a part of a player that is listed.
    pub(crate) fn has(&self, path: &AssetPath) -> bool {
        is_part_file(path) && self.recent.contains(&path.folder())
    }

    /// The folder and the files of the player that a file is a part of.
    pub(crate) fn find(
        &mut self,
        assets: &Assets,
        path: &AssetPath,
    ) -> Option<(AssetPath, ModelFiles, Record)> {
        if !is_part_file(path) {
            return None;
        }
        let (folder, mut record) = (path.folder(), Record::default());
        let files = find(assets, &folder, &mut record).filter(|files| files.files().len() > 1)?;
        self.recent.truncate(3);
        self.recent.push_front(folder.clone());
        Some((folder, files, record))
    }
}

fn is_part_file(path: &AssetPath) -> bool {
    path.has_extension("md3") && is_part_name(path.stem())
}

/// The frame that a part of a player shows while no clip plays.
pub(crate) fn rest_frame(model: &Model<'_>) -> usize {
    let idle = ["LEGS_IDLE", "TORSO_STAND"].iter().find_map(|name| model.find_clip(name));
    idle.map_or(0, |clip| clip.frame(0))
}

/// Attaches each node to a tag of an earlier one.
pub(crate) fn join(scene: &mut Scene<'_>) {
    for number in 1..scene.nodes.len() {
        let (before, rest) = scene.nodes.split_at_mut(number);
        let Some(node) = rest.first_mut() else { return };
        let tag = if node.name.eq_ignore_ascii_case("upper") { "tag_torso" } else { "tag_head" };
        let mut tags = before.iter().enumerate().rev();
        let parent = tags.find_map(|(number, node)| Some((number, node.model.find_tag(tag)?)));
        node.attachment = parent.map(|(node, tag)| Attachment { node, socket: Socket::Tag(tag) });
    }
}
