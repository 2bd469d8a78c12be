//! Integers of one or two bytes to floats, in groups of one to four: positions, quaternions, weights, colors.
//!
//! One shuffle moves the bytes of four floats to the lanes of a register, and one permutation moves the bytes of
//! sixteen floats, directly in the order of the output.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::Kernel;
use super::Shape;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512, Sse41};
#[cfg(target_arch = "x86_64")]
use super::stream::{store_128, store_256, store_512};

/// The types of integers, as parameters of [`Integers`].
pub(crate) mod kind {
    pub(crate) const U8: u8 = 0;
    pub(crate) const U16: u8 = 1;
    pub(crate) const I16: u8 = 2;

    pub(crate) const fn size(kind: u8) -> usize {
        if kind == U8 { 1 } else { 2 }
    }
}

/// The conversions of an integer, as parameters of [`Integers`].
pub(crate) mod mode {
    /// Multiplied by a power of two, which is exact.
    pub(crate) const SCALE: u8 = 0;
    /// Divided by 255, 32767 or 65535, correctly rounded.
    pub(crate) const NORM: u8 = 1;
    /// A quotient that is multiplied by one number and added to another number for each component, with rounding after
    /// each step.
    pub(crate) const RANGE: u8 = 2;
    /// A quotient multiplied by 2, which is exact, minus 1, rounded.
    pub(crate) const BIAS: u8 = 3;
}

/// The kernel for `D` integers of a kind, `STRIDE` bytes apart.
pub(crate) struct Integers<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> {
    /// The first part of a float: the integer times a power of two, which is exact.
    pub(super) first: f32,
    /// The second part. The sum of both is the quotient, rounded once, which has been tested for every integer.
    pub(super) second: f32,
    /// For [`mode::RANGE`]: the factor of a quotient for each lane of a step.
    pub(super) size: [f32; LANES],
    /// For [`mode::RANGE`]: the summand for each lane of a step.
    pub(super) min: [f32; LANES],
}

/// The number of floats of the largest step. Components repeat every `D` floats.
const LANES: usize = 64;

impl<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> Integers<D, KIND, STRIDE, MODE> {
    pub(super) const DENSE: bool = STRIDE == D * kind::size(KIND);
    /// Shuffled `i16` are in the upper half of their lane, so that their sign is the sign of the lane.
    const IN_LANE: f32 = if !Self::DENSE && KIND == kind::I16 { 65536.0 } else { 1.0 };

    /// Integers times `scale`, a power of two.
    pub(crate) const fn scaled(scale: f32) -> Self {
        assert!(MODE == mode::SCALE);
        Integers { first: scale / Self::IN_LANE, second: 0.0, size: [0.0; LANES], min: [0.0; LANES] }
    }

    /// Integers divided by the largest integer, 255, 32767 or 65535. With [`mode::BIAS`], the result is mapped to -1 to
    /// 1.
    pub(crate) const fn normalized() -> Self {
        assert!(MODE != mode::SCALE);
        let (power, largest) = match KIND {
            kind::U8 => (256.0f64, 255.0),
            kind::I16 => (32768.0, 32767.0),
            _ => (65536.0, 65535.0),
        };
        let (first, second) = (1.0 / power, 1.0 / largest - 1.0 / power);
        let lane = Self::IN_LANE as f64 / if MODE == mode::BIAS { 2.0 } else { 1.0 };
        Integers {
            first: (first / lane) as f32,
            second: (second / lane) as f32,
            size: [0.0; LANES],
            min: [0.0; LANES],
        }
    }

    /// `min + size * quotient` for each component.
    pub(crate) const fn ranged(min: [f32; D], size: [f32; D]) -> Self {
        assert!(MODE == mode::RANGE);
        let mut kernel = Self::normalized();
        let mut lane = 0;
        while lane < LANES {
            kernel.size[lane] = size[lane % D];
            kernel.min[lane] = min[lane % D];
            lane += 1;
        }
        kernel
    }

    /// The offset of the element of float `float`.
    const fn element(float: usize) -> usize {
        float / D * STRIDE
    }

    /// The offset from which a vector of floats is read, starting with `float`: the offset of an aligned block of
    /// `width` bytes if all needed bytes are inside it, otherwise the offset of the first element.
    const fn base(float: usize, floats: usize, width: usize) -> usize {
        let (start, last) = (Self::element(float), float + floats - 1);
        let end = Self::element(last) + (last % D + 1) * kind::size(KIND);
        let block = start / width * width;
        if end <= block + width { block } else { start }
    }

    /// For each byte of registers of `N` lanes, the index of its byte in the source, starting at the base; 0x80 for
    /// none.
    const fn shuffle<const N: usize>(float: usize, width: usize) -> [u8; N] {
        let mut control = [0x80; N];
        let size = kind::size(KIND);
        let base = Self::base(float, N / 4, width);
        let mut lane = 0;
        while lane < N / 4 {
            let here = float + lane;
            let byte = Self::element(here) + here % D * size - base;
            assert!(byte + size <= width, "what a vector needs lies further apart than it can read");
            // Unsigned integers are in the lower half of their lane. Signed integers are in the upper half, which makes
            // the lane signed.
            let at = 4 * lane + if KIND == kind::I16 { 2 } else { 0 };
            let mut part = 0;
            while part < size {
                control[at + part] = (byte + part) as u8;
                part += 1;
            }
            lane += 1;
        }
        control
    }

    pub(super) const SHUFFLES: [[u8; 16]; D] = {
        let mut controls = [[0; 16]; D];
        let mut lane = 0;
        while lane < D && !Self::DENSE {
            controls[lane] = Self::shuffle::<16>(4 * lane, 16);
            lane += 1;
        }
        controls
    };

    #[cfg(target_arch = "x86_64")]
    const PERMUTATIONS: [[u8; 64]; D] = {
        let mut controls = [[0; 64]; D];
        let mut vector = 0;
        while vector < D && !Self::DENSE {
            controls[vector] = Self::shuffle::<64>(16 * vector, 64);
            vector += 1;
        }
        controls
    };

    /// The bytes that a permutation fills. The other bytes are zero.
    #[cfg(target_arch = "x86_64")]
    const FILLED: [u64; D] = {
        let mut filled = [0; D];
        let mut vector = 0;
        while vector < D {
            let mut byte = 0;
            while byte < 64 {
                if Self::PERMUTATIONS[vector][byte] != 0x80 {
                    filled[vector] |= 1 << byte;
                }
                byte += 1;
            }
            vector += 1;
        }
        filled
    };

    /// The number of bytes that a step of `elements` reads, in vectors of `floats` and loads of `width` bytes for every
    /// `lanes` of them.
    pub(super) const fn read(elements: usize, lanes: usize, width: usize) -> usize {
        if Self::DENSE {
            return elements * STRIDE;
        }
        let mut end = 0;
        let mut float = 0;
        while float < elements * D {
            let here = Self::base_of(float, lanes, width) + width;
            if here > end {
                end = here;
            }
            float += lanes;
        }
        end
    }

    /// The [`base`](Self::base) of a vector of a step. Bases repeat every `lanes` elements.
    pub(super) const fn base_of(float: usize, lanes: usize, width: usize) -> usize {
        let period = lanes * D;
        float / period * lanes * STRIDE + Self::base(float % period, lanes, width)
    }
}

impl<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> Shape
    for Integers<D, KIND, STRIDE, MODE>
{
    const SIZE: usize = D * kind::size(KIND);
    const STRIDE: usize = STRIDE;
    const OUT: usize = 4 * D;
}

// SAFETY: `D` vectors of 4 floats are written, which are 4 elements; `READ` is the end of the furthest load.
#[cfg(target_arch = "x86_64")]
unsafe impl<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> Kernel<Sse41>
    for Integers<D, KIND, STRIDE, MODE>
{
    const ELEMENTS: usize = 4;
    const READ: usize = Self::read(4, 4, 16);
    const WRITE: usize = 16 * D;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for vector in 0..D {
            // SAFETY: the processor has SSE4.1, and every access is in the range that the caller guarantees.
            unsafe {
                let lanes = if Self::DENSE {
                    let source = source.add(4 * vector * kind::size(KIND));
                    match KIND {
                        kind::U8 => {
                            _mm_cvtepu8_epi32(_mm_cvtsi32_si128(source.cast::<i32>().read_unaligned()))
                        }
                        kind::U16 => _mm_cvtepu16_epi32(_mm_loadl_epi64(source.cast())),
                        _ => _mm_cvtepi16_epi32(_mm_loadl_epi64(source.cast())),
                    }
                } else {
                    let control = _mm_loadu_si128(Self::SHUFFLES[vector].as_ptr().cast());
                    _mm_shuffle_epi8(
                        _mm_loadu_si128(source.add(Self::base_of(4 * vector, 4, 16)).cast()),
                        control,
                    )
                };
                let lanes = _mm_cvtepi32_ps(lanes);
                let mut value = _mm_mul_ps(lanes, _mm_set1_ps(self.first));
                if MODE != mode::SCALE {
                    value = _mm_add_ps(value, _mm_mul_ps(lanes, _mm_set1_ps(self.second)));
                }
                if MODE == mode::RANGE {
                    let size = _mm_loadu_ps(self.size.as_ptr().add(4 * vector));
                    value =
                        _mm_add_ps(_mm_loadu_ps(self.min.as_ptr().add(4 * vector)), _mm_mul_ps(size, value));
                }
                if MODE == mode::BIAS {
                    value = _mm_add_ps(value, _mm_set1_ps(-1.0));
                }
                store_128::<PAST>(target.add(16 * vector), value);
            }
        }
    }
}

// SAFETY: `D` vectors of 8 floats are written, which are 8 elements; `READ` is the end of the furthest load.
#[cfg(target_arch = "x86_64")]
unsafe impl<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> Kernel<Avx2>
    for Integers<D, KIND, STRIDE, MODE>
{
    const ELEMENTS: usize = 8;
    const READ: usize = Self::read(8, 4, 16);
    const WRITE: usize = 32 * D;

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        for vector in 0..D {
            // SAFETY: the processor has AVX2, and every access is in the range that the caller guarantees.
            unsafe {
                let lanes = if Self::DENSE {
                    let source = source.add(8 * vector * kind::size(KIND));
                    match KIND {
                        kind::U8 => _mm256_cvtepu8_epi32(_mm_loadl_epi64(source.cast())),
                        kind::U16 => _mm256_cvtepu16_epi32(_mm_loadu_si128(source.cast())),
                        _ => _mm256_cvtepi16_epi32(_mm_loadu_si128(source.cast())),
                    }
                } else {
                    let [low, high] = [2 * vector, 2 * vector + 1];
                    let load = |lane| _mm_loadu_si128(source.add(Self::base_of(4 * lane, 4, 16)).cast());
                    let control = |lane: usize| _mm_loadu_si128(Self::SHUFFLES[lane % D].as_ptr().cast());
                    _mm256_shuffle_epi8(
                        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load(low)), load(high)),
                        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(control(low)), control(high)),
                    )
                };
                let lanes = _mm256_cvtepi32_ps(lanes);
                let mut value = _mm256_mul_ps(lanes, _mm256_set1_ps(self.first));
                if MODE != mode::SCALE {
                    // The first part is exact, so a fused sum has the same result.
                    let second = _mm256_mul_ps(lanes, _mm256_set1_ps(self.second));
                    value = _mm256_fmadd_ps(lanes, _mm256_set1_ps(self.first), second);
                }
                if MODE == mode::RANGE {
                    let size = _mm256_loadu_ps(self.size.as_ptr().add(8 * vector));
                    let min = _mm256_loadu_ps(self.min.as_ptr().add(8 * vector));
                    value = _mm256_add_ps(min, _mm256_mul_ps(size, value));
                }
                if MODE == mode::BIAS {
                    value = _mm256_add_ps(value, _mm256_set1_ps(-1.0));
                }
                store_256::<PAST>(target.add(32 * vector), value);
            }
        }
    }
}

// SAFETY: `D` vectors of 16 floats are written, which are 16 elements; `READ` is the end of the furthest load. Packed
// elements use AVX2, which AVX-512 includes, because wider registers are slower for them.
#[cfg(target_arch = "x86_64")]
unsafe impl<const D: usize, const KIND: u8, const STRIDE: usize, const MODE: u8> Kernel<Avx512>
    for Integers<D, KIND, STRIDE, MODE>
{
    const ELEMENTS: usize = if Self::DENSE { <Self as Kernel<Avx2>>::ELEMENTS } else { 16 };
    const READ: usize = if Self::DENSE { <Self as Kernel<Avx2>>::READ } else { Self::read(16, 16, 64) };
    const WRITE: usize = if Self::DENSE { <Self as Kernel<Avx2>>::WRITE } else { 64 * D };

    #[inline(always)]
    unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
        if Self::DENSE {
            // SAFETY: guaranteed by the caller.
            return unsafe { Kernel::<Avx2>::step::<PAST>(self, source, target) };
        }
        for vector in 0..D {
            // SAFETY: the processor has AVX-512 with VBMI, and every access is in the range that the caller guarantees.
            unsafe {
                let control = _mm512_loadu_si512(Self::PERMUTATIONS[vector].as_ptr().cast());
                let bytes = _mm512_loadu_si512(source.add(Self::base_of(16 * vector, 16, 64)).cast());
                let lanes = _mm512_maskz_permutexvar_epi8(Self::FILLED[vector], control, bytes);
                let lanes = _mm512_cvtepi32_ps(lanes);
                let mut value = _mm512_mul_ps(lanes, _mm512_set1_ps(self.first));
                if MODE != mode::SCALE {
                    let second = _mm512_mul_ps(lanes, _mm512_set1_ps(self.second));
                    value = _mm512_fmadd_ps(lanes, _mm512_set1_ps(self.first), second);
                }
                if MODE == mode::RANGE {
                    let size = _mm512_loadu_ps(self.size.as_ptr().add(16 * vector));
                    let min = _mm512_loadu_ps(self.min.as_ptr().add(16 * vector));
                    value = _mm512_add_ps(min, _mm512_mul_ps(size, value));
                }
                if MODE == mode::BIAS {
                    value = _mm512_add_ps(value, _mm512_set1_ps(-1.0));
                }
                store_512::<PAST>(target.add(64 * vector), value);
            }
        }
    }
}
