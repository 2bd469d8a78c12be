//! The triangles of meshes and shadows.

use crate::encoding::{IndexU16, U32};
use meshlens_lens::{Lens, ValueLens};
use meshlens_wire::{Data, Presence, Span};

use crate::layout::triangle_size;

/// Triangles of the width that their table has.
pub(crate) fn triangles<P: Presence>(data: Data<'_>, span: Span) -> P::Of<ValueLens<'_, [u32; 3]>> {
    if span.stride() == triangle_size(true) {
        P::map(Lens::bind_in::<P>(data, span, 0, U32::<3>), Into::into)
    } else {
        P::map(Lens::bind_in::<P>(data, span, 0, IndexU16::<3>), Into::into)
    }
}
