//! Lenses: borrowed windows onto the encoded arrays of a file.
//!
//! A [`Lens`] consists of bytes, an element count, a stride and an encoding. Making a lens does not read or copy
//! anything. Its methods decode directly into the caller's memory, with SIMD:
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
//! Overview:
//!
//! - [`Lens`] knows its encoding at compile time. [`ValueLens`] knows only the type of its values, and [`AnyLens`]
//!   describes its encoding as data: an [`ArrayFormat`], which also names the matching glTF accessor, WebGPU vertex
//!   format and numpy type.
//! - [`encoding`] has the encodings. Most also convert values back to bytes ([`Encode`]), with the rounding that the
//!   format uses.
//! - [`decode_interleaved`] fills a vertex buffer from several arrays in one pass. [`Gathered`], [`Lerp`] and
//!   [`Swizzled`] reorder, blend and convert elements in the same pass. [`Lens::indices_into`] fills an index buffer.
//! - [`Array`] is an entry in the list of arrays that every document of the format crates returns.
//! - [`Level`] selects the vector instructions. The default is the best level of the processor.
//!
//! The crate is `no_std`. The feature `std` adds the detection of processor features at run time.
#![no_std]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod angles;
mod any;
mod array;
mod array_format;
mod array_targets;
mod attribute;
mod batch;
mod bounds;
mod component;
pub mod encoding;
mod fill;
mod frame_vectors;
mod gather;
mod index;
mod index_array;
mod index_buffer;
mod indices;
mod interleave;
mod iter;
mod lens;
mod lerp;
mod names;
mod pack;
#[cfg(target_arch = "x86_64")]
mod record_vertices;
mod simd;
mod skin;
mod skinned;
mod staged;
mod stored;
mod swizzle;
mod transformed;
mod value;
mod value_lens;
mod vertex_attribute;
mod vertex_format;
mod window;

pub use any::AnyLens;
pub use array::{Array, ArrayParts, Semantic};
pub use array_format::{ArrayFormat, Described, Numbers, RecordField};
pub use array_targets::{GltfAccessor, GpuFormat};
pub use attribute::{AttributeSource, FloatValue};
pub use batch::{Batch1, Batch2, Batch3, Batch4};
pub use bounds::Bounds;
pub use component::{ComponentType, ValueType};
pub use encoding::{Encode, Encoding};
pub use frame_vectors::FrameVectors;
pub use gather::{Gathered, RandomAccess};
pub use index::Index;
pub use index_buffer::{IndexBufferLayout, IndexFormat};
pub use indices::Indices;
pub use interleave::{VertexBufferLayout, decode_interleaved};
pub use iter::{Batches, Iter};
pub use lens::Lens;
pub use lerp::{FloatArray, Lerp, lerp_directions_into, lerp_into};
pub use meshlens_wire::{Complete, Error, ErrorKind, Partial, Presence, Result};
pub use simd::{Level, ParseLevelError};
pub use skin::{Influences, Skin};
pub use skinned::Skinned;
pub use swizzle::Swizzled;
pub use transformed::Transformed;
pub use value::{PositionNormal, PositionNormalBatch, TangentFrame, TangentFrameBatch, Value, rotation_rows};
pub use value_lens::{ValueIter, ValueLens};
pub use vertex_attribute::VertexAttribute;
pub use vertex_format::VertexFormat;
