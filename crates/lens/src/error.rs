//! What can be wrong with a caller's buffer. Nothing is written when one of these comes back.

use crate::Target;

/// The result of a decode.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// A buffer or layout that does not fit the lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The output must hold exactly one value per element.
    #[error("the lens has {expected} elements, the buffer holds {found}")]
    Length {
        /// Elements of the lens.
        expected: usize,
        /// Elements of the buffer.
        found: usize,
    },
    /// Two lenses that are read side by side differ in length.
    #[error("the first lens has {first} elements, the second {second}")]
    Lengths {
        /// Elements of the first.
        first: usize,
        /// Elements of the second.
        second: usize,
    },
    /// The stride is smaller than one value, so that elements would overlap.
    #[error("a stride of {stride} bytes is smaller than a value of {size}")]
    Stride {
        /// The stride asked for.
        stride: usize,
        /// Bytes of one value.
        size: usize,
    },
    /// The last element would end past the buffer, or the extent overflows.
    #[error(
        "{count} elements of {size} bytes at offset {offset}, stride {stride}, end past a buffer of {len} bytes"
    )]
    Extent {
        /// Elements.
        count: usize,
        /// Bytes of one value.
        size: usize,
        /// Offset of the first.
        offset: usize,
        /// Bytes from one to the next.
        stride: usize,
        /// Bytes of the buffer.
        len: usize,
    },
    /// A vertex buffer must hold exactly the vertices.
    #[error("the vertices take {expected} bytes, the buffer holds {found}")]
    Bytes {
        /// Bytes of all vertices.
        expected: usize,
        /// Bytes of the buffer.
        found: usize,
    },
    /// A format has fewer components than its source, or needs three.
    #[error("a source of {found} components cannot be stored as {target:?}")]
    Components {
        /// The format.
        target: Target,
        /// Components of the source.
        found: usize,
    },
    /// An attribute's offset, or the stride, is no multiple of what its format needs.
    #[error("attribute {attribute}: offset {offset} and stride {stride} must be multiples of {align}")]
    Misaligned {
        /// Number of the attribute.
        attribute: usize,
        /// Its offset.
        offset: usize,
        /// The stride.
        stride: usize,
        /// What both must be multiples of.
        align: usize,
    },
    /// An attribute ends behind its vertex.
    #[error("attribute {attribute} ends at {end}, behind a vertex of {stride} bytes")]
    Outside {
        /// Number of the attribute.
        attribute: usize,
        /// Where it ends.
        end: usize,
        /// The stride.
        stride: usize,
    },
    /// Two attributes share bytes.
    #[error("attributes {first} and {second} overlap")]
    Overlap {
        /// Number of the one.
        first: usize,
        /// Number of the other.
        second: usize,
    },
}
