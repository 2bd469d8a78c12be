//! Little-endian numbers in groups of one to four, whose stored bytes are the value.

use zerocopy::little_endian as le;

use super::{Encode, Encoding, Internal, Native, decode_each};
use crate::stored::StoredKind;
use crate::window::Window;
use crate::{Level, VertexFormat};

/// The vertex format with `count` numbers of the same type.
const fn stored(name: &str, count: usize) -> StoredKind {
    use VertexFormat::*;
    StoredKind::As(match (name.as_bytes(), count) {
        (b"F32", 1) => Float32,
        (b"F32", 2) => Float32x2,
        (b"F32", 3) => Float32x3,
        (b"F32", 4) => Float32x4,
        (b"U8", 2) => Uint8x2,
        (b"U8", 4) => Uint8x4,
        (b"U16", 2) => Uint16x2,
        (b"U16", 4) => Uint16x4,
        (b"U32", 1) => Uint32,
        (b"U32", 2) => Uint32x2,
        (b"U32", 3) => Uint32x3,
        (b"U32", 4) => Uint32x4,
        (b"I8", 2) => Sint8x2,
        (b"I8", 4) => Sint8x4,
        (b"I16", 2) => Sint16x2,
        (b"I16", 4) => Sint16x4,
        (b"I32", 1) => Sint32,
        (b"I32", 2) => Sint32x2,
        (b"I32", 3) => Sint32x3,
        (b"I32", 4) => Sint32x4,
        _ => return StoredKind::Other,
    })
}

macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident: $scalar:ty, $raw:ty, $decode:expr, $encode:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name<const D: usize>;

        plain!(@one $name, $scalar, $raw, $decode, $encode);
        plain!(@many $name, 2, $scalar, $raw, $decode, $encode);
        plain!(@many $name, 3, $scalar, $raw, $decode, $encode);
        plain!(@many $name, 4, $scalar, $raw, $decode, $encode);
    )*};
    // Packed elements are copied, and the copy of the standard library is as fast as any kernel.
    (@run $name:ident $count:literal) => {
        const STORED: StoredKind = stored(stringify!($name), $count);

        fn decode_run(&self, window: Window<'_>, _: Level, out: &mut [Self::Value], _: Internal) {
            let (bytes, size) = (window.bytes, size_of::<Self::Value>());
            if window.stride == size && cfg!(target_endian = "little") {
                let count = out.len().min(bytes.len().checked_div(size).unwrap_or_default());
                let parts = (out.get_mut(..count), bytes.get(..count.saturating_mul(size)));
                if let (Some(out), Some(bytes)) = parts {
                    bytemuck::cast_slice_mut(out).copy_from_slice(bytes);
                }
            } else {
                decode_each(*self, window, out);
            }
        }
    };
    (@one $name:ident, $scalar:ty, $raw:ty, $decode:expr, $encode:expr) => {
        impl Encoding for $name<1> {
            type Raw = $raw;
            type Value = $scalar;
            #[inline]
            fn decode(&self, raw: $raw) -> $scalar {
                $decode(raw)
            }

            plain!(@run $name 1);
        }
        impl Encode for $name<1> {
            #[inline]
            fn encode(&self, value: $scalar) -> $raw {
                $encode(value)
            }
        }
        impl Native for $name<1> {}
    };
    (@many $name:ident, $count:literal, $scalar:ty, $raw:ty, $decode:expr, $encode:expr) => {
        impl Encoding for $name<$count> {
            type Raw = [$raw; $count];
            type Value = [$scalar; $count];
            #[inline]
            fn decode(&self, raw: [$raw; $count]) -> [$scalar; $count] {
                raw.map($decode)
            }

            plain!(@run $name $count);
        }
        impl Encode for $name<$count> {
            #[inline]
            fn encode(&self, value: [$scalar; $count]) -> [$raw; $count] {
                value.map($encode)
            }
        }
        impl Native for $name<$count> {}
    };
}

plain! {
    /// `D` unsigned bytes, one to four.
    U8: u8, u8, core::convert::identity, core::convert::identity;
    /// `D` signed bytes, one to four.
    I8: i8, i8, core::convert::identity, core::convert::identity;
    /// `D` unsigned 16-bit integers, one to four.
    U16: u16, le::U16, le::U16::get, le::U16::new;
    /// `D` signed 16-bit integers, one to four.
    I16: i16, le::I16, le::I16::get, le::I16::new;
    /// `D` unsigned 32-bit integers, one to four.
    U32: u32, le::U32, le::U32::get, le::U32::new;
    /// `D` signed 32-bit integers, one to four.
    I32: i32, le::I32, le::I32::get, le::I32::new;
    /// `D` 32-bit floats, one to four, with unchanged bits.
    F32: f32, le::F32, le::F32::get, le::F32::new;
}
