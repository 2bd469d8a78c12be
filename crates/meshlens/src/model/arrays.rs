//! What a format gives for one mesh. Each format has its own implementation; [`Mesh`](super::Mesh) is the same over all.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt::Debug;

use meshlens_wire::{Error, ErrorKind, Result};

use super::attribute::Attribute;
use super::topology::Topology;

/// See the methods of [`Mesh`](super::Mesh) of the same names.
pub(super) trait Arrays: Debug + Send + Sync {
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

    fn positions(&self, frame: usize) -> Result<Attribute<'_, [f32; 3]>>;

    fn normals(&self, frame: usize) -> Result<Option<Attribute<'_, [f32; 3]>>> {
        // There are none, in a frame that has to be there.
        self.positions(frame).map(|_| None)
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        let normals = self.normals(frame)?;
        Ok(fill(normals, out))
    }

    fn tangents_into(&self, frame: usize, _out: &mut Vec<[f32; 4]>) -> Result<bool> {
        self.positions(frame).map(|_| false)
    }

    fn texcoord_sets(&self) -> usize {
        0
    }

    fn texcoords(&self, _set: usize) -> Option<Attribute<'_, [f32; 2]>> {
        None
    }

    fn texcoords_into(&self, set: usize, out: &mut Vec<[f32; 2]>) -> bool {
        fill(self.texcoords(set), out)
    }

    fn colors_into(&self, _out: &mut Vec<[f32; 4]>) -> bool {
        false
    }

    fn influences_into(&self, _joints: &mut Vec<[u16; 4]>, _weights: &mut Vec<[f32; 4]>) -> bool {
        false
    }

    fn frame_name(&self, _frame: usize) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()>;
}

/// Decodes an attribute into a buffer brought to its length, if there is one.
fn fill<V: meshlens_lens::Value>(attribute: Option<Attribute<'_, V>>, out: &mut Vec<V>) -> bool {
    let Some(attribute) = attribute else { return false };
    out.resize(attribute.len(), V::zeroed());
    // The length is the attribute's own.
    let _ = attribute.decode_into(out);
    true
}

/// An error for a frame past the last.
pub(super) fn no_frame(frame: usize, count: usize) -> Error {
    let index = i64::try_from(frame).unwrap_or(i64::MAX);
    Error::new("meshlens", 0, ErrorKind::Index { what: "frame", index, count: count as u64 })
}
