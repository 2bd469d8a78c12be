//! Index lists, whose width depends on the count of what they name.

use meshlens_lens::encoding::{U8, U16, U32};
use meshlens_lens::{Error, Lens, Result};
use meshlens_wire::Data;

use crate::reader::Table;

/// Indices of one, two or four bytes, read as `u32` (UNIGINE: MESH File Format, "Coordinate indices").
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// Into fewer than 256 elements.
    U8(Lens<'a, U8<1>>),
    /// Into fewer than 65,536 elements.
    U16(Lens<'a, U16<1>>),
    /// Into more.
    U32(Lens<'a, U32<1>>),
}

macro_rules! each {
    ($indices:expr, $lens:ident => $body:expr) => {
        match $indices {
            Indices::U8($lens) => $body,
            Indices::U16($lens) => $body,
            Indices::U32($lens) => $body,
        }
    };
}

#[allow(clippy::useless_conversion, reason = "one body for three widths")]
impl<'a> Indices<'a> {
    /// Bytes of one index into `count` elements.
    pub const fn width(count: u32) -> u32 {
        match count {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        }
    }

    pub(crate) fn new(data: Data<'a>, table: Table, count: u32) -> Self {
        match Self::width(count) {
            1 => Indices::U8(table.lens(data, U8)),
            2 => Indices::U16(table.lens(data, U16)),
            _ => Indices::U32(table.lens(data, U32)),
        }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        each!(self, lens => lens.len())
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of one index.
    pub const fn stride(&self) -> usize {
        each!(self, lens => lens.stride())
    }

    /// The indices as they lie, little-endian.
    pub const fn as_bytes(&self) -> &'a [u8] {
        each!(self, lens => lens.as_bytes())
    }

    /// Where in the file they lie, as absolute byte offsets.
    pub const fn byte_range(&self) -> core::ops::Range<u64> {
        each!(self, lens => lens.byte_range())
    }

    /// Index `position`, or `None` past the end.
    pub fn get(&self, position: usize) -> Option<u32> {
        each!(self, lens => lens.get(position).map(u32::from))
    }

    /// The indices, one after another.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let indices = *self;
        (0..indices.len()).map(move |position| indices.get(position).unwrap_or_default())
    }

    /// The largest index; `None` of none.
    pub fn largest(&self) -> Option<u32> {
        each!(self, lens => lens.iter().max().map(u32::from))
    }

    /// Widens every index into `out`.
    ///
    /// # Errors
    ///
    /// An output that does not hold one number for each index.
    pub fn decode_into(&self, out: &mut [u32]) -> Result<()> {
        if out.len() != self.len() {
            return Err(Error::Length { expected: self.len(), found: out.len() });
        }
        each!(self, lens => out.iter_mut().zip(lens.iter()).for_each(|(out, index)| *out = u32::from(index)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_change_where_the_document_says() {
        let cases = [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (u32::MAX, 4)];
        assert!(cases.iter().all(|(count, width)| Indices::width(*count) == *width));
    }

    #[test]
    fn every_width_reads_as_u32() {
        let bytes = [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let data = Data::new("test", &bytes);
        let read = |count: u32, size: u32| {
            let table = Table { offset: 0, count: 8 / size };
            let indices = Indices::new(data, table, count);
            let mut out = alloc::vec![0; indices.len()];
            indices.decode_into(&mut out).unwrap();
            assert_eq!(out, indices.iter().collect::<alloc::vec::Vec<_>>());
            assert_eq!(indices.largest(), out.iter().max().copied());
            out
        };
        assert_eq!(read(255, 1), [1, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!(read(256, 2), [1, 0, 65535, 65535]);
        assert_eq!(read(65_536, 4), [1, u32::MAX]);
    }
}
