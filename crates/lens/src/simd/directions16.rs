//! Directions stored as a latitude and a longitude of 16 bits each.
//!
//! AVX2 and AVX-512 look up sines and cosines in tables (`sincos_table16`); the other levels compute polynomials
//! (`sincos_poly`).

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::lanes::{Lanes, store_triples};
use super::sincos_poly::Turn;
use super::{Kernel, Shape};
#[cfg(target_arch = "x86_64")]
use super::{avx512, isa::Avx2, isa::Avx512, sincos_table16::SinCosTable16};

/// The kernel for a latitude and a longitude.
pub(crate) struct Directions16 {
    turns: [Turn; 2],
    #[cfg(target_arch = "x86_64")]
    small_tables: [SinCosTable16<8>; 2],
    #[cfg(target_arch = "x86_64")]
    tables: [SinCosTable16<32>; 2],
}

impl Directions16 {
    /// A latitude and a longitude with these numbers of codes per quarter turn, which are multiples of one half below
    /// 32768.
    pub(crate) const fn new([latitude, longitude]: [f32; 2]) -> Directions16 {
        Directions16 {
            turns: [Turn::new(latitude), Turn::new(longitude)],
            #[cfg(target_arch = "x86_64")]
            small_tables: [SinCosTable16::new(latitude as f64), SinCosTable16::new(longitude as f64)],
            #[cfg(target_arch = "x86_64")]
            tables: [SinCosTable16::new(latitude as f64), SinCosTable16::new(longitude as f64)],
        }
    }

    /// The components of a direction: right, up and ahead.
    #[inline]
    pub(crate) fn get(&self, [latitude, longitude]: [i16; 2]) -> [f32; 3] {
        let (sin_lat, cos_lat) = self.turns[0].sine_cosine(latitude);
        let (sin_lon, cos_lon) = self.turns[1].sine_cosine(longitude);
        [cos_lat * sin_lon, -sin_lat, cos_lat * cos_lon]
    }
}

impl Shape for Directions16 {
    const SIZE: usize = 4;
    const STRIDE: usize = 4;
    const OUT: usize = 12;
}

/// Decodes the directions of `N` pairs.
///
/// # Safety
///
/// The processor has the instructions `L`, `4 * N` bytes may be read, and `12 * N` bytes may be written, which are
/// aligned if `PAST`.
#[inline(always)]
unsafe fn directions<L: Lanes, const PAST: bool>(turns: [Turn; 2], source: *const u8, target: *mut u8) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let codes = L::load(source);
        let (sin_lat, cos_lat) = turns[0].lanes::<L>(L::low_half(codes));
        let (sin_lon, cos_lon) = turns[1].lanes::<L>(L::high_half(codes));
        let down = L::negate_by_sign(L::splat(-0.0), sin_lat);
        store_triples::<L, PAST>(target, [L::mul(cos_lat, sin_lon), down, L::mul(cos_lat, cos_lon)]);
    }
}

macro_rules! kernels {
    ($($cfg:meta => $isa:ident;)*) => {$(
        // SAFETY: a register of pairs is read, and the same number of triples is written.
        #[cfg($cfg)]
        unsafe impl Kernel<super::isa::$isa> for Directions16 {
            const ELEMENTS: usize = <super::isa::$isa as Lanes>::N;
            const READ: usize = 4 * <super::isa::$isa as Lanes>::N;
            const WRITE: usize = 12 * <super::isa::$isa as Lanes>::N;

            #[inline(always)]
            unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
                // SAFETY: the processor has the instructions, and the caller guarantees the accesses.
                unsafe { directions::<super::isa::$isa, PAST>(self.turns, source, target) }
            }
        }
    )*};
}

kernels! {
    target_arch = "x86_64" => Sse41;
    target_arch = "aarch64" => Neon;
    all(target_arch = "wasm32", target_feature = "simd128") => Simd128;
}

// SAFETY: eight pairs are read, and the same number of triples is written.
#[cfg(target_arch = "x86_64")]
unsafe impl Kernel<Avx2> for Directions16 {
    const ELEMENTS: usize = 8;
    const READ: usize = 32;
    const WRITE: usize = 96;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has AVX2, and the caller guarantees the accesses.
        unsafe {
            let codes = _mm256_loadu_si256(source.cast());
            let [latitudes, longitudes] = &self.small_tables;
            let (down, cos_lat) = latitudes.look_up::<true>(_mm256_srli_epi32::<13>(codes), codes);
            let (sin_lon, cos_lon) =
                longitudes.look_up::<false>(_mm256_srli_epi32::<29>(codes), _mm256_srli_epi32::<16>(codes));
            let [x, z] = [_mm256_mul_ps(cos_lat, sin_lon), _mm256_mul_ps(cos_lat, cos_lon)];
            store_triples::<Avx2, PAST>(target, [x, down, z]);
        }
    }
}

// SAFETY: sixteen pairs are read, and the same number of triples is written.
#[cfg(target_arch = "x86_64")]
unsafe impl Kernel<Avx512> for Directions16 {
    const ELEMENTS: usize = 16;
    const READ: usize = 64;
    const WRITE: usize = 192;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has AVX-512, and the caller guarantees the accesses.
        unsafe {
            let codes = _mm512_loadu_si512(source.cast());
            let [latitudes, longitudes] = &self.tables;
            let (down, cos_lat) = latitudes.look_up::<true>(_mm512_srli_epi32::<11>(codes), codes);
            let (sin_lon, cos_lon) =
                longitudes.look_up::<false>(_mm512_srli_epi32::<27>(codes), _mm512_srli_epi32::<16>(codes));
            let [x, z] = [_mm512_mul_ps(cos_lat, sin_lon), _mm512_mul_ps(cos_lat, cos_lon)];
            avx512::store_triples::<PAST>(target, [x, down, z]);
        }
    }
}
