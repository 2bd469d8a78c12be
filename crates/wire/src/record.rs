//! Records: fields of fixed sizes, one after another, little-endian, without padding.

use alloc::vec::Vec;

/// A record of a file, read from its bytes and written to them. Numbers are little-endian, and every bit pattern is valid.
///
/// Implemented for numbers and for arrays of records; [`record!`](crate::record) declares a struct of them.
pub trait Record: Copy {
    /// The number of bytes.
    const SIZE: usize;

    /// Reads the first [`SIZE`](Self::SIZE) bytes. Missing bytes are zero.
    fn read(bytes: &[u8]) -> Self;

    /// Reads records that lie one after another.
    #[inline]
    fn read_array<const N: usize>(bytes: &[u8]) -> [Self; N] {
        let mut rest = bytes;
        core::array::from_fn(|_| {
            let (element, after) = rest.split_at_checked(Self::SIZE).unwrap_or((rest, &[]));
            rest = after;
            Self::read(element)
        })
    }

    /// Appends the bytes of the record.
    fn write(&self, out: &mut Vec<u8>);

    /// Appends the bytes of records.
    fn write_all(records: &[Self], out: &mut Vec<u8>) {
        records.iter().for_each(|record| record.write(out));
    }
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Record for $number {
            const SIZE: usize = size_of::<$number>();

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(0 as $number, |bytes| $number::from_le_bytes(*bytes))
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers! { i8 u16 i16 u32 i32 f32 }

impl Record for u8 {
    const SIZE: usize = 1;

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        bytes.first().copied().unwrap_or_default()
    }

    /// Names are arrays of bytes, in one copy.
    #[inline]
    fn read_array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        let missing = || core::array::from_fn(|index| bytes.get(index).copied().unwrap_or_default());
        bytes.first_chunk().copied().unwrap_or_else(missing)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn write_all(records: &[Self], out: &mut Vec<u8>) {
        out.extend_from_slice(records);
    }
}

impl<T: Record, const N: usize> Record for [T; N] {
    const SIZE: usize = N * T::SIZE;

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        T::read_array(bytes)
    }

    fn write(&self, out: &mut Vec<u8>) {
        T::write_all(self, out);
    }
}

/// Declares a struct that is a [`Record`]: its fields lie one after another, in their order.
///
/// ```
/// use meshlens_wire::Record;
///
/// meshlens_wire::record! {
///     /// A vertex.
///     #[derive(Debug, PartialEq)]
///     pub struct Vertex {
///         /// The position.
///         pub position: [i16; 3],
///         /// The two angles of the normal.
///         pub normal: [u8; 2],
///     }
/// }
///
/// let vertex = Vertex::read(&[1, 0, 2, 0, 255, 255, 8, 9]);
/// assert_eq!(vertex, Vertex { position: [1, 2, -1], normal: [8, 9] });
/// assert_eq!(Vertex::SIZE, 8);
/// ```
#[macro_export]
macro_rules! record {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident {
        $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $type,)*
        }

        impl $crate::Record for $name {
            const SIZE: usize = $(<$type as $crate::Record>::SIZE +)* 0;

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let rest = bytes;
                $(
                    let size = <$type as $crate::Record>::SIZE;
                    let ($field, rest) = rest.split_at_checked(size).unwrap_or((rest, &[]));
                    let $field = <$type as $crate::Record>::read($field);
                )*
                let _ = rest;
                $name { $($field,)* }
            }

            fn write(&self, out: &mut $crate::__Vec<u8>) {
                $($crate::Record::write(&self.$field, out);)*
            }
        }
    };
}
