//! Registers that contain one component of several vertices each. They are converted to words of vertex buffers and
//! stored as whole vertices (AVX2 and AVX-512).

use core::arch::x86_64::*;

use super::isa::{Avx2, Avx512};
use super::lanes::{self, Lanes};
use super::position_normal::PositionDirection;
use super::sincos_table8;
use super::stream::store_512;

/// Adding this to a float rounds it to a whole number, ties to even, in the lowest bits of the sum.
const ROUND: f32 = 12_582_912.0;
/// The half float 1 in the upper half of a word.
const HALF_ONE: i32 = 0x3c00 << 16;

/// Two neighboring words of `N` vertices, in the order that [`store_pairs`](Columns::store_pairs) takes.
pub(super) type Pair<I> = [I; 2];

/// Registers for columns. The scalar conversions of `convert` define the results.
///
/// # Safety
///
/// The functions may only be called where the processor has the instructions of the implementor. Those with a pointer
/// access the documented number of bytes.
pub(super) unsafe trait Columns: Lanes {
    unsafe fn splat_integer(value: i32) -> Self::I;
    unsafe fn and(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn or(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn shift_up<const BITS: u32>(value: Self::I) -> Self::I;
    unsafe fn sqrt(value: Self::F) -> Self::F;
    unsafe fn abs(value: Self::F) -> Self::F;
    /// `value`, which is not negative, with the sign of `sign`.
    unsafe fn with_sign(value: Self::F, sign: Self::F) -> Self::F;
    /// `then` where `sign` is negative (a negative zero too), else `otherwise`.
    unsafe fn if_negative(sign: Self::F, then: Self::F, otherwise: Self::F) -> Self::F;
    /// `then` where `a` is greater than `b`, else `otherwise`.
    unsafe fn if_greater(a: Self::F, b: Self::F, then: Self::F, otherwise: Self::F) -> Self::F;
    /// `value` where `size` is a normal, finite float, else 0.
    unsafe fn where_normal(size: Self::F, value: Self::I) -> Self::I;
    /// Numbers clamped to -1 to 1; NaN becomes 0.
    unsafe fn clamp(value: Self::F) -> Self::F;
    /// Half floats, each in the lower half of a lane whose upper half is 0.
    unsafe fn halves(value: Self::F) -> Self::I;
    /// The normals of `N` records of eight bytes; `codes` are their last four bytes.
    unsafe fn normals(tables: &PositionDirection, source: *const u8, codes: Self::I) -> [Self::F; 3];
    unsafe fn pair(first: Self::I, second: Self::I) -> Pair<Self::I>;
    /// Pairs of words, from `8 * N` bytes.
    unsafe fn load_pair(source: *const u8) -> Pair<Self::I>;
    /// Stores `N` vertices of three words, past the cache if `PAST`; the target is aligned then.
    unsafe fn store_three<const PAST: bool>(target: *mut u8, words: [Self::I; 3]);
    /// Stores `N` vertices of `PAIRS` pairs of words, 2 to 4, past the cache if `PAST`; the target is aligned then.
    unsafe fn store_pairs<const PAIRS: usize, const PAST: bool>(target: *mut u8, pairs: [Pair<Self::I>; 4]);
}

/// `a * (1 - t) + b * t`.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn blend<L: Columns>(a: [L::F; 3], b: [L::F; 3], t: f32) -> [L::F; 3] {
    let mut blended = a;
    for (a, b) in blended.iter_mut().zip(b) {
        // SAFETY: guaranteed by the caller.
        *a = unsafe { L::add(L::mul(*a, L::splat(1.0 - t)), L::mul(b, L::splat(t))) };
    }
    blended
}

/// Directions of length 1, unless they are too short to have a direction.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn normalize<L: Columns>([x, y, z]: [L::F; 3]) -> [L::F; 3] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let length = L::sqrt(L::add(L::add(L::mul(x, x), L::mul(y, y)), L::mul(z, z)));
        let one = L::splat(1.0);
        let scale = L::if_greater(length, L::splat(1e-6), L::div(one, length), one);
        [L::mul(x, scale), L::mul(y, scale), L::mul(z, scale)]
    }
}

/// The lowest bits of numbers from -1 to 1 as multiples of `1 / largest`.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
unsafe fn codes<L: Columns>(value: L::F, largest: f32, mask: i32) -> L::I {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let sum = L::add(L::mul(value, L::splat(largest)), L::splat(ROUND));
        L::and(L::bits(sum), L::splat_integer(mask))
    }
}

/// Directions on the octahedron, with the result of [`octahedral`](super::convert::octahedral).
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn octahedral<L: Columns, const BITS: u32>([x, y, z]: [L::F; 3]) -> L::I {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let one = L::splat(1.0);
        let (across, up) = (L::abs(x), L::abs(y));
        let size = L::add(L::add(across, up), L::abs(z));
        let scale = L::div(one, size);
        let (u, v) = (L::mul(across, scale), L::mul(up, scale));
        let folded_u = L::if_negative(z, L::sub(one, v), u);
        let folded_v = L::if_negative(z, L::sub(one, u), v);
        let (largest, mask) = (((1 << (BITS - 1)) - 1) as f32, (1 << BITS) - 1);
        let low = codes::<L>(L::with_sign(folded_u, x), largest, mask);
        let high = codes::<L>(L::with_sign(folded_v, y), largest, mask);
        L::where_normal(size, L::or(low, L::shift_up::<BITS>(high)))
    }
}

/// Four normalized integers of 8 bits, the last one 1. Without `CLAMPED`, components are numbers from -1 to 1.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn snorm8<L: Columns, const CLAMPED: bool>(direction: [L::F; 3]) -> L::I {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // Not `map`: closures that are not inlined would not have the instructions.
        let [x, y, z] = direction;
        let (x, y, z) = if CLAMPED { (L::clamp(x), L::clamp(y), L::clamp(z)) } else { (x, y, z) };
        let [x, y, z] = [codes::<L>(x, 127.0, 0xff), codes::<L>(y, 127.0, 0xff), codes::<L>(z, 127.0, 0xff)];
        let low = L::or(x, L::shift_up::<8>(y));
        L::or(low, L::or(L::shift_up::<16>(z), L::splat_integer(127 << 24)))
    }
}

/// Three half floats and the half float 1, as two words.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
pub(super) unsafe fn halves<L: Columns>([x, y, z]: [L::F; 3]) -> [L::I; 2] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        [
            L::or(L::halves(x), L::shift_up::<16>(L::halves(y))),
            L::or(L::halves(z), L::splat_integer(HALF_ONE)),
        ]
    }
}

// SAFETY: the requirements are those of the trait; each body uses instructions of AVX2, FMA and F16C.
unsafe impl Columns for Avx2 {
    #[inline(always)]
    unsafe fn splat_integer(value: i32) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn and(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn or(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn shift_up<const BITS: u32>(value: __m256i) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_sll_epi32(value, _mm_cvtsi32_si128(BITS as i32)) }
    }

    #[inline(always)]
    unsafe fn sqrt(value: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_sqrt_ps(value) }
    }

    #[inline(always)]
    unsafe fn abs(value: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), value) }
    }

    #[inline(always)]
    unsafe fn with_sign(value: __m256, sign: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller. A negative value, which rounding can cause, loses its own sign.
        unsafe { _mm256_or_ps(Self::abs(value), _mm256_and_ps(_mm256_set1_ps(-0.0), sign)) }
    }

    #[inline(always)]
    unsafe fn if_negative(sign: __m256, then: __m256, otherwise: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_blendv_ps(otherwise, then, sign) }
    }

    #[inline(always)]
    unsafe fn if_greater(a: __m256, b: __m256, then: __m256, otherwise: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps::<_CMP_GT_OQ>(a, b)) }
    }

    #[inline(always)]
    unsafe fn where_normal(size: __m256, value: __m256i) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let least = _mm256_cmp_ps::<_CMP_GE_OQ>(size, _mm256_set1_ps(f32::MIN_POSITIVE));
            let finite = _mm256_cmp_ps::<_CMP_LT_OQ>(size, _mm256_set1_ps(f32::INFINITY));
            _mm256_and_si256(value, _mm256_castps_si256(_mm256_and_ps(least, finite)))
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

    #[inline(always)]
    unsafe fn halves(value: __m256) -> __m256i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value)) }
    }

    #[inline(always)]
    unsafe fn normals(tables: &PositionDirection, source: *const u8, _: __m256i) -> [__m256; 3] {
        // SAFETY: guaranteed by the caller. Rows are aligned.
        unsafe {
            let [zeniths, azimuths] = tables.rows;
            // Vertices `at` and `at + 4`: x, y, z and an unused lane each.
            let two = |at: usize| {
                let row = |rows: &super::direction_table::Rows, byte: usize| {
                    let low = _mm_load_ps(rows.row(*source.add(8 * at + byte)));
                    let high = _mm_load_ps(rows.row(*source.add(8 * (at + 4) + byte)));
                    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
                };
                _mm256_mul_ps(row(zeniths, 6), row(azimuths, 7))
            };
            let (a, b, c, d) = (two(0), two(1), two(2), two(3));
            let (xy_ab, xy_cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let (z_ab, z_cd) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            [
                _mm256_shuffle_ps::<0b01_00_01_00>(xy_ab, xy_cd),
                _mm256_shuffle_ps::<0b11_10_11_10>(xy_ab, xy_cd),
                _mm256_shuffle_ps::<0b01_00_01_00>(z_ab, z_cd),
            ]
        }
    }

    /// Vertices 0, 1, 4 and 5; 2, 3, 6 and 7.
    #[inline(always)]
    unsafe fn pair(first: __m256i, second: __m256i) -> [__m256i; 2] {
        // SAFETY: guaranteed by the caller.
        unsafe { [_mm256_unpacklo_epi32(first, second), _mm256_unpackhi_epi32(first, second)] }
    }

    #[inline(always)]
    unsafe fn load_pair(source: *const u8) -> [__m256i; 2] {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let load = |at: usize| _mm_loadu_si128(source.add(at).cast());
            [_mm256_set_m128i(load(32), load(0)), _mm256_set_m128i(load(48), load(16))]
        }
    }

    #[inline(always)]
    unsafe fn store_three<const PAST: bool>(target: *mut u8, words: [__m256i; 3]) {
        // SAFETY: guaranteed by the caller.
        unsafe { lanes::store_triples::<Avx2, PAST>(target, words.map(|words| _mm256_castsi256_ps(words))) }
    }

    #[inline(always)]
    unsafe fn store_pairs<const PAIRS: usize, const PAST: bool>(target: *mut u8, pairs: [[__m256i; 2]; 4]) {
        // SAFETY: guaranteed by the caller. Rows of both halves: vertices from 0 on and from 4 on.
        unsafe {
            let pairs = pairs.map(|pair| pair.map(|half| _mm256_castsi256_pd(half)));
            let row = |row: __m256d| _mm256_castpd_ps(row);
            let low = |a, b| row(_mm256_unpacklo_pd(a, b));
            let high = |a, b| row(_mm256_unpackhi_pd(a, b));
            let [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = pairs;
            match PAIRS {
                2 => {
                    let rows = [low(a0, b0), high(a0, b0), low(a1, b1), high(a1, b1)];
                    Self::store_rows::<4, PAST>(target, rows);
                }
                3 => {
                    // The first pair of words of a vertex, after the last pair of the previous vertex.
                    let next = |c, a| row(_mm256_shuffle_pd::<0b1010>(c, a));
                    let rows =
                        [low(a0, b0), next(c0, a0), high(b0, c0), low(a1, b1), next(c1, a1), high(b1, c1)];
                    Self::store_rows::<6, PAST>(target, rows);
                }
                _ => {
                    let rows = [
                        low(a0, b0),
                        low(c0, d0),
                        high(a0, b0),
                        high(c0, d0),
                        low(a1, b1),
                        low(c1, d1),
                        high(a1, b1),
                        high(c1, d1),
                    ];
                    Self::store_rows::<8, PAST>(target, rows);
                }
            }
        }
    }
}

/// For each lane of the first and of the second output, the lane of two registers whose lanes alternate.
const WORD_PAIRS: [[i32; 16]; 2] = {
    let mut lanes = [[0; 16]; 2];
    let mut lane = 0;
    while lane < 32 {
        lanes[lane / 16][lane % 16] = (lane / 2 + lane % 2 * 16) as i32;
        lane += 1;
    }
    lanes
};

/// Like [`WORD_PAIRS`], for lanes of 64 bits.
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

// SAFETY: the requirements are those of the trait; each body uses instructions of AVX-512 with VBMI.
unsafe impl Columns for Avx512 {
    #[inline(always)]
    unsafe fn splat_integer(value: i32) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn and(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    unsafe fn or(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    unsafe fn shift_up<const BITS: u32>(value: __m512i) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_slli_epi32::<BITS>(value) }
    }

    #[inline(always)]
    unsafe fn sqrt(value: __m512) -> __m512 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_sqrt_ps(value) }
    }

    #[inline(always)]
    unsafe fn abs(value: __m512) -> __m512 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_abs_ps(value) }
    }

    #[inline(always)]
    unsafe fn with_sign(value: __m512, sign: __m512) -> __m512 {
        /// The second register in lanes whose bit is set, else the first.
        const PICK: i32 = 0xd8;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (value, sign) = (_mm512_castps_si512(value), _mm512_castps_si512(sign));
            let bit = _mm512_set1_epi32(i32::MIN);
            _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<PICK>(value, sign, bit))
        }
    }

    #[inline(always)]
    unsafe fn if_negative(sign: __m512, then: __m512, otherwise: __m512) -> __m512 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_mask_mov_ps(otherwise, _mm512_movepi32_mask(_mm512_castps_si512(sign)), then) }
    }

    #[inline(always)]
    unsafe fn if_greater(a: __m512, b: __m512, then: __m512, otherwise: __m512) -> __m512 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_mask_mov_ps(otherwise, _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b), then) }
    }

    #[inline(always)]
    unsafe fn where_normal(size: __m512, value: __m512i) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let least = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(size, _mm512_set1_ps(f32::MIN_POSITIVE));
            let both = _mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(least, size, _mm512_set1_ps(f32::INFINITY));
            _mm512_maskz_mov_epi32(both, value)
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

    #[inline(always)]
    unsafe fn halves(value: __m512) -> __m512i {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value)) }
    }

    #[inline(always)]
    unsafe fn normals(tables: &PositionDirection, _: *const u8, codes: __m512i) -> [__m512; 3] {
        // SAFETY: guaranteed by the caller.
        unsafe { sincos_table8::directions(&tables.normal, _mm512_srli_epi32::<16>(codes)) }
    }

    /// Vertices 0 to 7; 8 to 15.
    #[inline(always)]
    unsafe fn pair(first: __m512i, second: __m512i) -> [__m512i; 2] {
        // SAFETY: guaranteed by the caller; the arrays are as long as registers.
        unsafe {
            WORD_PAIRS.each_ref().map(|lanes| {
                _mm512_permutex2var_epi32(first, _mm512_loadu_si512(lanes.as_ptr().cast()), second)
            })
        }
    }

    #[inline(always)]
    unsafe fn load_pair(source: *const u8) -> [__m512i; 2] {
        // SAFETY: guaranteed by the caller.
        unsafe { [_mm512_loadu_si512(source.cast()), _mm512_loadu_si512(source.add(64).cast())] }
    }

    #[inline(always)]
    unsafe fn store_three<const PAST: bool>(target: *mut u8, words: [__m512i; 3]) {
        // SAFETY: guaranteed by the caller.
        unsafe { super::avx512::store_triples::<PAST>(target, words.map(|words| _mm512_castsi512_ps(words))) }
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
}
