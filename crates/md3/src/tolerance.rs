//! What the validator accepts, so that the mender leaves it as it is.

use glam::Vec3;

/// The largest accepted distance of a vertex from the bounds or the sphere of its frame. Some exporters round only the vertices,
/// or only the bounds.
pub(crate) const BOUNDS_SLACK: f32 = 1.0 / 32.0;
/// The largest accepted difference between the length of an axis and 1.
pub(crate) const AXIS_SLACK: f32 = 0.01;

/// The distance of the farthest position from a point.
pub(crate) fn farthest(from: [f32; 3], positions: impl Iterator<Item = [f32; 3]>) -> f32 {
    positions.map(|position| Vec3::from(position).distance(from.into())).fold(0.0, f32::max)
}
