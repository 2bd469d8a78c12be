//! Encodes attributes: each byte as its difference from the same byte of the previous element. Elements are encoded as they
//! are written, without the whole array in memory.

use std::io::{self, Write};

use super::{ATTRIBUTES_0, GROUP, MIN_TAIL_0, block_elements};

/// Encodes the elements that are written to it. Their size in bytes is a multiple of 4, and at most 256.
pub(crate) struct Attributes {
    stride: usize,
    /// The number of elements of a block.
    capacity: usize,
    /// The block that is being filled.
    block: Vec<u8>,
    /// The first element of the array.
    first: Vec<u8>,
    /// The last element of the previous block.
    last: Vec<u8>,
    out: Vec<u8>,
}

impl Attributes {
    pub(crate) fn new(stride: usize) -> Attributes {
        debug_assert!(stride.is_multiple_of(4) && (4..=256).contains(&stride));
        let capacity = block_elements(stride);
        Attributes {
            stride,
            capacity,
            block: Vec::with_capacity(capacity * stride),
            first: Vec::new(),
            last: Vec::new(),
            out: vec![ATTRIBUTES_0],
        }
    }

    fn end_block(&mut self) {
        let Attributes { stride, block, first, last, out, .. } = self;
        if block.is_empty() {
            return;
        }
        if first.is_empty() {
            first.extend(&block[..*stride]);
            last.clone_from(first);
        }
        let count = block.len() / *stride;
        let mut differences = Vec::with_capacity(count.next_multiple_of(GROUP));
        for byte in 0..*stride {
            differences.clear();
            let mut before = last[byte];
            for element in block.chunks_exact(*stride) {
                differences.push(zigzag(element[byte].wrapping_sub(before)));
                before = element[byte];
            }
            differences.resize(count.next_multiple_of(GROUP), 0);
            groups(&differences, out);
        }
        last.copy_from_slice(&block[block.len() - *stride..]);
        block.clear();
    }

    /// The encoded bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.end_block();
        let Attributes { stride, first, mut out, .. } = self;
        out.resize(out.len() + MIN_TAIL_0.saturating_sub(stride), 0);
        out.extend(first);
        out
    }
}

impl Write for Attributes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.capacity * self.stride - self.block.len();
        let taken = &bytes[..bytes.len().min(room)];
        self.block.extend(taken);
        if taken.len() == room {
            self.end_block();
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The number of bits by which multiples are shifted. Without the shift, the upper bytes of a small multiple would
/// change with its sign.
const SHIFT: i32 = 8;

/// Like [`Attributes`], for floats that are small multiples of a power of two. The filter `EXPONENTIAL` stores the multiple in
/// 24 bits and the exponent in 8 bits.
pub(crate) struct Exponents {
    step: f32,
    exponent: i8,
    attributes: Attributes,
}

impl Exponents {
    pub(crate) fn new(stride: usize, step: f32) -> Exponents {
        Exponents { step, exponent: step.log2() as i8, attributes: Attributes::new(stride) }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.attributes.finish()
    }
}

impl Write for Exponents {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Whole arrays are written at a time.
        let (floats, rest) = bytes.as_chunks();
        debug_assert!(rest.is_empty());
        for float in floats {
            let multiple = (f32::from_le_bytes(*float) / self.step) as i32;
            let word = (multiple << SHIFT) & 0xff_ffff | (i32::from(self.exponent) - SHIFT) << 24;
            self.attributes.write_all(&word.to_le_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Small positive and negative differences as small numbers.
const fn zigzag(difference: u8) -> u8 {
    (difference << 1) ^ (((difference as i8) >> 7) as u8)
}

/// Encodes one byte of each element of a block: two bits for the width of each group, and then the groups.
fn groups(differences: &[u8], out: &mut Vec<u8>) {
    let count = differences.len() / GROUP;
    let header = out.len();
    out.resize(header + count.div_ceil(4), 0);
    for (number, group) in differences.chunks_exact(GROUP).enumerate() {
        // Numbers of 0, 2, 4 or 8 bits. If all of 2 or 4 bits are 1, a whole byte follows.
        let escaped = |bits: u32| group.iter().filter(|value| **value >= (1 << bits) - 1).count();
        let sizes = [
            if group.iter().all(|value| *value == 0) { 0 } else { usize::MAX },
            GROUP / 4 + escaped(2),
            GROUP / 2 + escaped(4),
            GROUP,
        ];
        let (mode, _) = (0u8..).zip(sizes).min_by_key(|(_, size)| *size).unwrap_or((3, GROUP));
        out[header + number / 4] |= mode << (number % 4 * 2);
        match mode {
            0 => {}
            3 => out.extend(group),
            _ => packed(group, 1 << mode, out),
        }
    }
}

/// Encodes a group of numbers of `bits` bits, the first in the highest bits, followed by the bytes that do not fit.
fn packed(group: &[u8], bits: usize, out: &mut Vec<u8>) {
    let most = ((1u16 << bits) - 1) as u8;
    for values in group.chunks_exact(8 / bits) {
        out.push(values.iter().fold(0, |byte, value| byte << bits | (*value).min(most)));
    }
    out.extend(group.iter().filter(|value| **value >= most));
}
