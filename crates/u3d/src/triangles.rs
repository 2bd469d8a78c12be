//! The triangles of meshes and shadows.

use crate::encoding::{IndexU16, U32};
use meshlens_lens::{Lens, ValueLens};
use meshlens_wire::{Data, Result, Span};

use crate::layout::triangle_size;

/// Triangles of the width that their table has.
pub(crate) fn triangles(data: Data<'_>, span: Span) -> Result<ValueLens<'_, [u32; 3]>> {
    Ok(if span.stride() == triangle_size(true) {
        Lens::bind(data, span, 0, U32::<3>)?.into()
    } else {
        Lens::bind(data, span, 0, IndexU16::<3>)?.into()
    })
}
