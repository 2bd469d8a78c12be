//! MD3 vertices in one pass: eight bytes in, a position and a normal out.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::Kernel;
use super::Shape;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
use super::product::Product;
#[cfg(target_arch = "x86_64")]
use super::product::places;
#[cfg(target_arch = "x86_64")]
use super::two_step::{directions, load_codes};

/// The kernel for a position of three `i16` and two codes of a normal behind it.
pub(crate) struct Vertex {
    /// What a position's integers are multiplied by, a power of two.
    pub(crate) scale: f32,
    /// The normal's tables.
    pub(crate) normal: Product<8, false>,
}

impl Shape for Vertex {
    const SIZE: usize = 8;
    const STRIDE: usize = 8;
    const OUT: usize = 24;
}

/// Elements of a step.
#[cfg(target_arch = "x86_64")]
const STEP: usize = 16;

#[cfg(target_arch = "x86_64")]
macro_rules! vertices {
    ($($isa:ident)*) => {$(
        // SAFETY: eight bytes are read for each element. 16 are written from its first and from its 12th on; what lies
        // behind its 24 is the next one's, or of `WRITE`.
        unsafe impl Kernel<$isa> for Vertex {
            const ELEMENTS: usize = STEP;
            const READ: usize = 8 * STEP;
            const WRITE: usize = 24 * STEP + 4;

            #[inline(always)]
            unsafe fn step(&self, source: *const u8, target: *mut u8) {
                for element in 0..STEP {
                    // SAFETY: the processor has SSE4.1, the accesses lie in what the caller vouches for, and every
                    // place in its table.
                    unsafe {
                        let target = target.cast::<f32>().add(6 * element);
                        let source = source.add(8 * element);
                        let position = _mm_cvtepi16_epi32(_mm_loadl_epi64(source.cast()));
                        let position = _mm_mul_ps(_mm_cvtepi32_ps(position), _mm_set1_ps(self.scale));
                        let (first, second) = places::<false>(source.add(6).cast::<u16>().read_unaligned());
                        let first = _mm_load_ps(self.normal.first.0.as_ptr().add(first).cast());
                        let second = _mm_load_ps(self.normal.second.0.as_ptr().add(second).cast());
                        _mm_storeu_ps(target, position);
                        _mm_storeu_ps(target.add(3), _mm_mul_ps(first, second));
                    }
                }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
vertices!(Sse41 Avx2);

/// Where the floats of one output register come from.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Sources {
    /// For each byte, the byte of the input, from `base` on.
    position: [u8; 64],
    /// For each lane, the lane of x, or 16 and the lane of y.
    xy: [i32; 16],
    /// For each lane, that of z.
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
        // Every load is of 64 bytes; the ones that would end behind the last vertex begin earlier.
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

// SAFETY: sixteen elements of 8 bytes are read, no load past the 128th, and 96 floats written.
#[cfg(target_arch = "x86_64")]
unsafe impl Kernel<Avx512> for Vertex {
    const ELEMENTS: usize = 16;
    const READ: usize = 128;
    const WRITE: usize = 384;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has AVX-512 with VBMI, and the caller vouches for the accesses.
        unsafe {
            let codes = _mm512_srli_epi32::<16>(load_codes::<8, 4>(source));
            let [x, y, z] = directions(&self.normal, codes);
            // An integer in the upper half of its lane is 65536 times as large.
            let scale = _mm512_set1_ps(self.scale / 65536.0);
            for (vector, from) in SOURCES.iter().enumerate() {
                let bytes = _mm512_loadu_si512(source.add(from.base).cast());
                let lanes = _mm512_loadu_si512(from.position.as_ptr().cast());
                let lanes = _mm512_maskz_permutexvar_epi8(from.filled, lanes, bytes);
                let normal = _mm512_permutex2var_ps(x, _mm512_loadu_si512(from.xy.as_ptr().cast()), y);
                let from_z = _mm512_loadu_si512(from.z.as_ptr().cast());
                let normal = _mm512_mask_permutexvar_ps(normal, from.from_z, from_z, z);
                let both = _mm512_mask_mul_ps(normal, from.from_position, _mm512_cvtepi32_ps(lanes), scale);
                _mm512_storeu_ps(target.cast::<f32>().add(16 * vector), both);
            }
        }
    }
}
