//! Unreal's packed positions: three bit fields of a 32-bit integer.
//!
//! Each integer is repeated in the three lanes of its element; a shift of its own brings each field to the top of its
//! lane, where its sign is the lane's. What came along below is cut off, or shifted out on the way back.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
use super::{Kernel, Shape};

/// For each field how far up it is shifted, and how many bits it has.
const FIELDS: [(u32, u32); 3] = [(21, 11), (10, 11), (0, 10)];

/// The kernel for fields as floats: `SCALED`, or as they are.
pub(crate) struct Packed<const SCALED: bool> {
    lanes: Lanes,
}

/// What each lane of a step's output has to do with its integer; the first twelve and 24 lanes are whole elements.
#[repr(C, align(64))]
struct Lanes {
    element: [i32; 48],
    shift: [i32; 48],
    /// What a shift is as a multiplication.
    factor: [i32; 48],
    mask: [i32; 48],
    /// How far down a field comes back from the top.
    back: [i32; 48],
    scale: [f32; 48],
}

impl Packed<false> {
    /// Each field as it is.
    pub(crate) const fn integers() -> Self {
        Packed::new([1.0; 3])
    }
}

impl Packed<true> {
    /// Each field times its scale, a power of two.
    pub(crate) const fn scaled(scale: [f32; 3]) -> Self {
        Packed::new(scale)
    }
}

impl<const SCALED: bool> Packed<SCALED> {
    const fn new(scale: [f32; 3]) -> Self {
        let mut lanes = Lanes {
            element: [0; 48],
            shift: [0; 48],
            factor: [0; 48],
            mask: [0; 48],
            back: [0; 48],
            scale: [0.0; 48],
        };
        let mut lane = 0;
        while lane < 48 {
            let (shift, bits) = FIELDS[lane % 3];
            lanes.element[lane] = lane as i32 / 3;
            lanes.shift[lane] = shift as i32;
            lanes.factor[lane] = 1 << shift;
            lanes.mask[lane] = -1 << (32 - bits);
            lanes.back[lane] = 32 - bits as i32;
            lanes.scale[lane] = scale[lane % 3] / (1u32 << (32 - bits)) as f32;
            lane += 1;
        }
        Packed { lanes }
    }
}

impl<const SCALED: bool> Shape for Packed<SCALED> {
    const SIZE: usize = 4;
    const STRIDE: usize = 4;
    const OUT: usize = 12;
}

// SAFETY: four integers are read and twelve floats written.
#[cfg(target_arch = "x86_64")]
unsafe impl<const SCALED: bool> Kernel<Sse41> for Packed<SCALED> {
    const ELEMENTS: usize = 4;
    const READ: usize = 16;
    const WRITE: usize = 48;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has SSE4.1, the caller vouches for the accesses, and the tables have 48 lanes.
        unsafe {
            let packed = _mm_loadu_si128(source.cast());
            let repeated = [
                _mm_shuffle_epi32::<0b01_00_00_00>(packed),
                _mm_shuffle_epi32::<0b10_10_01_01>(packed),
                _mm_shuffle_epi32::<0b11_11_11_10>(packed),
            ];
            for (vector, integers) in repeated.into_iter().enumerate() {
                let at = 4 * vector;
                let factor = _mm_load_si128(self.lanes.factor.as_ptr().add(at).cast());
                let mask = _mm_load_si128(self.lanes.mask.as_ptr().add(at).cast());
                let fields = _mm_and_si128(_mm_mullo_epi32(integers, factor), mask);
                let scale = _mm_load_ps(self.lanes.scale.as_ptr().add(at));
                _mm_storeu_ps(target.cast::<f32>().add(at), _mm_mul_ps(_mm_cvtepi32_ps(fields), scale));
            }
        }
    }
}

// SAFETY: eight integers are read and 24 floats written.
#[cfg(target_arch = "x86_64")]
unsafe impl<const SCALED: bool> Kernel<Avx2> for Packed<SCALED> {
    const ELEMENTS: usize = 8;
    const READ: usize = 32;
    const WRITE: usize = 96;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has AVX2, the caller vouches for the accesses, and the tables have 48 lanes.
        unsafe {
            let packed = _mm256_loadu_si256(source.cast());
            for at in [0, 8, 16] {
                let element = _mm256_load_si256(self.lanes.element.as_ptr().add(at).cast());
                let shift = _mm256_load_si256(self.lanes.shift.as_ptr().add(at).cast());
                let integers = _mm256_permutevar8x32_epi32(packed, element);
                let shifted = _mm256_sllv_epi32(integers, shift);
                let floats = if SCALED {
                    let mask = _mm256_load_si256(self.lanes.mask.as_ptr().add(at).cast());
                    let fields = _mm256_cvtepi32_ps(_mm256_and_si256(shifted, mask));
                    _mm256_mul_ps(fields, _mm256_load_ps(self.lanes.scale.as_ptr().add(at)))
                } else {
                    let back = _mm256_load_si256(self.lanes.back.as_ptr().add(at).cast());
                    _mm256_cvtepi32_ps(_mm256_srav_epi32(shifted, back))
                };
                _mm256_storeu_ps(target.cast::<f32>().add(at), floats);
            }
        }
    }
}

// SAFETY: sixteen integers are read and 48 floats written.
#[cfg(target_arch = "x86_64")]
unsafe impl<const SCALED: bool> Kernel<Avx512> for Packed<SCALED> {
    const ELEMENTS: usize = 16;
    const READ: usize = 64;
    const WRITE: usize = 192;

    #[inline(always)]
    unsafe fn step(&self, source: *const u8, target: *mut u8) {
        // SAFETY: the processor has AVX-512, the caller vouches for the accesses, and the tables have 48 lanes.
        unsafe {
            let packed = _mm512_loadu_si512(source.cast());
            for at in [0, 16, 32] {
                let element = _mm512_load_si512(self.lanes.element.as_ptr().add(at).cast());
                let shift = _mm512_load_si512(self.lanes.shift.as_ptr().add(at).cast());
                let integers = _mm512_permutexvar_epi32(element, packed);
                let shifted = _mm512_sllv_epi32(integers, shift);
                let floats = if SCALED {
                    let mask = _mm512_load_si512(self.lanes.mask.as_ptr().add(at).cast());
                    let fields = _mm512_cvtepi32_ps(_mm512_and_si512(shifted, mask));
                    _mm512_mul_ps(fields, _mm512_load_ps(self.lanes.scale.as_ptr().add(at)))
                } else {
                    let back = _mm512_load_si512(self.lanes.back.as_ptr().add(at).cast());
                    _mm512_cvtepi32_ps(_mm512_srav_epi32(shifted, back))
                };
                _mm512_storeu_ps(target.cast::<f32>().add(at), floats);
            }
        }
    }
}
