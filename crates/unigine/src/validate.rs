//! placeholder
use crate::{Anim, Mesh};
use meshlens_wire::Report;
/// x
pub fn validate_mesh(_: &Mesh<'_>, _: &mut Report) {}
/// x
pub fn validate_anim(_: &Anim<'_>, _: &mut Report) {}
