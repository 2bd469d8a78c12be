//! Vertex buffers: several arrays decoded into one buffer, each with its own format and offset.

use meshlens_wire::{Error, ErrorKind, Expected, Place, Result};

use crate::fill::fill;
use crate::window::to_i64;
use crate::{Level, VertexAttribute};

/// The properties of a vertex buffer: stride, kind of stores, and instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexBufferLayout {
    stride: usize,
    non_temporal: bool,
    level: Option<Level>,
}

impl VertexBufferLayout {
    /// Vertices of `stride` bytes. Bytes outside attributes are unchanged.
    pub const fn new(stride: usize) -> Self {
        VertexBufferLayout { stride, non_temporal: false, level: None }
    }

    /// Writes whole cache lines, bypassing the cache, and never reads the buffer. Use it for write-combined memory,
    /// such as a mapped staging buffer, and for outputs larger than the cache. Bytes outside attributes become 0. The
    /// stores are fenced before the call returns. Vertices with a stride above 2048 are written with ordinary stores.
    #[must_use]
    pub const fn non_temporal(self) -> Self {
        VertexBufferLayout { non_temporal: true, ..self }
    }

    /// Uses the instructions of `level` instead of the [current](Level::current) level.
    #[must_use]
    pub const fn with_level(self, level: Level) -> Self {
        VertexBufferLayout { level: Some(level), ..self }
    }

    /// The distance from one vertex to the next, in bytes.
    pub const fn stride(&self) -> usize {
        self.stride
    }
}

/// The name of the format in errors.
const BUFFER: &str = "vertex buffer";

/// Fills the vertex buffer `out` with every attribute of every vertex, in one pass.
///
/// All attributes must have the same number of elements, and `out` must have exactly that number times the stride
/// bytes. Numbers are stored in native byte order.
///
/// ```
/// use meshlens_lens::encoding::{Scaled, ZenithAzimuth8};
/// use meshlens_lens::{Lens, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved};
///
/// let vertices = [64, 0, 0, 0, 0xc0, 0xff, 0, 0, 32, 0, 16, 0, 8, 0, 0, 0];
/// let positions = Lens::new(Scaled::<i16, 3, 64>::new(), &vertices, 0, 8, 2)?;
/// let normals = Lens::new(ZenithAzimuth8, &vertices[6..], 6, 8, 2)?;
///
/// let mut out = [0; 32];
/// let attributes =
///     [VertexAttribute::new(&positions, 0, VertexFormat::Float32x3), VertexAttribute::new(&normals, 12, VertexFormat::Octahedral16x2)];
/// decode_interleaved(&attributes, VertexBufferLayout::new(16), &mut out)?;
/// assert_eq!(out[0..4], 1f32.to_ne_bytes());
/// assert_eq!(out[28..32], [0; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The attributes have different lengths, or one of them has a format that does not fit its source, is misaligned,
/// overlaps another attribute or ends after the stride; or the length of `out` is wrong. `out` is unchanged after an
/// error.
pub fn decode_interleaved(
    attributes: &[VertexAttribute<'_>],
    layout: VertexBufferLayout,
    out: &mut [u8],
) -> Result<()> {
    let count = check(attributes, layout, out.len())?;
    if count > 0 {
        let level = layout.level.unwrap_or_else(Level::current);
        fill(level, attributes, layout.stride, count, layout.non_temporal, out);
    }
    Ok(())
}

/// Checks the attributes and returns the number of vertices.
fn check(attributes: &[VertexAttribute<'_>], layout: VertexBufferLayout, len: usize) -> Result<usize> {
    let stride = layout.stride;
    let count = attributes.first().map_or(0, |attribute| attribute.source.count());
    for (index, attribute) in attributes.iter().enumerate() {
        let VertexAttribute { source, offset, format } = *attribute;
        let error = |kind| Err(Error::of_call(BUFFER, kind).at(Place::new("attribute", index as u64)));
        if let Err(kind) = format.check(source.components(), source.integers()) {
            return error(kind);
        }
        if source.count() != count {
            let (what, expected) = ("elements of the array", count as u64);
            return error(ErrorKind::Length { what, expected, found: source.count() as u64 });
        }
        let align = Expected::MultipleOf(to_i64(format.align()));
        for (what, value) in [("offset", offset), ("stride", stride)] {
            if !value.is_multiple_of(format.align()) {
                return error(ErrorKind::Value { what, expected: align, found: to_i64(value) });
            }
        }
        if attribute.end() > stride {
            let (expected, found) = (Expected::AtMost(to_i64(stride)), to_i64(attribute.end()));
            return error(ErrorKind::Value { what: "end of the attribute in its vertex", expected, found });
        }
        let overlaps = |other: &VertexAttribute<'_>| other.offset < attribute.end() && offset < other.end();
        if attributes.iter().take(index).any(overlaps) {
            let expected = Expected::Text("bytes of no other attribute");
            return error(ErrorKind::Value { what: "offset", expected, found: to_i64(offset) });
        }
    }
    let expected = count.checked_mul(stride);
    if expected != Some(len) {
        let expected = expected.unwrap_or(usize::MAX) as u64;
        let kind = ErrorKind::Length { what: "bytes of the output", expected, found: len as u64 };
        return Err(Error::of_call(BUFFER, kind));
    }
    Ok(count)
}
