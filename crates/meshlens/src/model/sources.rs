//! Sources of vertex attributes that are not arrays of a file: values that are computed one by one, and values in memory.

use bytemuck::cast_slice;
use meshlens_lens::{
    AttributeSource, ComponentType, Described, FloatValue, Lens, Level, RandomAccess, ValueLens, ValueType,
};
use meshlens_wire::Result;

/// Values that are computed one by one from the elements of arrays. The function has no type of its own, so that an
/// [`Attribute`](super::Attribute) contains such values without a box.
pub(crate) struct Computed<V, A> {
    count: usize,
    arrays: A,
    get: fn(&A, usize) -> V,
}

impl<V, A> Computed<V, A> {
    pub(crate) const fn new(count: usize, arrays: A, get: fn(&A, usize) -> V) -> Self {
        Computed { count, arrays, get }
    }
}

impl<V: FloatValue, A> Computed<V, A> {
    fn write(&self, indices: impl Iterator<Item = usize>, out: &mut [f32]) {
        for (out, index) in out.chunks_exact_mut(V::COMPONENTS).zip(indices) {
            out.copy_from_slice(cast_slice(&[(self.get)(&self.arrays, index)]));
        }
    }
}

impl<V: FloatValue, A> AttributeSource for Computed<V, A> {
    fn count(&self) -> usize {
        self.count
    }

    fn components(&self) -> usize {
        V::COMPONENTS
    }

    fn decode_part(&self, _: Level, first: usize, out: &mut [f32]) {
        self.write(first..self.count, out);
    }
}

impl<V: FloatValue, A> RandomAccess for Computed<V, A> {
    fn decode_indexed(&self, _: Level, indices: &[u32], out: &mut [f32]) {
        self.write(indices.iter().map(|index| *index as usize), out);
    }
}

/// Values in memory, of which value `i` is `values[order[i]]`.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "Unreal alone has such values")]
pub(crate) struct Ordered<'m> {
    pub(crate) values: &'m [[f32; 3]],
    /// Every index is in range.
    pub(crate) order: &'m [u32],
}

impl AttributeSource for Ordered<'_> {
    fn count(&self) -> usize {
        self.order.len()
    }

    fn components(&self) -> usize {
        3
    }

    fn decode_part(&self, _: Level, first: usize, out: &mut [f32]) {
        let order = self.order.get(first..).unwrap_or_default();
        super::topology::gather(self.values, Some(order), out.as_chunks_mut().0);
    }
}

impl RandomAccess for Ordered<'_> {
    fn decode_indexed(&self, _: Level, indices: &[u32], out: &mut [f32]) {
        for (out, index) in out.as_chunks_mut().0.iter_mut().zip(indices) {
            let value = self.order.get(*index as usize).and_then(|at| self.values.get(*at as usize));
            *out = value.copied().unwrap_or_default();
        }
    }
}

/// The indices of four joints, computed from the index of a point.
pub(crate) struct Joints<F> {
    pub(crate) count: usize,
    pub(crate) get: F,
}

impl<F: Fn(usize) -> [u16; 4]> Joints<F> {
    fn write(&self, indices: impl Iterator<Item = usize>, out: &mut [u32]) {
        for (out, index) in out.as_chunks_mut().0.iter_mut().zip(indices) {
            *out = (self.get)(index).map(u32::from);
        }
    }
}

impl<F: Fn(usize) -> [u16; 4]> AttributeSource for Joints<F> {
    fn count(&self) -> usize {
        self.count
    }

    fn components(&self) -> usize {
        0
    }

    fn decode_part(&self, _: Level, _: usize, _: &mut [f32]) {}

    fn integers(&self) -> Option<ValueType> {
        Some(ValueType { component: ComponentType::U16, components: 4 })
    }

    fn decode_integers(&self, _: Level, first: usize, out: &mut [u32]) {
        self.write(first..self.count, out);
    }
}

impl<F: Fn(usize) -> [u16; 4]> RandomAccess for Joints<F> {
    fn decode_indexed(&self, _: Level, _: &[u32], _: &mut [f32]) {}

    fn decode_indexed_integers(&self, _: Level, indices: &[u32], out: &mut [u32]) {
        self.write(indices.iter().map(|index| *index as usize), out);
    }
}

/// A lens onto floats in memory. The encoding is little-endian, like the memory of all supported machines.
pub(crate) fn floats<'p, E: Described, T: bytemuck::Pod>(
    values: &'p [T],
    encoding: E,
) -> Result<ValueLens<'p, E::Value>> {
    Ok(Lens::new(encoding, cast_slice(values), 0, E::SIZE, values.len())?.into())
}
