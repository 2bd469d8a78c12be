//! An attribute of vertices, whatever its encoding: a lens that has forgotten how its elements are stored.

use alloc::vec::Vec;
use core::any::type_name;
use core::ops::Range;

use meshlens_lens::{Elements, Encoding, Error, FloatValue, Lens, Level, Value};

/// Decodes a run of elements, `stride` bytes apart, into values.
type Decode<V> = fn(Level, &[u8], usize, &mut [V]);

/// A borrowed window onto encoded elements that decode to `V`, as a [`Lens`] is, but of any encoding: the type of one
/// attribute over all formats. It is `Copy`, and decodes straight into the caller's memory by the encoding's own kernel.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a, V> {
    bytes: &'a [u8],
    offset: u64,
    stride: usize,
    len: usize,
    decode: Decode<V>,
    encoding: &'static str,
}

/// Elements that are blended at a time.
const BLOCK: usize = 64;

fn run<E: Encoding + Default>(level: Level, bytes: &[u8], stride: usize, out: &mut [E::Value]) {
    E::default().decode_run_at(level, bytes, stride, out);
}

impl<'a, E: Encoding + Default> From<Lens<'a, E>> for Attribute<'a, E::Value> {
    fn from(lens: Lens<'a, E>) -> Self {
        const { assert!(size_of::<E>() == 0, "an encoding without parameters") };
        Attribute {
            bytes: lens.as_bytes(),
            offset: lens.byte_range().start,
            stride: lens.stride(),
            len: lens.len(),
            decode: run::<E>,
            encoding: type_name::<E>(),
        }
    }
}

impl<'a, V: Value> Attribute<'a, V> {
    /// Number of elements.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes from one element to the next.
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// Where in the file the window lies, as absolute byte offsets; of unpacked or owned data, where in that.
    pub const fn byte_range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.bytes.len() as u64)
    }

    /// The window as it lies.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The encoding's name, for people.
    pub fn encoding(&self) -> &'static str {
        self.encoding.rsplit("::").next().unwrap_or_default()
    }

    /// Element `index`, decoded, or `None` past the end.
    pub fn get(&self, index: usize) -> Option<V> {
        if index >= self.len {
            return None;
        }
        let mut out = [V::zeroed()];
        (self.decode)(
            Level::current(),
            self.bytes.get(index.checked_mul(self.stride)?..)?,
            self.stride,
            &mut out,
        );
        let [value] = out;
        Some(value)
    }

    /// Decodes every element into `out`, whose length must be that of the attribute.
    pub fn decode_into(&self, out: &mut [V]) -> Result<(), Error> {
        if out.len() != self.len {
            return Err(Error::Length { expected: self.len, found: out.len() });
        }
        (self.decode)(Level::current(), self.bytes, self.stride, out);
        Ok(())
    }

    /// The elements, decoded into memory of their own. O(elements).
    pub fn to_vec(&self) -> Vec<V> {
        let mut out = alloc::vec![V::zeroed(); self.len];
        (self.decode)(Level::current(), self.bytes, self.stride, &mut out);
        out
    }

    /// Decodes elements from `first` on, as many as `out` has room for; those past the last leave it as it is.
    fn decode_from(&self, level: Level, first: usize, out: &mut [V]) {
        let count = self.len.saturating_sub(first).min(out.len());
        let bytes = first.checked_mul(self.stride).and_then(|start| self.bytes.get(start..));
        if let (Some(bytes), Some(out)) = (bytes, out.get_mut(..count)) {
            (self.decode)(level, bytes, self.stride, out);
        }
    }
}

impl<V: FloatValue> Attribute<'_, V> {
    /// Decodes this attribute and another one in one pass and blends them component by component: this one at `t = 0`,
    /// the other at `t = 1`.
    ///
    /// # Errors
    ///
    /// Attributes or an output of different lengths; nothing is written then.
    pub fn blend_into(&self, other: &Self, t: f32, out: &mut [V]) -> Result<(), Error> {
        if other.len != self.len {
            return Err(Error::Lengths { first: self.len, second: other.len });
        }
        if out.len() != self.len {
            return Err(Error::Length { expected: self.len, found: out.len() });
        }
        let (level, mut second) = (Level::current(), [V::zeroed(); BLOCK]);
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let first = block.saturating_mul(BLOCK);
            let Some(second) = second.get_mut(..out.len()) else { break };
            self.decode_from(level, first, out);
            other.decode_from(level, first, second);
            let (out, second): (&mut [f32], &[f32]) =
                (bytemuck::cast_slice_mut(out), bytemuck::cast_slice(second));
            for (out, second) in out.iter_mut().zip(second) {
                *out = *out * (1.0 - t) + second * t;
            }
        }
        Ok(())
    }
}

impl<V: FloatValue> Elements for Attribute<'_, V> {
    fn count(&self) -> usize {
        self.len
    }

    fn components(&self) -> usize {
        V::COMPONENTS
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        let whole = out.len().saturating_sub(out.len().checked_rem(V::COMPONENTS).unwrap_or_default());
        let out = out.get_mut(..whole).unwrap_or_default();
        self.decode_from(level, first, bytemuck::cast_slice_mut(out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshlens_lens::encoding::{I16, U16};

    #[test]
    fn an_attribute_is_its_lens() {
        let bytes = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0];
        let lens = Lens::new(U16::<1>, &bytes, 100, 4, 3).unwrap();
        let attribute = Attribute::from(lens);
        assert_eq!((attribute.len(), attribute.byte_range()), (3, 100..110));
        assert_eq!((attribute.get(2), attribute.get(3)), (Some(3), None));
        assert_eq!(attribute.to_vec(), [1, 2, 3]);
        let error = attribute.decode_into(&mut [0; 2]).unwrap_err();
        assert_eq!(error, Error::Length { expected: 3, found: 2 });
        assert_eq!(Attribute::from(Lens::empty(I16::<2>)).to_vec(), [[0; 2]; 0]);
    }
}
