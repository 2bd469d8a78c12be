//! Encodings: how one element is stored, and what it decodes to.
//!
//! Most have parameters, such as [`Scaled<i16, 3, 64>`](Scaled). Format crates give names to the encodings that they
//! use.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::stored::StoredKind;
use crate::window::Window;
use crate::{Level, Value};

/// Implements `decode_run` with a kernel, if `level` has one.
macro_rules! kernel {
    ($kernel:expr) => {
        kernel!(_encoding => $kernel);
    };
    ($encoding:ident => $kernel:expr) => {
        fn decode_run(&self, window: $crate::window::Window<'_>, level: $crate::Level, out: &mut [Self::Value], _: $crate::encoding::Internal) {
            let $encoding = self;
            if !$crate::simd::decode(level, $kernel, window.bytes, window.stride, out) {
                $crate::encoding::decode_each(*self, window, out);
            }
        }
    };
    ($kernel:expr, or $other_stride:literal $other:expr) => {
        fn decode_run(&self, window: $crate::window::Window<'_>, level: $crate::Level, out: &mut [Self::Value], _: $crate::encoding::Internal) {
            let done = if window.stride == $other_stride {
                $crate::simd::decode(level, $other, window.bytes, window.stride, out)
            } else {
                $crate::simd::decode(level, $kernel, window.bytes, window.stride, out)
            };
            if !done {
                $crate::encoding::decode_each(*self, window, out);
            }
        }
    };
}

mod described;
mod index;
mod latitude_longitude;
mod normalized;
mod packed;
mod plain;
pub mod rounding;
mod scaled;
mod tangent_frame;
mod zenith_azimuth;

pub use index::{IndexU8, IndexU16};
pub use latitude_longitude::{LatitudeLongitude8, LatitudeLongitude8Full, LatitudeLongitude16};
pub use normalized::{BiasedUnorm16, Ranged16, Snorm16, Unorm8, Unorm16};
pub use packed::{Packed, PackedInteger};
pub use plain::{F32, I8, I16, I32, U8, U16, U32};
pub use scaled::Scaled;
pub(crate) use tangent_frame::TangentNormal16;
pub use tangent_frame::{TangentFrame16, TangentFrameXyz16, TangentQuaternion16, TangentQuaternionXyz16};
pub use zenith_azimuth::{PositionZenithAzimuth8, TruncatedZenithAzimuth8, ZenithAzimuth8};

pub(crate) use sealed::Internal;
pub(crate) use zenith_azimuth::position_zenith_azimuth;

mod sealed {
    /// The last argument of methods that are only called and implemented in this crate.
    #[derive(Clone, Copy, Debug)]
    pub struct Internal;
}

/// How one element is stored, and what it decodes to.
///
/// [`decode`](Encoding::decode), which decodes a single element, is the specification. A [`Lens`](crate::Lens) decodes
/// whole arrays with kernels that return the same values, within [`TOLERANCE`](Encoding::TOLERANCE).
///
/// Other crates can implement encodings. Such encodings have no kernels: they decode one element after another.
pub trait Encoding: Copy {
    /// The bytes of one element. Every bit pattern is valid, and the alignment is 1.
    type Raw: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned + Copy;
    /// The type that an element decodes to.
    type Value: Value;
    /// The size of an element in bytes.
    const SIZE: usize = size_of::<Self::Raw>();
    /// The largest difference between a float that a kernel decodes and the float that [`decode`](Self::decode)
    /// returns. It is 0 for nearly every encoding, which then has the same bits at every [level](Level).
    const TOLERANCE: f32 = 0.0;

    /// What is known about the bytes of an element.
    #[doc(hidden)]
    const STORED: StoredKind = StoredKind::Other;

    /// Decodes one element. Every bit pattern has a value.
    fn decode(&self, raw: Self::Raw) -> Self::Value;

    /// Decodes elements of `window` into `out` with the instructions of `level`, until either ends. The stride and the
    /// extent of the window are checked.
    #[doc(hidden)]
    fn decode_run(&self, window: Window<'_>, level: Level, out: &mut [Self::Value], _: Internal) {
        let _ = level;
        decode_each(*self, window, out);
    }
}

/// Decodes one element after another. Every kernel must return the same values.
pub(crate) fn decode_each<E: Encoding>(encoding: E, window: Window<'_>, out: &mut [E::Value]) {
    for (out, bytes) in out.iter_mut().zip(window.bytes.chunks(window.stride.max(1))) {
        if let Some(raw) = read_prefix::<E::Raw>(bytes) {
            *out = encoding.decode(raw);
        }
    }
}

/// Reads an element from the start of `bytes`, or `None` if they are too short. `read_from_prefix` does the same, but a
/// build without optimization compiles thirty functions for each type.
#[inline(always)]
pub(crate) fn read_prefix<R: FromBytes + IntoBytes>(bytes: &[u8]) -> Option<R> {
    let mut raw = R::new_zeroed();
    raw.as_mut_bytes().copy_from_slice(bytes.get(..size_of::<R>())?);
    Some(raw)
}

/// An encoding that also converts values to bytes.
pub trait Encode: Encoding {
    /// Encodes one value, with the rounding of the encoding. Values out of range are clamped and never wrap around; NaN
    /// becomes zero.
    fn encode(&self, value: Self::Value) -> Self::Raw;

    /// The result of encoding and decoding `value`.
    fn quantize(&self, value: Self::Value) -> Self::Value {
        self.decode(self.encode(value))
    }
}

/// Encodings whose stored bytes are the bytes of the value on a little-endian machine.
pub trait Native: Encoding {}
