//! Lenses whose encoding is known only at run time.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use bytemuck::Pod;
use meshlens_wire::{Data, Error, ErrorKind, Result, Span};

use crate::array_format::{ArrayFormat, Described, IndexKernels};
use crate::encoding::Internal;
use crate::stored::{Stored, StoredKind};
use crate::window::{Window, to_i64};
use crate::{AttributeSource, ComponentType, IndexBufferLayout, Lens, Level, ValueType};

/// A borrowed window onto encoded elements, like a [`Lens`], whose encoding is data: an [`ArrayFormat`].
///
/// It decodes with the same kernels. [`typed`](Self::typed) converts it to a lens of known values,
/// [`downcast`](Self::downcast) to a lens of a known encoding.
///
/// ```
/// use meshlens_lens::encoding::Scaled;
/// use meshlens_lens::{AnyLens, Lens};
///
/// let vertices = [64, 0, 0, 0, 0xc0, 0xff, 0, 0, 32, 0, 16, 0, 8, 0, 0, 0];
/// let array = AnyLens::from(Lens::new(Scaled::<i16, 3, 64>::new(), &vertices, 0, 8, 2)?);
/// let accessor = array.format().gltf().ok_or("no accessor")?;
/// assert_eq!((accessor.component_type, accessor.scale), (5122, 1.0 / 64.0));
///
/// let mut out = [[0f32; 3]; 2];
/// array.decode_into(&mut out)?;
/// assert_eq!(out[1], [0.5, 0.25, 0.125]);
/// assert!(array.decode_into(&mut [0u8; 2]).is_err(), "positions are not bytes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct AnyLens<'a> {
    format: &'static ArrayFormat,
    window: Window<'a>,
}

impl<'a, E: Described> From<Lens<'a, E>> for AnyLens<'a> {
    fn from(lens: Lens<'a, E>) -> Self {
        const { assert!(size_of::<E>() == 0, "an encoding without parameters") };
        AnyLens { format: E::FORMAT, window: lens.window() }
    }
}

impl<'a> AnyLens<'a> {
    /// Makes a lens onto one field of a table, like [`Lens::bind`].
    ///
    /// # Errors
    ///
    /// The field is not inside its record, or bytes of the table are missing.
    pub fn bind(data: Data<'a>, span: Span, skip: usize, format: &'static ArrayFormat) -> Result<Self> {
        Ok(AnyLens { format, window: Window::bind(data, span, skip, format.size())? })
    }

    /// Makes a lens without elements.
    pub const fn empty(format: &'static ArrayFormat) -> Self {
        AnyLens { format, window: Window::empty(format.size()) }
    }

    /// The window, without the format.
    pub(crate) const fn window(&self) -> Window<'a> {
        self.window
    }

    /// How elements are stored.
    pub const fn format(&self) -> &'static ArrayFormat {
        self.format
    }

    /// The number of elements.
    pub const fn len(&self) -> usize {
        self.window.len
    }

    /// Whether there are no elements.
    pub const fn is_empty(&self) -> bool {
        self.window.len == 0
    }

    /// The distance from one element to the next, in bytes.
    pub const fn stride(&self) -> usize {
        self.window.stride
    }

    /// The absolute byte range of the window in the file. For unpacked or owned data, the range in that data.
    pub const fn byte_range(&self) -> Range<u64> {
        self.window.byte_range()
    }

    /// The encoded bytes, from the first byte of the first element to the last byte of the last one.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.window.bytes
    }

    /// The elements of `range`, or `None` if the range is not inside the lens.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        Some(AnyLens { window: self.window.slice(range, self.format.size())?, ..*self })
    }

    /// The same array as a lens of encoding `E`, or `None` if it has a different encoding.
    pub fn downcast<E: Described>(&self) -> Option<Lens<'a, E>> {
        self.format.is::<E>().then(|| Lens::of_window(E::default(), self.window))
    }

    /// The floats of element `index`, padded with zeros. `None` if the index is out of range or elements do not decode
    /// to one to four floats.
    pub fn get_floats(&self, index: usize) -> Option<[f32; 4]> {
        let mut floats = [0.0; 4];
        let there =
            self.format.float_components() > 0 && self.get_into(index, bytemuck::bytes_of_mut(&mut floats));
        there.then_some(floats)
    }

    /// The floats of all elements, one after another. Empty if elements do not decode to one to four floats.
    /// O(elements).
    pub fn to_floats(&self) -> Vec<f32> {
        let mut out = alloc::vec![0.0; self.window.len.saturating_mul(self.format.float_components())];
        self.decode_part(Level::current(), 0, &mut out);
        out
    }

    /// Writes the value of element `index` to `out`, as bytes. False if the index is out of range.
    #[inline]
    pub(crate) fn get_into(&self, index: usize, out: &mut [u8]) -> bool {
        if index >= self.window.len {
            return false;
        }
        let Some(raw) =
            index.checked_mul(self.window.stride).and_then(|start| self.window.bytes.get(start..))
        else {
            return false;
        };
        meshlens_wire::steps::count(1);
        (self.format.kernels.decode_one)(raw, out);
        true
    }

    /// Decodes every element into bytes, like [`Lens::decode_strided`]: value `i` goes to `out[offset + i * stride..]`.
    ///
    /// # Errors
    ///
    /// Same as [`Lens::decode_strided`].
    pub fn decode_strided(&self, out: &mut [u8], offset: usize, stride: usize) -> Result<()> {
        self.decode_strided_with(Level::current(), out, offset, stride)
    }

    /// Like [`decode_strided`](Self::decode_strided), with the instructions of `level`.
    pub fn decode_strided_with(
        &self,
        level: Level,
        out: &mut [u8],
        offset: usize,
        stride: usize,
    ) -> Result<()> {
        (self.format.kernels.decode_strided)(self.window, level, out, offset, stride)
    }

    /// Decodes every element to the bytes of its value, without gaps. Fastest if `out` has the alignment of the values.
    /// O(elements).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` is not exactly as large as all values. `out` is unchanged after an error.
    pub fn decode_bytes_into(&self, out: &mut [u8]) -> Result<()> {
        self.decode_bytes_into_with(Level::current(), out)
    }

    /// Like [`decode_bytes_into`](Self::decode_bytes_into), with the instructions of `level`.
    pub fn decode_bytes_into_with(&self, level: Level, out: &mut [u8]) -> Result<()> {
        let size = self.format.value().size();
        let expected = self.window.len.saturating_mul(size);
        if out.len() != expected {
            let (expected, found) = (expected as u64, out.len() as u64);
            let kind = ErrorKind::Length { what: "bytes of the output", expected, found };
            return Err(self.window.error(kind));
        }
        if !out.as_ptr().addr().is_multiple_of(self.format.value().component.size()) {
            return self.decode_strided_with(level, out, 0, size);
        }
        meshlens_wire::steps::count(self.window.len as u64);
        (self.format.kernels.decode)(self.window, level, out);
        Ok(())
    }

    /// The largest index, or `None` if there are no elements. O(indices).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if elements are not indices.
    pub fn max_index(&self) -> Result<Option<u32>> {
        Ok((self.indices()?.max_index)(self.window, Level::current()))
    }

    /// Writes an index buffer, like [`Lens::indices_into`].
    ///
    /// # Errors
    ///
    /// Same as [`Lens::indices_into`], and [`ErrorKind::Unsupported`] if elements are not indices.
    pub fn indices_into(&self, layout: IndexBufferLayout, out: &mut [u8]) -> Result<Option<u32>> {
        (self.indices()?.write)(self.window, layout, out)
    }

    /// Checks that every index is below `count`, like [`Lens::check_below`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for the first index that is not below `count`; [`ErrorKind::Unsupported`] if elements are
    /// not indices.
    pub fn check_below(&self, count: usize, what: &'static str) -> Result<()> {
        (self.indices()?.check_below)(self.window, count, what)
    }

    /// Writes every index to `out` and returns the largest, like [`Lens::widen_into`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have exactly one element for each index; [`ErrorKind::Unsupported`] if
    /// elements are not indices.
    pub fn widen_into(&self, out: &mut [u32]) -> Result<Option<u32>> {
        self.widen_into_with(Level::current(), out)
    }

    /// Like [`widen_into`](Self::widen_into), with the instructions of `level`.
    pub fn widen_into_with(&self, level: Level, out: &mut [u32]) -> Result<Option<u32>> {
        (self.indices()?.widen)(self.window, level, out)
    }

    fn indices(&self) -> Result<IndexKernels> {
        self.format
            .kernels
            .indices
            .ok_or_else(|| self.unsupported("reading an array of this type as indices"))
    }

    pub(crate) fn unsupported(&self, what: &'static str) -> Error {
        self.window.error(ErrorKind::Unsupported { what })
    }

    /// The error for a length `found` that differs from the length of the lens.
    pub(crate) const fn length_error(&self, what: &'static str, found: usize) -> Error {
        self.window.length_error(what, found)
    }

    /// Decodes the elements from `first` on into bytes, as many as fit in `out`.
    pub(crate) fn decode_from(&self, level: Level, first: usize, out: &mut [u8]) {
        if let Some(rest) = self.slice(first..self.window.len) {
            (self.format.kernels.decode)(rest.window, level, out);
        }
    }

    /// Extends to 32 bits the integers that `decode` writes in their own type, from a given element on.
    pub(crate) fn extend_integers(&self, out: &mut [u32], decode: &dyn Fn(usize, &mut [u8])) {
        let value = self.format.value();
        match value.component {
            ComponentType::U8 => extend::<u8>(value, out, decode, u32::from),
            ComponentType::U16 => extend::<u16>(value, out, decode, u32::from),
            ComponentType::I8 => extend::<i8>(value, out, decode, |value| i32::from(value).cast_unsigned()),
            ComponentType::I16 => extend::<i16>(value, out, decode, |value| i32::from(value).cast_unsigned()),
            ComponentType::U32 | ComponentType::I32 => extend::<u32>(value, out, decode, |value| value),
            ComponentType::F32 => {}
        }
    }

    /// The absolute offset of element `index`, which may be out of range.
    pub const fn offset_of(&self, index: usize) -> u64 {
        self.window.offset.saturating_add((index as u64).saturating_mul(self.window.stride as u64))
    }
}

/// Extends integers of type `T`, block by block.
fn extend<T: Pod>(
    value: ValueType,
    out: &mut [u32],
    decode: &dyn Fn(usize, &mut [u8]),
    extend: fn(T) -> u32,
) {
    /// A multiple of 1, 2, 3 and 4.
    const BLOCK: usize = 192;
    let mut integers = [T::zeroed(); BLOCK];
    let elements = BLOCK.checked_div(value.components).unwrap_or_default();
    for (block, out) in out.chunks_mut(elements.saturating_mul(value.components).max(1)).enumerate() {
        let Some(integers) = integers.get_mut(..out.len()) else { return };
        decode(block.saturating_mul(elements), bytemuck::cast_slice_mut(integers));
        for (out, integer) in out.iter_mut().zip(integers) {
            *out = extend(*integer);
        }
    }
}

impl AttributeSource for AnyLens<'_> {
    fn count(&self) -> usize {
        self.window.len
    }

    fn components(&self) -> usize {
        self.format.float_components()
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        if self.components() > 0 {
            self.decode_from(level, first, bytemuck::cast_slice_mut(out));
        }
    }

    fn integers(&self) -> Option<ValueType> {
        let value = self.format.value();
        (value.component != ComponentType::F32 && (1..=4).contains(&value.components)).then_some(value)
    }

    fn decode_integers(&self, level: Level, first: usize, out: &mut [u32]) {
        self.extend_integers(out, &|at, bytes| self.decode_from(level, first.saturating_add(at), bytes));
    }

    fn stored(&self, _: Internal) -> Option<Stored<'_>> {
        let kind = self.format.kernels.stored;
        (kind != StoredKind::Other).then_some(Stored {
            bytes: self.window.bytes,
            stride: self.window.stride,
            kind,
        })
    }

    fn length_error(&self, what: &'static str, found: usize, _: Internal) -> Error {
        AnyLens::length_error(self, what, found)
    }
}

impl fmt::Debug for AnyLens<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("AnyLens");
        debug.field("format", &self.format.name()).field("bytes", &self.byte_range());
        debug.field("stride", &to_i64(self.window.stride)).field("len", &self.window.len).finish()
    }
}
