//! Sines of 16-bit angles from tables in registers.
//!
//! The upper bits of a code choose one of the angles of the table: five bits in AVX-512, whose tables take two
//! registers, three in AVX2. The sine of the remaining angle, and its cosine minus 1, are computed with polynomials;
//! the addition theorems combine both. This is less work than the polynomials in `sincos_poly`. The results differ by a
//! few units in the last place.

use core::arch::x86_64::*;

use crate::angles::sine;

/// The constants for angles of 16 bits, with `COARSE` angles in the table: 8 or 32.
#[repr(C, align(64))]
pub(super) struct SinCosTable16<const COARSE: usize> {
    sine: [f32; COARSE],
    cosine: [f32; COARSE],
    /// Sine of `n` codes: `n (fine_sine[0] + fine_sine[1] n² + fine_sine[2] n⁴)`.
    fine_sine: [f32; 3],
    /// Cosine minus 1: `n² (fine_cosine[0] + fine_cosine[1] n² + fine_cosine[2] n⁴)`.
    fine_cosine: [f32; 3],
}

impl<const COARSE: usize> SinCosTable16<COARSE> {
    /// The number of codes of a coarse step. The angle of the step is at its center.
    const STEP: i32 = 65536 / COARSE as i32;

    /// Constants for angles with `quarter` codes per quarter turn.
    pub(super) const fn new(quarter: f64) -> Self {
        let step = core::f64::consts::FRAC_PI_2 / quarter;
        let end = (Self::STEP / 2) as f64 * step;
        let square = end * end;
        let (fine_sine, fine_cosine) = if COARSE == 32 {
            // At most a tenth of a radian. The third term of the sine is distributed over the first two to minimize the
            // error.
            ([1.0 - square * square / 960.0, square / 120.0 - 1.0 / 6.0, 0.0], [-0.5, 1.0 / 24.0, 0.0])
        } else {
            // At most two fifths of a radian. The fourth term of the sine is distributed over the others: x⁷ is close
            // to (112 x⁵ - 56 x³ + 7 x) / 64 on -1 to 1.
            let fourth = -1.0 / 5040.0 / 64.0;
            let sine = [
                1.0 + 7.0 * fourth * square * square * square,
                -1.0 / 6.0 - 56.0 * fourth * square * square,
                1.0 / 120.0 + 112.0 * fourth * square,
            ];
            (sine, [-0.5, 1.0 / 24.0, -1.0 / 720.0])
        };
        let mut coarse = SinCosTable16 {
            sine: [0.0; COARSE],
            cosine: [0.0; COARSE],
            fine_sine: [0.0; 3],
            fine_cosine: [0.0; 3],
        };
        let (mut term, mut power) = (0, step);
        while term < 3 {
            coarse.fine_sine[term] = (fine_sine[term] * power) as f32;
            coarse.fine_cosine[term] = (fine_cosine[term] * power * step) as f32;
            power *= step * step;
            term += 1;
        }
        let mut at = 0;
        while at < COARSE {
            let signed = if at < COARSE / 2 { at as i32 } else { at as i32 - COARSE as i32 };
            let angle = (signed * Self::STEP + Self::STEP / 2) as f64 * step;
            coarse.sine[at] = sine(angle) as f32;
            coarse.cosine[at] = sine(angle + core::f64::consts::FRAC_PI_2) as f32;
            at += 1;
        }
        coarse
    }

    /// Adding this to an integer of less than 23 bits results in the bits of a float whose last bit has the value 1.
    const WHOLE: i32 = 0x4b00_0000;
    /// Subtracting this from such a float results in the distance from the center of a coarse step.
    const MIDDLE: f32 = 8_388_608.0 + (Self::STEP / 2) as f32;
}

impl SinCosTable16<32> {
    /// Sines, negated with `NEGATED`, and cosines of sixteen codes. The lower eleven bits are in `fine`, and the upper
    /// five bits are in `coarse`, starting at bit 0. Higher bits are ignored.
    ///
    /// # Safety
    ///
    /// The processor has AVX-512.
    #[inline(always)]
    pub(super) unsafe fn look_up<const NEGATED: bool>(
        &self,
        coarse: __m512i,
        fine: __m512i,
    ) -> (__m512, __m512) {
        /// `(a & b) | c`
        const AND_OR: i32 = 0xea;
        // SAFETY: the caller guarantees the instructions, and the loads are of whole arrays.
        unsafe {
            let table = |table: &[f32; 32]| {
                let low = _mm512_loadu_ps(table.as_ptr());
                _mm512_permutex2var_ps(low, coarse, _mm512_loadu_ps(table.as_ptr().add(16)))
            };
            let (s, c) = (table(&self.sine), table(&self.cosine));
            let (mask, whole) = (_mm512_set1_epi32(Self::STEP - 1), _mm512_set1_epi32(Self::WHOLE));
            let n = _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<AND_OR>(fine, mask, whole));
            let n = _mm512_sub_ps(n, _mm512_set1_ps(Self::MIDDLE));
            let square = _mm512_mul_ps(n, n);
            let two_terms = |[first, second, _]: [f32; 3]| {
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

impl SinCosTable16<8> {
    /// Sines, negated with `NEGATED`, and cosines of eight codes. The lower thirteen bits are in `fine`, and the upper
    /// three bits are in `coarse`, starting at bit 0. Higher bits are ignored.
    ///
    /// # Safety
    ///
    /// The processor has AVX2.
    #[inline(always)]
    pub(super) unsafe fn look_up<const NEGATED: bool>(
        &self,
        coarse: __m256i,
        fine: __m256i,
    ) -> (__m256, __m256) {
        // SAFETY: the caller guarantees the instructions, and the loads are of whole arrays.
        unsafe {
            let s = _mm256_permutevar8x32_ps(_mm256_loadu_ps(self.sine.as_ptr()), coarse);
            let c = _mm256_permutevar8x32_ps(_mm256_loadu_ps(self.cosine.as_ptr()), coarse);
            let n = _mm256_and_si256(fine, _mm256_set1_epi32(Self::STEP - 1));
            let n = _mm256_castsi256_ps(_mm256_or_si256(n, _mm256_set1_epi32(Self::WHOLE)));
            let n = _mm256_sub_ps(n, _mm256_set1_ps(Self::MIDDLE));
            let square = _mm256_mul_ps(n, n);
            let [s0, s1, s2] = self.fine_sine;
            let fine_s = _mm256_fmadd_ps(_mm256_set1_ps(s2), square, _mm256_set1_ps(s1));
            let fine_s = _mm256_mul_ps(_mm256_fmadd_ps(fine_s, square, _mm256_set1_ps(s0)), n);
            let [c0, c1, c2] = self.fine_cosine;
            let fine_c = _mm256_fmadd_ps(_mm256_set1_ps(c2), square, _mm256_set1_ps(c1));
            let fine_c = _mm256_mul_ps(_mm256_fmadd_ps(fine_c, square, _mm256_set1_ps(c0)), square);
            let almost_s = _mm256_fmadd_ps(s, fine_c, s);
            let sine = if NEGATED {
                _mm256_fnmsub_ps(c, fine_s, almost_s)
            } else {
                _mm256_fmadd_ps(c, fine_s, almost_s)
            };
            (sine, _mm256_fnmadd_ps(s, fine_s, _mm256_fmadd_ps(c, fine_c, c)))
        }
    }
}
