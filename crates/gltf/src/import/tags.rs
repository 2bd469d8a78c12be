//! Poses of nodes that are tags.

use meshlens::model::TagPose;

use super::scene::Moment;

/// The pose of a tag at one moment.
pub(super) fn tag_pose(moment: &Moment, node: usize) -> TagPose {
    let [x, y, z, origin] = moment.world[node].to_cols_array_2d().map(|[x, y, z, _]| [x, y, z]);
    TagPose { origin, axes: [x, y, z] }
}
