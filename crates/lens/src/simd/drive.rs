//! One loop for every kernel: whole steps while they stay inside both buffers, and the ends through a copy of them.

use core::mem::MaybeUninit;

use super::Level;

/// How elements lie and what they become.
pub(crate) trait Shape {
    /// Bytes of one encoded element.
    const SIZE: usize;
    /// Bytes from one element to the next.
    const STRIDE: usize;
    /// Bytes of one decoded element.
    const OUT: usize;

    /// Whether outputs that are too large for any cache are written past it: where memory is what a kernel waits for.
    /// Kernels in smaller registers take about as long as memory, and gain nothing.
    fn is_streamed(level: Level) -> bool {
        Some(level) == Level::avx2() || Some(level) == Level::avx512()
    }
}

/// A kernel over the instructions `I`, which decodes a fixed number of elements at a time.
///
/// # Safety
///
/// `step` reads no more than `READ` bytes of its source and writes no more than `WRITE` of its target, of which the
/// first `ELEMENTS * OUT` are the decoded elements; what it reads behind the last element does not change them.
pub(crate) unsafe trait Kernel<I>: Shape {
    /// Elements of one step.
    const ELEMENTS: usize;
    /// Bytes a step may read, from the first of its first element.
    const READ: usize;
    /// Bytes a step may write.
    const WRITE: usize;

    /// Decodes `ELEMENTS` elements.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `I`; `source` may be read for `READ` bytes, `target` written for `WRITE`.
    unsafe fn step(&self, source: *const u8, target: *mut u8);
}

const MAX_READ: usize = 256;
const MAX_WRITE: usize = 1152;
/// What the widest stores like to be aligned to.
const LINE: usize = 64;

#[repr(C, align(64))]
struct Aligned<const N: usize>([MaybeUninit<u8>; N]);

/// Decodes every element whose slot `out` has; `bytes` end with the last of them or behind it.
///
/// # Safety
///
/// The processor has the instructions `I`, and `bytes` hold `out.len() / OUT` elements.
#[inline(always)]
pub(crate) unsafe fn drive<I, K: Kernel<I>>(kernel: &K, bytes: &[u8], out: &mut [u8]) {
    let count = out.len() / K::OUT;
    let mut done = 0;
    // Stores across the lines of the cache cost twice: a long run starts with as many elements as lie before a line.
    if count >= 8 * K::ELEMENTS {
        let address = out.as_ptr().addr();
        let aligned = |elements: &usize| (address + elements * K::OUT).is_multiple_of(LINE);
        done = (0..K::ELEMENTS).find(aligned).unwrap_or_default();
        if done > 0 {
            // SAFETY: as of this function; there are more than `done` elements.
            unsafe { part::<I, K>(kernel, bytes, out, 0, done) };
        }
    }
    let (source, target) = (done * K::STRIDE, done * K::OUT);
    let readable =
        (bytes.len() - source).checked_sub(K::READ).map_or(0, |room| room / (K::ELEMENTS * K::STRIDE) + 1);
    let writable =
        (out.len() - target).checked_sub(K::WRITE).map_or(0, |room| room / (K::ELEMENTS * K::OUT) + 1);
    for step in 0..readable.min(writable) {
        // SAFETY: the processor is as the caller says. `readable` and `writable` are how many times a step fits, each
        // a step's elements after the one before, so that the last one ends inside both slices.
        unsafe {
            kernel.step(
                bytes.as_ptr().add(source + step * K::ELEMENTS * K::STRIDE),
                out.as_mut_ptr().add(target + step * K::ELEMENTS * K::OUT),
            );
        }
    }
    done += readable.min(writable) * K::ELEMENTS;
    while done < count {
        let len = K::ELEMENTS.min(count - done);
        // SAFETY: as of this function; `done + len` elements are there.
        unsafe { part::<I, K>(kernel, bytes, out, done, len) };
        done += len;
    }
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
        kernel.step(source, target);
        out.as_mut_ptr().copy_from_nonoverlapping(target, out.len());
    }
}
