//! One loop for every kernel: whole steps while they stay inside both buffers, and the ends through a copy of them.

use core::mem::MaybeUninit;

use super::Level;
use super::level::Kind;
use super::stream::LINE;

/// How elements lie and what they become.
pub(crate) trait Shape {
    /// Bytes of one encoded element.
    const SIZE: usize;
    /// Bytes from one element to the next.
    const STRIDE: usize;
    /// Bytes of one decoded element.
    const OUT: usize;
    /// Whether large outputs are written past the cache.
    const PAST: bool = true;

    /// Whose instructions decode fastest on a processor that has those of `level`: its own, or those of a lower level
    /// whose method is the better one.
    #[inline]
    fn method(level: Level) -> Kind {
        level.kind()
    }
}

/// A kernel over the instructions `I`, which decodes a fixed number of elements at a time.
///
/// # Safety
///
/// A step reads no more than `READ` bytes of its source and writes no more than `WRITE` of its target, of which the
/// first `ELEMENTS * OUT` are the decoded elements; what it reads after the last element does not change them. With
/// `PAST`, every store is aligned if the first target is aligned to [`LINE`].
pub(crate) unsafe trait Kernel<I>: Shape {
    /// Elements of one step.
    const ELEMENTS: usize;
    /// Bytes a step may read, from the first of its first element.
    const READ: usize;
    /// Bytes a step may write.
    const WRITE: usize;

    /// Decodes `ELEMENTS` elements, with stores past the cache if `PAST`.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `I`; `source` may be read for `READ` bytes, `target` written for `WRITE`. With
    /// `PAST`, the step is one of a run that began at a multiple of [`LINE`].
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8);

    /// Decodes one step after another.
    ///
    /// # Safety
    ///
    /// As for each [`step`](Self::step), whose source and target follow those of the one before.
    #[inline(always)]
    unsafe fn steps<const PAST: bool>(&self, source: *const u8, target: *mut u8, count: usize) {
        for step in 0..count {
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

/// Decodes every element whose slot `out` has; `bytes` end with the last of them or after it. With `past`, whole lines
/// of `out` are written past the cache.
///
/// # Safety
///
/// The processor has the instructions `I`, and `bytes` hold `out.len() / OUT` elements.
#[inline(always)]
pub(crate) unsafe fn run_steps<I, K: Kernel<I>>(kernel: &K, bytes: &[u8], out: &mut [u8], past: bool) {
    let count = out.len() / K::OUT;
    // Stores across the lines of the cache cost twice: a long run starts with as many elements as lie before a line.
    let head = if count >= 8 * K::ELEMENTS + MAX_HEAD { elements_before_a_line::<K>(out) } else { None };
    let past = past && head.is_some();
    let (mut done, mut end) = (0, head.unwrap_or_default());
    loop {
        // What lies before the steps, then what lies after them.
        while done < end {
            let len = K::ELEMENTS.min(end - done);
            // SAFETY: as of this function; `done + len` elements are there.
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
        // SAFETY: the caller guarantees the instructions. `readable` and `writable` are how many times a step fits, each
        // a step's elements after the one before, so that the last one ends inside both slices. With `past`, the first
        // target is at a line.
        unsafe {
            let (source, target) = (bytes.as_ptr().add(source), out.as_mut_ptr().add(target));
            if past {
                kernel.steps::<true>(source, target, steps);
            } else {
                kernel.steps::<false>(source, target, steps);
            }
        }
        done += steps * K::ELEMENTS;
        end = count;
    }
}

/// Elements are multiples of four bytes, so that the lines repeat after as many of them.
const MAX_HEAD: usize = LINE / 4;

/// How many elements of `out` lie before the first that begins at a line. `None` if none does.
#[inline]
fn elements_before_a_line<K: Shape>(out: &[u8]) -> Option<usize> {
    (0..MAX_HEAD).find(|head| (out.as_ptr().addr() + head * K::OUT).is_multiple_of(LINE))
}

/// Decodes `len` elements, at most one step, from the `first` on, through copies that are large enough for a step.
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
    // SAFETY: both copies have room for any step, as asserted above. All that a step reads is written before, and the
    // processor is as the caller says. A step writes all of its elements, of which there are at least `len`.
    unsafe {
        source.write_bytes(0, K::READ.max(encoded.len()));
        source.copy_from_nonoverlapping(encoded.as_ptr(), encoded.len());
        kernel.step::<false>(source, target);
        out.as_mut_ptr().copy_from_nonoverlapping(target, out.len());
    }
}
