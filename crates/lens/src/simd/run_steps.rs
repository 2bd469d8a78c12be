//! The loop of all kernels. It runs whole steps as long as they are inside both buffers. The elements at both ends are
//! decoded through copies.

use core::mem::MaybeUninit;

use super::level::Kind;
use super::stream::LINE;
use super::{Level, prefetch};

/// The layout of encoded elements, and the size of decoded ones.
pub(crate) trait Shape {
    /// The size of an encoded element in bytes.
    const SIZE: usize;
    /// The distance from one element to the next, in bytes.
    const STRIDE: usize;
    /// The size of a decoded element in bytes.
    const OUT: usize;

    /// The level whose instructions decode fastest on a processor with the instructions of `level`: the same level, or
    /// a lower one with a better method.
    #[inline]
    fn method(level: Level) -> Kind {
        level.kind()
    }
}

/// A kernel with the instructions `I`, which decodes a fixed number of elements at a time.
///
/// # Safety
///
/// A step reads at most `READ` bytes of its source and writes at most `WRITE` bytes of its target. The first `ELEMENTS
/// * OUT` written bytes are the decoded elements; bytes that are read after the last element do not affect them. With
/// `PAST`, every store is aligned if the first target is aligned to [`LINE`].
pub(crate) unsafe trait Kernel<I>: Shape {
    /// The number of elements of a step.
    const ELEMENTS: usize;
    /// The number of bytes that a step may read, starting with its first element.
    const READ: usize;
    /// The number of bytes that a step may write.
    const WRITE: usize;

    /// Decodes `ELEMENTS` elements, with stores past the cache if `PAST`.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `I`. `READ` bytes of `source` may be read, and `WRITE` bytes of `target` may
    /// be written. With `PAST`, the step belongs to a run that began at a multiple of [`LINE`].
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8);

    /// Decodes one step after another.
    ///
    /// # Safety
    ///
    /// The same as for each [`step`](Self::step), whose source and target follow those of the previous step.
    #[inline(always)]
    unsafe fn steps<const PAST: bool>(&self, source: *const u8, target: *mut u8, count: usize) {
        for step in 0..count {
            if PAST {
                prefetch::lines(source, step * Self::ELEMENTS * Self::STRIDE, Self::ELEMENTS * Self::STRIDE);
            }
            // SAFETY: guaranteed by the caller.
            unsafe {
                self.step::<PAST>(
                    source.add(step * Self::ELEMENTS * Self::STRIDE),
                    target.add(step * Self::ELEMENTS * Self::OUT),
                );
            }
        }
    }
}

const MAX_READ: usize = 512;
const MAX_WRITE: usize = 1152;

#[repr(C, align(64))]
struct Aligned<const N: usize>([MaybeUninit<u8>; N]);

/// Decodes an element for each slot of `out`. `bytes` end with the last element or after it. With `past`, whole lines
/// of `out` bypass the cache. `level` must have the instructions `I`.
///
/// # Safety
///
/// The processor has the instructions `I`, and `bytes` contain `out.len() / OUT` elements.
#[inline(always)]
pub(crate) unsafe fn run_steps<I, K: Kernel<I>>(
    level: Level,
    kernel: &K,
    bytes: &[u8],
    out: &mut [u8],
    past: bool,
) {
    let count = out.len() / K::OUT;
    // Stores across cache lines cost twice as much, so a long run first decodes the elements before the first line.
    let head = if count >= 8 * K::ELEMENTS + MAX_HEAD { elements_before_a_line::<K>(out) } else { None };
    let past = past && head.is_some();
    let (mut done, mut end) = (0, head.unwrap_or_default());
    loop {
        // The elements before the steps, and then the elements after them.
        while done < end {
            let len = K::ELEMENTS.min(end - done);
            // SAFETY: the same requirements as for this function; there are `done + len` elements.
            unsafe { part::<I, K>(kernel, bytes, out, done, len) };
            done += len;
        }
        if end == count {
            return;
        }
        let (source, target) = (done * K::STRIDE, done * K::OUT);
        let fits = |len: usize, needed: usize, step: usize| {
            len.checked_sub(needed).map_or(0, |room| room / step + 1)
        };
        let readable = fits(bytes.len() - source, K::READ, K::ELEMENTS * K::STRIDE);
        let writable = fits(out.len() - target, K::WRITE, K::ELEMENTS * K::OUT);
        let steps = readable.min(writable);
        // SAFETY: the caller guarantees the instructions. `readable` and `writable` are the numbers of consecutive
        // steps that fit, so the last step ends inside both slices. With `past`, the first target begins at a line.
        unsafe {
            let (source, target) = (bytes.as_ptr().add(source), out.as_mut_ptr().add(target));
            if past {
                let (step_in, step_out) = (K::ELEMENTS * K::STRIDE, K::ELEMENTS * K::OUT);
                let batch = (prefetch::BATCH / step_out).max(1);
                for first in (0..steps).step_by(batch) {
                    let len = batch.min(steps - first);
                    let (source, target) = (source.add(first * step_in), target.add(first * step_out));
                    prefetch::input_pages(source, len * step_in);
                    prefetch::output_pages(level, target, len * step_out);
                    kernel.steps::<true>(source, target, len);
                }
            } else {
                kernel.steps::<false>(source, target, steps);
            }
        }
        done += steps * K::ELEMENTS;
        end = count;
    }
}

/// The number of elements after which their offsets in cache lines repeat. The size of elements is a multiple of four
/// bytes.
const MAX_HEAD: usize = LINE / 4;

/// The number of elements of `out` before the first one that begins at a cache line; `None` if there is no such
/// element.
#[inline]
fn elements_before_a_line<K: Shape>(out: &[u8]) -> Option<usize> {
    (0..MAX_HEAD).find(|head| (out.as_ptr().addr() + head * K::OUT).is_multiple_of(LINE))
}

/// Decodes `len` elements, at most one step, from element `first` on, through copies that are large enough for a step.
///
/// # Safety
///
/// The processor has the instructions `I`, and there are `first + len` elements in `bytes` and slots in `out`.
#[inline(always)]
unsafe fn part<I, K: Kernel<I>>(kernel: &K, bytes: &[u8], out: &mut [u8], first: usize, len: usize) {
    const { assert!(K::READ <= MAX_READ && K::ELEMENTS * K::STRIDE <= MAX_READ && K::WRITE <= MAX_WRITE) };
    let mut source = Aligned([MaybeUninit::uninit(); MAX_READ]);
    let mut target = Aligned([MaybeUninit::uninit(); MAX_WRITE]);
    let encoded = &bytes[first * K::STRIDE..];
    let encoded = &encoded[..encoded.len().min((len - 1) * K::STRIDE + K::SIZE)];
    let out = &mut out[first * K::OUT..][..len * K::OUT];
    let (source, target) = (source.0.as_mut_ptr().cast::<u8>(), target.0.as_mut_ptr().cast::<u8>());
    // SAFETY: both copies have room for any step, as asserted above. All bytes that a step reads were initialized, and
    // the caller guarantees the processor. A step writes all of its elements, which are at least `len`.
    unsafe {
        source.write_bytes(0, K::READ.max(encoded.len()));
        source.copy_from_nonoverlapping(encoded.as_ptr(), encoded.len());
        kernel.step::<false>(source, target);
        out.as_mut_ptr().copy_from_nonoverlapping(target, out.len());
    }
}
