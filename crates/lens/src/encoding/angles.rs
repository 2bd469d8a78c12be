//! Sines for tables that are made at compile time.

use core::f64::consts::{FRAC_PI_2, PI, TAU};

/// Sine by its series, after folding the angle into a quarter turn, where 20 terms leave no error an f32 could show.
pub(super) const fn sine(angle: f64) -> f64 {
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
    // A quarter turn is not a float: what is left of its sine's zero must not look like a tiny normal.
    if sum.abs() < 1e-15 { 0.0 } else { sum }
}

/// Sine and cosine of every angle that one byte can name.
pub(super) struct Angles {
    pub(super) sine: [f32; 256],
    pub(super) cosine: [f32; 256],
}

impl Angles {
    /// Sine and cosine.
    #[inline]
    pub(super) fn get(&self, code: u8) -> (f32, f32) {
        let index = usize::from(code);
        // Both arrays have an entry for every byte, so the default never shows.
        let sine = self.sine.get(index).copied().unwrap_or_default();
        let cosine = self.cosine.get(index).copied().unwrap_or_default();
        (sine, cosine)
    }
}
