//! Conversion of floats to the formats of vertex buffers.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::Kind;
#[cfg(target_arch = "x86_64")]
use super::block::BLOCK;
use super::block::Values;
use super::{Level, Loop, run_loop};
use crate::vertex_format::missing;

/// A half float with the value nearest to `value`, ties to even. NaN keeps its sign and the upper bits of its payload.
#[inline]
pub(crate) fn half(value: f32) -> u16 {
    const INFINITY: u32 = 0x7f80_0000;
    /// The smallest normal half float, 2^-14.
    const LEAST_NORMAL: u32 = 0x3880_0000;
    /// Adding this to a smaller float shifts its bits to their positions in a half float, with rounding.
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
        // A value that needs a larger exponent is infinite.
        normal.min(0x7c00)
    };
    (sign | half) as u16
}

/// Adding this to a float rounds it to an integer, ties to even, in the lowest bits of the sum.
const ROUND: f32 = 12_582_912.0;

/// A number from 0 to 1 as a multiple of `1 / largest`, rounded to the nearest, ties to even. Numbers outside this
/// range are clamped; NaN becomes 0.
#[inline]
pub(crate) fn unorm(value: f32, largest: f32) -> i32 {
    // NaN is not greater.
    let value = if value > 0.0 { value } else { 0.0 };
    let value = if value < 1.0 { value } else { 1.0 };
    (value * largest + ROUND).to_bits().wrapping_sub(ROUND.to_bits()).cast_signed()
}

/// Like [`unorm`], for a number from -1 to 1.
#[inline]
pub(crate) fn snorm(value: f32, largest: f32) -> i32 {
    let value = if value.is_nan() { 0.0 } else { value };
    let value = if value > -1.0 { value } else { -1.0 };
    let value = if value < 1.0 { value } else { 1.0 };
    (value * largest + ROUND).to_bits().wrapping_sub(ROUND.to_bits()).cast_signed()
}

/// A direction of any length on the octahedron, unfolded into the square from -1 to 1: two signed normalized integers
/// of `BITS` bits, 8 or 16, in the first bytes in memory of a word whose other bytes are 0. A vector without a
/// direction becomes +Z. This is a vector whose sum of magnitudes of components is 0, subnormal, infinite or NaN.
#[inline(always)]
pub(crate) fn octahedral<const BITS: u32>([x, y, z]: [f32; 3]) -> u32 {
    let largest = ((1u32 << (BITS - 1)) - 1) as f32;
    let (across, up) = (x.abs(), y.abs());
    let size = across + up + z.abs();
    let scale = 1.0 / size;
    let (u, v) = (across * scale, up * scale);
    // The lower half is folded outward.
    let (u, v) = if z.is_sign_negative() { (1.0 - v, 1.0 - u) } else { (u, v) };
    let code = |value: f32| (value * largest + ROUND).to_bits() & ((1 << BITS) - 1);
    let word = code(u.copysign(x)) | code(v.copysign(y)) << BITS;
    let word = if (f32::MIN_POSITIVE..f32::INFINITY).contains(&size) { word } else { 0 };
    match (cfg!(target_endian = "big"), BITS) {
        (false, _) => word,
        (true, 8) => word.to_le(),
        (true, _) => word.rotate_left(16),
    }
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

/// Converts as many half floats as fit into both slices.
pub(crate) fn halves(level: Level, values: &[f32], out: &mut [u16]) {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx2 => unsafe { halves_avx2(values, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Level` exists only if the processor has its instructions.
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

/// Values of three floats as half floats, each followed by 1: as many as fit in `out`, and at most a block. Returns the
/// number of converted values.
pub(crate) fn wide_halves(level: Level, values: &Values, out: &mut [[u16; 4]]) -> usize {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx2 => unsafe { wide_halves_avx2(values, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx512 => unsafe { wide_halves_avx512(values, out) },
        // On other processors, the parameters are unused.
        _ => {
            let _ = (values, out);
            0
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn wide_halves_avx2(values: &Values, out: &mut [[u16; 4]]) -> usize {
    let pairs = (out.len() / 2).min(BLOCK / 2);
    let one = _mm256_set1_ps(1.0);
    for pair in 0..pairs {
        // SAFETY: both loads are inside the four floats of each element of a block, and the store is inside `out`.
        unsafe {
            let source = values.0.as_ptr().add(6 * pair);
            let first = _mm256_castps128_ps256(_mm_loadu_ps(source));
            let both = _mm256_insertf128_ps::<1>(first, _mm_loadu_ps(source.add(3)));
            let wide = _mm256_blend_ps::<0b1000_1000>(both, one);
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide);
            _mm_storeu_si128(out.as_mut_ptr().add(2 * pair).cast(), halves);
        }
    }
    2 * pairs
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn wide_halves_avx512(values: &Values, out: &mut [[u16; 4]]) -> usize {
    let fours = (out.len() / 4).min(BLOCK / 4);
    let one = _mm512_set1_ps(1.0);
    let spread = _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    for four in 0..fours {
        // SAFETY: the load is inside the four floats of each element of a block, and the store is inside `out`.
        unsafe {
            let packed = _mm512_loadu_ps(values.0.as_ptr().add(12 * four));
            let wide = _mm512_mask_permutexvar_ps(one, 0x7777, spread, packed);
            let halves = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide);
            _mm256_storeu_si256(out.as_mut_ptr().add(4 * four).cast(), halves);
        }
    }
    4 * fours
}

/// Normalized integers: 32767 is 1.
pub(crate) fn snorm16(level: Level, values: &[f32], out: &mut [i16]) {
    run_loop(level, Each { values, out, each: |value| snorm(value, 32767.0) as i16 });
}

/// Normalized integers: 127 is 1.
pub(crate) fn snorm8(level: Level, values: &[f32], out: &mut [i8]) {
    run_loop(level, Each { values, out, each: |value| snorm(value, 127.0) as i8 });
}

/// Normalized integers: 65535 is 1.
pub(crate) fn unorm16(level: Level, values: &[f32], out: &mut [u16]) {
    run_loop(level, Each { values, out, each: |value| unorm(value, 65535.0) as u16 });
}

/// Normalized integers: 255 is 1.
pub(crate) fn unorm8(level: Level, values: &[f32], out: &mut [u8]) {
    run_loop(level, Each { values, out, each: |value| unorm(value, 255.0) as u8 });
}

struct Widen<'a, const FROM: usize, const TO: usize> {
    values: &'a Values,
    wide: &'a mut Values,
    count: usize,
}

impl<const FROM: usize, const TO: usize> Loop for Widen<'_, FROM, TO> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let (values, wide) = (self.values.0.as_chunks::<FROM>().0, self.wide.0.as_chunks_mut::<TO>().0);
        for (wide, value) in wide.iter_mut().zip(values).take(self.count) {
            *wide = core::array::from_fn(|at| if at < FROM { value[at] } else { missing(at) });
        }
    }
}

/// The first `count` values with `to` components instead of `from`.
pub(crate) fn widen(level: Level, values: &Values, from: usize, to: usize, count: usize, wide: &mut Values) {
    match (from, to) {
        (1, 2) => run_loop(level, Widen::<1, 2> { values, wide, count }),
        (1, 3) => run_loop(level, Widen::<1, 3> { values, wide, count }),
        (1, _) => run_loop(level, Widen::<1, 4> { values, wide, count }),
        (2, 3) => run_loop(level, Widen::<2, 3> { values, wide, count }),
        (2, _) => run_loop(level, Widen::<2, 4> { values, wide, count }),
        _ => run_loop(level, Widen::<3, 4> { values, wide, count }),
    }
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
        // Halfway between neighbors, and close to it.
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
                    for neighbor in [found.wrapping_add(1), found.wrapping_sub(1)] {
                        let wrong = error(neighbor) < error(*found)
                            || error(neighbor) == error(*found) && found & 1 == 1 && float64 != 0.0;
                        assert!(!wrong, "{level}: {float} became {found:#x}");
                    }
                }
                assert_eq!(half(*float), *found, "{level} {float}");
            }
        }
    }

    #[test]
    fn normalized_integers_are_rounded_and_clamped() {
        let found = [-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0, f32::NAN].map(|value| snorm(value, 127.0));
        assert_eq!(found, [-127, -127, -64, 0, 32, 127, 127, 0]);
        assert_eq!([-1.0, 0.5, 2.0, f32::NAN].map(|value| unorm(value, 65535.0)), [0, 32768, 65535, 0]);
    }

    #[test]
    fn the_octahedron_has_its_corners() {
        let unfolded = |direction: [f32; 3]| {
            let codes: [i16; 2] = bytemuck::cast(octahedral::<16>(direction));
            codes.map(|code| f32::from(code) / 32767.0)
        };
        let bytes = |direction: [f32; 3]| octahedral::<8>(direction).to_ne_bytes();
        assert_eq!(unfolded([0.0, 0.0, 1.0]), [0.0, 0.0]);
        assert_eq!(unfolded([1.0, 0.0, 0.0]), [1.0, 0.0]);
        assert_eq!(unfolded([0.0, -2.0, 0.0]), [0.0, -1.0]);
        assert_eq!(unfolded([0.0, 0.0, -1.0]), [1.0, 1.0]);
        assert_eq!(unfolded([-0.0, -0.0, -1.0]), [-1.0, -1.0]);
        assert_eq!(bytes([1.0, 1.0, -2.0]), [0x5f, 0x5f, 0, 0], "0.75 of 127 is 95.25");
        assert_eq!(bytes([-1.0, 2.0, -1.0]), [0xc0, 0x5f, 0, 0], "-0.5 of 127 is -63.5, which rounds to -64");
    }

    #[test]
    fn vectors_without_a_direction_become_the_up_direction() {
        let (nan, infinity) = (f32::NAN, f32::INFINITY);
        let without = [
            [0.0, 0.0, 0.0],
            [-0.0, 0.0, -0.0],
            [1e-40, -1e-40, -1e-40],
            [1.0, nan, -1.0],
            [-nan, nan, -nan],
            [infinity, 1.0, -1.0],
            [-infinity, -infinity, -infinity],
            [f32::MAX, 0.0, -f32::MAX],
        ];
        for direction in without {
            assert_eq!(octahedral::<16>(direction), 0, "{direction:?}");
        }
        assert_ne!(octahedral::<16>([f32::MIN_POSITIVE, 0.0, 0.0]), 0);
        assert_ne!(octahedral::<16>([0.0, 0.0, -f32::MAX]), 0);
    }
}
