//! The arrays of one mesh. Each format has its own implementation; [`Mesh`](super::Mesh) is the same for all formats.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Debug;

use meshlens_lens::{TangentFrame, ValueLens};
use meshlens_wire::{Error, ErrorKind, Result};

use super::sources::{Influences, ValueSource, Values};
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

    fn positions(&self, frame: usize) -> Result<ValueLens<'_, [f32; 3]>>;

    fn normals(&self, frame: usize) -> Result<Option<ValueLens<'_, [f32; 3]>>> {
        // The frame must exist, even if it has no normals.
        self.positions(frame).map(|_| None)
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        fill(self.normals(frame)?, out)
    }

    fn tangent_frames(&self, frame: usize) -> Result<Option<ValueLens<'_, TangentFrame>>> {
        self.positions(frame).map(|_| None)
    }

    fn tangents_into(&self, frame: usize, _out: &mut Vec<[f32; 4]>) -> Result<bool> {
        self.positions(frame).map(|_| false)
    }

    fn texcoord_sets(&self) -> usize {
        0
    }

    fn texcoords(&self, _set: usize) -> Result<Option<ValueLens<'_, [f32; 2]>>> {
        Ok(None)
    }

    fn texcoords_into(&self, set: usize, out: &mut Vec<[f32; 2]>) -> Result<bool> {
        fill(self.texcoords(set)?, out)
    }

    fn colors_into(&self, _out: &mut Vec<[f32; 4]>) -> Result<bool> {
        Ok(false)
    }

    fn influences_into(&self, _joints: &mut Vec<[u16; 4]>, _weights: &mut Vec<[f32; 4]>) -> Result<bool> {
        Ok(false)
    }

    /// A source of the normals of a frame for vertex buffers. It needs no memory for all normals, unless they are
    /// computed from several vertices. `None` if the mesh has no normals.
    fn normal_source(&self, frame: usize) -> Result<Option<ValueSource<'_>>> {
        if let Some(normals) = self.normals(frame)? {
            return Ok(Some(Box::new(normals)));
        }
        let mut normals = Vec::new();
        Ok(self.normals_into(frame, &mut normals)?.then(|| Box::new(Values(normals)) as ValueSource<'_>))
    }

    /// The tangents, like [`normal_source`](Self::normal_source).
    fn tangent_source(&self, frame: usize) -> Result<Option<ValueSource<'_>>> {
        let mut tangents = Vec::new();
        Ok(self.tangents_into(frame, &mut tangents)?.then(|| Box::new(Values(tangents)) as ValueSource<'_>))
    }

    /// The texture coordinates of a set, like [`normal_source`](Self::normal_source).
    fn texcoord_source(&self, set: usize) -> Result<Option<ValueSource<'_>>> {
        Ok(self.texcoords(set)?.map(|texcoords| Box::new(texcoords) as ValueSource<'_>))
    }

    /// The colors, like [`normal_source`](Self::normal_source).
    fn color_source(&self) -> Result<Option<ValueSource<'_>>> {
        Ok(None)
    }

    /// The joints and the weights, like [`normal_source`](Self::normal_source).
    fn influence_sources(&self) -> Result<Option<Influences<'_>>> {
        Ok(None)
    }

    fn frame_name(&self, _frame: usize) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()>;
}

/// Decodes an attribute to a buffer, which is resized. Returns false if there is no attribute.
fn fill<V: meshlens_lens::Value>(attribute: Option<ValueLens<'_, V>>, out: &mut Vec<V>) -> Result<bool> {
    let Some(attribute) = attribute else { return Ok(false) };
    out.resize(attribute.len(), V::zeroed());
    attribute.decode_into(out)?;
    Ok(true)
}

/// The error for a frame that is out of range.
pub(crate) fn no_frame(frame: usize, count: usize) -> Error {
    let index = i64::try_from(frame).unwrap_or(i64::MAX);
    Error::of_call("meshlens", ErrorKind::Index { what: "frame", index, count: count as u64 })
}
