//! Sines and cosines of 16-bit angles by polynomials.
//!
//! A code is first taken to the nearest quarter turn, which is exact in floats; what is left is turned to radians with
//! one rounding, and goes into the polynomials. No step depends on a comparison of floats or on a fused operation, so
//! every level that uses them gives the same bits. AVX-512 has something faster, in `coarse`.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::Kernel;
#[cfg(target_arch = "x86_64")]
use super::coarse::Coarse;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::lanes::Lanes;
use super::{Level, Shape};

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
    const fn new(quarter: f32) -> Turn {
        let radians = core::f64::consts::FRAC_PI_2 / quarter as f64;
        let first = f32::from_bits((radians as f32).to_bits() & 0xffff_8000);
        let second = (radians - first as f64) as f32;
        Turn { quarter, per_quarter: 1.0 / quarter, radians: [first, second] }
    }

    /// Sine and cosine of `code`.
    #[inline]
    pub(crate) fn sine_cosine(self, code: i16) -> (f32, f32) {
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
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    unsafe fn lanes<L: Lanes>(self, code: L::F) -> (L::F, L::F) {
        // SAFETY: as the caller says.
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

/// Added and taken away again, this rounds to a whole number, which stands in the lowest bits meanwhile.
const ROUND: f32 = 12_582_912.0;
/// Of x³, x⁵ and x⁷, for an eighth of a turn either way.
const SINE: [f32; 3] = [-1.666_665_5e-1, 8.332_161e-3, -1.951_529_6e-4];
/// Of x⁴, x⁶ and x⁸.
const COSINE: [f32; 3] = [4.166_664_6e-2, -1.388_731_6e-3, 2.443_315_7e-5];

/// The kernel for a latitude and a longitude.
pub(crate) struct Directions {
    turns: [Turn; 2],
    #[cfg(target_arch = "x86_64")]
    pub(super) coarse: [Coarse; 2],
}

impl Directions {
    /// A latitude and a longitude of so many codes to the quarter turn, multiples of one half below 32768.
    pub(crate) const fn new([latitude, longitude]: [f32; 2]) -> Directions {
        Directions {
            turns: [Turn::new(latitude), Turn::new(longitude)],
            #[cfg(target_arch = "x86_64")]
            coarse: [Coarse::new(latitude as f64), Coarse::new(longitude as f64)],
        }
    }

    /// The direction of one: to the right, up and ahead.
    #[inline]
    pub(crate) fn get(&self, [latitude, longitude]: [i16; 2]) -> [f32; 3] {
        let (sin_lat, cos_lat) = self.turns[0].sine_cosine(latitude);
        let (sin_lon, cos_lon) = self.turns[1].sine_cosine(longitude);
        [cos_lat * sin_lon, -sin_lat, cos_lat * cos_lon]
    }
}

impl Shape for Directions {
    const SIZE: usize = 4;
    const STRIDE: usize = 4;
    const OUT: usize = 12;

    /// Polynomials take longer than memory.
    fn is_streamed(level: Level) -> bool {
        Some(level) == Level::avx512()
    }
}

/// Directions of `N` pairs.
///
/// # Safety
///
/// The processor has the instructions `L`, `4 * N` bytes may be read, and `12 * N` written.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn directions<L: Lanes>(turns: [Turn; 2], source: *const u8, target: *mut u8) {
    // SAFETY: as the caller says.
    unsafe {
        let codes = L::load(source);
        let (sin_lat, cos_lat) = turns[0].lanes::<L>(L::low_half(codes));
        let (sin_lon, cos_lon) = turns[1].lanes::<L>(L::high_half(codes));
        let down = L::negate_by_sign(L::splat(-0.0), sin_lat);
        L::store_triples(target, [L::mul(cos_lat, sin_lon), down, L::mul(cos_lat, cos_lon)]);
    }
}

macro_rules! kernels {
    ($($arch:literal $isa:ident;)*) => {$(
        // SAFETY: a register of pairs is read, and as many triples written.
        #[cfg(target_arch = $arch)]
        unsafe impl Kernel<super::isa::$isa> for Directions {
            const ELEMENTS: usize = <super::isa::$isa as Lanes>::N;
            const READ: usize = 4 * <super::isa::$isa as Lanes>::N;
            const WRITE: usize = 12 * <super::isa::$isa as Lanes>::N;

            #[inline(always)]
            unsafe fn step(&self, source: *const u8, target: *mut u8) {
                // SAFETY: the processor has the instructions, and the caller vouches for the accesses.
                unsafe { directions::<super::isa::$isa>(self.turns, source, target) }
            }
        }
    )*};
}

kernels! {
    "x86_64" Sse41;
    "x86_64" Avx2;
    "aarch64" Neon;
}
