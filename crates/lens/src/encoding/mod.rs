//! Encodings: how one element lies in a file, and what it decodes to.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{Level, Value};

/// Decodes with a kernel where `level` has one.
macro_rules! kernel {
    ($kernel:expr) => {
        fn decode_run_at(&self, level: $crate::Level, bytes: &[u8], stride: usize, out: &mut [Self::Value]) {
            if !$crate::simd::decode(level, $kernel, bytes, stride, out) {
                $crate::encoding::decode_each(self, bytes, stride, out);
            }
        }
    };
    ($self:ident => $kernel:expr) => {
        fn decode_run_at(&$self, level: $crate::Level, bytes: &[u8], stride: usize, out: &mut [Self::Value]) {
            if !$crate::simd::decode(level, $kernel, bytes, stride, out) {
                $crate::encoding::decode_each($self, bytes, stride, out);
            }
        }
    };
    ($kernel:expr, or $other_stride:literal $other:expr) => {
        fn decode_run_at(&self, level: $crate::Level, bytes: &[u8], stride: usize, out: &mut [Self::Value]) {
            let done = if stride == $other_stride {
                $crate::simd::decode(level, $other, bytes, stride, out)
            } else {
                $crate::simd::decode(level, $kernel, bytes, stride, out)
            };
            if !done {
                $crate::encoding::decode_each(self, bytes, stride, out);
            }
        }
    };
}

pub(crate) mod angles;
mod md3;
mod plain;
mod share;
#[cfg(test)]
mod testing;
mod u3d;
mod unigine;
mod unreal;

pub use md3::{Md3Normal, Md3NormalInverse, Md3Position, Md3Vertex};
pub use plain::{F32, I8, I16, I32, U8, U16, U32};
pub use share::{Ranged16, Unorm8, Unorm16};
pub use u3d::{U3dNormal8, U3dNormal8Full, U3dNormal16};
pub use unigine::{
    Ms10Tangent, UnigineNormal, UnigineRotation, UnigineTangent, UnigineTangentFrame, UnigineTangentMs10,
    UnigineWeight,
};
pub use unreal::{
    UnrealPacked, UnrealPackedInteger, UnrealPackedUnits, UnrealTexcoord, UnrealWide, UnrealWideInteger,
};

/// How one element lies in a file, and what it decodes to.
///
/// The decoding of a single element, [`decode`](Encoding::decode), is the specification; whatever
/// [`decode_run`](Encoding::decode_run) does for speed gives the same values, as [`Level`] has it.
pub trait Encoding: Copy {
    /// The bytes of one element. Every bit pattern is valid, and no alignment is needed.
    type Raw: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned + Copy;
    /// What an element decodes to.
    type Value: Value;
    /// Bytes of one element.
    const SIZE: usize = size_of::<Self::Raw>();

    /// Decodes one element. Total: every bit pattern gives a value.
    fn decode(&self, raw: Self::Raw) -> Self::Value;

    /// Decodes `out.len()` elements, the first at `bytes[0]`, `stride` bytes apart, with the instructions of
    /// [`Level::current`]. Elements that do not lie inside `bytes` leave their slot of `out` as it is; a
    /// [`Lens`](crate::Lens) has proven that there is none.
    fn decode_run(&self, bytes: &[u8], stride: usize, out: &mut [Self::Value]) {
        self.decode_run_at(Level::current(), bytes, stride, out);
    }

    /// As [`decode_run`](Self::decode_run), with the instructions of `level`. An encoding without kernels of its own
    /// decodes one element after the other.
    fn decode_run_at(&self, level: Level, bytes: &[u8], stride: usize, out: &mut [Self::Value]) {
        let _ = level;
        decode_each(self, bytes, stride, out);
    }
}

/// One element after the other: what every kernel must agree with.
pub(crate) fn decode_each<E: Encoding>(encoding: &E, bytes: &[u8], stride: usize, out: &mut [E::Value]) {
    for (out, bytes) in out.iter_mut().zip(bytes.chunks(stride.max(1))) {
        if let Ok((raw, _)) = E::Raw::read_from_prefix(bytes) {
            *out = encoding.decode(raw);
        }
    }
}

/// The other direction: from a value to the bytes the format's own tools would have written.
pub trait Encode: Encoding {
    /// Encodes one value with the rounding the format uses. What lies outside the format's range is brought to its
    /// nearest end, never wrapped around; NaN becomes zero.
    fn encode(&self, value: Self::Value) -> Self::Raw;

    /// What the decoder gives back for `value`.
    fn quantize(&self, value: Self::Value) -> Self::Value {
        self.decode(self.encode(value))
    }
}

/// Encodings whose stored elements are their values, byte for byte, on a little-endian machine.
pub trait Native: Encoding {}
