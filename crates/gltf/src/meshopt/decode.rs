//! Decodes compressed bytes of every mode. Decoding takes as much memory as the elements, and does not panic.
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::decode_triangles::triangles;
use super::{
    ATTRIBUTES_0, ATTRIBUTES_1, Fault, GROUP, INDICES, Layout, MIN_TAIL_0, MIN_TAIL_1, Mode, block_elements,
    filters,
};

/// The elements, `count * stride` bytes. The layout is valid.
pub(crate) fn decode(bytes: &[u8], layout: &Layout) -> Result<Vec<u8>, Fault> {
    let Layout { mode, filter, count, stride } = *layout;
    let mut out = match mode {
        Mode::Attributes => attributes(bytes, count, stride)?,
        Mode::Triangles => triangles(bytes, count, stride)?,
        Mode::Indices => indices(bytes, count, stride)?,
    };
    filters::apply(filter, stride, &mut out);
    Ok(out)
}

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
    fn plane(&mut self, control: Control, elements: usize, plane: &mut [u8]) -> Result<(), Fault> {
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
enum Control {
    /// The number of bits of a group's differences, by the group's mode.
    Widths([usize; 4]),
    Zero,
    Literal,
}

/// The prediction of four bytes of an element from those of the previous element.
#[derive(Clone, Copy)]
enum Channel {
    Bytes,
    Halves,
    /// As an exclusive or, rotated to the left by a number of bits.
    Xor(u32),
}

impl Channel {
    fn new(code: u8) -> Option<Channel> {
        match (code & 15, code >> 4) {
            (0, 0) => Some(Channel::Bytes),
            (1, 0) => Some(Channel::Halves),
            (2, bits) => Some(Channel::Xor(bits.into())),
            _ => None,
        }
    }

    fn follow(self, [a, b, c, d]: [u8; 4], before: u32) -> u32 {
        let [x, y, z, w] = before.to_le_bytes();
        match self {
            Channel::Bytes => {
                let next = |difference: u8, before: u8| {
                    before.wrapping_add(difference >> 1 ^ (difference & 1).wrapping_neg())
                };
                u32::from_le_bytes([next(a, x), next(b, y), next(c, z), next(d, w)])
            }
            Channel::Halves => {
                let next = |difference: [u8; 2], before: [u8; 2]| {
                    let difference = u16::from_le_bytes(difference);
                    let difference = difference >> 1 ^ (difference & 1).wrapping_neg();
                    u32::from(u16::from_le_bytes(before).wrapping_add(difference))
                };
                next([a, b], [x, y]) | next([c, d], [z, w]) << 16
            }
            Channel::Xor(bits) => u32::from_le_bytes([a, b, c, d]).rotate_right(bits) ^ before,
        }
    }
}

/// Appendix A, mode 0, in both versions.
fn attributes(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Fault> {
    let is_later = bytes.first() == Some(&ATTRIBUTES_1);
    let (magic, channels, least) =
        if is_later { (ATTRIBUTES_1, stride / 4, MIN_TAIL_1) } else { (ATTRIBUTES_0, 0, MIN_TAIL_0) };
    let end = stride + channels;
    let mut reader = Reader::new(bytes, magic, "0xa0 or 0xa1", end.max(least))?;
    // The reader has checked that the tail is there.
    let start = bytes.len().saturating_sub(end);
    let (first, modes) =
        bytes.get(start..).and_then(|tail| tail.split_at_checked(stride)).unwrap_or_default();
    let mut channels = vec![Channel::Bytes; stride / 4];
    for (index, (channel, code)) in channels.iter_mut().zip(modes).enumerate() {
        let expected = "a channel mode of 0, 1 or 2";
        *channel = Channel::new(*code).ok_or(Fault { offset: start + stride + index, expected })?;
    }
    let mut last: Vec<u32> = first.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let capacity = block_elements(stride);
    let mut planes = vec![0; capacity * stride];
    let mut out = vec![0; count * stride];
    for block in out.chunks_mut(capacity * stride) {
        let elements = block.len() / stride;
        let controls = if is_later { reader.take(stride / 4)? } else { &[] };
        for (byte, plane) in planes.chunks_exact_mut(capacity).enumerate() {
            let control = controls.get(byte / 4).map(|codes| codes >> (byte % 4 * 2) & 3);
            let control = match control {
                None => Control::Widths([0, 2, 4, 8]),
                Some(0) => Control::Widths([0, 1, 2, 4]),
                Some(1) => Control::Widths([1, 2, 4, 8]),
                Some(2) => Control::Zero,
                Some(_) => Control::Literal,
            };
            reader.plane(control, elements, plane)?;
        }
        let four = planes.chunks_exact(4 * capacity).zip(&channels).zip(&mut last);
        for (number, ((four, channel), last)) in four.enumerate() {
            let mut planes = four.chunks_exact(capacity);
            let mut next = || planes.next().unwrap_or_default().iter();
            let differences = next().zip(next()).zip(next().zip(next()));
            let words = block
                .chunks_exact_mut(stride)
                .filter_map(|element| element.as_chunks_mut().0.get_mut(number));
            for (word, ((a, b), (c, d))) in words.zip(differences) {
                *last = channel.follow([*a, *b, *c, *d], *last);
                *word = last.to_le_bytes();
            }
        }
    }
    reader.finish()?;
    Ok(out)
}

/// Appendix A, mode 2.
fn indices(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Fault> {
    let mut reader = Reader::new(bytes, INDICES, "0xd1", 4)?;
    let mut out = Vec::with_capacity(count * stride);
    let (mut even, mut odd) = (0u32, 0u32);
    for _ in 0..count {
        let code = reader.varint()?;
        let last = if code & 1 == 0 { &mut even } else { &mut odd };
        *last = last.wrapping_add(code >> 2 ^ (code >> 1 & 1).wrapping_neg());
        push(&mut out, *last, stride);
    }
    reader.finish()?;
    Ok(out)
}

/// Adds an index of 2 or 4 bytes.
pub(super) fn push(out: &mut Vec<u8>, index: u32, stride: usize) {
    out.extend(index.to_le_bytes().iter().take(stride));
}
