//! The frames of a model: their names, and their bounds as stored.

use meshlens_lens::Bounds;
use meshlens_wire::{ErrorKind, Name, Place, Presence, Record, Result, Span};

use crate::Md3;
use crate::layout::{self, FRAME_SIZE};

impl<'a, P: Presence> Md3<'a, P> {
    /// The number of frames.
    pub fn frame_count(&self) -> usize {
        self.parts().frames().len()
    }

    /// Whether frames have 104 bytes and names of 64 bytes, which some exporters write.
    pub fn has_wide_frames(&self) -> bool {
        self.parts().frames().stride() != FRAME_SIZE
    }

    /// Frame `index`, or `None` if it is out of range.
    pub fn frame(&self, index: usize) -> Option<P::Of<Frame<'a>>> {
        Some(self.frame_at(self.parts().frames().slice(index as u64, 1)?))
    }

    /// The frames, in order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = P::Of<Frame<'a>>> + DoubleEndedIterator + '_ {
        self.parts().frames().elements().map(|span| self.frame_at(span))
    }

    fn frame_at(&self, span: Span) -> P::Of<Frame<'a>> {
        let frame = self.data().bind(span).map(|bytes| {
            // Records of both sizes are large enough for the fields.
            let (record, name) = bytes.split_at_checked(layout::Frame::SIZE).unwrap_or_default();
            let layout::Frame { min_bounds, max_bounds, local_origin, radius } = layout::Frame::read(record);
            let bounds = Bounds { min: min_bounds, max: max_bounds };
            Frame { offset: span.offset(), name: Name::new(name), bounds, local_origin, radius }
        });
        P::read(frame, Frame::default)
    }
}

impl<'a> Md3<'a> {
    /// The frames, after a check that all numbers in them are finite. O(frames).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFinite`] at the first frame with a NaN or an infinity.
    pub fn checked_frames(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = Frame<'a>> + DoubleEndedIterator + '_> {
        for (index, frame) in (0u64..).zip(self.frames()) {
            if !frame.is_finite() {
                let kind = ErrorKind::NotFinite { what: "bounds, origin and radius" };
                return Err(self.data().error(frame.offset, kind).at(Place::new("frame", index)));
            }
        }
        Ok(self.frames())
    }
}

/// The name, bounds and origin of one frame (MD3: Frame). The vertices of a frame are in the surfaces.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// The absolute offset of the record.
    pub offset: u64,
    /// The frame's name, often the name of the exporter.
    pub name: Name<'a>,
    /// The bounding box of the vertices of this frame, as stored. [`Md3::compute_bounds`] computes it.
    pub bounds: Bounds,
    /// The center of the bounding sphere, usually the origin.
    pub local_origin: [f32; 3],
    /// The radius of the bounding sphere.
    pub radius: f32,
}

impl Frame<'_> {
    /// Whether all numbers of the frame are finite.
    pub fn is_finite(&self) -> bool {
        let [min, max] = [self.bounds.min, self.bounds.max];
        self.radius.is_finite() && [min, max, self.local_origin].as_flattened().iter().all(|v| v.is_finite())
    }
}
