//! Registers of floats and integers with a common interface, for kernels that mainly consist of arithmetic.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
#[cfg(target_arch = "x86_64")]
use super::stream::{store_128, store_256, store_512};

/// `N` lanes of 32 bits. Every function is one or a few instructions.
///
/// # Safety
///
/// The functions may only be called if the processor has the instructions of the implementor. Functions with a pointer
/// access the documented number of bytes.
pub(crate) unsafe trait Lanes {
    /// Floats.
    type F: Copy;
    /// Integers.
    type I: Copy;
    /// The number of lanes.
    const N: usize;

    unsafe fn splat(value: f32) -> Self::F;
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F;
    /// `then` if the lowest bit of `bits` is set, otherwise `otherwise`.
    unsafe fn if_odd(bits: Self::I, then: Self::F, otherwise: Self::F) -> Self::F;
    /// `value`, negated if bit 1 of `bits` is set.
    unsafe fn negate_by_bit_1(bits: Self::I, value: Self::F) -> Self::F;
    /// `value`, negated if `sign` is negative (including negative zero).
    unsafe fn negate_by_sign(sign: Self::F, value: Self::F) -> Self::F;
    unsafe fn bits(value: Self::F) -> Self::I;
    unsafe fn add_one(value: Self::I) -> Self::I;
    /// The lower 16 bits of each lane, signed, as floats.
    unsafe fn low_half(value: Self::I) -> Self::F;
    /// The upper 16 bits.
    unsafe fn high_half(value: Self::I) -> Self::F;
    /// 65536 times the lower 16 bits of each lane, signed, as floats.
    unsafe fn low_half_65536(value: Self::I) -> Self::F;
    /// 65536 times the upper 16 bits.
    unsafe fn high_half_65536(value: Self::I) -> Self::F;
    /// `N` lanes, from `4 * N` bytes.
    unsafe fn load(source: *const u8) -> Self::I;
    /// The first and the second of `N` pairs of lanes, from `8 * N` bytes.
    unsafe fn load_pairs(source: *const u8) -> [Self::I; 2];
    /// Lanes 0 and 2 of `a`, followed by those of `b`, in each 16 bytes.
    unsafe fn even(a: Self::F, b: Self::F) -> Self::F;
    /// Lanes 1 and 3 of `a`, followed by those of `b`, in each 16 bytes.
    unsafe fn odd(a: Self::F, b: Self::F) -> Self::F;
    /// Lanes 0 and 2 of `a`, followed by lanes 1 and 3 of `b`, in each 16 bytes.
    unsafe fn even_odd(a: Self::F, b: Self::F) -> Self::F;
    /// Stores the first 16 bytes of each register, one after another, then the second 16 bytes if there are any. With
    /// `PAST`, stores bypass the cache, and the target must be aligned.
    unsafe fn store_rows<const ROWS: usize, const PAST: bool>(target: *mut u8, rows: [Self::F; ROWS]);
}

/// Stores `N` triples.
///
/// # Safety
///
/// The processor has the instructions `L`, and `12 * N` bytes may be written, which are aligned if `PAST`.
#[inline(always)]
pub(super) unsafe fn store_triples<L: Lanes, const PAST: bool>(target: *mut u8, [x, y, z]: [L::F; 3]) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let x_y = L::even(x, y); // x0 x2 y0 y2
        let y_z = L::odd(y, z); // y1 y3 z1 z3
        let z_x = L::even_odd(z, x); // z0 z2 x1 x3
        // x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3
        let rows = [L::even(x_y, z_x), L::even_odd(y_z, x_y), L::odd(z_x, y_z)];
        L::store_rows::<3, PAST>(target, rows);
    }
}

/// Stores `N` times nine floats.
///
/// # Safety
///
/// The processor has the instructions `L`, and `36 * N` bytes may be written, which are aligned if `PAST`.
#[inline(always)]
pub(super) unsafe fn store_nines<L: Lanes, const PAST: bool>(target: *mut u8, values: [L::F; 9]) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let [a, b, c, d, e, f, g, h, i] = values;
        // The registers that contain the end of elements 0 and 2, and the end of elements 1 and 3.
        let (a_b, c_d, e_f, g_h) = (L::even(a, b), L::even(c, d), L::even(e, f), L::even(g, h));
        let i_a = L::even_odd(i, a);
        let (b_c, d_e, f_g, h_i) = (L::odd(b, c), L::odd(d, e), L::odd(f, g), L::odd(h, i));
        let rows = [
            L::even(a_b, c_d),
            L::even(e_f, g_h),
            L::even(i_a, b_c),
            L::even(d_e, f_g),
            L::even_odd(h_i, a_b),
            L::odd(c_d, e_f),
            L::odd(g_h, i_a),
            L::odd(b_c, d_e),
            L::odd(f_g, h_i),
        ];
        L::store_rows::<9, PAST>(target, rows);
    }
}

/// The functions that only differ in names between the registers of x86-64.
#[cfg(target_arch = "x86_64")]
macro_rules! lanes_x86 {
    (
        $splat:ident $add:ident $sub:ident $mul:ident $div:ident $max:ident $bits:ident $floats:ident $up:ident $down:ident
        $convert:ident $add_integers:ident $splat_integer:ident $and_integers:ident $xor:ident $and:ident
        $load:ident $shuffle:ident
    ) => {
        lanes_x86! { @binary $add add, $sub sub, $mul mul, $div div, $max max }

        #[inline(always)]
        unsafe fn splat(value: f32) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $splat(value) }
        }

        #[inline(always)]
        unsafe fn negate_by_bit_1(bits: Self::I, value: Self::F) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { Self::negate_by_sign($floats($up::<30>(bits)), value) }
        }

        #[inline(always)]
        unsafe fn negate_by_sign(sign: Self::F, value: Self::F) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $xor(value, $and(sign, $splat(-0.0))) }
        }

        #[inline(always)]
        unsafe fn bits(value: Self::F) -> Self::I {
            // SAFETY: guaranteed by the caller.
            unsafe { $bits(value) }
        }

        #[inline(always)]
        unsafe fn add_one(value: Self::I) -> Self::I {
            // SAFETY: guaranteed by the caller.
            unsafe { $add_integers(value, $splat_integer(1)) }
        }

        #[inline(always)]
        unsafe fn low_half(value: Self::I) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $convert($down::<16>($up::<16>(value))) }
        }

        #[inline(always)]
        unsafe fn high_half(value: Self::I) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $convert($down::<16>(value)) }
        }

        #[inline(always)]
        unsafe fn low_half_65536(value: Self::I) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $convert($up::<16>(value)) }
        }

        #[inline(always)]
        unsafe fn high_half_65536(value: Self::I) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $convert($and_integers(value, $splat_integer(!0xffff))) }
        }

        #[inline(always)]
        unsafe fn load(source: *const u8) -> Self::I {
            // SAFETY: guaranteed by the caller.
            unsafe { $load(source.cast()) }
        }

        #[inline(always)]
        unsafe fn even(a: Self::F, b: Self::F) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $shuffle::<0b10_00_10_00>(a, b) }
        }

        #[inline(always)]
        unsafe fn odd(a: Self::F, b: Self::F) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $shuffle::<0b11_01_11_01>(a, b) }
        }

        #[inline(always)]
        unsafe fn even_odd(a: Self::F, b: Self::F) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $shuffle::<0b11_01_10_00>(a, b) }
        }
    };
    (@binary $($intrinsic:ident $name:ident),*) => {$(
        #[inline(always)]
        unsafe fn $name(a: Self::F, b: Self::F) -> Self::F {
            // SAFETY: guaranteed by the caller.
            unsafe { $intrinsic(a, b) }
        }
    )*};
}

// SAFETY: the requirements of the trait apply; each body uses instructions of SSE4.1.
#[cfg(target_arch = "x86_64")]
unsafe impl Lanes for Sse41 {
    type F = __m128;
    type I = __m128i;
    const N: usize = 4;

    lanes_x86! {
        _mm_set1_ps _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps _mm_max_ps _mm_castps_si128 _mm_castsi128_ps
        _mm_slli_epi32 _mm_srai_epi32 _mm_cvtepi32_ps _mm_add_epi32 _mm_set1_epi32 _mm_and_si128 _mm_xor_ps _mm_and_ps
        _mm_loadu_si128 _mm_shuffle_ps
    }

    #[inline(always)]
    unsafe fn if_odd(bits: __m128i, then: __m128, otherwise: __m128) -> __m128 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm_blendv_ps(otherwise, then, _mm_castsi128_ps(_mm_slli_epi32::<31>(bits))) }
    }

    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [__m128i; 2] {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let low = _mm_castsi128_ps(_mm_loadu_si128(source.cast()));
            let high = _mm_castsi128_ps(_mm_loadu_si128(source.add(16).cast()));
            [_mm_castps_si128(Self::even(low, high)), _mm_castps_si128(Self::odd(low, high))]
        }
    }

    #[inline(always)]
    unsafe fn store_rows<const ROWS: usize, const PAST: bool>(target: *mut u8, rows: [__m128; ROWS]) {
        for (row, values) in rows.into_iter().enumerate() {
            // SAFETY: guaranteed by the caller.
            unsafe { store_128::<PAST>(target.add(16 * row), values) };
        }
    }
}

// SAFETY: the requirements of the trait apply; each body uses instructions of AVX2.
#[cfg(target_arch = "x86_64")]
unsafe impl Lanes for Avx2 {
    type F = __m256;
    type I = __m256i;
    const N: usize = 8;

    lanes_x86! {
        _mm256_set1_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_max_ps _mm256_castps_si256
        _mm256_castsi256_ps _mm256_slli_epi32 _mm256_srai_epi32 _mm256_cvtepi32_ps _mm256_add_epi32 _mm256_set1_epi32
        _mm256_and_si256 _mm256_xor_ps _mm256_and_ps _mm256_loadu_si256 _mm256_shuffle_ps
    }

    #[inline(always)]
    unsafe fn if_odd(bits: __m256i, then: __m256, otherwise: __m256) -> __m256 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm256_blendv_ps(otherwise, then, _mm256_castsi256_ps(_mm256_slli_epi32::<31>(bits))) }
    }

    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [__m256i; 2] {
        // SAFETY: guaranteed by the caller. Pairs 0 and 1 beside 4 and 5, pairs 2 and 3 beside 6 and 7: shuffles stay inside
        // halves.
        unsafe {
            let low = _mm256_castps128_ps256(_mm_loadu_ps(source.cast()));
            let low = _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(source.add(32).cast()));
            let high = _mm256_castps128_ps256(_mm_loadu_ps(source.add(16).cast()));
            let high = _mm256_insertf128_ps::<1>(high, _mm_loadu_ps(source.add(48).cast()));
            [_mm256_castps_si256(Self::even(low, high)), _mm256_castps_si256(Self::odd(low, high))]
        }
    }

    #[inline(always)]
    unsafe fn store_rows<const ROWS: usize, const PAST: bool>(target: *mut u8, rows: [__m256; ROWS]) {
        for pair in 0..ROWS {
            // All first halves are followed by all second halves, two at a time.
            let (a, b) = (rows[2 * pair % ROWS], rows[(2 * pair + 1) % ROWS]);
            // SAFETY: guaranteed by the caller.
            unsafe {
                let both = if 2 * pair + 1 < ROWS {
                    _mm256_permute2f128_ps::<0x20>(a, b)
                } else if 2 * pair < ROWS {
                    _mm256_permute2f128_ps::<0x30>(a, b)
                } else {
                    _mm256_permute2f128_ps::<0x31>(a, b)
                };
                store_256::<PAST>(target.add(32 * pair), both);
            }
        }
    }
}

// SAFETY: the requirements of the trait apply; each body uses instructions of AVX-512.
#[cfg(target_arch = "x86_64")]
unsafe impl Lanes for Avx512 {
    type F = __m512;
    type I = __m512i;
    const N: usize = 16;

    lanes_x86! {
        _mm512_set1_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_max_ps _mm512_castps_si512
        _mm512_castsi512_ps _mm512_slli_epi32 _mm512_srai_epi32 _mm512_cvtepi32_ps _mm512_add_epi32 _mm512_set1_epi32
        _mm512_and_si512 _mm512_xor_ps _mm512_and_ps _mm512_loadu_si512 _mm512_shuffle_ps
    }

    #[inline(always)]
    unsafe fn if_odd(bits: __m512i, then: __m512, otherwise: __m512) -> __m512 {
        // SAFETY: guaranteed by the caller.
        unsafe { _mm512_mask_mov_ps(otherwise, _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1)), then) }
    }

    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [__m512i; 2] {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let (low, high) = (_mm512_loadu_si512(source.cast()), _mm512_loadu_si512(source.add(64).cast()));
            let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            [_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high)]
        }
    }

    #[inline(always)]
    unsafe fn store_rows<const ROWS: usize, const PAST: bool>(target: *mut u8, rows: [__m512; ROWS]) {
        // With this condition, the lane of 16 bytes with number `lane` of row `row` belongs in lane `(lane + row) % 4`
        // of its output.
        const { assert!(ROWS % 4 == 1) };
        // SAFETY: guaranteed by the caller.
        unsafe {
            let mut turned = rows;
            for (row, turned) in turned.iter_mut().enumerate() {
                *turned = match row % 4 {
                    0 => *turned,
                    1 => _mm512_shuffle_f32x4::<0b10_01_00_11>(*turned, *turned),
                    2 => _mm512_shuffle_f32x4::<0b01_00_11_10>(*turned, *turned),
                    _ => _mm512_shuffle_f32x4::<0b00_11_10_01>(*turned, *turned),
                };
            }
            for output in 0..ROWS {
                let row = |lane: usize| turned[(4 * output + lane) % ROWS];
                let value = _mm512_mask_mov_ps(row(0), 0x00f0, row(1));
                let value = _mm512_mask_mov_ps(value, 0x0f00, row(2));
                store_512::<PAST>(target.add(64 * output), _mm512_mask_mov_ps(value, 0xf000, row(3)));
            }
        }
    }
}
