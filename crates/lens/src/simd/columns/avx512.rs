//! Columns in registers of AVX-512.

use core::arch::x86_64::*;

use super::Columns;
use crate::simd::avx512::store_triples;
use crate::simd::direction_table::angles::ZENITH_AZIMUTH;
use crate::simd::instructions;
use crate::simd::isa::Avx512;
use crate::simd::lanes::Lanes;
use crate::simd::position_normal::PositionDirection;
use crate::simd::sincos_table8;
use crate::simd::stream::store_512;

/// For each lane of 64 bits of the first and of the second output, the lane of two registers whose lanes alternate.
const LONG_PAIRS: [[i64; 8]; 2] = [[0, 8, 1, 9, 2, 10, 3, 11], [4, 12, 5, 13, 6, 14, 7, 15]];
/// Like [`LONG_PAIRS`], for two lanes each.
const LONGER_PAIRS: [[i64; 8]; 2] = [[0, 1, 8, 9, 2, 3, 10, 11], [4, 5, 12, 13, 6, 7, 14, 15]];

/// For three registers whose lanes of 64 bits alternate: for each output and lane, the lane of the first two, and the
/// lane of the third.
const TRIPLES: [([i64; 8], [i64; 8], u8); 3] = {
    let mut triples = [([0; 8], [0; 8], 0u8); 3];
    let mut at = 0;
    while at < 24 {
        let (output, lane, element) = (at / 8, at % 8, at as i64 / 3);
        match at % 3 {
            0 => triples[output].0[lane] = element,
            1 => triples[output].0[lane] = 8 + element,
            _ => {
                triples[output].1[lane] = element;
                triples[output].2 |= 1 << lane;
            }
        }
        at += 1;
    }
    triples
};

/// The lanes of sizes that are normal, finite floats.
///
/// # Safety
///
/// The processor has AVX-512.
#[inline(always)]
unsafe fn normal(size: __m512) -> __mmask16 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let least = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(size, _mm512_set1_ps(f32::MIN_POSITIVE));
        _mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(least, size, _mm512_set1_ps(f32::INFINITY))
    }
}

// SAFETY: the requirements of the trait apply; each body uses instructions of AVX-512 with VBMI.
unsafe impl Columns for Avx512 {
    type Tables = sincos_table8::Tables;

    instructions! {
        fn tables(tables: &PositionDirection) -> sincos_table8::Tables { tables.normal.load() }
        fn splat_integer(value: i32) -> __m512i { _mm512_set1_epi32(value) }
        fn and(a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(a, b) }
        fn or(a: __m512i, b: __m512i) -> __m512i { _mm512_or_si512(a, b) }
        fn shift_up<const BITS: u32>(value: __m512i) -> __m512i { _mm512_slli_epi32::<BITS>(value) }
        fn sqrt(value: __m512) -> __m512 { _mm512_sqrt_ps(value) }
        fn abs(value: __m512) -> __m512 { _mm512_abs_ps(value) }
    }

    #[inline(always)]
    unsafe fn with_sign(value: __m512, sign: __m512) -> __m512 {
        /// The second register in lanes whose bit is set, otherwise the first one.
        const PICK: i32 = 0xd8;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (value, sign) = (_mm512_castps_si512(value), _mm512_castps_si512(sign));
            let bit = _mm512_set1_epi32(i32::MIN);
            _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<PICK>(value, sign, bit))
        }
    }

    instructions! {
        fn if_negative(sign: __m512, then: __m512, otherwise: __m512) -> __m512 {
            _mm512_mask_mov_ps(otherwise, _mm512_movepi32_mask(_mm512_castps_si512(sign)), then)
        }
        fn if_greater(a: __m512, b: __m512, then: __m512, otherwise: __m512) -> __m512 {
            _mm512_mask_mov_ps(otherwise, _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b), then)
        }
    }

    instructions! {
        fn all_less(a: __m512, b: __m512) -> bool { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) == 0xffff }
        fn where_normal(size: __m512, value: __m512i) -> __m512i {
            _mm512_maskz_mov_epi32(normal(size), value)
        }
    }

    #[inline(always)]
    unsafe fn clamp(value: __m512) -> __m512 {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let value = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_ORD_Q>(value, value), value);
            _mm512_min_ps(_mm512_max_ps(value, _mm512_set1_ps(-1.0)), _mm512_set1_ps(1.0))
        }
    }

    instructions! {
        fn halves(value: __m512) -> __m512i {
            _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value))
        }
        fn split(pair: [__m512i; 2]) -> [__m512i; 2] {
            {
                let [low, high] = pair.map(|half| _mm512_castsi512_ps(half));
                [_mm512_castps_si512(Self::even(low, high)), _mm512_castps_si512(Self::odd(low, high))]
            }
        }
        fn pair(first: __m512i, second: __m512i) -> [__m512i; 2] {
            [_mm512_unpacklo_epi32(first, second), _mm512_unpackhi_epi32(first, second)]
        }
    }

    #[inline(always)]
    unsafe fn normals<const SPLIT: bool>(
        tables: &sincos_table8::Tables,
        _: *const u8,
        codes: __m512i,
    ) -> [__m512; 3] {
        // SAFETY: guaranteed by the caller.
        unsafe { sincos_table8::directions::<ZENITH_AZIMUTH>(tables, _mm512_srli_epi32::<16>(codes)) }
    }

    instructions! {
        fn store_three<const PAST: bool>(target: *mut u8, words: [__m512i; 3]) {
            store_triples::<PAST>(target, words.map(|words| _mm512_castsi512_ps(words)))
        }
    }

    #[inline(always)]
    unsafe fn store_pairs<const PAIRS: usize, const PAST: bool>(target: *mut u8, pairs: [[__m512i; 2]; 4]) {
        let [a, b, c, d] = pairs;
        // SAFETY: guaranteed by the caller; the arrays are as long as registers.
        unsafe {
            let lanes = |lanes: &[i64; 8]| _mm512_loadu_si512(lanes.as_ptr().cast());
            let alternate = |a, b, order: &[[i64; 8]; 2]| {
                order.each_ref().map(|order| _mm512_permutex2var_epi64(a, lanes(order), b))
            };
            let store = |register: usize, value: __m512i| {
                store_512::<PAST>(target.add(64 * register), _mm512_castsi512_ps(value));
            };
            for half in 0..2 {
                match PAIRS {
                    2 => {
                        let [low, high] = alternate(a[half], b[half], &LONG_PAIRS);
                        store(2 * half, low);
                        store(2 * half + 1, high);
                    }
                    3 => {
                        for (output, (ab, of_c, from_c)) in TRIPLES.iter().enumerate() {
                            let value = _mm512_permutex2var_epi64(a[half], lanes(ab), b[half]);
                            let value = _mm512_mask_permutexvar_epi64(value, *from_c, lanes(of_c), c[half]);
                            store(3 * half + output, value);
                        }
                    }
                    _ => {
                        let ab = alternate(a[half], b[half], &LONG_PAIRS);
                        let cd = alternate(c[half], d[half], &LONG_PAIRS);
                        for quarter in 0..2 {
                            let [low, high] = alternate(ab[quarter], cd[quarter], &LONGER_PAIRS);
                            store(4 * half + 2 * quarter, low);
                            store(4 * half + 2 * quarter + 1, high);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn store_apart(target: *mut u8, stride: usize, [a, b]: [[__m512i; 2]; 2]) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for half in 0..2 {
                // Vertices with even and with odd numbers.
                let rows = [_mm512_unpacklo_epi64(a[half], b[half]), _mm512_unpackhi_epi64(a[half], b[half])];
                for (odd, row) in rows.into_iter().enumerate() {
                    let store = |at: usize, vertex: __m128i| {
                        _mm_storeu_si128(target.add((8 * half + 2 * at + odd) * stride).cast(), vertex);
                    };
                    store(0, _mm512_castsi512_si128(row));
                    store(1, _mm512_extracti32x4_epi32::<1>(row));
                    store(2, _mm512_extracti32x4_epi32::<2>(row));
                    store(3, _mm512_extracti32x4_epi32::<3>(row));
                }
            }
        }
    }
}
