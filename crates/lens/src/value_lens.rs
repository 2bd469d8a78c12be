//! Lenses whose value type is known at compile time and whose encoding is known at run time.

use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::{Deref, Range};

use bytemuck::{bytes_of_mut, cast_slice_mut};
use meshlens_wire::{Error, Result};

use crate::array_format::Described;
use crate::encoding::Internal;
use crate::lerp::FloatArray;
use crate::stored::Stored;
use crate::{AnyLens, AttributeSource, FloatValue, Lens, Level, Value};

/// A borrowed window onto elements of any encoding that decode to `V`. Getters return it if the file determines how
/// values are stored.
///
/// It is an [`AnyLens`], to which it dereferences, whose value type has been checked once. It decodes with the same kernels as
/// a [`Lens`].
///
/// ```
/// use meshlens_lens::encoding::{IndexU16, U32};
/// use meshlens_lens::{Lens, ValueLens};
///
/// let triangles: [ValueLens<[u32; 3]>; 2] = [
///     Lens::new(IndexU16::<3>, &[0, 0, 1, 0, 2, 0], 0, 6, 1)?.into(),
///     Lens::new(U32::<3>, &[0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0], 0, 12, 1)?.into(),
/// ];
/// assert!(triangles.iter().all(|triangles| triangles.get(0) == Some([0, 1, 2])));
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ValueLens<'a, V> {
    any: AnyLens<'a>,
    value: PhantomData<fn() -> V>,
}

impl<'a> AnyLens<'a> {
    /// The same array as a lens of values `V`, or `None` if its elements decode to a different type.
    pub fn typed<V: Value>(&self) -> Option<ValueLens<'a, V>> {
        self.format().decodes_to::<V>().then(|| ValueLens::assume(*self))
    }

    /// Element `index`, or `None` if it is out of range or does not decode to `V`.
    pub fn get<V: Value>(&self, index: usize) -> Option<V> {
        self.typed::<V>()?.get(index)
    }

    /// Decodes every element into `out`, like [`Lens::decode_into`]. O(elements).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`](crate::ErrorKind::Length) if `out` does not have as many values as the lens has elements;
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if elements do not decode to `V`. `out` is unchanged
    /// after an error.
    pub fn decode_into<V: Value>(&self, out: &mut [V]) -> Result<()> {
        self.decode_into_with(Level::current(), out)
    }

    /// Like [`decode_into`](Self::decode_into), with the instructions of `level`.
    pub fn decode_into_with<V: Value>(&self, level: Level, out: &mut [V]) -> Result<()> {
        match self.typed::<V>() {
            Some(lens) => lens.decode_into_with(level, out),
            None => Err(self.unsupported("decoding to values of this type")),
        }
    }
}

impl<'a, E: Described> From<Lens<'a, E>> for ValueLens<'a, E::Value> {
    fn from(lens: Lens<'a, E>) -> Self {
        ValueLens::assume(lens.into())
    }
}

impl<'a, V> From<ValueLens<'a, V>> for AnyLens<'a> {
    fn from(lens: ValueLens<'a, V>) -> Self {
        lens.any
    }
}

impl<'a, V> Deref for ValueLens<'a, V> {
    type Target = AnyLens<'a>;

    fn deref(&self) -> &AnyLens<'a> {
        &self.any
    }
}

impl<'a, V: Value> ValueLens<'a, V> {
    /// Makes the lens of an array that is known to decode to `V`.
    pub(crate) const fn assume(any: AnyLens<'a>) -> Self {
        ValueLens { any, value: PhantomData }
    }

    /// The same array as an [`AnyLens`].
    pub const fn as_any(&self) -> AnyLens<'a> {
        self.any
    }

    /// The elements of `range`, or `None` if the range is not inside the lens.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.any.slice(range).map(ValueLens::assume)
    }

    /// The same array as a lens of encoding `E`, or `None` if it has a different encoding.
    pub fn downcast<E: Described<Value = V>>(&self) -> Option<Lens<'a, E>> {
        self.any.downcast()
    }

    /// Element `index`, decoded, or `None` if the index is out of range. Each call is indirect, so use
    /// [`decode_into`](Self::decode_into) for whole arrays.
    #[inline]
    pub fn get(&self, index: usize) -> Option<V> {
        let mut value = V::zeroed();
        self.any.get_into(index, bytes_of_mut(&mut value)).then_some(value)
    }

    /// An iterator over the elements in order. It decodes a few at a time.
    pub fn iter(&self) -> ValueIter<'a, V> {
        ValueIter {
            lens: *self,
            next: 0,
            end: self.len(),
            block: [V::zeroed(); ITER_BLOCK],
            start: 0,
            held: 0,
        }
    }

    /// Decodes every element into `out`, like [`Lens::decode_into`]. O(elements).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`](meshlens_wire::ErrorKind::Length) if `out` does not have as many values as the lens has
    /// elements. `out` is then unchanged.
    pub fn decode_into(&self, out: &mut [V]) -> Result<()> {
        self.decode_into_with(Level::current(), out)
    }

    /// Like [`decode_into`](Self::decode_into), with the instructions of `level`.
    pub fn decode_into_with(&self, level: Level, out: &mut [V]) -> Result<()> {
        if out.len() != self.len() {
            return Err(self.any.length_error("elements of the output", out.len()));
        }
        meshlens_wire::steps::count(self.len() as u64);
        (self.format().kernels.decode)(self.any.window(), level, cast_slice_mut(out));
        Ok(())
    }

    /// Decodes all elements to a new vector. O(elements).
    pub fn to_vec(&self) -> Vec<V> {
        let mut out = alloc::vec![V::zeroed(); self.len()];
        (self.format().kernels.decode)(self.any.window(), Level::current(), cast_slice_mut(&mut out));
        out
    }
}

impl<V: FloatValue> AttributeSource for ValueLens<'_, V> {
    fn count(&self) -> usize {
        self.len()
    }

    fn components(&self) -> usize {
        V::COMPONENTS
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        self.any.decode_from(level, first, cast_slice_mut(out));
    }

    fn stored(&self, _: Internal) -> Option<Stored<'_>> {
        self.any.stored(Internal)
    }

    fn length_error(&self, what: &'static str, found: usize, _: Internal) -> Error {
        self.any.length_error(what, found)
    }
}

impl<V: FloatValue> FloatArray for ValueLens<'_, V> {
    type Value = V;
}

impl<'a, V: Value> IntoIterator for ValueLens<'a, V> {
    type Item = V;
    type IntoIter = ValueIter<'a, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, V: Value> IntoIterator for &ValueLens<'a, V> {
    type Item = V;
    type IntoIter = ValueIter<'a, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The number of elements that an iterator decodes at a time.
const ITER_BLOCK: usize = 16;

/// An iterator over the values of a [`ValueLens`], from either end.
#[derive(Clone, Debug)]
pub struct ValueIter<'a, V> {
    lens: ValueLens<'a, V>,
    next: usize,
    end: usize,
    /// The `held` elements, starting with `start`.
    block: [V; ITER_BLOCK],
    start: usize,
    held: usize,
}

impl<V: Value> ValueIter<'_, V> {
    /// Decodes the block that begins at `next`.
    #[cold]
    fn refill(&mut self) {
        let len = self.end.saturating_sub(self.next).min(ITER_BLOCK);
        if let Some(block) = self.block.get_mut(..len) {
            // The scalar level has the same values as `get`. Other levels may differ within the tolerance.
            self.lens.any.decode_from(Level::SCALAR, self.next, cast_slice_mut(block));
        }
        (self.start, self.held) = (self.next, len);
    }
}

impl<V: Value> Iterator for ValueIter<'_, V> {
    type Item = V;

    #[inline]
    fn next(&mut self) -> Option<V> {
        if self.next >= self.end {
            return None;
        }
        if self.next.wrapping_sub(self.start) >= self.held {
            self.refill();
        }
        let value = self.block.get(self.next.wrapping_sub(self.start)).copied();
        self.next = self.next.saturating_add(1);
        value
    }

    fn nth(&mut self, n: usize) -> Option<V> {
        self.next = self.next.saturating_add(n).min(self.end);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end.saturating_sub(self.next);
        (left, Some(left))
    }
}

impl<V: Value> DoubleEndedIterator for ValueIter<'_, V> {
    fn next_back(&mut self) -> Option<V> {
        let last = self.end.checked_sub(1).filter(|last| *last >= self.next)?;
        self.end = last;
        self.lens.get(last)
    }
}

impl<V: Value> ExactSizeIterator for ValueIter<'_, V> {}
impl<V: Value> FusedIterator for ValueIter<'_, V> {}
