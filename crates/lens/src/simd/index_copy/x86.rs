//! Copies of indices in whole registers of x86-64.

use core::arch::x86_64::*;
use core::hint::black_box;

use super::super::prefetch;
use super::{Largest, Loop};

/// The source of index `at`: for the second and the third index of a triangle, the other one of them.
pub(super) const fn exchanged(at: usize) -> usize {
    match at % 3 {
        0 => at,
        1 => at + 1,
        _ => at - 1,
    }
}

/// The shuffles for lanes of 16 bytes, with indices of `TO` bytes, from lanes of the same three registers.
struct Lanes<const TO: usize>;

impl<const TO: usize> Lanes<TO> {
    /// For each lane and each lane of the input, the source of each byte; 0x80 for none.
    const SHUFFLES: [[[u8; 16]; 6]; 6] = {
        let mut shuffles = [[[0x80; 16]; 6]; 6];
        let mut place = 0;
        while place < 6 * 16 {
            let source = exchanged(place / TO) * TO + place % TO;
            shuffles[place / 16][source / 16][place % 16] = (source % 16) as u8;
            place += 1;
        }
        shuffles
    };
}

/// The shuffles for lanes of 16 bytes, with indices of `TO` bytes, from smaller indices of `FROM` bytes.
struct WideLanes<const FROM: usize, const TO: usize, const FLIP: bool>;

impl<const FROM: usize, const TO: usize, const FLIP: bool> WideLanes<FROM, TO, FLIP> {
    /// The number of loaded bytes, which contain the indices of a lane and of the triangles that it shares.
    const LOADED: usize = if FROM * (16 / TO + 2) <= 8 { 8 } else { 16 };

    /// For each of `LANES` lanes, the offset of the loaded bytes, and for each byte of the lane, its index in the
    /// loaded bytes; 0x80 for bytes that extend an index.
    const fn lanes<const LANES: usize>() -> [(usize, [u8; 16]); LANES] {
        let mut lanes = [(0, [0x80; 16]); LANES];
        let mut lane = 0;
        // There are no shuffles for larger indices.
        while FROM < TO && lane < LANES {
            let first = lane * (16 / TO);
            let wanted = if FLIP && first % 3 == 2 { first - 1 } else { first } * FROM;
            // Loads end at most after the last index.
            let last = LANES * (16 / TO) * FROM - Self::LOADED;
            let base = if wanted < last { wanted } else { last };
            lanes[lane].0 = base;
            let mut byte = 0;
            while byte < 16 {
                if byte % TO < FROM {
                    let place = first + byte / TO;
                    let from = if FLIP { exchanged(place) } else { place } * FROM + byte % TO - base;
                    assert!(from < Self::LOADED);
                    lanes[lane].1[byte] = from as u8;
                }
                byte += 1;
            }
            lane += 1;
        }
        lanes
    }

    /// # Safety
    ///
    /// [`LOADED`](Self::LOADED) bytes may be read.
    #[inline(always)]
    unsafe fn load(source: *const u8) -> __m128i {
        // SAFETY: guaranteed by the caller; SSE2 is part of x86-64.
        unsafe {
            if Self::LOADED == 8 { _mm_loadl_epi64(source.cast()) } else { _mm_loadu_si128(source.cast()) }
        }
    }
}

/// The largest index of a register, with indices of `size` bytes.
pub(super) fn largest(register: &[u8], size: usize) -> u32 {
    if size == 2 { Largest::<u16>::new(register).run() } else { Largest::<u32>::new(register).run() }
}

/// # Safety
///
/// The processor has SSE4.1. `periods` times three registers may be written, and as many indices read.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn copy_sse41<const FROM: usize, const TO: usize, const FLIP: bool>(
    source: *const u8,
    target: *mut u8,
    periods: usize,
) -> u32 {
    // SAFETY: guaranteed by the caller; each load reads the indices of one register.
    unsafe {
        // Without it, the compiler would replace known shuffles by several instructions.
        let shuffles = black_box(&Lanes::<TO>::SHUFFLES);
        let shuffle = |lane: usize, of: usize| _mm_loadu_si128(shuffles[lane][of].as_ptr().cast());
        let own = [shuffle(0, 0), shuffle(1, 1), shuffle(2, 2)];
        // The first two registers of 16-bit indices share a triangle, and the last two registers of 32-bit indices.
        let first = if TO == 2 { 0 } else { 1 };
        let shared = [shuffle(first, first + 1), shuffle(first + 1, first)];
        let mut most = _mm_setzero_si128();
        for period in 0..periods {
            let (source, target) = (source.add(period * 48 / TO * FROM), target.add(48 * period));
            if FROM < TO {
                let lanes = const { WideLanes::<FROM, TO, FLIP>::lanes::<3>() };
                for (number, (base, shuffle)) in lanes.iter().enumerate() {
                    let stored = WideLanes::<FROM, TO, FLIP>::load(source.add(*base));
                    let output = _mm_shuffle_epi8(stored, _mm_loadu_si128(shuffle.as_ptr().cast()));
                    most = if TO == 2 { _mm_max_epu16(most, output) } else { _mm_max_epu32(most, output) };
                    _mm_storeu_si128(target.add(16 * number).cast(), output);
                }
                continue;
            }
            prefetch::near_lines(source, 48 / TO * FROM);
            let mut load = |number: usize| {
                let source = source.add(number * (16 / TO * FROM));
                if FROM > TO {
                    let (low, high) =
                        (_mm_loadu_si128(source.cast()), _mm_loadu_si128(source.add(16).cast()));
                    most = _mm_max_epu32(most, _mm_max_epu32(low, high));
                    return _mm_packus_epi32(low, high);
                }
                let register = _mm_loadu_si128(source.cast());
                most = if TO == 2 { _mm_max_epu16(most, register) } else { _mm_max_epu32(most, register) };
                register
            };
            let mut registers = [load(0), load(1), load(2)];
            if FLIP {
                let pair = [registers[first], registers[first + 1]];
                for (register, own) in registers.iter_mut().zip(own) {
                    *register = _mm_shuffle_epi8(*register, own);
                }
                registers[first] = _mm_or_si128(registers[first], _mm_shuffle_epi8(pair[1], shared[0]));
                registers[first + 1] =
                    _mm_or_si128(registers[first + 1], _mm_shuffle_epi8(pair[0], shared[1]));
            }
            for (number, register) in registers.into_iter().enumerate() {
                _mm_storeu_si128(target.add(16 * number).cast(), register);
            }
        }
        let mut register = [0u8; 16];
        _mm_storeu_si128(register.as_mut_ptr().cast(), most);
        largest(&register, if FROM == 4 { 4 } else { TO })
    }
}

/// The shuffles of three registers: those of their own lanes, and those of the lanes of their neighbors.
///
/// # Safety
///
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn shuffles_avx2<const TO: usize>() -> ([__m256i; 3], [__m256i; 3]) {
    // SAFETY: the arrays are as long as registers.
    unsafe {
        // Without it, the compiler would replace known shuffles by several instructions.
        let shuffles = black_box(&Lanes::<TO>::SHUFFLES);
        let shuffle = |lanes: [[usize; 2]; 2]| {
            let [low, high] = lanes.map(|[lane, of]| _mm_loadu_si128(shuffles[lane][of].as_ptr().cast()));
            _mm256_set_m128i(high, low)
        };
        let own = [[[0, 0], [1, 1]], [[2, 2], [3, 3]], [[4, 4], [5, 5]]].map(shuffle);
        // A lane that shares a triangle with its neighbor gets its missing indices from it. Two such lanes are arranged
        // so that each is at the place of the other one. The other lanes do not share a triangle, so their shuffles are
        // empty.
        let shared = if TO == 2 {
            [[[0, 1], [1, 0]], [[2, 5], [3, 4]], [[4, 3], [5, 0]]].map(shuffle)
        } else {
            [[[0, 5], [1, 2]], [[2, 1], [3, 0]], [[4, 5], [5, 4]]].map(shuffle)
        };
        (own, shared)
    }
}

/// Converts three registers of indices to a larger size. Returns the larger ones of `most` and of the indices.
///
/// # Safety
///
/// The processor has AVX2. Three registers may be written, and as many indices read.
#[target_feature(enable = "avx2")]
unsafe fn widen_avx2<const FROM: usize, const TO: usize, const FLIP: bool>(
    source: *const u8,
    target: *mut u8,
    mut most: __m256i,
) -> __m256i {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let lanes = const { WideLanes::<FROM, TO, FLIP>::lanes::<6>() };
        for (number, [low, high]) in lanes.as_chunks::<2>().0.iter().enumerate() {
            let load = |lane: &(usize, [u8; 16])| WideLanes::<FROM, TO, FLIP>::load(source.add(lane.0));
            let shuffle = |lane: &(usize, [u8; 16])| _mm_loadu_si128(lane.1.as_ptr().cast());
            let stored = _mm256_set_m128i(load(high), load(low));
            let output = _mm256_shuffle_epi8(stored, _mm256_set_m128i(shuffle(high), shuffle(low)));
            most = if TO == 2 { _mm256_max_epu16(most, output) } else { _mm256_max_epu32(most, output) };
            _mm256_storeu_si256(target.add(32 * number).cast(), output);
        }
        most
    }
}

/// # Safety
///
/// The processor has AVX2. `periods` times three registers may be written, and as many indices read.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn copy_avx2<const FROM: usize, const TO: usize, const FLIP: bool>(
    source: *const u8,
    target: *mut u8,
    periods: usize,
) -> u32 {
    /// The upper lane of a register, followed by the lower lane of the same or of another.
    const HIGH_LOW: i32 = 0x21;
    // SAFETY: guaranteed by the caller; each load reads the indices of one register.
    unsafe {
        let (own, shared) = shuffles_avx2::<TO>();
        let mut most = _mm256_setzero_si256();
        for period in 0..periods {
            let (source, target) = (source.add(period * 96 / TO * FROM), target.add(96 * period));
            if FROM < TO {
                most = widen_avx2::<FROM, TO, FLIP>(source, target, most);
                continue;
            }
            prefetch::near_lines(source, 96 / TO * FROM);
            let mut load = |number: usize| {
                let source = source.add(number * (32 / TO * FROM));
                if FROM > TO {
                    let low = _mm256_loadu_si256(source.cast());
                    let high = _mm256_loadu_si256(source.add(32).cast());
                    most = _mm256_max_epu32(most, _mm256_max_epu32(low, high));
                    return _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
                }
                let register = _mm256_loadu_si256(source.cast());
                most =
                    if TO == 2 { _mm256_max_epu16(most, register) } else { _mm256_max_epu32(most, register) };
                register
            };
            let (a, b, c) = (load(0), load(1), load(2));
            if !FLIP {
                for (number, output) in [a, b, c].into_iter().enumerate() {
                    _mm256_storeu_si256(target.add(32 * number).cast(), output);
                }
                continue;
            }
            let neighbors = if TO == 2 {
                let last = _mm256_permute2x128_si256::<HIGH_LOW>(b, c);
                [_mm256_permute2x128_si256::<HIGH_LOW>(a, a), last, last]
            } else {
                let first = _mm256_permute2x128_si256::<HIGH_LOW>(a, b);
                [first, first, _mm256_permute2x128_si256::<HIGH_LOW>(c, c)]
            };
            for (number, register) in [a, b, c].into_iter().enumerate() {
                let register = _mm256_shuffle_epi8(register, own[number]);
                let neighbor = _mm256_shuffle_epi8(neighbors[number], shared[number]);
                _mm256_storeu_si256(target.add(32 * number).cast(), _mm256_or_si256(register, neighbor));
            }
        }
        let mut register = [0u8; 32];
        _mm256_storeu_si256(register.as_mut_ptr().cast(), most);
        largest(&register, if FROM == 4 { 4 } else { TO })
    }
}
