//! Directions stored as two angles of one byte each: every component is a function of the one times a function of
//! the other.
//!
//! A table has the three factors of each code side by side, so that a direction is two loads, one multiplication and
//! one store of four floats, the last of which the next direction overwrites. That is exact, and faster than any
//! polynomial where registers are too small for a table; see `two_step` for where they are not.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::Kernel;
#[cfg(target_arch = "aarch64")]
use super::isa::Neon;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Sse41};
use super::{Level, Shape};
use crate::encoding::angles::Steps;

/// The factors of x, y and z that each code of an angle stands for, and a fourth that is not looked at.
#[repr(C, align(64))]
pub(crate) struct Factors(pub(crate) [[f32; 4]; 512]);

/// The kernel for two codes, `STRIDE` bytes apart.
pub(crate) struct Product<const STRIDE: usize, const POLES: bool> {
    /// Factors of the first code; with `POLES`, entries from 256 on are for a second code of 0 and a first one whose
    /// lower seven bits are 0.
    pub(crate) first: &'static Factors,
    /// Factors of the second code.
    pub(crate) second: &'static Factors,
    /// Both angles, for registers that hold tables; the factors are made of the same ones.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "other registers are too small for tables")
    )]
    pub(crate) steps: [&'static Steps; 2],
    /// What to do with them.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "the factors are in order"))]
    pub(crate) order: Order,
}

/// What x, y and z are made of. `s1` is the sine of the first angle, `c2` the cosine of the second.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// `c2 s1, s2 s1, c1`
    ZenithAzimuth,
    /// `s2 s1, c1, c2 s1`, with a first angle a quarter turn ahead of the latitude.
    LatitudeLongitude,
}

impl<const STRIDE: usize, const POLES: bool> Shape for Product<STRIDE, POLES> {
    const SIZE: usize = 2;
    const STRIDE: usize = STRIDE;
    const OUT: usize = 12;

    /// Where tables lie in memory, records of eight bytes take longer than memory.
    fn is_streamed(level: Level) -> bool {
        Some(level) == Level::avx512() || STRIDE == 2 && Some(level) == Level::avx2()
    }
}

/// Elements of a step.
const STEP: usize = 16;
/// The last element's fourth float lies behind the others.
const WRITE: usize = 12 * STEP + 4;

/// The places of two codes in their tables.
#[inline(always)]
pub(super) fn places<const POLES: bool>(codes: u16) -> (usize, usize) {
    let pole = if POLES { usize::from(codes & 0xff7f == 0) << 8 } else { 0 };
    (usize::from(codes & 0xff) | pole, usize::from(codes >> 8))
}

macro_rules! product {
    ($($arch:literal $isa:ident $load:ident $multiply:ident $store:ident;)*) => {$(
        // SAFETY: each element's code lies `STRIDE` bytes behind the one before; 12 bytes of the 16 that are written
        // for it are its own, and the other 4 are the next one's, or of `WRITE`.
        #[cfg(target_arch = $arch)]
        unsafe impl<const STRIDE: usize, const POLES: bool> Kernel<$isa> for Product<STRIDE, POLES> {
            const ELEMENTS: usize = STEP;
            const READ: usize = (STEP - 1) * STRIDE + 2;
            const WRITE: usize = WRITE;

            #[inline(always)]
            unsafe fn step(&self, source: *const u8, target: *mut u8) {
                for element in 0..STEP {
                    // SAFETY: the accesses lie in what the caller vouches for; every place lies in its table. SSE2
                    // is part of x86-64, NEON of aarch64.
                    unsafe {
                        let codes = source.add(element * STRIDE).cast::<u16>().read_unaligned();
                        let (first, second) = places::<POLES>(codes);
                        let first = $load(self.first.0.as_ptr().add(first).cast());
                        let second = $load(self.second.0.as_ptr().add(second).cast());
                        $store(target.add(12 * element).cast(), $multiply(first, second));
                    }
                }
            }
        }
    )*};
}

product! {
    "x86_64" Sse41 _mm_load_ps _mm_mul_ps _mm_storeu_ps;
    "x86_64" Avx2 _mm_load_ps _mm_mul_ps _mm_storeu_ps;
    "aarch64" Neon vld1q_f32 vmulq_f32 vst1q_f32;
}
