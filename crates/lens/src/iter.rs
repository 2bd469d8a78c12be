//! Iterators over a lens: one element after another, or in batches.

use core::iter::FusedIterator;
use core::ops::Range;

use bytemuck::Zeroable;

use crate::{Encoding, Lens, Value};

impl<'a, E: Encoding> Lens<'a, E> {
    /// An iterator over the elements, which are decoded one at a time, from either end.
    pub const fn iter(&self) -> Iter<'a, E> {
        Iter { lens: *self, range: 0..self.len() }
    }

    /// An iterator over batches of `N` elements, each a structure of arrays. The last batch may be shorter.
    pub fn batches<const N: usize>(&self) -> Batches<'a, E, N> {
        Batches::new(*self)
    }
}

impl<'a, E: Encoding> IntoIterator for Lens<'a, E> {
    type Item = E::Value;
    type IntoIter = Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, E: Encoding> IntoIterator for &Lens<'a, E> {
    type Item = E::Value;
    type IntoIter = Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// An iterator that decodes one element after another, from either end.
#[derive(Clone, Debug)]
pub struct Iter<'a, E> {
    lens: Lens<'a, E>,
    range: Range<usize>,
}

impl<E: Encoding> Iterator for Iter<'_, E> {
    type Item = E::Value;

    fn next(&mut self) -> Option<E::Value> {
        self.lens.get(self.range.next()?)
    }

    fn nth(&mut self, n: usize) -> Option<E::Value> {
        self.lens.get(self.range.nth(n)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<E: Encoding> DoubleEndedIterator for Iter<'_, E> {
    fn next_back(&mut self) -> Option<E::Value> {
        self.lens.get(self.range.next_back()?)
    }
}

impl<E: Encoding> ExactSizeIterator for Iter<'_, E> {}
impl<E: Encoding> FusedIterator for Iter<'_, E> {}

/// An iterator over a lens that returns `N` elements at a time. All batches except the last one are full.
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
