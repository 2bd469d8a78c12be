//! Writes vertices past the cache: they are assembled in a small buffer, and written from there in whole cache lines.

use core::mem::MaybeUninit;

use crate::Level;
use crate::simd::block::BLOCK;
use crate::simd::stream;

/// The number of bytes that are assembled before they are written past the cache.
const STAGED: usize = 8 << 10;
/// The largest stride for which enough vertices fit in that buffer.
pub(crate) const MAX_STAGED_STRIDE: usize = 2048;

/// Bytes aligned to a cache line.
#[repr(C, align(64))]
pub(crate) struct Lines<const N: usize>(MaybeUninit<[u8; N]>);

impl<const N: usize> Lines<N> {
    pub(crate) const fn new() -> Self {
        Lines(MaybeUninit::uninit())
    }

    /// The first `len` bytes, or all bytes if there are fewer, set to zero.
    pub(crate) fn zeroed(&mut self, len: usize) -> &mut [u8] {
        let len = len.min(N);
        // SAFETY: `len` bytes are inside the array, and are written before they are borrowed.
        unsafe {
            let start = self.0.as_mut_ptr().cast::<u8>();
            start.write_bytes(0, len);
            core::slice::from_raw_parts_mut(start, len)
        }
    }
}

/// Assembles vertices in the cache, then writes them past it in whole lines, for any alignment of `out`. `fill` fills a
/// number of vertices, starting with a given one.
pub(crate) fn stream_blocks(
    level: Level,
    stride: usize,
    out: &mut [u8],
    mut fill: impl FnMut(usize, usize, &mut [u8]),
) {
    let mut staged = Lines::<{ STAGED + stream::LINE }>::new();
    let staged = staged.zeroed(STAGED.saturating_add(stream::LINE));
    let per_block = STAGED.checked_div(stride).unwrap_or_default().min(BLOCK);
    // Blocks consist of complete periods and lines.
    let per_block = if per_block > 16 { per_block.saturating_sub(per_block % 16) } else { per_block };
    let (mut first, mut held, mut rest) = (0usize, 0usize, out);
    // The bytes that were held back did not fill a line. They are written next.
    while rest.len() > held {
        let left = rest.len().saturating_sub(held).checked_div(stride).unwrap_or_default();
        let count = left.min(per_block);
        let end = held.saturating_add(count.saturating_mul(stride));
        let Some(vertices) = staged.get_mut(held..end) else { break };
        fill(first, count, vertices);
        first = first.saturating_add(count);
        // The last block is written to its end. Other blocks are written to the end of their last complete line, and
        // the remaining bytes are kept for the next block.
        let past_line = rest.as_ptr().addr().wrapping_add(end) % stream::LINE;
        let now = if count == left { end } else { end.saturating_sub(past_line) };
        let (out, after) = core::mem::take(&mut rest).split_at_mut(now.min(end));
        stream::copy(level, staged.get(..out.len()).unwrap_or_default(), out);
        rest = after;
        staged.copy_within(out.len()..end, 0);
        held = end.saturating_sub(out.len());
        // Gaps must be zero, so bytes that will be filled again are cleared.
        if let Some(used) = staged.get_mut(held..end) {
            used.fill(0);
        }
        if count == 0 {
            break;
        }
    }
    stream::fence();
}
