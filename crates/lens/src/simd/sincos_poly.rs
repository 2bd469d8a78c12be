//! Sines and cosines of 16-bit angles by polynomials.
//!
//! First, the nearest quarter turn is subtracted from a code, which is exact in floats. The remainder is converted to
//! radians with one rounding, and is the argument of the polynomials. No step depends on a comparison of floats or on a
//! fused operation, so the bits are the same at every level that uses them. AVX2 and AVX-512 have a faster method in
//! `sincos_table16`.

use super::lanes::Lanes;

/// The number of codes of a quarter turn, and the size of one code in radians.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    quarter: f32,
    per_quarter: f32,
    /// A code in radians, as a sum of two parts. The first part has few bits, so that multiplying it is exact.
    radians: [f32; 2],
}

impl Turn {
    /// Angles with `quarter` codes per quarter turn, which is a multiple of one half below 32768.
    pub(super) const fn new(quarter: f32) -> Turn {
        let radians = core::f64::consts::FRAC_PI_2 / quarter as f64;
        let first = f32::from_bits((radians as f32).to_bits() & 0xffff_8000);
        let second = (radians - first as f64) as f32;
        Turn { quarter, per_quarter: 1.0 / quarter, radians: [first, second] }
    }

    /// Sine and cosine of `code`.
    #[inline]
    pub(super) fn sine_cosine(self, code: i16) -> (f32, f32) {
        let code = f32::from(code);
        let rounded = code * self.per_quarter + ROUND;
        let quadrant = rounded.to_bits();
        let rest = code - (rounded - ROUND) * self.quarter;
        let x = rest * self.radians[0] + rest * self.radians[1];
        let square = x * x;
        let [s0, s1, s2] = SINE;
        let sine = x + ((s2 * square + s1) * square + s0) * square * x;
        let [c0, c1, c2] = COSINE;
        let cosine = (c2 * square + c1) * square + c0;
        let cosine = 1.0 - (0.5 * square - cosine * (square * square));
        let (sine, cosine) = if quadrant & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
        let negated = |value: f32, quadrant: u32| f32::from_bits(value.to_bits() ^ (quadrant & 2) << 30);
        (negated(sine, quadrant), negated(cosine, quadrant.wrapping_add(1)))
    }

    /// The same, in lanes, operation by operation.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`.
    #[inline(always)]
    pub(super) unsafe fn lanes<L: Lanes>(self, code: L::F) -> (L::F, L::F) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let times = |value: L::F, factor: f32| L::mul(value, L::splat(factor));
            let plus = |value: L::F, more: f32| L::add(value, L::splat(more));
            let rounded = plus(times(code, self.per_quarter), ROUND);
            let quadrant = L::bits(rounded);
            let rest = L::sub(code, times(plus(rounded, -ROUND), self.quarter));
            let x = L::add(times(rest, self.radians[0]), times(rest, self.radians[1]));
            let square = L::mul(x, x);
            let [s0, s1, s2] = SINE;
            let sine = plus(L::mul(plus(times(square, s2), s1), square), s0);
            let sine = L::add(x, L::mul(L::mul(sine, square), x));
            let [c0, c1, c2] = COSINE;
            let cosine = plus(L::mul(plus(times(square, c2), c1), square), c0);
            let cosine = L::sub(times(square, 0.5), L::mul(cosine, L::mul(square, square)));
            let cosine = L::sub(L::splat(1.0), cosine);
            let swapped = (L::if_odd(quadrant, cosine, sine), L::if_odd(quadrant, sine, cosine));
            (L::negate_by_bit_1(quadrant, swapped.0), L::negate_by_bit_1(L::add_one(quadrant), swapped.1))
        }
    }
}

/// Adding and subtracting this rounds to an integer. After the addition, the integer is in the lowest bits.
const ROUND: f32 = 12_582_912.0;
/// The coefficients of x³, x⁵ and x⁷ for angles up to an eighth of a turn.
const SINE: [f32; 3] = [-1.666_665_5e-1, 8.332_161e-3, -1.951_529_6e-4];
/// The coefficients of x⁴, x⁶ and x⁸.
const COSINE: [f32; 3] = [4.166_664_6e-2, -1.388_731_6e-3, 2.443_315_7e-5];
