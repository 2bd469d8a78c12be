//! Sines and cosines of 16-bit angles by polynomials.
//!
//! A code is first taken to the nearest quarter turn, which is exact in floats; what is left is turned to radians with
//! one rounding, and goes into the polynomials. No step depends on a comparison of floats or on a fused operation, so
//! every level gives the same bits.

use super::{Level, Loop, run_loop};

/// How many codes make a quarter turn, and what one is in radians.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    quarter: f32,
    per_quarter: f32,
    /// A code in radians, as a sum: the first part has few bits, so that multiplying it is exact.
    radians: [f32; 2],
}

impl Turn {
    /// `quarter` codes, a multiple of one half below 32768, to the quarter turn.
    pub(crate) const fn new(quarter: f32) -> Turn {
        let radians = core::f64::consts::FRAC_PI_2 / quarter as f64;
        let first = f32::from_bits((radians as f32).to_bits() & 0xffff_8000);
        let second = (radians - first as f64) as f32;
        Turn { quarter, per_quarter: 1.0 / quarter, radians: [first, second] }
    }

    /// Sine and cosine of `code`.
    #[inline(always)]
    pub(crate) fn sine_cosine(self, code: i16) -> (f32, f32) {
        // Added and taken away again, this rounds to a whole number, which stands in the lowest bits meanwhile.
        const ROUND: f32 = 12_582_912.0;
        let code = f32::from(code);
        let rounded = code * self.per_quarter + ROUND;
        let quadrant = rounded.to_bits();
        let rest = code - (rounded - ROUND) * self.quarter;
        let x = rest * self.radians[0] + rest * self.radians[1];
        let square = x * x;
        let sine = ((-1.951_529_6e-4 * square + 8.332_161e-3) * square - 1.666_665_5e-1) * square * x + x;
        let cosine = (2.443_315_7e-5 * square - 1.388_731_6e-3) * square + 4.166_664_6e-2;
        let cosine = 1.0 - (0.5 * square - cosine * (square * square));
        let (sine, cosine) = if quadrant & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
        let negated = |value: f32, quadrant: u32| f32::from_bits(value.to_bits() ^ (quadrant & 2) << 30);
        (negated(sine, quadrant), negated(cosine, quadrant.wrapping_add(1)))
    }
}

/// The direction of a latitude and a longitude: to the right, up and ahead.
#[inline(always)]
pub(crate) fn direction([latitude, longitude]: [i16; 2], turns: [Turn; 2]) -> [f32; 3] {
    let (sin_lat, cos_lat) = turns[0].sine_cosine(latitude);
    let (sin_lon, cos_lon) = turns[1].sine_cosine(longitude);
    [cos_lat * sin_lon, -sin_lat, cos_lat * cos_lon]
}

/// Pairs of packed codes to directions.
struct Directions<'a> {
    bytes: &'a [u8],
    turns: [Turn; 2],
    out: &'a mut [[f32; 3]],
}

/// Directions computed before they are stored.
const BLOCK: usize = 64;

impl Loop for Directions<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let pairs = self.bytes.as_chunks::<4>().0;
        for (out, pairs) in self.out.chunks_mut(BLOCK).zip(pairs.chunks(BLOCK)) {
            // Components apart, so that the compiler sees plain vectors.
            let mut codes = [[0u8; 4]; BLOCK];
            codes[..pairs.len()].copy_from_slice(pairs);
            let [mut x, mut y, mut z] = [[0f32; BLOCK]; 3];
            for lane in 0..BLOCK {
                let [a, b, c, d] = codes[lane];
                let pair = [i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d])];
                [x[lane], y[lane], z[lane]] = direction(pair, self.turns);
            }
            for (lane, out) in out.iter_mut().enumerate() {
                *out = [x[lane], y[lane], z[lane]];
            }
        }
    }
}

/// Decodes packed pairs of codes; `false` where they are not packed.
pub(crate) fn decode(level: Level, turns: [Turn; 2], bytes: &[u8], stride: usize, out: &mut [[f32; 3]]) -> bool {
    if stride == 4 {
        run_loop(level, Directions { bytes, turns, out });
    }
    stride == 4
}
