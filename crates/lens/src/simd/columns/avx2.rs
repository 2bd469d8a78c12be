//! Columns in registers of AVX2.

use core::arch::x86_64::*;

use super::Columns;
use crate::simd::direction_table::Sines;
use crate::simd::instructions;
use crate::simd::isa::Avx2;
use crate::simd::lanes::{self, Lanes};
use crate::simd::position_normal::PositionDirection;

/// The two codes of a normal, read with a volatile access. Otherwise, the compiler would extract them from the
/// registers that contain the positions, which takes longer.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Codes(u16);

/// All bits in the lanes of sizes that are normal, finite floats.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn normal(size: __m256) -> __m256 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let least = _mm256_cmp_ps::<_CMP_GE_OQ>(size, _mm256_set1_ps(f32::MIN_POSITIVE));
        _mm256_and_ps(least, _mm256_cmp_ps::<_CMP_LT_OQ>(size, _mm256_set1_ps(f32::INFINITY)))
    }
}

// SAFETY: the requirements of the trait apply; each body uses instructions of AVX2, FMA and F16C.
unsafe impl Columns for Avx2 {
    type Tables = &'static Sines;

    #[inline(always)]
    unsafe fn tables(tables: &PositionDirection) -> &'static Sines {
        tables.normal.first
    }

    instructions! {
        fn splat_integer(value: i32) -> __m256i { _mm256_set1_epi32(value) }
        fn and(a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
        fn or(a: __m256i, b: __m256i) -> __m256i { _mm256_or_si256(a, b) }
        fn shift_up<const BITS: u32>(value: __m256i) -> __m256i {
            _mm256_sll_epi32(value, _mm_cvtsi32_si128(BITS as i32))
        }
        fn sqrt(value: __m256) -> __m256 { _mm256_sqrt_ps(value) }
        fn abs(value: __m256) -> __m256 { _mm256_andnot_ps(_mm256_set1_ps(-0.0), value) }
    }

    #[inline(always)]
    unsafe fn with_sign(value: __m256, sign: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller. A negative value, which rounding can cause, loses its own sign.
        unsafe { _mm256_or_ps(Self::abs(value), _mm256_and_ps(_mm256_set1_ps(-0.0), sign)) }
    }

    instructions! {
        fn if_negative(sign: __m256, then: __m256, otherwise: __m256) -> __m256 {
            _mm256_blendv_ps(otherwise, then, sign)
        }
        fn if_greater(a: __m256, b: __m256, then: __m256, otherwise: __m256) -> __m256 {
            _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps::<_CMP_GT_OQ>(a, b))
        }
    }

    instructions! {
        fn all_less(a: __m256, b: __m256) -> bool {
            _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) == 0xff
        }
        fn where_normal(size: __m256, value: __m256i) -> __m256i {
            _mm256_and_si256(value, _mm256_castps_si256(normal(size)))
        }
    }

    #[inline(always)]
    unsafe fn clamp(value: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let value = _mm256_and_ps(value, _mm256_cmp_ps::<_CMP_ORD_Q>(value, value));
            _mm256_min_ps(_mm256_max_ps(value, _mm256_set1_ps(-1.0)), _mm256_set1_ps(1.0))
        }
    }

    instructions! {
        fn halves(value: __m256) -> __m256i {
            _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value))
        }
    }

    #[inline(always)]
    unsafe fn normals<const SPLIT: bool>(
        sines: &&'static Sines,
        source: *const u8,
        _: __m256i,
    ) -> [__m256; 3] {
        // SAFETY: guaranteed by the caller. There is an entry for every byte.
        unsafe {
            let mut codes = [0; 8];
            for (at, codes) in codes.iter_mut().enumerate() {
                *codes = source.add(8 * at + 6).cast::<Codes>().read_volatile().0;
            }
            // The sine and the cosine of one of the codes of each normal.
            let angles = |code: u32| {
                let entry = |at: usize| sines.entry((codes[at] >> code) as u8).cast::<f64>();
                let two = |at: usize| _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd(entry(at)), entry(at + 1)));
                let (second, third) = if SPLIT { (two(4), two(2)) } else { (two(2), two(4)) };
                let (low, high) = (_mm256_set_m128(third, two(0)), _mm256_set_m128(two(6), second));
                (Self::even(low, high), Self::odd(low, high))
            };
            let ((sin_zenith, cos_zenith), (sin_azimuth, cos_azimuth)) = (angles(0), angles(8));
            [_mm256_mul_ps(sin_zenith, cos_azimuth), _mm256_mul_ps(sin_zenith, sin_azimuth), cos_zenith]
        }
    }

    instructions! {
        fn split(pair: [__m256i; 2]) -> [__m256i; 2] {
            {
                let [low, high] = pair.map(|half| _mm256_castsi256_ps(half));
                [_mm256_castps_si256(Self::even(low, high)), _mm256_castps_si256(Self::odd(low, high))]
            }
        }
        fn pair(first: __m256i, second: __m256i) -> [__m256i; 2] {
            [_mm256_unpacklo_epi32(first, second), _mm256_unpackhi_epi32(first, second)]
        }
    }

    instructions! {
        fn store_three<const PAST: bool>(target: *mut u8, words: [__m256i; 3]) {
            lanes::store_triples::<Avx2, PAST>(target, words.map(|words| _mm256_castsi256_ps(words)))
        }
    }

    #[inline(always)]
    unsafe fn store_pairs<const PAIRS: usize, const PAST: bool>(target: *mut u8, pairs: [[__m256i; 2]; 4]) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let row = |row: __m256d| _mm256_castpd_ps(row);
            let low = |a, b| row(_mm256_unpacklo_pd(a, b));
            let high = |a, b| row(_mm256_unpackhi_pd(a, b));
            for half in 0..2 {
                let target = target.add(32 * PAIRS * half);
                let [a, b, c, d] = pairs.map(|pair| _mm256_castsi256_pd(pair[half]));
                match PAIRS {
                    2 => Self::store_rows::<2, PAST>(target, [low(a, b), high(a, b)]),
                    3 => {
                        // The first pair of words of a vertex, after the last pair of the previous vertex.
                        let next = row(_mm256_shuffle_pd::<0b1010>(c, a));
                        Self::store_rows::<3, PAST>(target, [low(a, b), next, high(b, c)]);
                    }
                    _ => {
                        let rows = [low(a, b), low(c, d), high(a, b), high(c, d)];
                        Self::store_rows::<4, PAST>(target, rows);
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn store_apart(target: *mut u8, stride: usize, [a, b]: [[__m256i; 2]; 2]) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for half in 0..2 {
                // Vertices with even and with odd numbers.
                let rows = [_mm256_unpacklo_epi64(a[half], b[half]), _mm256_unpackhi_epi64(a[half], b[half])];
                for (odd, row) in rows.into_iter().enumerate() {
                    let store = |at: usize, vertex: __m128i| {
                        _mm_storeu_si128(target.add((4 * half + 2 * at + odd) * stride).cast(), vertex);
                    };
                    store(0, _mm256_castsi256_si128(row));
                    store(1, _mm256_extracti128_si256::<1>(row));
                }
            }
        }
    }
}
