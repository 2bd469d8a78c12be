//! Conversion of floats to half floats.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::Kind;
#[cfg(target_arch = "x86_64")]
use super::block::BLOCK;
use super::block::Values;
use super::convert::Each;
use super::{Level, run_loop};

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

/// Converts as many half floats as fit into both slices.
pub(crate) fn halves(level: Level, values: &[f32], out: &mut [u16]) {
    match level.kind() {
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx2 => unsafe { halves_avx2(values, out) },
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx512f")))]
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
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
        // SAFETY: a `Level` exists only if the processor has its instructions.
        Kind::Avx2 => unsafe { wide_halves_avx2(values, out) },
        #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx512f")))]
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
}
