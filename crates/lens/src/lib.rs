//! Reading arrays: a [`Lens`] is a borrowed window onto encoded elements, with their count, stride and encoding.
//!
//! Making one costs nothing and reads nothing. It decodes when asked, straight into the caller's memory:
//!
//! ```
//! use meshlens_lens::{Lens, encoding::Md3Position};
//!
//! // Two MD3 vertices: i16 x, y, z in 1/64 units, then two bytes of normal.
//! let bytes = [64, 0, 0, 0, 0xc0, 0xff, 0, 0, 32, 0, 16, 0, 8, 0, 0, 0];
//! let positions = Lens::new(Md3Position, &bytes, 0, 8, 2).unwrap();
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

#[cfg(test)]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod batch;
mod bounds;
mod choice;
pub mod encoding;
mod error;
mod indices;
mod interleave;
mod lens;
mod lerp;
mod simd;
mod target;
mod value;

pub use batch::{Batch1, Batch2, Batch3, Batch4, Batches};
pub use bounds::Bounds;
pub use choice::{Floats, Triangles};
pub use encoding::{Encode, Encoding};
pub use error::{Error, Result};
pub use indices::{Index, Indices};
pub use interleave::{Attribute, Elements, FloatValue, Layout, Lerp, decode_interleaved};
pub use lens::{Iter, Lens};
pub use lerp::{lerp_directions_into, lerp_into};
pub use simd::{Level, copy_shape, stream_shape};
pub use target::Target;
pub use value::{PositionNormal, PositionNormalBatch, TangentFrame, TangentFrameBatch, Value, rotation_rows};
