//! Sines of 16-bit angles from tables that lie in registers (AVX-512).
//!
//! The upper five bits of a code choose one of 32 angles, whose sines and cosines fit in two registers each. What is
//! left is a tenth of a radian at most either way: two terms each give its sine and what its cosine lacks of 1, and
//! the addition theorems put both together. That is half the work of the polynomials in `turns`, whose result it
//! meets to a few units of the last place, but not bit for bit.

use core::arch::x86_64::*;

use super::Kernel;
use super::isa::Avx512;
use super::turns::Directions;
use super::two_step::store_triples;
use crate::encoding::angles::sine;

/// What an angle's codes stand for.
#[repr(C, align(64))]
pub(super) struct Coarse {
    sine: [f32; 32],
    cosine: [f32; 32],
    /// Sine of `n` codes: `n (fine_sine[0] + fine_sine[1] n²)`.
    fine_sine: [f32; 2],
    /// Cosine less 1: `n² (fine_cosine[0] + fine_cosine[1] n²)`.
    fine_cosine: [f32; 2],
}

/// Codes of one coarse step, in the middle of which its angle lies.
const STEP: i32 = 2048;

impl Coarse {
    /// `quarter` codes to the quarter turn.
    pub(super) const fn new(quarter: f64) -> Coarse {
        let step = core::f64::consts::FRAC_PI_2 / quarter;
        let end = (STEP / 2) as f64 * step;
        let square = end * end;
        // The third term of the sine, spread over the first two so that what is left of it is least.
        let fine_sine =
            [step * (1.0 - square * square / 960.0), step * step * step * (square / 120.0 - 1.0 / 6.0)];
        let fine_cosine = [-0.5 * step * step, step * step * step * step / 24.0];
        let mut coarse = Coarse {
            sine: [0.0; 32],
            cosine: [0.0; 32],
            fine_sine: [fine_sine[0] as f32, fine_sine[1] as f32],
            fine_cosine: [fine_cosine[0] as f32, fine_cosine[1] as f32],
        };
        let mut at = 0;
        while at < 32 {
            let signed = if at < 16 { at as i32 } else { at as i32 - 32 };
            let angle = (signed * STEP + STEP / 2) as f64 * step;
            coarse.sine[at] = sine(angle) as f32;
            coarse.cosine[at] = sine(angle + core::f64::consts::FRAC_PI_2) as f32;
            at += 1;
        }
        coarse
    }

    /// Sines, negated with `NEGATED`, and cosines of sixteen codes: the lower eleven bits of `fine` and, from bit 0
    /// on, the upper five in `coarse`; what lies above them is not looked at.
    ///
    /// # Safety
    ///
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn look_up<const NEGATED: bool>(&self, coarse: __m512i, fine: __m512i) -> (__m512, __m512) {
        /// Of a float whose last bit is worth 1.
        const WHOLE: i32 = 0x4b00_0000;
        /// `(a & b) | c`
        const AND_OR: i32 = 0xea;
        // SAFETY: the processor is as the caller says, and the loads are of whole arrays.
        unsafe {
            let table = |table: &[f32; 32]| {
                let low = _mm512_loadu_ps(table.as_ptr());
                _mm512_permutex2var_ps(low, coarse, _mm512_loadu_ps(table.as_ptr().add(16)))
            };
            let (s, c) = (table(&self.sine), table(&self.cosine));
            let (mask, whole) = (_mm512_set1_epi32(STEP - 1), _mm512_set1_epi32(WHOLE));
            let n = _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<AND_OR>(fine, mask, whole));
            let n = _mm512_sub_ps(n, _mm512_set1_ps(8_388_608.0 + (STEP / 2) as f32));
            let square = _mm512_mul_ps(n, n);
            let two_terms = |[first, second]: [f32; 2]| {
                _mm512_fmadd_ps(_mm512_set1_ps(second), square, _mm512_set1_ps(first))
            };
            let fine_s = _mm512_mul_ps(n, two_terms(self.fine_sine));
            let fine_c = _mm512_mul_ps(square, two_terms(self.fine_cosine));
            let almost_s = _mm512_fmadd_ps(s, fine_c, s);
            let sine = if NEGATED {
                _mm512_fnmsub_ps(c, fine_s, almost_s)
            } else {
                _mm512_fmadd_ps(c, fine_s, almost_s)
            };
            (sine, _mm512_fnmadd_ps(s, fine_s, _mm512_fmadd_ps(c, fine_c, c)))
        }
    }
}

// SAFETY: sixteen pairs are read, and as many triples written.
unsafe impl Kernel<Avx512> for Directions {
    const ELEMENTS: usize = 16;
    const READ: usize = 64;
    const WRITE: usize = 192;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has AVX-512, and the caller vouches for the accesses.
        unsafe {
            let codes = _mm512_loadu_si512(source.cast());
            let [latitudes, longitudes] = &self.coarse;
            let (down, cos_lat) = latitudes.look_up::<true>(_mm512_srli_epi32::<11>(codes), codes);
            let (sin_lon, cos_lon) =
                longitudes.look_up::<false>(_mm512_srli_epi32::<27>(codes), _mm512_srli_epi32::<16>(codes));
            store_triples(target, [_mm512_mul_ps(cos_lat, sin_lon), down, _mm512_mul_ps(cos_lat, cos_lon)]);
        }
    }
}
