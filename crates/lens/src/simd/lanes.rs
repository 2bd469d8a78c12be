//! Registers of floats and integers under one set of names, for kernels that are arithmetic most of all.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Sse41};

/// `N` lanes of 32 bits. Every function is one or a few instructions.
///
/// # Safety
///
/// The functions may only be called where the processor has the instructions of the implementor. Those that take a
/// pointer access as many bytes as they say.
pub(crate) unsafe trait Lanes {
    /// Floats.
    type F: Copy;
    /// Integers.
    type I: Copy;
    /// How many.
    const N: usize;

    unsafe fn splat(value: f32) -> Self::F;
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F;
    /// `a` where `a > 0`, else `b`.
    unsafe fn if_positive(a: Self::F, then: Self::F, otherwise: Self::F) -> Self::F;
    /// `then` where the lowest bit of `bits` is set, else `otherwise`.
    unsafe fn if_odd(bits: Self::I, then: Self::F, otherwise: Self::F) -> Self::F;
    /// `value`, negated where bit 1 of `bits` is set.
    unsafe fn negate_by_bit_1(bits: Self::I, value: Self::F) -> Self::F;
    /// `value`, negated where `sign` is (a negative zero too).
    unsafe fn negate_by_sign(sign: Self::F, value: Self::F) -> Self::F;
    unsafe fn bits(value: Self::F) -> Self::I;
    unsafe fn add_one(value: Self::I) -> Self::I;
    /// The lower 16 bits of each lane, signed, as floats.
    unsafe fn low_half(value: Self::I) -> Self::F;
    /// The upper 16 bits.
    unsafe fn high_half(value: Self::I) -> Self::F;
    /// `N` lanes, from `4 * N` bytes.
    unsafe fn load(source: *const u8) -> Self::I;
    /// The first and the second of `N` pairs of lanes, from `8 * N` bytes.
    unsafe fn load_pairs(source: *const u8) -> [Self::I; 2];
    /// `N` triples, as `12 * N` bytes.
    unsafe fn store_triples(target: *mut u8, values: [Self::F; 3]);
    /// `N` quadruples of 16 bytes, each `stride` bytes behind the one before.
    unsafe fn store_quadruples(target: *mut u8, stride: usize, values: [Self::F; 4]);
}

/// What is the same for every register of x86-64 but for its name.
#[cfg(target_arch = "x86_64")]
macro_rules! lanes_x86 {
    (
        $splat:ident $add:ident $sub:ident $mul:ident $div:ident $bits:ident $floats:ident $up:ident $down:ident
        $convert:ident $add_integers:ident $splat_integer:ident $xor:ident $and:ident $load:ident
    ) => {
        lanes_x86! { @binary $add add, $sub sub, $mul mul, $div div }

        #[inline(always)]
        unsafe fn splat(value: f32) -> Self::F {
            // SAFETY: as the caller says.
            unsafe { $splat(value) }
        }

        #[inline(always)]
        unsafe fn negate_by_bit_1(bits: Self::I, value: Self::F) -> Self::F {
            // SAFETY: as the caller says.
            unsafe { Self::negate_by_sign($floats($up::<30>(bits)), value) }
        }

        #[inline(always)]
        unsafe fn negate_by_sign(sign: Self::F, value: Self::F) -> Self::F {
            // SAFETY: as the caller says.
            unsafe { $xor(value, $and(sign, $splat(-0.0))) }
        }

        #[inline(always)]
        unsafe fn bits(value: Self::F) -> Self::I {
            // SAFETY: as the caller says.
            unsafe { $bits(value) }
        }

        #[inline(always)]
        unsafe fn add_one(value: Self::I) -> Self::I {
            // SAFETY: as the caller says.
            unsafe { $add_integers(value, $splat_integer(1)) }
        }

        #[inline(always)]
        unsafe fn low_half(value: Self::I) -> Self::F {
            // SAFETY: as the caller says.
            unsafe { $convert($down::<16>($up::<16>(value))) }
        }

        #[inline(always)]
        unsafe fn high_half(value: Self::I) -> Self::F {
            // SAFETY: as the caller says.
            unsafe { $convert($down::<16>(value)) }
        }

        #[inline(always)]
        unsafe fn load(source: *const u8) -> Self::I {
            // SAFETY: as the caller says.
            unsafe { $load(source.cast()) }
        }
    };
    (@binary $($intrinsic:ident $name:ident),*) => {$(
        #[inline(always)]
        unsafe fn $name(a: Self::F, b: Self::F) -> Self::F {
            // SAFETY: as the caller says.
            unsafe { $intrinsic(a, b) }
        }
    )*};
}

// SAFETY: as the trait has it; each body uses instructions of SSE4.1.
#[cfg(target_arch = "x86_64")]
unsafe impl Lanes for Sse41 {
    type F = __m128;
    type I = __m128i;
    const N: usize = 4;

    lanes_x86! {
        _mm_set1_ps _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps _mm_castps_si128 _mm_castsi128_ps
        _mm_slli_epi32 _mm_srai_epi32 _mm_cvtepi32_ps _mm_add_epi32 _mm_set1_epi32 _mm_xor_ps _mm_and_ps
        _mm_loadu_si128
    }

    #[inline(always)]
    unsafe fn if_positive(a: __m128, then: __m128, otherwise: __m128) -> __m128 {
        // SAFETY: as the caller says.
        unsafe { _mm_blendv_ps(otherwise, then, _mm_cmpgt_ps(a, _mm_setzero_ps())) }
    }

    #[inline(always)]
    unsafe fn if_odd(bits: __m128i, then: __m128, otherwise: __m128) -> __m128 {
        // SAFETY: as the caller says.
        unsafe { _mm_blendv_ps(otherwise, then, _mm_castsi128_ps(_mm_slli_epi32::<31>(bits))) }
    }

    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [__m128i; 2] {
        // SAFETY: as the caller says.
        unsafe {
            let low = _mm_castsi128_ps(_mm_loadu_si128(source.cast()));
            let high = _mm_castsi128_ps(_mm_loadu_si128(source.add(16).cast()));
            [
                _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high)),
                _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(low, high)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_triples(target: *mut u8, [x, y, z]: [__m128; 3]) {
        // SAFETY: as the caller says.
        unsafe {
            let target = target.cast::<f32>();
            let x_y = _mm_shuffle_ps::<0b10_00_10_00>(x, y); // x0 x2 y0 y2
            let y_z = _mm_shuffle_ps::<0b11_01_11_01>(y, z); // y1 y3 z1 z3
            let z_x = _mm_shuffle_ps::<0b11_01_10_00>(z, x); // z0 z2 x1 x3
            _mm_storeu_ps(target, _mm_shuffle_ps::<0b10_00_10_00>(x_y, z_x));
            _mm_storeu_ps(target.add(4), _mm_shuffle_ps::<0b11_01_10_00>(y_z, x_y));
            _mm_storeu_ps(target.add(8), _mm_shuffle_ps::<0b11_01_11_01>(z_x, y_z));
        }
    }

    #[inline(always)]
    unsafe fn store_quadruples(target: *mut u8, stride: usize, [x, y, z, w]: [__m128; 4]) {
        // SAFETY: as the caller says.
        unsafe {
            let (xy_low, xy_high) = (_mm_unpacklo_ps(x, y), _mm_unpackhi_ps(x, y));
            let (zw_low, zw_high) = (_mm_unpacklo_ps(z, w), _mm_unpackhi_ps(z, w));
            _mm_storeu_ps(target.cast(), _mm_movelh_ps(xy_low, zw_low));
            _mm_storeu_ps(target.add(stride).cast(), _mm_movehl_ps(zw_low, xy_low));
            _mm_storeu_ps(target.add(2 * stride).cast(), _mm_movelh_ps(xy_high, zw_high));
            _mm_storeu_ps(target.add(3 * stride).cast(), _mm_movehl_ps(zw_high, xy_high));
        }
    }
}

// SAFETY: as the trait has it; each body uses instructions of AVX2.
#[cfg(target_arch = "x86_64")]
unsafe impl Lanes for Avx2 {
    type F = __m256;
    type I = __m256i;
    const N: usize = 8;

    lanes_x86! {
        _mm256_set1_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_castps_si256 _mm256_castsi256_ps
        _mm256_slli_epi32 _mm256_srai_epi32 _mm256_cvtepi32_ps _mm256_add_epi32 _mm256_set1_epi32 _mm256_xor_ps
        _mm256_and_ps _mm256_loadu_si256
    }

    #[inline(always)]
    unsafe fn if_positive(a: __m256, then: __m256, otherwise: __m256) -> __m256 {
        // SAFETY: as the caller says.
        unsafe { _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps::<_CMP_GT_OQ>(a, _mm256_setzero_ps())) }
    }

    #[inline(always)]
    unsafe fn if_odd(bits: __m256i, then: __m256, otherwise: __m256) -> __m256 {
        // SAFETY: as the caller says.
        unsafe { _mm256_blendv_ps(otherwise, then, _mm256_castsi256_ps(_mm256_slli_epi32::<31>(bits))) }
    }

    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [__m256i; 2] {
        // SAFETY: as the caller says.
        unsafe {
            // Pairs 0 and 1 beside 4 and 5, pairs 2 and 3 beside 6 and 7: shuffles stay inside halves.
            let half = |low: usize, high: usize| {
                let low = _mm256_castsi128_si256(_mm_loadu_si128(source.add(low).cast()));
                let both = _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(source.add(high).cast()));
                _mm256_castsi256_ps(both)
            };
            let (low, high) = (half(0, 32), half(16, 48));
            [
                _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high)),
                _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(low, high)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_triples(target: *mut u8, [x, y, z]: [__m256; 3]) {
        // SAFETY: as the caller says.
        unsafe {
            let target = target.cast::<f32>();
            // As for four lanes, in both halves; then the halves are sorted.
            let x_y = _mm256_shuffle_ps::<0b10_00_10_00>(x, y);
            let y_z = _mm256_shuffle_ps::<0b11_01_11_01>(y, z);
            let z_x = _mm256_shuffle_ps::<0b11_01_10_00>(z, x);
            let a = _mm256_shuffle_ps::<0b10_00_10_00>(x_y, z_x);
            let b = _mm256_shuffle_ps::<0b11_01_10_00>(y_z, x_y);
            let c = _mm256_shuffle_ps::<0b11_01_11_01>(z_x, y_z);
            _mm256_storeu_ps(target, _mm256_permute2f128_ps::<0x20>(a, b));
            _mm256_storeu_ps(target.add(8), _mm256_permute2f128_ps::<0x30>(c, a));
            _mm256_storeu_ps(target.add(16), _mm256_permute2f128_ps::<0x31>(b, c));
        }
    }

    #[inline(always)]
    unsafe fn store_quadruples(target: *mut u8, stride: usize, [x, y, z, w]: [__m256; 4]) {
        // SAFETY: as the caller says.
        unsafe {
            let (xy_low, xy_high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
            let (zw_low, zw_high) = (_mm256_unpacklo_ps(z, w), _mm256_unpackhi_ps(z, w));
            let rows = [
                _mm256_shuffle_ps::<0b01_00_01_00>(xy_low, zw_low),
                _mm256_shuffle_ps::<0b11_10_11_10>(xy_low, zw_low),
                _mm256_shuffle_ps::<0b01_00_01_00>(xy_high, zw_high),
                _mm256_shuffle_ps::<0b11_10_11_10>(xy_high, zw_high),
            ];
            for (row, both) in rows.into_iter().enumerate() {
                _mm_storeu_ps(target.add(row * stride).cast(), _mm256_castps256_ps128(both));
                _mm_storeu_ps(target.add((row + 4) * stride).cast(), _mm256_extractf128_ps::<1>(both));
            }
        }
    }
}
