//! Accessors of a document that nobody vouches for: every range is checked, and all that is decoded counts against one
//! budget, since an accessor of a few bytes may speak of any number of zeros.

use std::cell::Cell;

use base64::Engine;
use gltf::Accessor;
use gltf::accessor::{DataType, Dimensions};

use super::{ImportLimits, ImportOptions, broken, decode_uri};
use crate::Error;

/// The buffers of a document.
pub(super) struct Buffers {
    buffers: Vec<Vec<u8>>,
    spent: Cell<usize>,
    /// The most bytes that may be spent.
    budget: usize,
}

impl Buffers {
    pub(super) fn read(
        document: &gltf::Document,
        mut blob: Option<Vec<u8>>,
        options: &ImportOptions<'_>,
        limits: &ImportLimits,
    ) -> Result<Buffers, Error> {
        let mut buffers = Vec::new();
        for buffer in document.buffers() {
            let bytes = match buffer.source() {
                gltf::buffer::Source::Bin => blob.take().unwrap_or_default(),
                gltf::buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
                    Some(data) => {
                        let (_, text) =
                            data.split_once(";base64,").ok_or_else(|| broken("a data URI of no base64"))?;
                        base64::engine::general_purpose::STANDARD.decode(text).map_err(broken)?
                    }
                    None => {
                        let path = decode_uri(uri);
                        (options.read)(&path).ok_or_else(|| broken(format_args!("{path}: cannot be read")))?
                    }
                },
            };
            if bytes.len() < buffer.length() {
                let (expected, found) = (buffer.length(), bytes.len());
                return Err(broken(format_args!("a buffer of {expected} bytes has {found}")));
            }
            buffers.push(bytes);
        }
        Ok(Buffers { buffers, spent: Cell::new(0), budget: limits.bytes })
    }

    /// Counts `count` elements of `size` bytes against the budget, before they are made.
    pub(super) fn spend(&self, count: usize, size: usize) -> Result<(), Error> {
        let spent = self.spent.get().saturating_add(count.saturating_mul(size));
        if spent > self.budget {
            return Err(broken(format_args!(
                "more than {} bytes of vertices and keys in all frames",
                self.budget
            )));
        }
        self.spent.set(spent);
        Ok(())
    }

    fn view(&self, view: &gltf::buffer::View<'_>, offset: usize) -> Option<&[u8]> {
        let buffer = self.buffers.get(view.buffer().index())?;
        let end = view.offset().checked_add(view.length())?;
        buffer.get(view.offset()..end)?.get(offset..)
    }

    /// Elements of floats, or of integers that stand for floats: shares where they are normalised, else as they are.
    pub(super) fn floats<const N: usize>(&self, accessor: &Accessor<'_>) -> Result<Vec<[f32; N]>, Error> {
        let (kind, normalized) = (accessor.data_type(), accessor.normalized());
        self.elements(accessor, |bytes| float(kind, normalized, bytes))
    }

    /// Elements of unsigned integers.
    pub(super) fn integers<const N: usize>(&self, accessor: &Accessor<'_>) -> Result<Vec<[u32; N]>, Error> {
        if !matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32) {
            return Err(fault(accessor, "integers without a sign"));
        }
        self.elements(accessor, integer)
    }

    fn elements<const N: usize, C: Copy + Default>(
        &self,
        accessor: &Accessor<'_>,
        decode: impl Fn(&[u8]) -> C,
    ) -> Result<Vec<[C; N]>, Error> {
        if accessor.dimensions().multiplicity() != N
            || matches!(accessor.dimensions(), Dimensions::Mat2 | Dimensions::Mat3)
        {
            return Err(fault(accessor, &format!("{N} components")));
        }
        let size = accessor.data_type().size();
        self.spend(accessor.count(), N * size_of::<C>())?;
        let read = |bytes: &[u8]| {
            let mut element = [C::default(); N];
            for (slot, bytes) in element.iter_mut().zip(bytes.chunks_exact(size)) {
                *slot = decode(bytes);
            }
            element
        };
        let mut out = vec![[C::default(); N]; accessor.count()];
        if let Some(view) = accessor.view() {
            let stride = view.stride().unwrap_or(N * size);
            let bytes = self.view(&view, accessor.offset());
            let bytes = bytes.ok_or_else(|| fault(accessor, "a view inside its buffer"))?;
            strided(bytes, out.len(), stride, N * size)
                .ok_or_else(|| fault(accessor, "elements inside its view"))?
                .zip(&mut out)
                .for_each(|(bytes, slot)| *slot = read(bytes));
        }
        if let Some(sparse) = accessor.sparse() {
            let (indices, values) = (sparse.indices(), sparse.values());
            let width = match indices.index_type() {
                gltf::accessor::sparse::IndexType::U8 => 1,
                gltf::accessor::sparse::IndexType::U16 => 2,
                gltf::accessor::sparse::IndexType::U32 => 4,
            };
            let of = |view: &gltf::buffer::View<'_>, offset, size| {
                strided(self.view(view, offset)?, sparse.count(), size, size)
            };
            let places = of(&indices.view(), indices.offset(), width);
            let values = of(&values.view(), values.offset(), N * size);
            let (Some(places), Some(values)) = (places, values) else {
                return Err(fault(accessor, "sparse elements inside their views"));
            };
            for (place, value) in places.zip(values) {
                let slot = out.get_mut(integer(place) as usize);
                *slot.ok_or_else(|| fault(accessor, "sparse elements below its count"))? = read(value);
            }
        }
        Ok(out)
    }
}

/// `count` elements of `size` bytes, `stride` apart; `None` where they end past the bytes.
fn strided(bytes: &[u8], count: usize, stride: usize, size: usize) -> Option<impl Iterator<Item = &[u8]>> {
    let last = count.saturating_sub(1).checked_mul(stride)?;
    if count > 0 && last.checked_add(size)? > bytes.len() {
        return None;
    }
    Some((0..count).map(move |index| &bytes[index * stride..index * stride + size]))
}

fn fault(accessor: &Accessor<'_>, expected: &str) -> Error {
    broken(format_args!("accessor {}: expected {expected}", accessor.index()))
}

/// An unsigned integer of 1, 2 or 4 bytes.
fn integer(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

fn float(kind: DataType, normalized: bool, bytes: &[u8]) -> f32 {
    let bits = integer(bytes);
    let share = |value: f32, max: f32| if normalized { (value / max).max(-1.0) } else { value };
    match kind {
        DataType::I8 => share(f32::from(bits as u8 as i8), 127.0),
        DataType::U8 => share(bits as f32, 255.0),
        DataType::I16 => share(f32::from(bits as u16 as i16), 32767.0),
        DataType::U16 => share(bits as f32, 65535.0),
        DataType::U32 => bits as f32,
        DataType::F32 => f32::from_bits(bits),
    }
}
