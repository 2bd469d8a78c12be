//! A mesh on its way to frames.

use meshlens::model::PlainMesh;

use super::primitive::Base;

/// A mesh that is being baked.
pub(super) struct Baking<'d> {
    pub(super) name: &'d str,
    pub(super) material: Option<usize>,
    pub(super) base: Base,
    pub(super) plain: PlainMesh,
    /// The names of the morph targets.
    pub(super) target_names: &'d [String],
}
