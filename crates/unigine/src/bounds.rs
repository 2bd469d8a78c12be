//! Bounding boxes and spheres, as files store them.

use meshlens_lens::Bounds;
use meshlens_wire::{Data, Record, Result, Span};

use crate::layout;

/// The number of bytes of a bounding box and sphere.
pub(crate) const BOUND_SIZE: u32 = layout::Bound::SIZE as u32;

/// A bounding box and sphere (UNIGINE: MESH File Format, "Bounding volume").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingVolume {
    /// The box. If there is nothing to bound, as in every an10 file, the minimum is 1e9 and the maximum -1e9 along each
    /// axis.
    pub bounds: Bounds,
    /// The center of the sphere.
    pub center: [f32; 3],
    /// The radius of the sphere; -1 if there is nothing to bound.
    pub radius: f32,
}

impl Default for BoundingVolume {
    fn default() -> Self {
        BoundingVolume::EMPTY
    }
}

impl BoundingVolume {
    /// The volume that writers store if there is nothing to bound.
    pub const EMPTY: BoundingVolume =
        BoundingVolume { bounds: Bounds { min: [1e9; 3], max: [-1e9; 3] }, center: [0.0; 3], radius: -1.0 };

    /// Whether the minimum is greater than the maximum along every axis, as in [`EMPTY`](Self::EMPTY).
    pub fn is_empty(&self) -> bool {
        self.bounds.min.iter().zip(self.bounds.max).all(|(min, max)| *min > max)
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let Bounds { min, max } = self.bounds;
        self.radius.is_finite() && [min, max, self.center].as_flattened().iter().all(|v| v.is_finite())
    }

    /// Reads the volume of a located table.
    pub(crate) fn read(data: Data<'_>, span: Span) -> Result<BoundingVolume> {
        let record = data.record::<layout::Bound>(span.offset(), "bounds")?;
        Ok(BoundingVolume {
            bounds: Bounds { min: record.min, max: record.max },
            center: record.center,
            radius: record.radius,
        })
    }
}
