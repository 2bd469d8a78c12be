//! Three bit fields of a 32-bit integer to floats.
//!
//! Bytes are moved so that each lane holds its field below the exponent of a float, and the other bits are masked away.
//! One exclusive or flips the sign bit of the field and inserts an exponent, which makes the lane the float
//! `zero + field * scale` for any scale that is a power of two. After one exact subtraction, only the field is left.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::marker::PhantomData;

use super::Kernel;
use super::Shape;
#[cfg(target_arch = "aarch64")]
use super::isa::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::isa::Simd128;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
#[cfg(target_arch = "x86_64")]
use super::prefetch;
#[cfg(target_arch = "x86_64")]
use super::stream::{store_128, store_256};

/// The fields of an integer, starting with its lowest bit.
pub(crate) trait Fields {
    /// For each field, its width and the width of its fraction, in bits.
    const WIDTHS: [(u32, u32); 3];
}

/// The kernel for fields as floats.
pub(crate) struct Packed<F>(pub(crate) PhantomData<F>);

/// The number of significant bits of a float after the first one, which is implied.
const SIGNIFICAND: u32 = 23;

/// The sources of each output lane for eight elements. Every array begins at a multiple of 32 bytes, for aligned loads.
#[repr(C, align(64))]
struct Lanes {
    /// For each byte, the byte of the input.
    bytes: [u8; 96],
    mask: [u32; 24],
    /// The float for a field of 0.
    zero: [u32; 24],
    /// The same for each 32 bytes of output; the input advances by eight bytes each time.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for registers of 32 bytes"))]
    halves: [u8; 96],
}

const _: () = assert!(
    core::mem::offset_of!(Lanes, mask) % 32 == 0
        && core::mem::offset_of!(Lanes, zero) % 32 == 0
        && core::mem::offset_of!(Lanes, halves) % 32 == 0
);

impl<F: Fields> Packed<F> {
    /// For each field: the byte of the integer that is moved to the lowest byte of the lane, the first bit of the field
    /// in the lane, its width, and the width of its fraction.
    const FIELDS: [(usize, u32, u32, u32); 3] = {
        let mut placed = [(0, 0, 0, 0); 3];
        let (mut at, mut first) = (0, 0);
        while at < 3 {
            let (bits, fraction) = F::WIDTHS[at];
            // Fields that do not end below the exponent are shifted down by whole bytes.
            let byte = if first + bits <= SIGNIFICAND { 0 } else { first / 8 };
            assert!(bits >= 1 && first - 8 * byte + bits <= SIGNIFICAND);
            placed[at] = (byte as usize, first - 8 * byte, bits, fraction);
            first += bits;
            at += 1;
        }
        placed
    };

    const LANES: &Lanes = &{
        let mut lanes = Lanes { bytes: [0; 96], halves: [0; 96], mask: [0; 24], zero: [0; 24] };
        let mut byte = 0;
        while byte < 96 {
            let (lane, part) = (byte / 4, byte % 4);
            // Bytes after the integer are masked away, so any byte may be used for them.
            let from = (Self::FIELDS[lane % 3].0 + part) % 4;
            lanes.bytes[byte] = (lane / 3 * 4 + from) as u8;
            lanes.halves[byte] = lanes.bytes[byte] - (byte / 32 * 8) as u8;
            byte += 1;
        }
        let mut lane = 0;
        while lane < 24 {
            let (_, first, bits, fraction) = Self::FIELDS[lane % 3];
            lanes.mask[lane] = ((1 << bits) - 1) << first;
            lanes.zero[lane] = (127 + SIGNIFICAND - first - fraction) << 23 | 1 << (first + bits - 1);
            lane += 1;
        }
        lanes
    };
}

impl<F: Fields> Shape for Packed<F> {
    const SIZE: usize = 4;
    const STRIDE: usize = 4;
    const OUT: usize = 12;
}

// SAFETY: four integers are read, and twelve floats are written.
#[cfg(target_arch = "x86_64")]
unsafe impl<F: Fields> Kernel<Sse41> for Packed<F> {
    const ELEMENTS: usize = 4;
    const READ: usize = 16;
    const WRITE: usize = 48;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has SSE4.1, the caller guarantees the accesses, and the tables have 24 lanes.
        unsafe {
            let packed = _mm_loadu_si128(source.cast());
            for vector in 0..3 {
                let load = |lanes: &[u32; 24]| _mm_load_si128(lanes.as_ptr().add(4 * vector).cast());
                let bytes = _mm_load_si128(Self::LANES.bytes.as_ptr().add(16 * vector).cast());
                let (mask, zero) = (load(&Self::LANES.mask), load(&Self::LANES.zero));
                let field = _mm_xor_si128(_mm_and_si128(_mm_shuffle_epi8(packed, bytes), mask), zero);
                let value = _mm_sub_ps(_mm_castsi128_ps(field), _mm_castsi128_ps(zero));
                store_128::<PAST>(target.add(16 * vector), value);
            }
        }
    }
}

// SAFETY: eight integers are read, and 24 floats are written.
#[cfg(target_arch = "x86_64")]
unsafe impl<F: Fields> Kernel<Avx2> for Packed<F> {
    const ELEMENTS: usize = 8;
    const READ: usize = 32;
    const WRITE: usize = 96;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { Kernel::<Avx2>::steps::<PAST>(self, source, target, 1) }
    }

    #[inline(always)]
    unsafe fn steps<const PAST: bool>(&self, source: *const u8, target: *mut u8, count: usize) {
        // SAFETY: the processor has AVX2, the caller guarantees the accesses, and the tables have 24 lanes.
        unsafe {
            // A read whose values the compiler does not know. Otherwise, it would replace the broadcast from memory,
            // which is free, by a permutation of the bytes that this shuffle uses.
            let shuffles = Self::LANES.halves.as_ptr().cast::<[__m256i; 3]>().read_volatile();
            for step in 0..count {
                if PAST {
                    prefetch::lines(source, 32 * step, 32);
                }
                let (source, target) = (source.add(32 * step), target.add(96 * step));
                for (vector, shuffle) in shuffles.into_iter().enumerate() {
                    let load = |lanes: &[u32; 24]| _mm256_load_si256(lanes.as_ptr().add(8 * vector).cast());
                    let packed = _mm_loadu_si128(source.add(8 * vector).cast());
                    let bytes = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(packed), shuffle);
                    let (mask, zero) = (load(&Self::LANES.mask), load(&Self::LANES.zero));
                    let value = _mm256_xor_si256(_mm256_and_si256(bytes, mask), zero);
                    let value = _mm256_sub_ps(_mm256_castsi256_ps(value), _mm256_castsi256_ps(zero));
                    store_256::<PAST>(target.add(32 * vector), value);
                }
            }
        }
    }
}

// SAFETY: the same as with AVX2, which AVX-512 includes. With registers of 64 bytes, one permutation of bytes replaces
// a broadcast and a shuffle, but reaches only 0.83 of the speed of a copy instead of 0.97.
#[cfg(target_arch = "x86_64")]
unsafe impl<F: Fields> Kernel<Avx512> for Packed<F> {
    const ELEMENTS: usize = <Self as Kernel<Avx2>>::ELEMENTS;
    const READ: usize = <Self as Kernel<Avx2>>::READ;
    const WRITE: usize = <Self as Kernel<Avx2>>::WRITE;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { Kernel::<Avx2>::step::<PAST>(self, source, target) }
    }

    #[inline(always)]
    unsafe fn steps<const PAST: bool>(&self, source: *const u8, target: *mut u8, count: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { Kernel::<Avx2>::steps::<PAST>(self, source, target, count) }
    }
}

// SAFETY: four integers are read, and twelve floats are written.
#[cfg(target_arch = "aarch64")]
unsafe impl<F: Fields> Kernel<Neon> for Packed<F> {
    const ELEMENTS: usize = 4;
    const READ: usize = 16;
    const WRITE: usize = 48;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: NEON is part of aarch64, the caller guarantees the accesses, and the tables have 24 lanes.
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

// SAFETY: four integers are read, and twelve floats are written.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
unsafe impl<F: Fields> Kernel<Simd128> for Packed<F> {
    const ELEMENTS: usize = 4;
    const READ: usize = 16;
    const WRITE: usize = 48;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the caller guarantees the accesses, and the tables have 24 lanes.
        unsafe {
            let packed = v128_load(source.cast());
            for vector in 0..3 {
                let load = |lanes: &[u32; 24]| v128_load(lanes.as_ptr().add(4 * vector).cast());
                let bytes = v128_load(Self::LANES.bytes.as_ptr().add(16 * vector).cast());
                let (mask, zero) = (load(&Self::LANES.mask), load(&Self::LANES.zero));
                let field = v128_xor(v128_and(u8x16_swizzle(packed, bytes), mask), zero);
                v128_store(target.add(16 * vector).cast(), f32x4_sub(field, zero));
            }
        }
    }
}
