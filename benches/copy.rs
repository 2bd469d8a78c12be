//! The baseline for kernels: reads and writes the same number of bytes, in the same order, without any arithmetic.

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::*;
#[cfg(target_arch = "wasm32")]
use std::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use meshlens_lens::Level;

/// The number of elements of a step. Two bytes of each element must fill a register.
const STEP: usize = 32;
/// The size of an output that decoding writes past the cache.
const PAST_CACHE: usize = 64 << 20;
const LINE: usize = 64;
const PAGE: usize = 4096;
/// The distance at which the kernels prefetch input, in bytes.
const AHEAD: usize = 2048;
/// The number of bytes of output whose pages the kernels access at once.
const BATCH: usize = 16 * PAGE;

/// Reads `IN` bytes for each `OUT` bytes of `out`, and fills `out` with them, at the speed of the registers of `level`.
/// This is the limit for any decoder with the same sizes. [`Level::SCALAR`] uses the registers for which the program is
/// compiled.
///
/// # Panics
///
/// If `bytes` are too short for `out`.
pub fn copy_shape<const IN: usize, const OUT: usize>(level: Level, bytes: &[u8], out: &mut [u8]) {
    copy::<IN, OUT>(level, bytes, out, false);
}

/// Like [`copy_shape`], for 8 or 16 bytes of input and 12 to 32 bytes of output, with the registers of the best level.
///
/// # Panics
///
/// If the sizes are others.
pub fn copy_sizes(sizes: (usize, usize), bytes: &[u8], out: &mut [u8]) {
    macro_rules! copy {
        ($($in:literal $out:literal),*) => {
            match sizes {
                $(($in, $out) => copy_shape::<$in, $out>(Level::best(), bytes, out),)*
                _ => panic!("no copy has the sizes {sizes:?}"),
            }
        };
    }
    copy! { 8 12, 8 16, 8 20, 8 24, 8 32, 16 12, 16 16, 16 20, 16 24, 16 32 }
}

/// Like [`copy_shape`], but bypasses the cache for 64 MiB and more, like decoding. `out` must begin at a cache line.
pub fn stream_shape<const IN: usize, const OUT: usize>(level: Level, bytes: &[u8], out: &mut [u8]) {
    let past = out.len() >= PAST_CACHE && out.as_ptr().addr().is_multiple_of(LINE);
    copy::<IN, OUT>(level, bytes, out, past);
}

fn copy<const IN: usize, const OUT: usize>(level: Level, bytes: &[u8], out: &mut [u8], past: bool) {
    const { assert!(IN > 0 && IN <= 16 && IN.is_multiple_of(2) && OUT > 0 && OUT <= 36 && OUT.is_multiple_of(4)) };
    let out = out.as_chunks_mut::<OUT>().0;
    assert!(bytes.len() / IN >= out.len(), "input for every element");
    let (mut source, mut target) = (bytes.as_ptr(), out.as_mut_ptr().cast::<u8>());
    let steps = if level == Level::SCALAR { 0 } else { out.len() / STEP };
    let batch = if past { (BATCH / (STEP * OUT)).max(1) } else { steps.max(1) };
    for first in (0..steps).step_by(batch) {
        let count = batch.min(steps - first);
        // SAFETY: a level exists only if the processor has its instructions. `steps` steps are inside both slices, and
        // the first one begins at a line if `past`.
        unsafe {
            if past {
                access_pages(level, source, count * STEP * IN, target, count * STEP * OUT);
            }
            match (level.name(), past) {
                #[cfg(target_arch = "x86_64")]
                ("sse", false) => sse::<IN, OUT, false>(source, target, count),
                #[cfg(target_arch = "x86_64")]
                ("sse", true) => sse::<IN, OUT, true>(source, target, count),
                #[cfg(target_arch = "x86_64")]
                ("avx2", false) => avx2::<IN, OUT, false>(source, target, count),
                #[cfg(target_arch = "x86_64")]
                ("avx2", true) => avx2::<IN, OUT, true>(source, target, count),
                #[cfg(target_arch = "x86_64")]
                ("avx512", false) => avx512::<IN, OUT, false>(source, target, count),
                #[cfg(target_arch = "x86_64")]
                ("avx512", true) => avx512::<IN, OUT, true>(source, target, count),
                #[cfg(target_arch = "aarch64")]
                ("neon", _) => neon::<IN, OUT, false>(source, target, count),
                #[cfg(target_arch = "wasm32")]
                ("simd128", _) => simd128::<IN, OUT, false>(source, target, count),
                (name, _) => panic!("no copy has the instructions of {name}"),
            }
            source = source.add(count * STEP * IN);
            target = target.add(count * STEP * OUT);
        }
    }
    let done = steps * STEP;
    for (out, bytes) in out[done..].iter_mut().zip(bytes[done * IN..].chunks_exact(IN)) {
        for (part, from) in out.chunks_mut(IN).zip(std::iter::repeat(bytes)) {
            part.copy_from_slice(&from[..part.len()]);
        }
    }
}

/// Requests the line at `address`, which does not have to be mapped.
#[inline(always)]
fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction has no effect at addresses that are not mapped.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    let _ = address;
}

/// Translates the addresses of a batch, like the kernels.
///
/// # Safety
///
/// `target` may be written for `len_out` bytes.
unsafe fn access_pages(level: Level, source: *const u8, len_in: usize, target: *mut u8, len_out: usize) {
    for start in (0..len_in + PAGE).step_by(PAGE) {
        prefetch(source.wrapping_add(AHEAD + start));
    }
    #[cfg(target_arch = "x86_64")]
    if Level::avx2().is_some_and(|avx2| level >= avx2) {
        // SAFETY: the processor has AVX2, and the caller guarantees the memory.
        unsafe { store_nothing(target, len_out) };
    }
    let _ = (level, target, len_out);
}

/// Stores no lane of a register, in each page.
///
/// # Safety
///
/// `target` may be written for `len` bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn store_nothing(target: *mut u8, len: usize) {
    // The compiler would remove a store with a known mask.
    let none = std::hint::black_box(_mm_setzero_si128());
    for start in (0..len).step_by(PAGE) {
        // SAFETY: no lane is stored, and the caller guarantees the memory.
        unsafe { _mm_maskstore_epi32(target.add(start).cast(), none, none) };
    }
}

macro_rules! copies {
    ($($arch:literal $features:literal => $name:ident $bytes:literal $load:ident $or:ident $store:ident $stream:ident;)*) => {$(
        /// # Safety
        ///
        /// `source` may be read and `target` may be written for `steps` steps. With `PAST`, `target` begins at a line.
        #[cfg(target_arch = $arch)]
        #[target_feature(enable = $features)]
        unsafe fn $name<const IN: usize, const OUT: usize, const PAST: bool>(
            source: *const u8,
            target: *mut u8,
            steps: usize,
        ) {
            let loads = STEP * IN / $bytes;
            for step in 0..steps {
                if PAST {
                    for line in (0..STEP * IN).step_by(LINE) {
                        prefetch(source.wrapping_add(step * STEP * IN + AHEAD + line));
                    }
                }
                // SAFETY: the caller guarantees the accesses.
                unsafe {
                    let (source, target) = (source.add(step * STEP * IN), target.add(step * STEP * OUT));
                    let mut loaded = [$load(source.cast()); STEP * 16 / $bytes];
                    for load in 1..loads {
                        loaded[load] = $load(source.add(load * $bytes).cast());
                    }
                    // Bytes that are read but not written are combined with the other bytes, so that reading them is
                    // not optimized away.
                    for load in STEP * OUT / $bytes..loads {
                        let place = load % (STEP * OUT / $bytes);
                        loaded[place] = $or(loaded[place], loaded[load]);
                    }
                    for store in 0..STEP * OUT / $bytes {
                        let (to, value) = (target.add(store * $bytes).cast(), loaded[store % loads]);
                        if PAST { $stream(to, value) } else { $store(to, value) }
                    }
                }
            }
            #[cfg(target_arch = "x86_64")]
            if PAST {
                _mm_sfence();
            }
        }
    )*};
}

copies! {
    "x86_64" "sse4.1" => sse 16 _mm_loadu_si128 _mm_or_si128 _mm_storeu_si128 _mm_stream_si128;
    "x86_64" "avx2" => avx2 32 _mm256_loadu_si256 _mm256_or_si256 _mm256_storeu_si256 _mm256_stream_si256;
    "x86_64" "avx512f" => avx512 64 _mm512_loadu_si512 _mm512_or_si512 _mm512_storeu_si512 _mm512_stream_si512;
    "aarch64" "neon" => neon 16 vld1q_u8 vorrq_u8 vst1q_u8 vst1q_u8;
    "wasm32" "simd128" => simd128 16 v128_load v128_or v128_store v128_store;
}
