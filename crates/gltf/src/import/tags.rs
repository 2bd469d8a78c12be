//! Nodes that are tags.

use glam::Mat3;
use meshlens::model::TagPose;

use super::scene::Moment;

/// Whether a node of this name is a tag.
pub(super) fn is_tag(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("tag_"))
}

/// The pose of a tag at one moment.
pub(super) fn tag_pose(moment: &Moment, node: usize) -> TagPose {
    let matrix = moment.world[node];
    TagPose { origin: matrix.w_axis.truncate(), axes: Mat3::from_mat4(matrix) }
}
