//! What the validator accepts, so that the mender leaves it as it is.

/// How far a vertex may be from the box of its surface, in parts of the largest coordinate of the box.
pub(crate) const BOUNDS_SLACK: f32 = 1e-4;
/// How far the length of a stored rotation may be from 1.
pub(crate) const ROTATION_SLACK: f32 = 0.01;
/// How far the length of a tangent frame may be from 1.
pub(crate) const TANGENT_SLACK: f32 = 0.01;
