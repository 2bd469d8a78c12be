//! Unreal's packed positions: three bit fields of a 32-bit integer.
//!
//! Bytes are moved so that each lane holds its field below the exponent of a float. What lies around the field is
//! masked away, and its sign bit is flipped together with an exponent being put above it, which makes the lane the
//! float `zero + field * scale` for any scale that is a power of two; one exact subtraction leaves the field.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::Kernel;
use super::Shape;
#[cfg(target_arch = "aarch64")]
use super::isa::Neon;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};

/// The kernel for fields as floats, of which so many bits lie behind the point: `XY` in x and y, `Z` in z.
pub(crate) struct Packed<const XY: u32, const Z: u32>;

/// For each field its first bit once its bytes lie in its lane, and how many bits it has: z is moved down by two bytes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const FIELDS: [(u32, u32); 3] = [(0, 11), (11, 11), (6, 10)];

/// What each lane of eight elements' output is made of. Every array begins at a multiple of 32 bytes, for aligned loads.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[repr(C, align(64))]
struct Lanes {
    /// For each byte, the byte of the input.
    bytes: [u8; 96],
    mask: [u32; 24],
    /// The float that a field of 0 becomes.
    zero: [u32; 24],
    /// The same for every 32 bytes of output, from eight bytes of input further on each time.
    #[cfg_attr(target_arch = "aarch64", allow(dead_code, reason = "for registers of 32 bytes"))]
    halves: [u8; 96],
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const _: () = assert!(
    core::mem::offset_of!(Lanes, mask) % 32 == 0
        && core::mem::offset_of!(Lanes, zero) % 32 == 0
        && core::mem::offset_of!(Lanes, halves) % 32 == 0
);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<const XY: u32, const Z: u32> Packed<XY, Z> {
    const LANES: &Lanes = &{
        let mut lanes = Lanes { bytes: [0; 96], halves: [0; 96], mask: [0; 24], zero: [0; 24] };
        let mut byte = 0;
        while byte < 96 {
            let (lane, part) = (byte / 4, byte % 4);
            let from = if lane % 3 == 2 { part % 2 + 2 } else { part };
            lanes.bytes[byte] = (lane / 3 * 4 + from) as u8;
            lanes.halves[byte] = lanes.bytes[byte] - (byte / 32 * 8) as u8;
            byte += 1;
        }
        let mut lane = 0;
        while lane < 24 {
            let (first, bits) = FIELDS[lane % 3];
            let fraction = if lane % 3 == 2 { Z } else { XY };
            lanes.mask[lane] = ((1 << bits) - 1) << first;
            lanes.zero[lane] = (127 + 23 - first - fraction) << 23 | 1 << (first + bits - 1);
            lane += 1;
        }
        lanes
    };
}

impl<const XY: u32, const Z: u32> Shape for Packed<XY, Z> {
    const SIZE: usize = 4;
    const STRIDE: usize = 4;
    const OUT: usize = 12;
}

// SAFETY: four integers are read and twelve floats written.
#[cfg(target_arch = "x86_64")]
unsafe impl<const XY: u32, const Z: u32> Kernel<Sse41> for Packed<XY, Z> {
    const ELEMENTS: usize = 4;
    const READ: usize = 16;
    const WRITE: usize = 48;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has SSE4.1, the caller vouches for the accesses, and the tables have 24 lanes.
        unsafe {
            let packed = _mm_loadu_si128(source.cast());
            for vector in 0..3 {
                let load = |lanes: &[u32; 24]| _mm_load_si128(lanes.as_ptr().add(4 * vector).cast());
                let bytes = _mm_load_si128(Self::LANES.bytes.as_ptr().add(16 * vector).cast());
                let (mask, zero) = (load(&Self::LANES.mask), load(&Self::LANES.zero));
                let field = _mm_xor_si128(_mm_and_si128(_mm_shuffle_epi8(packed, bytes), mask), zero);
                let value = _mm_sub_ps(_mm_castsi128_ps(field), _mm_castsi128_ps(zero));
                _mm_storeu_ps(target.cast::<f32>().add(4 * vector), value);
            }
        }
    }
}

// SAFETY: eight integers are read and 24 floats written.
#[cfg(target_arch = "x86_64")]
unsafe impl<const XY: u32, const Z: u32> Kernel<Avx2> for Packed<XY, Z> {
    const ELEMENTS: usize = 8;
    const READ: usize = 32;
    const WRITE: usize = 96;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        for vector in 0..3 {
            // SAFETY: the processor has AVX2, the caller vouches for the accesses, and the tables have 24 lanes.
            unsafe {
                let load = |lanes: &[u32; 24]| _mm256_load_si256(lanes.as_ptr().add(8 * vector).cast());
                let packed = _mm256_broadcastsi128_si256(_mm_loadu_si128(source.add(8 * vector).cast()));
                let bytes = _mm256_load_si256(Self::LANES.halves.as_ptr().add(32 * vector).cast());
                let (mask, zero) = (load(&Self::LANES.mask), load(&Self::LANES.zero));
                let field = _mm256_and_si256(_mm256_shuffle_epi8(packed, bytes), mask);
                let value = _mm256_castsi256_ps(_mm256_xor_si256(field, zero));
                let value = _mm256_sub_ps(value, _mm256_castsi256_ps(zero));
                _mm256_storeu_ps(target.cast::<f32>().add(8 * vector), value);
            }
        }
    }
}

// SAFETY: as with AVX2, which AVX-512 includes. Registers twice as wide take one permutation of bytes in place of a
// broadcast and a shuffle, and reach 0.83 of what a copy does where these reach 0.97.
#[cfg(target_arch = "x86_64")]
unsafe impl<const XY: u32, const Z: u32> Kernel<Avx512> for Packed<XY, Z> {
    const ELEMENTS: usize = <Self as Kernel<Avx2>>::ELEMENTS;
    const READ: usize = <Self as Kernel<Avx2>>::READ;
    const WRITE: usize = <Self as Kernel<Avx2>>::WRITE;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: as the caller says.
        unsafe { Kernel::<Avx2>::step(self, source, target) }
    }
}

// SAFETY: four integers are read and twelve floats written.
#[cfg(target_arch = "aarch64")]
unsafe impl<const XY: u32, const Z: u32> Kernel<Neon> for Packed<XY, Z> {
    const ELEMENTS: usize = 4;
    const READ: usize = 16;
    const WRITE: usize = 48;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: NEON is part of aarch64, the caller vouches for the accesses, and the tables have 24 lanes.
        unsafe {
            let packed = vld1q_u8(source);
            for vector in 0..3 {
                let load = |lanes: &[u32; 24]| vld1q_u32(lanes.as_ptr().add(4 * vector));
                let bytes = vld1q_u8(Self::LANES.bytes.as_ptr().add(16 * vector));
                let (mask, zero) = (load(&Self::LANES.mask), load(&Self::LANES.zero));
                let lanes = vreinterpretq_u32_u8(vqtbl1q_u8(packed, bytes));
                let value = vreinterpretq_f32_u32(veorq_u32(vandq_u32(lanes, mask), zero));
                let value = vsubq_f32(value, vreinterpretq_f32_u32(zero));
                vst1q_u8(target.add(16 * vector), vreinterpretq_u8_f32(value));
            }
        }
    }
}
