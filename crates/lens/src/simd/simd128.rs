//! Kernels in SIMD128, the 16-byte registers of WebAssembly: its lanes, and kernels that need other instructions than
//! arithmetic.
//!
//! A program has these instructions if it is compiled for them, so they are safe to use. Only accesses through pointers
//! are unsafe.

use core::arch::wasm32::*;

use super::Kernel;
use super::direction_table::DirectionTable;
use super::direction_table::angles::{LATITUDE_LONGITUDE, ZENITH_AZIMUTH_WITH_POLES};
use super::integers::{Integers, kind, mode};
use super::isa::Simd128;
use super::lanes::Lanes;
use super::position_normal::PositionDirection;

/// Loads sixteen bytes of any alignment.
///
/// # Safety
///
/// The bytes may be read.
#[inline(always)]
unsafe fn load<T>(source: *const T) -> v128 {
    // SAFETY: guaranteed by the caller.
    unsafe { v128_load(source.cast()) }
}

/// Loads eight bytes of any alignment, followed by eight zeros.
///
/// # Safety
///
/// The bytes may be read.
#[inline(always)]
unsafe fn load_half(source: *const u8) -> v128 {
    // SAFETY: guaranteed by the caller.
    u64x2(unsafe { source.cast::<u64>().read_unaligned() }, 0)
}

macro_rules! binary {
    ($($intrinsic:ident $name:ident),*) => {$(
        #[inline(always)]
        unsafe fn $name(a: v128, b: v128) -> v128 {
            $intrinsic(a, b)
        }
    )*};
}

// SAFETY: the requirements of the trait apply; only loads and stores access memory.
unsafe impl Lanes for Simd128 {
    type F = v128;
    type I = v128;
    const N: usize = 4;

    binary!(f32x4_add add, f32x4_sub sub, f32x4_mul mul, f32x4_div div, f32x4_pmax max);

    #[inline(always)]
    unsafe fn splat(value: f32) -> v128 {
        f32x4_splat(value)
    }

    #[inline(always)]
    unsafe fn if_odd(bits: v128, then: v128, otherwise: v128) -> v128 {
        v128_bitselect(then, otherwise, i32x4_shr(i32x4_shl(bits, 31), 31))
    }

    #[inline(always)]
    unsafe fn negate_by_bit_1(bits: v128, value: v128) -> v128 {
        v128_xor(value, v128_and(i32x4_shl(bits, 30), f32x4_splat(-0.0)))
    }

    #[inline(always)]
    unsafe fn negate_by_sign(sign: v128, value: v128) -> v128 {
        v128_xor(value, v128_and(sign, f32x4_splat(-0.0)))
    }

    #[inline(always)]
    unsafe fn bits(value: v128) -> v128 {
        value
    }

    #[inline(always)]
    unsafe fn add_one(value: v128) -> v128 {
        i32x4_add(value, i32x4_splat(1))
    }

    #[inline(always)]
    unsafe fn low_half(value: v128) -> v128 {
        f32x4_convert_i32x4(i32x4_shr(i32x4_shl(value, 16), 16))
    }

    #[inline(always)]
    unsafe fn high_half(value: v128) -> v128 {
        f32x4_convert_i32x4(i32x4_shr(value, 16))
    }

    #[inline(always)]
    unsafe fn low_half_65536(value: v128) -> v128 {
        f32x4_convert_i32x4(i32x4_shl(value, 16))
    }

    #[inline(always)]
    unsafe fn high_half_65536(value: v128) -> v128 {
        f32x4_convert_i32x4(v128_and(value, i32x4_splat(!0xffff)))
    }

    #[inline(always)]
    unsafe fn load(source: *const u8) -> v128 {
        // SAFETY: guaranteed by the caller.
        unsafe { load(source) }
    }

    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [v128; 2] {
        // SAFETY: guaranteed by the caller.
        let (low, high) = unsafe { (load(source), load(source.add(16))) };
        [i32x4_shuffle::<0, 2, 4, 6>(low, high), i32x4_shuffle::<1, 3, 5, 7>(low, high)]
    }

    #[inline(always)]
    unsafe fn even(a: v128, b: v128) -> v128 {
        i32x4_shuffle::<0, 2, 4, 6>(a, b)
    }

    #[inline(always)]
    unsafe fn odd(a: v128, b: v128) -> v128 {
        i32x4_shuffle::<1, 3, 5, 7>(a, b)
    }

    #[inline(always)]
    unsafe fn even_odd(a: v128, b: v128) -> v128 {
        i32x4_shuffle::<0, 2, 5, 7>(a, b)
    }

    #[inline(always)]
    unsafe fn store_rows<const ROWS: usize, const PAST: bool>(target: *mut u8, rows: [v128; ROWS]) {
        for (row, values) in rows.into_iter().enumerate() {
            // SAFETY: guaranteed by the caller.
            unsafe { v128_store(target.add(16 * row).cast(), values) };
        }
    }
}

// SAFETY: `D` vectors of 4 floats are written, which are 4 elements; `READ` is the end of the furthest load.
unsafe impl<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> Kernel<Simd128>
    for Integers<D, KIND, STRIDE, MODE>
{
    const ELEMENTS: usize = 4;
    const READ: usize = Self::read(4, 4, 16);
    const WRITE: usize = 16 * D;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for vector in 0..D {
            // SAFETY: every access is in the range that the caller guarantees.
            unsafe {
                let lanes = if Self::DENSE {
                    let source = source.add(4 * vector * kind::size(KIND));
                    match KIND {
                        kind::U8 => {
                            let bytes = u32x4(source.cast::<u32>().read_unaligned(), 0, 0, 0);
                            u32x4_extend_low_u16x8(u16x8_extend_low_u8x16(bytes))
                        }
                        kind::U16 => u32x4_extend_low_u16x8(load_half(source)),
                        _ => i32x4_extend_low_i16x8(load_half(source)),
                    }
                } else {
                    // Indices of 16 and more result in zero.
                    u8x16_swizzle(
                        load(source.add(Self::base_of(4 * vector, 4, 16))),
                        load(Self::SHUFFLES[vector].as_ptr()),
                    )
                };
                let lanes = f32x4_convert_i32x4(lanes);
                let mut value = f32x4_mul(lanes, f32x4_splat(self.first));
                if MODE != mode::SCALE {
                    value = f32x4_add(value, f32x4_mul(lanes, f32x4_splat(self.second)));
                }
                if MODE == mode::RANGE {
                    let size = load(self.size.as_ptr().add(4 * vector));
                    value = f32x4_add(load(self.min.as_ptr().add(4 * vector)), f32x4_mul(size, value));
                }
                if MODE == mode::BIAS {
                    value = f32x4_add(value, f32x4_splat(-1.0));
                }
                v128_store(target.add(16 * vector).cast(), value);
            }
        }
    }
}

impl<const STRIDE: usize, const ANGLES: u8> DirectionTable<STRIDE, ANGLES> {
    /// x, y and z, and a fourth float that is unused.
    #[inline(always)]
    fn components(&self, codes: u16) -> v128 {
        let (first, second) = match ANGLES {
            ZENITH_AZIMUTH_WITH_POLES => self.entries::<true>(codes),
            _ => self.entries::<false>(codes),
        };
        // SAFETY: both entries are in their tables.
        let direction = unsafe { f32x4_mul(v128_load64_splat(first.cast()), v128_load(second.cast())) };
        if ANGLES == LATITUDE_LONGITUDE {
            return direction;
        }
        // x, z and y in order.
        i32x4_shuffle::<0, 2, 1, 3>(direction, direction)
    }
}

// SAFETY: the codes of each element are `STRIDE` bytes after the codes of the previous one. 16 bytes are written for
// each element. The bytes after the first 12 belong to the next element, or are within `WRITE`.
unsafe impl<const STRIDE: usize, const ANGLES: u8> Kernel<Simd128> for DirectionTable<STRIDE, ANGLES> {
    const ELEMENTS: usize = 16;
    const READ: usize = 15 * STRIDE + 2;
    const WRITE: usize = 12 * 16 + 4;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for element in 0..16 {
            // SAFETY: the accesses are in the range that the caller guarantees.
            unsafe {
                let codes = source.add(element * STRIDE).cast::<u16>().read_unaligned();
                v128_store(target.add(12 * element).cast(), self.components(codes));
            }
        }
    }
}

// SAFETY: eight bytes are read for each element. 16 bytes are written at its start, and again 12 bytes later. The bytes
// after the first 24 belong to the next element, or are within `WRITE`.
unsafe impl Kernel<Simd128> for PositionDirection {
    const ELEMENTS: usize = 16;
    const READ: usize = 8 * 16;
    const WRITE: usize = 24 * 16 + 4;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for element in 0..16 {
            // SAFETY: the accesses are in the range that the caller guarantees.
            unsafe {
                let (source, target) = (source.add(8 * element), target.add(24 * element));
                let position = f32x4_convert_i32x4(i32x4_extend_low_i16x8(load_half(source)));
                let [zeniths, azimuths] = self.rows;
                let [zenith, azimuth] = source.add(6).cast::<[u8; 2]>().read();
                let normal = f32x4_mul(load(zeniths.row(zenith)), load(azimuths.row(azimuth)));
                v128_store(target.cast(), f32x4_mul(position, f32x4_splat(self.scale)));
                v128_store(target.add(12).cast(), normal);
            }
        }
    }
}
