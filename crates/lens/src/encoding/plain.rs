//! Little-endian numbers in packed groups of one to four, stored as they are decoded.

use zerocopy::little_endian as le;

use super::{Encode, Encoding, Native, decode_each};
use crate::Level;

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
    // What is packed is copied; the copy of the standard library is as fast as any.
    (@run) => {
        fn decode_run_at(&self, _: Level, bytes: &[u8], stride: usize, out: &mut [Self::Value]) {
            let size = size_of::<Self::Value>();
            if stride == size && cfg!(target_endian = "little") {
                let count = out.len().min(bytes.len().checked_div(size).unwrap_or_default());
                let parts = (out.get_mut(..count), bytes.get(..count.saturating_mul(size)));
                if let (Some(out), Some(bytes)) = parts {
                    bytemuck::cast_slice_mut(out).copy_from_slice(bytes);
                }
            } else {
                decode_each(self, bytes, stride, out);
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

            plain!(@run);
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

            plain!(@run);
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
    /// `D` bytes.
    U8: u8, u8, core::convert::identity, core::convert::identity;
    /// `D` signed bytes.
    I8: i8, i8, core::convert::identity, core::convert::identity;
    /// `D` unsigned 16-bit integers.
    U16: u16, le::U16, le::U16::get, le::U16::new;
    /// `D` signed 16-bit integers.
    I16: i16, le::I16, le::I16::get, le::I16::new;
    /// `D` unsigned 32-bit integers.
    U32: u32, le::U32, le::U32::get, le::U32::new;
    /// `D` signed 32-bit integers.
    I32: i32, le::I32, le::I32::get, le::I32::new;
    /// `D` floats, bit for bit.
    F32: f32, le::F32, le::F32::get, le::F32::new;
}
