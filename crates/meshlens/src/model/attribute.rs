//! An attribute of vertices, whatever its encoding: a lens that has forgotten how its elements are stored.

use alloc::vec::Vec;
use core::any::type_name;
use core::ops::Range;

use meshlens_lens::{Encoding, Error, Lens, Value};

/// Decodes a run of elements, `stride` bytes apart, into values.
type Decode<V> = fn(&[u8], usize, &mut [V]);

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

fn run<E: Encoding + Default>(bytes: &[u8], stride: usize, out: &mut [E::Value]) {
    E::default().decode_run(bytes, stride, out);
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
        (self.decode)(self.bytes.get(index.checked_mul(self.stride)?..)?, self.stride, &mut out);
        let [value] = out;
        Some(value)
    }

    /// Decodes every element into `out`, whose length must be that of the attribute.
    pub fn decode_into(&self, out: &mut [V]) -> Result<(), Error> {
        if out.len() != self.len {
            return Err(Error::Length { expected: self.len, found: out.len() });
        }
        (self.decode)(self.bytes, self.stride, out);
        Ok(())
    }

    /// The elements, decoded into memory of their own.
    pub fn to_vec(&self) -> Vec<V> {
        let mut out = alloc::vec![V::zeroed(); self.len];
        (self.decode)(self.bytes, self.stride, &mut out);
        out
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
