//! Decodes compressed bytes of every mode. Decoding takes as much memory as the elements, and does not panic.
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::decode_triangles::triangles;
use super::reader::{Control, Reader, push};
use super::{
    ATTRIBUTES_0, ATTRIBUTES_1, Fault, INDICES, Layout, MIN_TAIL_0, MIN_TAIL_1, Mode, block_elements, filters,
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
