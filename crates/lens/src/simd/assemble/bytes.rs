//! Registers whose bytes can be shuffled, at each level.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use crate::simd::instructions;
#[cfg(target_arch = "aarch64")]
use crate::simd::isa::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::simd::isa::Simd128;
#[cfg(target_arch = "x86_64")]
use crate::simd::isa::{Avx2, Sse41};

/// Registers whose bytes can be shuffled.
///
/// # Safety
///
/// The functions may only be called if the processor has the instructions. They access the bytes of a register.
pub(super) unsafe trait Bytes {
    type Register: Copy;
    type Index: Copy;

    /// The operands of [`merge`](Self::merge).
    unsafe fn index(from: &[u8; 32]) -> Self::Index;
    /// The bytes that none of `from` replaces.
    unsafe fn zero() -> Self::Register;
    unsafe fn load(source: *const u8) -> Self::Register;
    unsafe fn and(a: Self::Register, b: Self::Register) -> Self::Register;
    unsafe fn store(target: *mut u8, value: Self::Register);
    /// `value` with the bytes of the source that the index selects. These bytes of `value` are zero.
    unsafe fn merge(value: Self::Register, index: Self::Index, source: *const u8) -> Self::Register;
}

macro_rules! bytes16 {
    ($($cfg:meta => $isa:ident $register:ty, $load:ident $store:ident $and:ident $or:ident $shuffle:ident $zero:expr;)*) => {$(
        // SAFETY: the requirements of the trait apply.
        #[cfg($cfg)]
        #[allow(unused_unsafe, reason = "some instructions are safe functions in WebAssembly")]
        unsafe impl Bytes for $isa {
            type Register = $register;
            type Index = $register;

            #[inline(always)]
            unsafe fn index(from: &[u8; 32]) -> $register {
                // SAFETY: guaranteed by the caller; the array is at least as long as the register.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            unsafe fn zero() -> $register {
                // SAFETY: guaranteed by the caller.
                unsafe { $zero }
            }

            #[inline(always)]
            unsafe fn load(source: *const u8) -> $register {
                // SAFETY: guaranteed by the caller.
                unsafe { $load(source.cast()) }
            }

            #[inline(always)]
            unsafe fn and(a: $register, b: $register) -> $register {
                // SAFETY: guaranteed by the caller.
                unsafe { $and(a, b) }
            }

            #[inline(always)]
            unsafe fn store(target: *mut u8, value: $register) {
                // SAFETY: guaranteed by the caller.
                unsafe { $store(target.cast(), value) }
            }

            #[inline(always)]
            unsafe fn merge(value: $register, index: $register, source: *const u8) -> $register {
                // SAFETY: guaranteed by the caller. Bytes whose index is `NONE` become zero.
                unsafe { $or(value, $shuffle($load(source.cast()), index)) }
            }
        }
    )*};
}

bytes16! {
    target_arch = "x86_64" => Sse41 __m128i, _mm_loadu_si128 _mm_storeu_si128 _mm_and_si128 _mm_or_si128 _mm_shuffle_epi8 _mm_setzero_si128();
    target_arch = "aarch64" => Neon uint8x16_t, vld1q_u8 vst1q_u8 vandq_u8 vorrq_u8 vqtbl1q_u8 vdupq_n_u8(0);
    all(target_arch = "wasm32", target_feature = "simd128") => Simd128 v128, v128_load v128_store v128_and v128_or i8x16_swizzle u8x16_splat(0);
}

// SAFETY: the requirements of the trait apply. Shuffles only move words, because plans of this width have no other
// shuffles.
#[cfg(target_arch = "x86_64")]
unsafe impl Bytes for Avx2 {
    type Register = __m256i;
    type Index = [__m256i; 2];

    #[inline(always)]
    unsafe fn index(from: &[u8; 32]) -> [__m256i; 2] {
        // SAFETY: guaranteed by the caller; the arrays are as long as the register.
        unsafe {
            let words: [u32; 8] = core::array::from_fn(|word| u32::from(from[4 * word]) / 4 % 8);
            let none = _mm256_loadu_si256(from.as_ptr().cast());
            let words = _mm256_loadu_si256(words.as_ptr().cast());
            [words, _mm256_cmpgt_epi8(none, _mm256_set1_epi8(-1))]
        }
    }

    instructions! {
        fn zero() -> __m256i { _mm256_setzero_si256() }
        fn load(source: *const u8) -> __m256i { _mm256_loadu_si256(source.cast()) }
        fn and(a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
        fn store(target: *mut u8, value: __m256i) { _mm256_storeu_si256(target.cast(), value) }
    }

    #[inline(always)]
    unsafe fn merge(value: __m256i, [words, mask]: [__m256i; 2], source: *const u8) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let moved = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(source.cast()), words);
            _mm256_blendv_epi8(value, moved, mask)
        }
    }
}
