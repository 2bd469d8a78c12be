//! Floats to the formats of vertex buffers, packed.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::Kind;
use super::{Level, Loop, run_loop};

/// A half float with the value nearest to `value`, ties to even. NaN keeps its sign and the upper bits of its payload.
#[inline]
pub(crate) fn half(value: f32) -> u16 {
    const INFINITY: u32 = 0x7f80_0000;
    /// The least float that is not below every half float of full precision, 2^-14.
    const LEAST_NORMAL: u32 = 0x3880_0000;
    /// Added to a float below that, this brings its bits to where a half float has them, rounded.
    const TINY: f32 = 0.5;
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 16) & 0x8000, bits & 0x7fff_ffff);
    let tiny = (f32::from_bits(magnitude) + TINY).to_bits().wrapping_sub(TINY.to_bits());
    let even = (magnitude >> 13) & 1;
    let normal = magnitude.wrapping_sub(0x3800_0000).wrapping_add(0xfff + even) >> 13;
    let nan = 0x7e00 | (magnitude >> 13) & 0x3ff;
    let half = if magnitude > INFINITY {
        nan
    } else if magnitude < LEAST_NORMAL {
        tiny
    } else {
        // What would need a larger exponent is infinite.
        normal.min(0x7c00)
    };
    (sign | half) as u16
}

/// A share of `largest` from -1 (or 0) to 1, rounded to the nearest integer, ties to even. NaN becomes 0.
#[inline]
pub(crate) fn share(value: f32, least: f32, largest: f32) -> i32 {
    /// Added, this rounds to a whole number and leaves it in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let value = if value.is_nan() { 0.0 } else { value };
    let value = if value > least { value } else { least };
    let value = if value < 1.0 { value } else { 1.0 };
    (value * largest + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
}

/// A direction of any length on the octahedron, unfolded into the square from -1 to 1; zero becomes +Z.
#[inline]
pub(crate) fn octahedral([x, y, z]: [f32; 3]) -> [f32; 2] {
    let size = x.abs() + y.abs() + z.abs();
    let scale = if size > 0.0 { 1.0 / size } else { 0.0 };
    let (u, v) = (x * scale, y * scale);
    let (folded_u, folded_v) = ((1.0 - v.abs()).copysign(x), (1.0 - u.abs()).copysign(y));
    if z < 0.0 { [folded_u, folded_v] } else { [u, v] }
}

/// Converts with `each`, value by value.
struct Each<'a, T, F> {
    values: &'a [f32],
    out: &'a mut [T],
    each: F,
}

impl<T, F: Fn(f32) -> T> Loop for Each<'_, T, F> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (out, value) in self.out.iter_mut().zip(self.values) {
            *out = (self.each)(*value);
        }
    }
}

/// As many half floats as both slices have room for.
pub(crate) fn halves(level: Level, values: &[f32], out: &mut [u16]) {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: whoever has a level has its instructions.
        Kind::Avx2 => unsafe { halves_avx2(values, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: whoever has a level has its instructions.
        Kind::Avx512 => unsafe { halves_avx512(values, out) },
        _ => run_loop(level, Each { values, out, each: half }),
    }
}

macro_rules! halves_x86 {
    ($name:ident $features:literal $lanes:literal $load:ident $convert:ident $store:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $name(values: &[f32], out: &mut [u16]) {
            let (values, rest) = values.as_chunks::<$lanes>();
            let (out, rest_out) = out.as_chunks_mut::<$lanes>();
            for (out, values) in out.iter_mut().zip(values) {
                // SAFETY: both arrays are as long as the registers.
                unsafe {
                    let halves = $convert::<_MM_FROUND_TO_NEAREST_INT>($load(values.as_ptr()));
                    $store(out.as_mut_ptr().cast(), halves);
                }
            }
            for (out, value) in rest_out.iter_mut().zip(rest) {
                *out = half(*value);
            }
        }
    };
}

halves_x86!(halves_avx2 "avx2,f16c" 8 _mm256_loadu_ps _mm256_cvtps_ph _mm_storeu_si128);
halves_x86!(halves_avx512 "avx512f" 16 _mm512_loadu_ps _mm512_cvtps_ph _mm256_storeu_si256);

/// Signed shares of 32767.
pub(crate) fn snorm16(level: Level, values: &[f32], out: &mut [i16]) {
    run_loop(level, Each { values, out, each: |value| share(value, -1.0, 32767.0) as i16 });
}

/// Signed shares of 127.
pub(crate) fn snorm8(level: Level, values: &[f32], out: &mut [i8]) {
    run_loop(level, Each { values, out, each: |value| share(value, -1.0, 127.0) as i8 });
}

/// Shares of 65535.
pub(crate) fn unorm16(level: Level, values: &[f32], out: &mut [u16]) {
    run_loop(level, Each { values, out, each: |value| share(value, 0.0, 65535.0) as u16 });
}

/// Shares of 255.
pub(crate) fn unorm8(level: Level, values: &[f32], out: &mut [u8]) {
    run_loop(level, Each { values, out, each: |value| share(value, 0.0, 255.0) as u8 });
}

/// Directions on the octahedron.
struct Octahedral<'a> {
    directions: &'a [[f32; 3]],
    out: &'a mut [[f32; 2]],
}

impl Loop for Octahedral<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (out, direction) in self.out.iter_mut().zip(self.directions) {
            *out = octahedral(*direction);
        }
    }
}

/// As many as both slices have room for.
pub(crate) fn octahedrals(level: Level, directions: &[[f32; 3]], out: &mut [[f32; 2]]) {
    run_loop(level, Octahedral { directions, out });
}

/// `a` becomes `a * (1 - t) + b * t`: exactly `a` at 0 and `b` at 1.
struct Blend<'a> {
    a: &'a mut [f32],
    b: &'a [f32],
    t: f32,
}

impl Loop for Blend<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let rest = 1.0 - self.t;
        for (a, b) in self.a.iter_mut().zip(self.b) {
            *a = *a * rest + *b * self.t;
        }
    }
}

/// Blends `b` into `a`.
pub(crate) fn blend(level: Level, a: &mut [f32], b: &[f32], t: f32) {
    run_loop(level, Blend { a, b, t });
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// The value of a half float, by its definition.
    fn value(half: u16) -> f64 {
        let (exponent, fraction) = (half >> 10 & 31, f64::from(half & 0x3ff));
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if half & 0x3ff == 0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
        };
        if half & 0x8000 == 0 { magnitude } else { -magnitude }
    }

    #[test]
    fn half_floats_are_the_nearest_at_every_level() {
        let mut floats: Vec<f32> = (0..=u16::MAX).map(|half| value(half) as f32).collect();
        // Half way between neighbours, and just beside it.
        for half in 0..0x7bffu16 {
            let middle = ((value(half) + value(half + 1)) / 2.0) as f32;
            floats.extend([
                middle,
                f32::from_bits(middle.to_bits() + 1),
                f32::from_bits(middle.to_bits() - 1),
            ]);
        }
        floats.extend([65504.0, 65519.99, 65520.0, -65520.0, 1e30, f32::INFINITY, f32::NEG_INFINITY, 1e-40]);
        for level in Level::all() {
            let mut halves_found = vec![0; floats.len()];
            halves(level, &floats, &mut halves_found);
            for (float, found) in floats.iter().zip(&halves_found) {
                if float.is_nan() {
                    assert!(value(*found).is_nan());
                    continue;
                }
                let float64 = f64::from(*float);
                let error = |half: u16| (value(half) - float64).abs();
                if value(*found).is_infinite() {
                    assert!(float.abs() >= 65520.0, "{float}");
                } else {
                    assert!(float.abs() < 65520.0, "{float}");
                    for neighbour in [found.wrapping_add(1), found.wrapping_sub(1)] {
                        let wrong = error(neighbour) < error(*found)
                            || error(neighbour) == error(*found) && found & 1 == 1 && float64 != 0.0;
                        assert!(!wrong, "{level}: {float} became {found:#x}");
                    }
                }
                assert_eq!(half(*float), *found, "{level} {float}");
            }
        }
    }

    #[test]
    fn shares_round_and_stop_at_the_ends() {
        let found = [-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0, f32::NAN].map(|value| share(value, -1.0, 127.0));
        assert_eq!(found, [-127, -127, -64, 0, 32, 127, 127, 0]);
        assert_eq!([-1.0, 0.5, 2.0].map(|value| share(value, 0.0, 65535.0)), [0, 32768, 65535]);
    }

    #[test]
    fn the_octahedron_has_its_corners() {
        assert_eq!(octahedral([0.0, 0.0, 1.0]), [0.0, 0.0]);
        assert_eq!(octahedral([1.0, 0.0, 0.0]), [1.0, 0.0]);
        assert_eq!(octahedral([0.0, -2.0, 0.0]), [0.0, -1.0]);
        assert_eq!(octahedral([0.0, 0.0, -1.0]), [1.0, 1.0]);
        assert_eq!(octahedral([0.0; 3]), [0.0, 0.0]);
        assert_eq!(octahedral([1.0, 1.0, -2.0]), [0.75, 0.75]);
    }
}
