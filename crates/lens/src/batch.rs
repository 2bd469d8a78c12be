//! Batches: the elements of a lens as structures of arrays of a fixed length, for vector code.

use core::iter::FusedIterator;

use bytemuck::Zeroable;

use crate::{Encoding, Lens, Value};

macro_rules! batches {
    ($($(#[$doc:meta])* $name:ident: $($field:ident),*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name<T, const N: usize> {
            /// The number of lanes that hold elements, counted from the first. The other lanes are zero.
            pub len: usize,
            $(
                #[doc = concat!("Component ", stringify!($field), " of each element.")]
                pub $field: [T; N],
            )*
        }
    )*};
}

batches! {
    /// `N` single numbers.
    Batch1: x;
    /// `N` pairs.
    Batch2: x, y;
    /// `N` triples.
    Batch3: x, y, z;
    /// `N` quadruples.
    Batch4: x, y, z, w;
}

/// An iterator over a lens that returns `N` elements at a time. Every batch but the last is full.
#[derive(Clone, Copy, Debug)]
pub struct Batches<'a, E, const N: usize> {
    rest: Lens<'a, E>,
}

impl<'a, E: Encoding, const N: usize> Batches<'a, E, N> {
    pub(crate) fn new(lens: Lens<'a, E>) -> Self {
        const { assert!(N > 0, "a batch holds at least one element") };
        Batches { rest: lens }
    }
}

impl<E: Encoding, const N: usize> Iterator for Batches<'_, E, N> {
    type Item = <E::Value as Value>::Batch<N>;

    fn next(&mut self) -> Option<Self::Item> {
        let len = self.rest.len().min(N);
        if len == 0 {
            return None;
        }
        let (head, rest) = self.rest.split_at(len)?;
        self.rest = rest;
        let mut values = [E::Value::zeroed(); N];
        head.decode_into(values.get_mut(..len)?).ok()?;
        Some(E::Value::batch(&values, len))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let batches = self.rest.len().div_ceil(N);
        (batches, Some(batches))
    }
}

impl<E: Encoding, const N: usize> ExactSizeIterator for Batches<'_, E, N> {}
impl<E: Encoding, const N: usize> FusedIterator for Batches<'_, E, N> {}
