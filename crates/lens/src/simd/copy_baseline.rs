//! What a kernel is measured against: as many bytes read and written, in the same order, without any arithmetic.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::Kernel;
#[cfg(target_arch = "aarch64")]
use super::isa::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::isa::Simd128;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
use super::{Level, Shape};

/// A copy that reads `IN` bytes for each `OUT` that it writes.
pub(super) struct CopyBaseline<const IN: usize, const OUT: usize, const STREAMED: bool>;

impl<const IN: usize, const OUT: usize, const STREAMED: bool> Shape for CopyBaseline<IN, OUT, STREAMED> {
    const SIZE: usize = IN;
    const STRIDE: usize = IN;
    const OUT: usize = OUT;
    const PAST: bool = STREAMED;
}

/// Elements of a step: enough that two bytes of each fill a register.
const STEP: usize = 32;

/// Reads `IN` bytes for each `OUT` of `out`, which it fills with them, at the speed of the registers of `level`: the
/// limit of any decoder of that shape. `bytes` that are too short for `out` are an error of the caller; then nothing
/// is written. At [`Level::SCALAR`] the registers are those the program is compiled for.
pub fn copy_shape<const IN: usize, const OUT: usize>(level: Level, bytes: &[u8], out: &mut [u8]) {
    copy::<IN, OUT, false>(level, bytes, out);
}

/// Like [`copy_shape`], written past the cache from 64 MiB on, as decoding does.
pub fn stream_shape<const IN: usize, const OUT: usize>(level: Level, bytes: &[u8], out: &mut [u8]) {
    copy::<IN, OUT, true>(level, bytes, out);
}

fn copy<const IN: usize, const OUT: usize, const STREAMED: bool>(level: Level, bytes: &[u8], out: &mut [u8]) {
    const { assert!(IN > 0 && IN <= 16 && IN.is_multiple_of(2) && OUT > 0 && OUT <= 36 && OUT.is_multiple_of(4)) };
    let out = out.as_chunks_mut::<OUT>().0;
    if bytes.len() / IN >= out.len()
        && !super::decode(level, &CopyBaseline::<IN, OUT, STREAMED>, bytes, IN, out)
    {
        for (out, bytes) in out.iter_mut().zip(bytes.chunks_exact(IN)) {
            for (part, from) in out.chunks_mut(IN).zip(core::iter::repeat(bytes)) {
                part.copy_from_slice(&from[..part.len()]);
            }
        }
    }
}

macro_rules! copies {
    ($($cfg:meta => $isa:ident $bytes:literal $load:ident $or:ident $store:ident $(or $stream:ident)?;)*) => {$(
        // SAFETY: a step reads and writes its elements' bytes alone.
        #[cfg($cfg)]
        unsafe impl<const IN: usize, const OUT: usize, const STREAMED: bool> Kernel<$isa> for CopyBaseline<IN, OUT, STREAMED> {
            const ELEMENTS: usize = STEP;
            const READ: usize = STEP * IN;
            const WRITE: usize = STEP * OUT;

            #[inline(always)]
            unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
                let loads = STEP * IN / $bytes;
                // SAFETY: the processor has the instructions, and the caller guarantees the accesses.
                unsafe {
                    let mut loaded = [$load(source.cast()); STEP * 16 / $bytes];
                    for load in 1..loads {
                        loaded[load] = $load(source.add(load * $bytes).cast());
                    }
                    // What is read but not written is combined with the rest, so that it is not left out.
                    for load in STEP * OUT / $bytes..loads {
                        let place = load % (STEP * OUT / $bytes);
                        loaded[place] = $or(loaded[place], loaded[load]);
                    }
                    for store in 0..STEP * OUT / $bytes {
                        $(if PAST {
                            $stream(target.add(store * $bytes).cast(), loaded[store % loads]);
                            continue;
                        })?
                        $store(target.add(store * $bytes).cast(), loaded[store % loads]);
                    }
                }
            }
        }
    )*};
}

copies! {
    target_arch = "x86_64" => Sse41 16 _mm_loadu_si128 _mm_or_si128 _mm_storeu_si128 or _mm_stream_si128;
    target_arch = "x86_64" => Avx2 32 _mm256_loadu_si256 _mm256_or_si256 _mm256_storeu_si256 or _mm256_stream_si256;
    target_arch = "x86_64" => Avx512 64 _mm512_loadu_si512 _mm512_or_si512 _mm512_storeu_si512 or _mm512_stream_si512;
    target_arch = "aarch64" => Neon 16 vld1q_u8 vorrq_u8 vst1q_u8;
    all(target_arch = "wasm32", target_feature = "simd128") => Simd128 16 v128_load v128_or v128_store;
}
