//! Sines and cosines for tables that are computed at compile time.

use core::f64::consts::{FRAC_PI_2, PI, TAU};

/// The sine by its series, after reducing the angle to the first quarter turn. With 20 terms, the error there is
/// smaller than the precision of f32.
pub(crate) const fn sine(angle: f64) -> f64 {
    let mut x = angle;
    while x > PI {
        x -= TAU;
    }
    while x < -PI {
        x += TAU;
    }
    if x > FRAC_PI_2 {
        x = PI - x;
    } else if x < -FRAC_PI_2 {
        x = -PI - x;
    }
    let mut term = x;
    let mut sum = x;
    let mut n = 1.0;
    while n < 20.0 {
        term *= -x * x / ((2.0 * n) * (2.0 * n + 1.0));
        sum += term;
        n += 1.0;
    }
    // A quarter turn is not exactly representable, so a sine that should be 0 may be a tiny number.
    if sum.abs() < 1e-15 { 0.0 } else { sum }
}

/// The sines and cosines of the coarse part of an angle (the upper five bits of its code) and of its fine part (the
/// lower three).
///
/// They are few enough to fit in registers (AVX-512); two fused multiplications combine them. The tables of all codes
/// are computed with the same operations, so that the bits are the same at every level.
#[repr(C, align(64))]
pub(crate) struct Steps {
    pub(crate) sine: [f32; 32],
    pub(crate) cosine: [f32; 32],
    /// The sines of the eight fine parts, twice: for codes below 128, and for the other codes.
    pub(crate) fine_sine: [f32; 16],
    /// The cosines minus 1, which keeps their precision.
    pub(crate) fine_cosine: [f32; 16],
}

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs at compile time only")]
impl Steps {
    /// The angles `offset + code * step`, for signed or unsigned codes.
    pub(crate) const fn new(offset: f64, step: f64, signed: bool) -> Steps {
        Steps::with_halves(offset, step, [0.0, if signed { -256.0 } else { 0.0 }], [0.0; 2])
    }

    /// The angles `code * step` of signed codes, shifted away from zero by half a step. Code 0 has an angle of 0 without
    /// its fine part.
    pub(crate) const fn outward(step: f64) -> Steps {
        Steps::with_halves(0.0, step, [0.0, -256.0], [0.5, -0.5])
    }

    /// The angles `code * step` of unsigned codes, increased by half a step; a full turn is 255 steps. Without their
    /// fine parts, code 0 has an angle of 0, and code 128 an angle of half a turn.
    pub(crate) const fn with_poles(step: f64) -> Steps {
        Steps::with_halves(0.0, step, [0.0, -0.5], [0.5, 1.0])
    }

    /// Adds steps to the coarse and to the fine angles: the first number for codes below 128, and the second for the
    /// others.
    const fn with_halves(offset: f64, step: f64, coarse_more: [f64; 2], fine_more: [f64; 2]) -> Steps {
        let mut steps =
            Steps { sine: [0.0; 32], cosine: [0.0; 32], fine_sine: [0.0; 16], fine_cosine: [0.0; 16] };
        let mut coarse = 0;
        while coarse < 32 {
            let angle = offset + ((8 * coarse) as f64 + coarse_more[coarse / 16]) * step;
            steps.sine[coarse] = sine(angle) as f32;
            steps.cosine[coarse] = sine(angle + FRAC_PI_2) as f32;
            coarse += 1;
        }
        let mut fine = 0;
        while fine < 16 {
            let angle = ((fine % 8) as f64 + fine_more[fine / 8]) * step;
            let half = sine(angle / 2.0);
            steps.fine_sine[fine] = sine(angle) as f32;
            steps.fine_cosine[fine] = (-2.0 * half * half) as f32;
            fine += 1;
        }
        steps
    }

    /// Computes the sine and the cosine of every code.
    pub(crate) const fn angles(&self) -> Angles {
        let mut angles = Angles { sine: [0.0; 256], cosine: [0.0; 256] };
        let mut code = 0;
        while code < 256 {
            let (coarse, fine) = (code >> 3, code & 7 | code >> 7 << 3);
            let (s, c) = (self.sine[coarse], self.cosine[coarse]);
            let (fine_s, fine_c) = (self.fine_sine[fine], self.fine_cosine[fine]);
            angles.sine[code] = fused(s, fine_c, fused(c, fine_s, s));
            angles.cosine[code] = fused(c, fine_c, fused(-s, fine_s, c));
            code += 1;
        }
        angles
    }
}

/// `a * b + c`, rounded once. The product is exact in f64, and rounding the sum to f64 first does not change the result
/// for the arguments here.
#[allow(clippy::arithmetic_side_effects, reason = "of floats")]
const fn fused(a: f32, b: f32, c: f32) -> f32 {
    (a as f64 * b as f64 + c as f64) as f32
}

/// The sine and the cosine of every code of one byte.
pub(crate) struct Angles {
    pub(crate) sine: [f32; 256],
    pub(crate) cosine: [f32; 256],
}

impl Angles {
    /// The sine and the cosine of `code`.
    #[inline]
    pub(crate) fn get(&self, code: u8) -> (f32, f32) {
        let index = usize::from(code);
        // Both arrays have an entry for every byte: the default is never used.
        let sine = self.sine.get(index).copied().unwrap_or_default();
        let cosine = self.cosine.get(index).copied().unwrap_or_default();
        (sine, cosine)
    }
}
