//! Nodes that are tags.

use meshlens::model::TagPose;

use super::scene::Moment;

/// Whether a node of this name is a tag.
pub(super) fn is_tag(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("tag_"))
}

/// The pose of a tag at one moment.
pub(super) fn tag_pose(moment: &Moment, node: usize) -> TagPose {
    let [x, y, z, origin] = moment.world[node].to_cols_array_2d().map(|[x, y, z, _]| [x, y, z]);
    TagPose { origin, axes: [x, y, z] }
}
