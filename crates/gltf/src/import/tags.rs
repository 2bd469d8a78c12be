//! Nodes that are tags: their names and their poses.

use std::collections::HashSet;

use meshlens::model::TagPose;

use super::document::Document;
use super::scene::{Moment, is_tag};

impl Document {
    /// Gives tags the names that an export wrote. Blender has no two objects of one name: the second `tag_torso` of a player is
    /// `tag_torso.001`.
    pub(super) fn restore_tag_names(&mut self) {
        let mut restored: Vec<(usize, String)> = Vec::new();
        for node in &self.nodes {
            let name = |child: &usize| self.nodes[*child].name.as_deref();
            let mut taken: HashSet<&str> = node.children.iter().filter_map(name).collect();
            let tags: Option<HashSet<&str>> =
                node.frames.as_ref().map(|frames| frames.tags.iter().map(String::as_str).collect());
            // Without extras, the beginning of a name says what a tag is.
            let is_tag = |name: &str| tags.as_ref().map_or_else(|| is_tag(name), |tags| tags.contains(name));
            for child in &node.children {
                let Some((own, number)) = name(child).and_then(|name| name.rsplit_once('.')) else {
                    continue;
                };
                let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
                if is_number && is_tag(own) && taken.insert(own) {
                    restored.push((*child, own.to_owned()));
                }
            }
        }
        for (node, name) in restored {
            self.nodes[node].name = Some(name);
        }
    }
}

/// The pose of a tag at one moment.
pub(super) fn tag_pose(moment: &Moment, node: usize) -> TagPose {
    let [x, y, z, origin] = moment.world[node].to_cols_array_2d().map(|[x, y, z, _]| [x, y, z]);
    TagPose { origin, axes: [x, y, z] }
}
