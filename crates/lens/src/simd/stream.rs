//! Stores that bypass the cache, for memory that is written once and not read: mapped staging buffers and large
//! outputs.
//!
//! In the table of `benches/interleave.rs`, on an AMD Zen 4 (`benches/without past`), vertices of `f32x3 + f32x3` that are
//! written to memory take 1.6 times as long without these stores, both at AVX2 and at AVX-512. Most other rows lose 8 to
//! 34 %.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::Level;
#[cfg(target_arch = "x86_64")]
use super::level::Kind;

/// The number of bytes that such stores should fill together.
pub(crate) const LINE: usize = 64;

/// Copies `bytes` to `out`, which has the same length, without reading `out` or keeping it in the cache.
pub(crate) fn copy(level: Level, bytes: &[u8], out: &mut [u8]) {
    let head = out.as_ptr().align_offset(LINE).min(out.len());
    let body = (out.len() - head) / LINE * LINE;
    let (head_out, rest_out) = out.split_at_mut(head);
    let (body_out, tail_out) = rest_out.split_at_mut(body);
    let (head, rest) = bytes.split_at(head);
    let (body, tail) = rest.split_at(body);
    head_out.copy_from_slice(head);
    tail_out.copy_from_slice(tail);
    if body.is_empty() {
        return;
    }
    match level.kind() {
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx2 => unsafe { stream_avx2(body, body_out) },
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx512f")))]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx512 => unsafe { stream_avx512(body, body_out) },
        #[cfg(target_arch = "x86_64")]
        _ => stream_sse(body, body_out),
        #[cfg(not(target_arch = "x86_64"))]
        _ => body_out.copy_from_slice(body),
    }
}

/// Makes the stores of [`copy`] and of kernels visible to other threads that are notified afterwards.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is part of x86-64.
    unsafe {
        _mm_sfence();
    }
}

macro_rules! streams {
    ($($name:ident $(($features:literal))? $bytes:literal $load:ident $stream:ident;)*) => {$(
        /// `out` begins at a line of the cache. Both slices have the same length, a multiple of a line.
        #[cfg(target_arch = "x86_64")]
        $(#[target_feature(enable = $features)])?
        fn $name(bytes: &[u8], out: &mut [u8]) {
            assert!(bytes.len() == out.len() && out.as_ptr().addr().is_multiple_of(LINE));
            for (out, bytes) in out.chunks_exact_mut($bytes).zip(bytes.chunks_exact($bytes)) {
                // SAFETY: the chunks have the length of the registers, and the chunks of `out` are aligned to their
                // length.
                unsafe { $stream(out.as_mut_ptr().cast(), $load(bytes.as_ptr().cast())) };
            }
        }
    )*};
}

streams! {
    stream_sse 16 _mm_loadu_si128 _mm_stream_si128;
    stream_avx2 ("avx2") 32 _mm256_loadu_si256 _mm256_stream_si256;
    stream_avx512 ("avx512f") 64 _mm512_loadu_si512 _mm512_stream_si512;
}

macro_rules! stores {
    ($($name:ident $vector:ident $store:ident $stream:ident $bytes:literal;)*) => {$(
        /// Stores a register, bypassing the cache if `PAST`.
        ///
        /// # Safety
        ///
        /// The processor has the instructions, and the bytes may be written. With `PAST` they are aligned.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        pub(super) unsafe fn $name<const PAST: bool>(target: *mut u8, values: $vector) {
            debug_assert!(!PAST || target.addr().is_multiple_of($bytes));
            // SAFETY: guaranteed by the caller.
            unsafe { if PAST { $stream(target.cast(), values) } else { $store(target.cast(), values) } }
        }
    )*};
}

stores! {
    store_128 __m128 _mm_storeu_ps _mm_stream_ps 16;
    store_256 __m256 _mm256_storeu_ps _mm256_stream_ps 32;
    store_512 __m512 _mm512_storeu_ps _mm512_stream_ps 64;
}
