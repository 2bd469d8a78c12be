//! Decodes MD3 vertices in one pass: eight bytes are read, and a position and a normal are written.
//!
//! In the table of `benches/interleave.rs`, on an AMD Zen 4 (`benches/without position_normal position_normal_columns`), the
//! row `f32x3 + f32x3` is 1.65 times as fast with AVX2 (1,554 instead of 939 million vertices per second), and 1.17 times with
//! AVX-512. As a column of a larger vertex (`f32x3 + f32x3 + 8 bytes`), it is 1.27 times as fast with AVX-512.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::Kernel;
use super::direction_table::{DirectionTable, Rows, angles::ZENITH_AZIMUTH};
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
use super::level::Kind;
#[cfg(target_arch = "x86_64")]
use super::sincos_table8::{directions, load_codes};
use super::{Level, Shape};
#[cfg(target_arch = "x86_64")]
use super::{
    prefetch,
    stream::{store_128, store_512},
};

/// The kernel for a position of three `i16`, followed by two codes of a normal.
#[derive(Clone, Copy)]
pub(crate) struct PositionDirection {
    /// The factor of the integers of a position, a power of two.
    pub(crate) scale: f32,
    /// The rows of the normal.
    pub(crate) rows: [&'static Rows; 2],
    /// The tables of the normal, for registers that can contain tables.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "other registers are too small for tables")
    )]
    pub(crate) normal: DirectionTable<8, ZENITH_AZIMUTH>,
}

impl Shape for PositionDirection {
    const SIZE: usize = 8;
    const STRIDE: usize = 8;
    const OUT: usize = 24;

    fn method(level: Level) -> Kind {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if Level::has_halved_avx512() => Kind::Avx2,
            kind => kind,
        }
    }
}

/// The number of elements of a step.
#[cfg(target_arch = "x86_64")]
const STEP: usize = 16;

#[cfg(target_arch = "x86_64")]
impl PositionDirection {
    /// x, y and z of a vertex's normal, and a fourth float that is unused.
    ///
    /// # Safety
    ///
    /// The processor has SSE4.1.
    #[inline(always)]
    unsafe fn normal(&self, vertex: i64) -> __m128 {
        let [zeniths, azimuths] = self.rows;
        let vertex = vertex as u64;
        // The highest two bytes, each multiplied by the size of a row.
        let (zenith, azimuth) = ((vertex >> 44) as usize & 0xff0, (vertex >> 52) as usize & 0xff0);
        // SAFETY: the caller guarantees the instructions. Rows are aligned.
        unsafe { _mm_mul_ps(_mm_load_ps(zeniths.row_at(zenith)), _mm_load_ps(azimuths.row_at(azimuth))) }
    }

    /// Stores two vertices.
    ///
    /// # Safety
    ///
    /// The processor has SSE4.1, and 48 bytes may be written, which are aligned to 16 if `PAST`. The fourth floats of
    /// the positions are ignored.
    #[inline(always)]
    unsafe fn store<const PAST: bool>(&self, target: *mut u8, vertices: __m128i, positions: [__m128; 2]) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let [a, b] = positions;
            let normal_a = self.normal(_mm_cvtsi128_si64(vertices));
            let normal_b = self.normal(_mm_extract_epi64::<1>(vertices));
            // Each product is used twice. Otherwise, the compiler would replace the shuffle of a product by a product
            // of shuffles.
            let high = _mm_shuffle_ps::<0b10_01_00_10>(_mm_blend_ps::<0b0100>(normal_b, b), normal_b);
            store_128::<PAST>(target, _mm_insert_ps::<0b0011_0000>(a, normal_a));
            store_128::<PAST>(target.add(16), _mm_shuffle_ps::<0b01_00_10_01>(normal_a, b));
            store_128::<PAST>(target.add(32), high);
        }
    }
}

// SAFETY: eight bytes are read and 24 written for each element.
#[cfg(target_arch = "x86_64")]
unsafe impl Kernel<Sse41> for PositionDirection {
    const ELEMENTS: usize = STEP;
    const READ: usize = 8 * STEP;
    const WRITE: usize = 24 * STEP;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for two in 0..STEP / 2 {
            // SAFETY: the processor has SSE4.1, and the accesses are in the range that the caller guarantees.
            unsafe {
                let (source, target) = (source.add(16 * two), target.add(48 * two));
                let scale = _mm_set1_ps(self.scale);
                let vertices = _mm_loadu_si128(source.cast());
                let a = _mm_cvtepi32_ps(_mm_cvtepi16_epi32(vertices));
                let b = _mm_cvtepi32_ps(_mm_cvtepi16_epi32(_mm_unpackhi_epi64(vertices, vertices)));
                self.store::<PAST>(target, vertices, [_mm_mul_ps(a, scale), _mm_mul_ps(b, scale)]);
            }
        }
    }
}

// SAFETY: eight bytes are read and 24 written for each element.
#[cfg(target_arch = "x86_64")]
unsafe impl Kernel<Avx2> for PositionDirection {
    const ELEMENTS: usize = STEP;
    const READ: usize = 8 * STEP;
    const WRITE: usize = 24 * STEP;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for two in 0..STEP / 2 {
            // SAFETY: the processor has AVX2, and the accesses are in the range that the caller guarantees.
            unsafe {
                let (source, target) = (source.add(16 * two), target.add(48 * two));
                let vertices = _mm_loadu_si128(source.cast());
                let both = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(vertices));
                let both = _mm256_mul_ps(both, _mm256_set1_ps(self.scale));
                let positions = [_mm256_castps256_ps128(both), _mm256_extractf128_ps::<1>(both)];
                self.store::<PAST>(target, vertices, positions);
            }
        }
    }
}

/// The sources of the floats of one output register.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Sources {
    /// For each byte, the index of its byte in the input, starting at `base`.
    position: [u8; 64],
    /// For each lane, the lane of x, or 16 and the lane of y.
    xy: [i32; 16],
    /// For each lane, the lane of z.
    z: [i32; 16],
    filled: u64,
    from_position: u16,
    from_z: u16,
    base: usize,
}

#[cfg(target_arch = "x86_64")]
const SOURCES: [Sources; 6] = {
    let none = Sources {
        position: [0; 64],
        xy: [0; 16],
        z: [0; 16],
        filled: 0,
        from_position: 0,
        from_z: 0,
        base: 0,
    };
    let mut sources = [none; 6];
    let mut float = 0;
    while float < 96 {
        let (vector, lane, element) = (float / 16, float % 16, float / 6);
        let source = &mut sources[vector];
        // Every load has 64 bytes. Loads that would end after the last vertex begin earlier.
        let first = 16 * vector / 6 * 8;
        source.base = if first > 64 { 64 } else { first };
        match float % 6 {
            3 => source.xy[lane] = element as i32,
            4 => source.xy[lane] = 16 + element as i32,
            5 => {
                source.z[lane] = element as i32;
                source.from_z |= 1 << lane;
            }
            axis => {
                let byte = (8 * element + 2 * axis - source.base) as u8;
                source.position[4 * lane + 2] = byte;
                source.position[4 * lane + 3] = byte + 1;
                source.filled |= 0b1100 << (4 * lane);
                source.from_position |= 1 << lane;
            }
        }
        float += 1;
    }
    sources
};

// SAFETY: sixteen elements of 8 bytes are read, no load ends after byte 128, and 96 floats are written.
#[cfg(target_arch = "x86_64")]
unsafe impl Kernel<Avx512> for PositionDirection {
    const ELEMENTS: usize = 16;
    const READ: usize = 128;
    const WRITE: usize = 384;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { Kernel::<Avx512>::steps::<PAST>(self, source, target, 1) }
    }

    #[inline(always)]
    unsafe fn steps<const PAST: bool>(&self, source: *const u8, target: *mut u8, count: usize) {
        // SAFETY: the processor has AVX-512 with VBMI, and the caller guarantees the accesses.
        unsafe {
            let tables = self.normal.load();
            // An integer in the upper half of its lane has 65536 times its value.
            let scale = _mm512_set1_ps(self.scale / 65536.0);
            for step in 0..count {
                if PAST {
                    prefetch::lines(source, 128 * step, 128);
                }
                let (source, target) = (source.add(128 * step), target.add(384 * step));
                let codes = _mm512_srli_epi32::<16>(load_codes::<8, 4>(source));
                let [x, y, z] = directions::<ZENITH_AZIMUTH>(&tables, codes);
                for (vector, from) in SOURCES.iter().enumerate() {
                    let bytes = _mm512_loadu_si512(source.add(from.base).cast());
                    let lanes = _mm512_loadu_si512(from.position.as_ptr().cast());
                    let lanes = _mm512_maskz_permutexvar_epi8(from.filled, lanes, bytes);
                    let normal = _mm512_permutex2var_ps(x, _mm512_loadu_si512(from.xy.as_ptr().cast()), y);
                    let from_z = _mm512_loadu_si512(from.z.as_ptr().cast());
                    let normal = _mm512_mask_permutexvar_ps(normal, from.from_z, from_z, z);
                    let both =
                        _mm512_mask_mul_ps(normal, from.from_position, _mm512_cvtepi32_ps(lanes), scale);
                    store_512::<PAST>(target.add(64 * vector), both);
                }
            }
        }
    }
}
