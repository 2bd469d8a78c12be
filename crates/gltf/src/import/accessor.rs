//! The elements of accessors. Every range is checked, and every array counts against the memory of the import: an accessor
//! of a few bytes may have any number of zeros.

use std::collections::BTreeMap;

use glam::Vec3;
use meshlens::{Report, codes};

use super::broken;
use super::buffers::Buffers;
use crate::Error;
use crate::json::{Component, Kind, Sparse, in_memory};

impl Buffers<'_> {
    /// The elements as floats; `what` describes them in the losses. Normalized integers become -1 to 1 or 0 to 1, other
    /// integers are not scaled. Numbers that are not finite become 0, and the file's losses list them (glTF 2.0:
    /// 3.6.2.1.1).
    pub(super) fn floats<const N: usize>(
        &self,
        accessor: usize,
        what: &'static str,
    ) -> Result<Vec<[f32; N]>, Error> {
        let mut elements = self.floats_as_stored(accessor)?;
        let mut replaced = 0;
        for element in &mut elements {
            let odd = element.iter_mut().filter(|value| !value.is_finite());
            replaced += u64::from(odd.map(|value| *value = 0.0).count() > 0);
        }
        if replaced > 0 {
            self.not_finite.borrow_mut().insert(accessor, (what, replaced));
        }
        Ok(elements)
    }

    /// The elements as vectors, like [`floats`](Self::floats).
    pub(super) fn vectors(&self, accessor: usize, what: &'static str) -> Result<Vec<Vec3>, Error> {
        Ok(self.floats::<3>(accessor, what)?.into_iter().map(Vec3::from).collect())
    }

    /// Like [`floats`](Self::floats), but numbers that are not finite are kept.
    pub(super) fn floats_as_stored<const N: usize>(&self, accessor: usize) -> Result<Vec<[f32; N]>, Error> {
        self.elements(accessor, float)
    }

    /// Lists the values of each kind that are not finite.
    pub(super) fn losses(&self, losses: &mut Report) {
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for (what, count) in self.not_finite.borrow().values() {
            *kinds.entry(what).or_default() += count;
        }
        for (what, count) in kinds {
            let message = format_args!("{count} {what} that are not finite; they became 0");
            losses.lose(&codes::VALUE_NOT_FINITE, count, format_args!("{what}"), message);
        }
    }

    /// The elements as unsigned integers.
    pub(super) fn integers<const N: usize>(&self, accessor: usize) -> Result<Vec<[u32; N]>, Error> {
        if !self.document.accessors[accessor].component_type.is_unsigned() {
            return Err(fault(accessor, "unsigned integers"));
        }
        self.elements(accessor, |_, _, bytes| integer(bytes))
    }

    /// The number of elements of an accessor.
    pub(super) fn count(&self, accessor: usize) -> usize {
        self.document.accessors[accessor].count
    }

    fn elements<const N: usize, C: Copy + Default>(
        &self,
        index: usize,
        decode: fn(Component, bool, &[u8]) -> C,
    ) -> Result<Vec<[C; N]>, Error> {
        let accessor = &self.document.accessors[index];
        if accessor.kind.components() != N || matches!(accessor.kind, Kind::Mat2 | Kind::Mat3) {
            return Err(fault(index, &format!("{N} components")));
        }
        let (component, normalized) = (accessor.component_type, accessor.normalized);
        let size = component.size();
        self.spend(accessor.count, N * size_of::<C>())?;
        let read = |bytes: &[u8]| {
            let mut element = [C::default(); N];
            for (slot, bytes) in element.iter_mut().zip(bytes.chunks_exact(size)) {
                *slot = decode(component, normalized, bytes);
            }
            element
        };
        let mut out = vec![[C::default(); N]; accessor.count];
        if let Some(view) = accessor.buffer_view {
            let bytes = self.view(view)?.get(in_memory(accessor.byte_offset)..).unwrap_or_default();
            let stride = self.document.buffer_views[view].byte_stride.unwrap_or(N * size);
            strided(bytes, out.len(), stride, N * size)
                .ok_or_else(|| fault(index, "elements inside its view"))?
                .zip(&mut out)
                .for_each(|(bytes, slot)| *slot = read(bytes));
        }
        if let Some(sparse) = &accessor.sparse {
            let of = |view, offset, size| -> Result<_, Error> {
                let bytes = self.view(view)?.get(in_memory(offset)..).unwrap_or_default();
                Ok(strided(bytes, sparse.count, size, size))
            };
            let Sparse { indices, values, .. } = sparse;
            let places = of(indices.buffer_view, indices.byte_offset, indices.component_type.size())?;
            let values = of(values.buffer_view, values.byte_offset, N * size)?;
            let (Some(places), Some(values)) = (places, values) else {
                return Err(fault(index, "sparse elements inside their views"));
            };
            for (place, value) in places.zip(values) {
                let slot = out.get_mut(integer(place) as usize);
                *slot.ok_or_else(|| fault(index, "sparse elements below its count"))? = read(value);
            }
        }
        Ok(out)
    }
}

/// `count` elements of `size` bytes, `stride` bytes apart; `None` if they end past the bytes.
fn strided(bytes: &[u8], count: usize, stride: usize, size: usize) -> Option<impl Iterator<Item = &[u8]>> {
    let last = count.saturating_sub(1).checked_mul(stride)?;
    if count > 0 && last.checked_add(size)? > bytes.len() {
        return None;
    }
    Some((0..count).map(move |index| &bytes[index * stride..index * stride + size]))
}

fn fault(accessor: usize, expected: &str) -> Error {
    broken(format_args!("/accessors/{accessor}: expected {expected}"))
}

/// An unsigned integer of 1, 2 or 4 bytes.
fn integer(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

fn float(component: Component, normalized: bool, bytes: &[u8]) -> f32 {
    let bits = integer(bytes);
    let scaled = |value: f32, max: f32| if normalized { (value / max).max(-1.0) } else { value };
    match component {
        Component::I8 => scaled(f32::from(bits as u8 as i8), 127.0),
        Component::U8 => scaled(bits as f32, 255.0),
        Component::I16 => scaled(f32::from(bits as u16 as i16), 32767.0),
        Component::U16 => scaled(bits as f32, 65535.0),
        Component::U32 => bits as f32,
        Component::F32 => f32::from_bits(bits),
    }
}
