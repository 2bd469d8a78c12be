//! The validator.
use crate::U3d;
use meshlens_wire::Report;
/// Adds what there is to say about `u3d` to `report`. O(file).
pub fn validate(_u3d: &U3d<'_>, _report: &mut Report) {}
