//! Elements of an array in a different order, for vertices that are assembled from several index lists.

use alloc::boxed::Box;

use meshlens_wire::{Error, ErrorKind, Result};
use zerocopy::{FromZeros, IntoBytes};

use crate::attribute::Scratch;
use crate::encoding::{Encoding, Internal};
use crate::indices::largest;
use crate::stored::{Parts, Stored};
use crate::window::Window;
use crate::{AnyLens, AttributeSource, FloatArray, FloatValue, Lens, Level, Value, ValueLens, ValueType};

/// Sources that can decode elements in any order.
pub trait RandomAccess: AttributeSource {
    /// Decodes the elements at `indices` into `out`, without gaps, as many as fit. For an index out of range, the
    /// floats are unspecified.
    fn decode_indexed(&self, level: Level, indices: &[u32], out: &mut [f32]);

    /// Like [`decode_indexed`](Self::decode_indexed), but writes integers like
    /// [`decode_integers`](AttributeSource::decode_integers).
    fn decode_indexed_integers(&self, level: Level, indices: &[u32], out: &mut [u32]) {
        let _ = (level, indices, out);
    }
}

/// The elements of an array in a different order: element `i` is element `order[i]` of the array. Elements are gathered
/// block by block while they are decoded.
///
/// ```
/// use meshlens_lens::encoding::Unorm8;
/// use meshlens_lens::{Gathered, Lens, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved};
///
/// let colors = Lens::new(Unorm8::<4>, &[1, 2, 3, 4, 5, 6, 7, 8], 0, 4, 2)?;
/// let gathered = Gathered::new(colors, &[1, 0, 1])?;
/// let mut out = [0; 12];
/// let attribute = VertexAttribute::new(&gathered, 0, VertexFormat::Unorm8x4);
/// decode_interleaved(&[attribute], VertexBufferLayout::new(4), &mut out)?;
/// assert_eq!(out, [5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
/// assert!(Gathered::new(colors, &[2]).is_err());
/// # Ok::<(), meshlens_lens::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Gathered<'a, A> {
    array: A,
    order: &'a [u32],
}

impl<'a, A: RandomAccess> Gathered<'a, A> {
    /// The elements of `array` in the given order. Every index is checked. O(elements).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for the first index that is out of range.
    pub fn new(array: A, order: &'a [u32]) -> Result<Self> {
        let count = array.count();
        let is_out = |index: u32| usize::try_from(index).map_or(true, |index| index >= count);
        if largest(order).is_some_and(is_out) {
            let index = order.iter().copied().find(|index| is_out(*index)).unwrap_or_default().into();
            let kind = ErrorKind::Index { what: "element", index, count: count as u64 };
            return Err(Error::of_call("order of elements", kind));
        }
        Ok(Gathered { array, order })
    }

    /// The indices of the elements, starting with `first`, that fill `len` numbers. Each element has `components`
    /// numbers.
    fn indices(&self, first: usize, len: usize, components: usize) -> &'a [u32] {
        let rest = self.order.get(first..).unwrap_or_default();
        let count = len.checked_div(components).unwrap_or_default();
        rest.get(..count).unwrap_or(rest)
    }
}

impl<A: RandomAccess> AttributeSource for Gathered<'_, A> {
    fn count(&self) -> usize {
        self.order.len()
    }

    fn components(&self) -> usize {
        self.array.components()
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        self.array.decode_indexed(level, self.indices(first, out.len(), self.components()), out);
    }

    fn integers(&self) -> Option<ValueType> {
        self.array.integers()
    }

    fn decode_integers(&self, level: Level, first: usize, out: &mut [u32]) {
        let components = self.integers().map_or(0, |integers| integers.components);
        self.array.decode_indexed_integers(level, self.indices(first, out.len(), components), out);
    }

    fn length_error(&self, what: &'static str, found: usize, _: Internal) -> Error {
        let kind = ErrorKind::Length { what, expected: self.order.len() as u64, found: found as u64 };
        Error::of_call("order of elements", kind)
    }
}

impl<A: RandomAccess + FloatArray> FloatArray for Gathered<'_, A> {
    type Value = A::Value;
}

/// The number of elements gathered at a time.
const GATHERED: usize = 64;

impl<E: Encoding> Lens<'_, E> {
    /// Decodes the elements at `indices` into `out`, until one of them ends.
    pub(crate) fn decode_indexed_into(&self, level: Level, indices: &[u32], out: &mut [E::Value]) {
        let mut raws = [E::Raw::new_zeroed(); GATHERED];
        let Window { bytes, stride, len, .. } = self.window();
        let whole = bytes.len().checked_sub(size_of::<E::Raw>()).and_then(|room| room.checked_div(stride));
        let count = whole.map_or(0, |whole| whole.saturating_add(1)).min(len);
        for (indices, out) in indices.chunks(GATHERED).zip(out.chunks_mut(GATHERED)) {
            meshlens_wire::steps::count(indices.len() as u64);
            for (raw, index) in raws.iter_mut().zip(indices) {
                let index = *index as usize;
                if index < count {
                    // SAFETY: `count` elements are inside `bytes`, and every bit pattern of a raw element is valid.
                    *raw = unsafe {
                        bytes.as_ptr().add(index.wrapping_mul(stride)).cast::<E::Raw>().read_unaligned()
                    };
                }
            }
            let len = indices.len().min(out.len());
            let size = size_of::<E::Raw>();
            let Some(bytes) = raws.as_bytes().get(..len.saturating_mul(size)) else { return };
            let window = Window { bytes, source: self.source(), offset: 0, stride: size, len };
            self.encoding().decode_run(window, level, out, Internal);
        }
    }
}

/// The floats of `out` as complete values, as many as fit.
fn values<V: FloatValue>(out: &mut [f32]) -> &mut [V] {
    let whole = out.len().saturating_sub(out.len().checked_rem(V::COMPONENTS).unwrap_or_default());
    bytemuck::cast_slice_mut(out.get_mut(..whole).unwrap_or_default())
}

impl<E: Encoding<Value: FloatValue>> RandomAccess for Lens<'_, E> {
    fn decode_indexed(&self, level: Level, indices: &[u32], out: &mut [f32]) {
        self.decode_indexed_into(level, indices, values(out));
    }
}

impl<V: FloatValue> RandomAccess for ValueLens<'_, V> {
    fn decode_indexed(&self, level: Level, indices: &[u32], out: &mut [f32]) {
        self.as_any().gather(level, indices, values::<V>(out));
    }
}

impl AnyLens<'_> {
    /// Decodes the elements at `indices` into `out`, if they decode to `V`.
    pub(crate) fn gather<V: Value>(&self, level: Level, indices: &[u32], out: &mut [V]) {
        if self.format().decodes_to::<V>() {
            (self.format().kernels.decode_indexed)(
                self.window(),
                level,
                indices,
                bytemuck::cast_slice_mut(out),
            );
        }
    }
}

impl RandomAccess for AnyLens<'_> {
    fn decode_indexed(&self, level: Level, indices: &[u32], out: &mut [f32]) {
        let components = self.components();
        let whole = out.len().saturating_sub(out.len().checked_rem(components).unwrap_or(out.len()));
        if let Some(out) = out.get_mut(..whole) {
            (self.format().kernels.decode_indexed)(
                self.window(),
                level,
                indices,
                bytemuck::cast_slice_mut(out),
            );
        }
    }

    fn decode_indexed_integers(&self, level: Level, indices: &[u32], out: &mut [u32]) {
        self.extend_integers(out, &|first, bytes| {
            let indices = indices.get(first..).unwrap_or_default();
            (self.format().kernels.decode_indexed)(self.window(), level, indices, bytes);
        });
    }
}

macro_rules! forward {
    ($($pointer:ty;)*) => {$(
        impl<S: AttributeSource + ?Sized> AttributeSource for $pointer {
            fn count(&self) -> usize {
                (**self).count()
            }

            fn components(&self) -> usize {
                (**self).components()
            }

            fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
                (**self).decode_part(level, first, out);
            }

            fn integers(&self) -> Option<ValueType> {
                (**self).integers()
            }

            fn decode_integers(&self, level: Level, first: usize, out: &mut [u32]) {
                (**self).decode_integers(level, first, out);
            }

            fn decode_block(&self, level: Level, first: usize, out: &mut [f32], scratch: &mut Scratch, _: Internal) {
                (**self).decode_block(level, first, out, scratch, Internal);
            }

            fn decode_planes(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
                (**self).decode_planes(level, first, count, scratch, Internal);
            }

            fn decode_vectors(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
                (**self).decode_vectors(level, first, count, scratch, Internal);
            }

            fn has_planes(&self, _: Internal) -> bool {
                (**self).has_planes(Internal)
            }

            fn stored(&self, _: Internal) -> Option<Stored<'_>> {
                (**self).stored(Internal)
            }

            fn parts(&self, _: Internal) -> Option<Parts<'_>> {
                (**self).parts(Internal)
            }

            fn length_error(&self, what: &'static str, found: usize, _: Internal) -> Error {
                (**self).length_error(what, found, Internal)
            }
        }

        impl<S: RandomAccess + ?Sized> RandomAccess for $pointer {
            fn decode_indexed(&self, level: Level, indices: &[u32], out: &mut [f32]) {
                (**self).decode_indexed(level, indices, out);
            }

            fn decode_indexed_integers(&self, level: Level, indices: &[u32], out: &mut [u32]) {
                (**self).decode_indexed_integers(level, indices, out);
            }
        }
    )*};
}

forward! {
    &S;
    Box<S>;
}
