//! Kernels in NEON: the lanes of aarch64, and kernels that need other instructions than arithmetic.

use core::arch::aarch64::*;

use super::Kernel;
use super::direction_table::DirectionTable;
use super::direction_table::angles::{LATITUDE_LONGITUDE, ZENITH_AZIMUTH_WITH_POLES};
use super::integers::{Integers, kind, mode};
use super::isa::Neon;
use super::lanes::Lanes;
use super::position_normal::PositionDirection;

macro_rules! binary {
    ($($intrinsic:ident $name:ident),*) => {$(
        #[inline(always)]
        unsafe fn $name(a: float32x4_t, b: float32x4_t) -> float32x4_t {
            // SAFETY: NEON is part of aarch64.
            unsafe { $intrinsic(a, b) }
        }
    )*};
}

/// Loads sixteen bytes of any alignment.
///
/// # Safety
///
/// The bytes may be read.
#[inline(always)]
unsafe fn load(source: *const u8) -> uint8x16_t {
    // SAFETY: guaranteed by the caller.
    unsafe { vld1q_u8(source) }
}

/// The sign bits of `sign`.
#[inline(always)]
fn signs(sign: int32x4_t) -> uint32x4_t {
    // SAFETY: NEON is part of aarch64.
    unsafe { vandq_u32(vreinterpretq_u32_s32(sign), vdupq_n_u32(1 << 31)) }
}

// SAFETY: the requirements of the trait apply; NEON is part of aarch64.
unsafe impl Lanes for Neon {
    type F = float32x4_t;
    type I = int32x4_t;
    const N: usize = 4;

    binary!(vaddq_f32 add, vsubq_f32 sub, vmulq_f32 mul, vdivq_f32 div, vmaxq_f32 max, vuzp1q_f32 even, vuzp2q_f32 odd);

    #[inline(always)]
    unsafe fn splat(value: f32) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vdupq_n_f32(value) }
    }

    #[inline(always)]
    unsafe fn if_odd(bits: int32x4_t, then: float32x4_t, otherwise: float32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vbslq_f32(vtstq_s32(bits, vdupq_n_s32(1)), then, otherwise) }
    }

    #[inline(always)]
    unsafe fn negate_by_bit_1(bits: int32x4_t, value: float32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe {
            let flipped = veorq_u32(vreinterpretq_u32_f32(value), signs(vshlq_n_s32::<30>(bits)));
            vreinterpretq_f32_u32(flipped)
        }
    }

    #[inline(always)]
    unsafe fn negate_by_sign(sign: float32x4_t, value: float32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe {
            let flipped = veorq_u32(vreinterpretq_u32_f32(value), signs(vreinterpretq_s32_f32(sign)));
            vreinterpretq_f32_u32(flipped)
        }
    }

    #[inline(always)]
    unsafe fn bits(value: float32x4_t) -> int32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vreinterpretq_s32_f32(value) }
    }

    #[inline(always)]
    unsafe fn add_one(value: int32x4_t) -> int32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vaddq_s32(value, vdupq_n_s32(1)) }
    }

    #[inline(always)]
    unsafe fn low_half(value: int32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vcvtq_f32_s32(vshrq_n_s32::<16>(vshlq_n_s32::<16>(value))) }
    }

    #[inline(always)]
    unsafe fn high_half(value: int32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vcvtq_f32_s32(vshrq_n_s32::<16>(value)) }
    }

    #[inline(always)]
    unsafe fn low_half_65536(value: int32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vcvtq_f32_s32(vshlq_n_s32::<16>(value)) }
    }

    #[inline(always)]
    unsafe fn high_half_65536(value: int32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vcvtq_f32_s32(vandq_s32(value, vdupq_n_s32(!0xffff))) }
    }

    #[inline(always)]
    unsafe fn load(source: *const u8) -> int32x4_t {
        // SAFETY: guaranteed by the caller.
        unsafe { vreinterpretq_s32_u8(load(source)) }
    }

    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [int32x4_t; 2] {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (low, high) = (Self::load(source), Self::load(source.add(16)));
            [vuzp1q_s32(low, high), vuzp2q_s32(low, high)]
        }
    }

    #[inline(always)]
    unsafe fn even_odd(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: NEON is part of aarch64.
        unsafe { vcombine_f32(vget_low_f32(vuzp1q_f32(a, a)), vget_low_f32(vuzp2q_f32(b, b))) }
    }

    #[inline(always)]
    unsafe fn store_rows<const ROWS: usize, const PAST: bool>(target: *mut u8, rows: [float32x4_t; ROWS]) {
        for (row, values) in rows.into_iter().enumerate() {
            // SAFETY: guaranteed by the caller.
            unsafe { vst1q_u8(target.add(16 * row), vreinterpretq_u8_f32(values)) };
        }
    }
}

// SAFETY: `D` vectors of 4 floats are written, which are 4 elements; `READ` is the end of the furthest load.
unsafe impl<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> Kernel<Neon>
    for Integers<D, KIND, STRIDE, MODE>
{
    const ELEMENTS: usize = 4;
    const READ: usize = Self::read(4, 4, 16);
    const WRITE: usize = 16 * D;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for vector in 0..D {
            // SAFETY: NEON is part of aarch64, and every access is in the range that the caller guarantees.
            unsafe {
                let lanes = if Self::DENSE {
                    let source = source.add(4 * vector * kind::size(KIND));
                    match KIND {
                        kind::U8 => {
                            let bytes = vcreate_u8(u64::from(source.cast::<u32>().read_unaligned()));
                            vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))))
                        }
                        kind::U16 => vreinterpretq_s32_u32(vmovl_u16(vreinterpret_u16_u8(vld1_u8(source)))),
                        _ => vmovl_s16(vreinterpret_s16_u8(vld1_u8(source))),
                    }
                } else {
                    let control = load(Self::SHUFFLES[vector].as_ptr());
                    let bytes = load(source.add(Self::base_of(4 * vector, 4, 16)));
                    // Indices of 16 and more result in zero.
                    vreinterpretq_s32_u8(vqtbl1q_u8(bytes, control))
                };
                let lanes = vcvtq_f32_s32(lanes);
                let mut value = vmulq_f32(lanes, vdupq_n_f32(self.first));
                if MODE != mode::SCALE {
                    value = vaddq_f32(value, vmulq_f32(lanes, vdupq_n_f32(self.second)));
                }
                if MODE == mode::RANGE {
                    let size = vld1q_f32(self.size.as_ptr().add(4 * vector));
                    let min = vld1q_f32(self.min.as_ptr().add(4 * vector));
                    value = vaddq_f32(min, vmulq_f32(size, value));
                }
                if MODE == mode::BIAS {
                    value = vaddq_f32(value, vdupq_n_f32(-1.0));
                }
                vst1q_u8(target.add(16 * vector), vreinterpretq_u8_f32(value));
            }
        }
    }
}

impl<const STRIDE: usize, const ANGLES: u8> DirectionTable<STRIDE, ANGLES> {
    /// x, y and z, and a fourth float that is unused.
    #[inline(always)]
    fn components(&self, codes: u16) -> uint8x16_t {
        /// Bytes of x, z and y in order.
        const IN_ORDER: [u8; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15];
        let (first, second) = match ANGLES {
            ZENITH_AZIMUTH_WITH_POLES => self.entries::<true>(codes),
            _ => self.entries::<false>(codes),
        };
        // SAFETY: NEON is part of aarch64. Both entries are in their tables and aligned.
        unsafe {
            let angle = vreinterpretq_f32_f64(vld1q_dup_f64(first.cast()));
            let direction = vreinterpretq_u8_f32(vmulq_f32(angle, vld1q_f32(second)));
            if ANGLES == LATITUDE_LONGITUDE {
                return direction;
            }
            vqtbl1q_u8(direction, vld1q_u8(IN_ORDER.as_ptr()))
        }
    }
}

// SAFETY: the codes of each element are `STRIDE` bytes after the codes of the previous one. 16 bytes are written for
// each element. The bytes after the first 12 belong to the next element, or are within `WRITE`.
unsafe impl<const STRIDE: usize, const ANGLES: u8> Kernel<Neon> for DirectionTable<STRIDE, ANGLES> {
    const ELEMENTS: usize = 16;
    const READ: usize = 15 * STRIDE + 2;
    const WRITE: usize = 12 * 16 + 4;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for element in 0..16 {
            // SAFETY: the accesses are in the range that the caller guarantees.
            unsafe {
                let codes = source.add(element * STRIDE).cast::<u16>().read_unaligned();
                vst1q_u8(target.add(12 * element), self.components(codes));
            }
        }
    }
}

// SAFETY: eight bytes are read for each element. 16 bytes are written at its start, and again 12 bytes later. The bytes
// after the first 24 belong to the next element, or are within `WRITE`.
unsafe impl Kernel<Neon> for PositionDirection {
    const ELEMENTS: usize = 16;
    const READ: usize = 8 * 16;
    const WRITE: usize = 24 * 16 + 4;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for element in 0..16 {
            // SAFETY: NEON is part of aarch64, and the accesses are in the range that the caller guarantees.
            unsafe {
                let (source, target) = (source.add(8 * element), target.add(24 * element));
                let position = vmovl_s16(vreinterpret_s16_u8(vld1_u8(source)));
                let position = vmulq_f32(vcvtq_f32_s32(position), vdupq_n_f32(self.scale));
                let [zeniths, azimuths] = self.rows;
                let [zenith, azimuth] = source.add(6).cast::<[u8; 2]>().read();
                let normal = vmulq_f32(vld1q_f32(zeniths.row(zenith)), vld1q_f32(azimuths.row(azimuth)));
                vst1q_u8(target, vreinterpretq_u8_f32(position));
                vst1q_u8(target.add(12), vreinterpretq_u8_f32(normal));
            }
        }
    }
}
