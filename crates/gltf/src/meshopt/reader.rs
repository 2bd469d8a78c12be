//! Reads compressed bytes: integers and groups of differences.
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{Fault, GROUP};

/// Compressed bytes, read from front to back.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    pub(super) at: usize,
}

impl<'b> Reader<'b> {
    /// Reads the bytes between the first one, which is `magic`, and a tail of `tail` bytes.
    pub(super) fn new(
        bytes: &'b [u8],
        magic: u8,
        expected: &'static str,
        tail: usize,
    ) -> Result<Self, Fault> {
        if bytes.first() != Some(&magic) {
            return Err(Fault { offset: 0, expected });
        }
        let end = bytes.len().checked_sub(tail).filter(|end| *end > 0);
        let end = end.ok_or(Fault { offset: bytes.len(), expected: "more bytes: the tail is cut" })?;
        Ok(Reader { bytes: bytes.get(..end).unwrap_or_default(), at: 1 })
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'b [u8], Fault> {
        let taken = self.at.checked_add(count).and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(Fault { offset: self.at, expected: "more bytes before the tail" })?;
        self.at += count;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    /// An unsigned integer of seven bits a byte, the lowest first, in at most five bytes.
    pub(super) fn varint(&mut self) -> Result<u32, Fault> {
        let (start, mut value) = (self.at, 0u32);
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(Fault { offset: start, expected: "a number of at most five bytes" })
    }

    /// An error if bytes are left before the tail.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        let is_read = self.at == self.bytes.len();
        is_read.then_some(()).ok_or(Fault { offset: self.at, expected: "the tail" })
    }

    /// 16 differences of `bits` bits each. If all bits of a difference are 1, a whole byte follows.
    fn group(&mut self, bits: usize, group: &mut [u8]) -> Result<(), Fault> {
        match bits {
            0 => group.fill(0),
            8 => group.copy_from_slice(self.take(GROUP)?),
            _ => {
                let packed = self.take(GROUP / 8 * bits)?;
                let most = (1u8 << bits) - 1;
                for (index, difference) in group.iter_mut().enumerate() {
                    let (byte, bit) = (index * bits / 8, index * bits % 8);
                    // The first difference is in the highest bits, or in the lowest if each has 1 bit.
                    let shift = if bits == 1 { bit } else { 8 - bits - bit };
                    let value = packed.get(byte).copied().unwrap_or_default() >> shift & most;
                    *difference = if value == most { self.byte()? } else { value };
                }
            }
        }
        Ok(())
    }

    /// One byte of each of `elements` elements, in whole groups.
    pub(super) fn plane(&mut self, control: Control, elements: usize, plane: &mut [u8]) -> Result<(), Fault> {
        let widths = match control {
            Control::Zero => {
                plane.fill(0);
                return Ok(());
            }
            Control::Literal => {
                let bytes = self.take(elements)?;
                plane.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = *byte);
                return Ok(());
            }
            Control::Widths(widths) => widths,
        };
        let groups = elements.div_ceil(GROUP);
        let header = self.take(groups.div_ceil(4))?;
        for (number, group) in plane.chunks_exact_mut(GROUP).take(groups).enumerate() {
            let modes = header.get(number / 4).copied().unwrap_or_default();
            let mode = usize::from(modes >> (number % 4 * 2) & 3);
            self.group(widths.get(mode).copied().unwrap_or_default(), group)?;
        }
        Ok(())
    }
}

/// The encoding of one byte of the elements of a block.
#[derive(Clone, Copy)]
pub(super) enum Control {
    /// The number of bits of a group's differences, by the group's mode.
    Widths([usize; 4]),
    Zero,
    Literal,
}

/// Adds an index of 2 or 4 bytes.
pub(super) fn push(out: &mut Vec<u8>, index: u32, stride: usize) {
    out.extend(index.to_le_bytes().iter().take(stride));
}
