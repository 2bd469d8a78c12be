//! What the validator accepts, so that the mender leaves it as it is.

/// How far the length of a stored rotation may be from 1.
pub(crate) const UNIT_SLACK: f32 = 0.01;
