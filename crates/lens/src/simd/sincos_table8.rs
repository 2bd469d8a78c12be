//! Sines of byte-sized angles from tables in registers (AVX-512).
//!
//! The 32 sines of [`Steps`] fit in two registers, and the fine sines in one. One instruction looks up sixteen sines of
//! each, and the addition theorems combine them with two fused multiplications each. For codes without a fine part,
//! which include the axes, the results exactly equal the values in the table.

use core::arch::x86_64::*;

use super::avx512::store_triples;
use super::direction_table::DirectionTable;
use super::direction_table::angles::{LATITUDE_LONGITUDE, ZENITH_AZIMUTH, ZENITH_AZIMUTH_WITH_POLES};
use super::isa::Avx512;
use super::{Kernel, Shape, prefetch};
use crate::angles::Steps;

/// [`Steps`] in registers.
#[derive(Clone, Copy)]
pub(super) struct StepRegisters {
    sine: [__m512; 2],
    cosine: [__m512; 2],
    fine_sine: __m512,
    fine_cosine: __m512,
}

impl Steps {
    /// # Safety
    ///
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn load(&self) -> StepRegisters {
        // SAFETY: the caller guarantees the instructions, and the loads are of whole arrays.
        unsafe {
            let pair = |table: &[f32; 32]| {
                [_mm512_loadu_ps(table.as_ptr()), _mm512_loadu_ps(table.as_ptr().add(16))]
            };
            StepRegisters {
                sine: pair(&self.sine),
                cosine: pair(&self.cosine),
                fine_sine: _mm512_loadu_ps(self.fine_sine.as_ptr()),
                fine_cosine: _mm512_loadu_ps(self.fine_cosine.as_ptr()),
            }
        }
    }
}

impl StepRegisters {
    /// Sines and cosines of sixteen codes: bits 0 to 3 of `fine` and bits 0 to 4 of `coarse`. Other bits are ignored. Lanes
    /// that are not in `has_fine` have no fine part.
    ///
    /// # Safety
    ///
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn look_up(&self, coarse: __m512i, fine: __m512i, has_fine: __mmask16) -> (__m512, __m512) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let s = _mm512_permutex2var_ps(self.sine[0], coarse, self.sine[1]);
            let c = _mm512_permutex2var_ps(self.cosine[0], coarse, self.cosine[1]);
            let fine_s = _mm512_maskz_permutexvar_ps(has_fine, fine, self.fine_sine);
            let fine_c = _mm512_maskz_permutexvar_ps(has_fine, fine, self.fine_cosine);
            let sine = _mm512_fmadd_ps(s, fine_c, _mm512_fmadd_ps(c, fine_s, s));
            let cosine = _mm512_fmadd_ps(c, fine_c, _mm512_fnmadd_ps(s, fine_s, c));
            (sine, cosine)
        }
    }
}

/// The tables of both angles. Loops load them before the first step. The compiler would load them in every step,
/// because it does not know that stores do not change them.
pub(super) type Tables = [StepRegisters; 2];

impl<const STRIDE: usize, const ANGLES: u8> DirectionTable<STRIDE, ANGLES> {
    /// # Safety
    ///
    /// The processor has AVX-512.
    #[inline(always)]
    pub(super) unsafe fn load(&self) -> Tables {
        let [first, second] = self.steps;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let first = first.load();
            [first, if ANGLES == ZENITH_AZIMUTH { first } else { second.load() }]
        }
    }
}

/// Loads sixteen pairs of bytes, `STRIDE` apart, each into the lower half of a lane. The upper halves are unspecified.
/// With a stride of 8, four bytes are loaded, starting at `AT`, 0 or 4.
///
/// # Safety
///
/// The processor has AVX-512, and `16 * STRIDE` bytes may be read.
#[inline(always)]
pub(super) unsafe fn load_codes<const STRIDE: usize, const AT: i32>(source: *const u8) -> __m512i {
    const { assert!((STRIDE == 2 && AT == 0) || (STRIDE == 8 && (AT == 0 || AT == 4))) };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if STRIDE == 2 {
            return _mm512_cvtepu16_epi32(_mm256_loadu_si256(source.cast()));
        }
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let even = _mm512_add_epi32(even, _mm512_set1_epi32(AT / 4));
        let low = _mm512_loadu_si512(source.cast());
        _mm512_permutex2var_epi32(low, even, _mm512_loadu_si512(source.add(64).cast()))
    }
}

/// The lanes where some bit of `bits` is set. The compiler does not see that this is a comparison: otherwise, it would
/// replace two lookups with this mask by lookups without one, and two more instructions that set lanes to 0.
///
/// # Safety
///
/// The processor has AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn any_of(bits: i32, codes: __m512i) -> __mmask16 {
    let mut lanes = _mm512_test_epi32_mask(codes, _mm512_set1_epi32(bits));
    // SAFETY: contains no instruction.
    unsafe {
        core::arch::asm!("/* {0} */", inout(kreg) lanes, options(pure, nomem, nostack, preserves_flags));
    }
    lanes
}

/// The components of sixteen directions. With poles, a second code of 0 is an angle of 0 instead of half a step, and a
/// first code of 0 or 128 together with it is a pole.
///
/// # Safety
///
/// The processor has AVX-512.
#[inline(always)]
pub(super) unsafe fn directions<const ANGLES: u8>([first, second]: &Tables, codes: __m512i) -> [__m512; 3] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let (mut fine, mut has_fine) = (codes, [!0; 2]);
        if ANGLES == ZENITH_AZIMUTH_WITH_POLES {
            // The eight fine angles of each code, with its uppermost bit.
            const EIGHTH: i32 = 0x0808;
            const PICK: i32 = 0xca;
            fine = _mm512_ternarylogic_epi32::<PICK>(
                _mm512_set1_epi32(EIGHTH),
                _mm512_srli_epi32::<4>(codes),
                codes,
            );
            // Without fine parts, the angles of a pole and of a second code of 0 are exact.
            has_fine = [any_of(0xff7f, codes), any_of(0xff00, codes)];
        }
        let (s1, c1) = first.look_up(_mm512_srli_epi32::<3>(codes), fine, has_fine[0]);
        let (s2, c2) =
            second.look_up(_mm512_srli_epi32::<11>(codes), _mm512_srli_epi32::<8>(fine), has_fine[1]);
        if ANGLES == LATITUDE_LONGITUDE {
            [_mm512_mul_ps(s2, s1), c1, _mm512_mul_ps(c2, s1)]
        } else {
            [_mm512_mul_ps(c2, s1), _mm512_mul_ps(s2, s1), c1]
        }
    }
}

// SAFETY: sixteen elements are read, up to the stride of the last one, and sixteen triples are written.
unsafe impl<const STRIDE: usize, const ANGLES: u8> Kernel<Avx512> for DirectionTable<STRIDE, ANGLES> {
    const ELEMENTS: usize = 16;
    const READ: usize = 16 * STRIDE;
    const WRITE: usize = 16 * <Self as Shape>::OUT;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { Kernel::<Avx512>::steps::<PAST>(self, source, target, 1) }
    }

    #[inline(always)]
    unsafe fn steps<const PAST: bool>(&self, source: *const u8, target: *mut u8, count: usize) {
        // SAFETY: the processor has AVX-512, and the caller guarantees the accesses.
        unsafe {
            let tables = self.load();
            for step in 0..count {
                if PAST {
                    prefetch::lines(source, 16 * STRIDE * step, 16 * STRIDE);
                }
                let codes = load_codes::<STRIDE, 0>(source.add(16 * STRIDE * step));
                let directions = directions::<ANGLES>(&tables, codes);
                store_triples::<PAST>(target.add(16 * <Self as Shape>::OUT * step), directions);
            }
        }
    }
}
