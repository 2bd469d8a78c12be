//! Reading arrays: a [`Lens`] is a borrowed window onto encoded elements, with their count, stride and encoding.
//!
//! Making one costs nothing and reads nothing. It decodes when asked, straight into the caller's memory:
//!
//! ```
//! use meshlens_lens::{Lens, encoding::Scaled};
//!
//! // Two MD3 vertices: i16 x, y, z in 1/64 units, then two bytes of normal.
//! let bytes = [64, 0, 0, 0, 0xc0, 0xff, 0, 0, 32, 0, 16, 0, 8, 0, 0, 0];
//! let positions = Lens::new(Scaled::<i16, 3, 64>::new(), &bytes, 0, 8, 2)?;
//!
//! let mut out = [[0f32; 3]; 2];
//! positions.decode_into(&mut out)?;
//! assert_eq!(out, [[1.0, 0.0, -1.0], [0.5, 0.25, 0.125]]);
//!
//! for batch in positions.batches::<16>() {
//!     assert_eq!((batch.len, batch.x[1], batch.z[0]), (2, 0.5, -1.0));
//! }
//! # Ok::<(), meshlens_lens::Error>(())
//! ```
//!
//! Each encoding also works the other way ([`Encode`]), with the rounding its format uses.
#![no_std]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod angles;
mod any;
mod array;
mod array_format;
mod attribute;
mod batch;
mod bounds;
pub mod encoding;
mod fill;
mod frame_vectors;
mod gather;
mod index_buffer;
mod indices;
mod interleave;
mod lens;
mod lerp;
mod simd;
mod swizzle;
mod value;
mod value_lens;
mod vertex_format;

/// What the benches of this workspace measure kernels against. Not public.
#[cfg(feature = "bench")]
#[doc(hidden)]
pub mod bench {
    pub use crate::simd::copy_baseline::{copy_shape, stream_shape};
}

pub use any::AnyLens;
pub use array::{Array, ArrayParts, Semantic};
pub use array_format::{ArrayFormat, ComponentType, Described, GltfAccessor, GpuFormat, Numbers, ValueType};
pub use attribute::{AttributeSource, FloatValue};
pub use batch::{Batch1, Batch2, Batch3, Batch4, Batches};
pub use bounds::Bounds;
pub use encoding::{Encode, Encoding};
pub use frame_vectors::FrameVectors;
pub use gather::{Gathered, RandomAccess};
pub use index_buffer::{IndexBufferLayout, IndexFormat};
pub use indices::{Index, Indices};
pub use interleave::{VertexAttribute, VertexBufferLayout, decode_interleaved};
pub use lens::{Iter, Lens};
pub use lerp::{FloatArray, Lerp, lerp_directions_into, lerp_into};
pub use meshlens_wire::{Error, ErrorKind, Result};
pub use simd::{Level, ParseLevelError};
pub use swizzle::Swizzled;

pub use value::{PositionNormal, PositionNormalBatch, TangentFrame, TangentFrameBatch, Value, rotation_rows};
pub use value_lens::{ValueIter, ValueLens};
pub use vertex_format::VertexFormat;
