//! The arrays of one mesh. Each format has its own implementation; [`Mesh`](super::Mesh) is the same for all formats.

use alloc::borrow::Cow;
use core::fmt::Debug;

use meshlens_lens::Semantic;
use meshlens_wire::{Budget, Error, ErrorKind, Result};

use super::attribute::Attribute;
use super::topology::Topology;

/// See the methods of [`Mesh`](super::Mesh) with the same names.
pub(crate) trait Arrays: Debug + Send + Sync {
    fn point_count(&self) -> usize;

    fn corner_count(&self) -> usize {
        self.point_count()
    }

    fn triangle_count(&self) -> usize;

    fn frame_count(&self) -> usize {
        1
    }

    fn is_welded(&self) -> bool {
        true
    }

    fn texcoord_sets(&self) -> usize {
        0
    }

    fn color_sets(&self) -> usize {
        0
    }

    /// The values of an attribute in one frame; `None` if the mesh does not have it. Fails if the attribute depends on the
    /// frame, and the frame is out of range.
    fn attribute(&self, semantic: Semantic, set: usize, frame: usize) -> Result<Option<Attribute<'_>>>;

    /// Charges values that are kept to a budget: see [`Model::charge_to`](super::Model::charge_to).
    fn charge_to(&self, _budget: &Budget) {}

    fn frame_name(&self, _frame: usize) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()>;
}

/// The error for a frame that is out of range.
pub(crate) fn no_frame(frame: usize, count: usize) -> Error {
    let index = i64::try_from(frame).unwrap_or(i64::MAX);
    Error::of_call("meshlens", ErrorKind::Index { what: "frame", index, count: count as u64 })
}
