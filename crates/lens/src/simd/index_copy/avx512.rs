//! The copies of AVX-512.

use core::arch::x86_64::*;

use super::super::prefetch;
use super::x86::{exchanged, largest};

/// For each lane of 16 or 32 bits of register `register` of three, the source in two registers: the lanes of the
/// register itself, followed by those of its neighbor. If `is_packed`, registers have the order of [`packed`].
const fn from_pair<const LANES: usize>(register: usize, is_packed: bool) -> [u16; LANES] {
    let mut lanes = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        let source = exchanged(register * LANES + lane);
        let neighbor = if source / LANES == register { 0 } else { LANES };
        let place = if is_packed { packed(source % LANES) } else { source % LANES };
        lanes[lane] = (place + neighbor) as u16;
        lane += 1;
    }
    lanes
}

/// The lane of index `at` after packing two registers of sixteen 32-bit integers, alternating between four lanes of
/// each.
const fn packed(at: usize) -> usize {
    at % 16 / 4 * 8 + at / 16 * 4 + at % 4
}

/// For each of three registers, the source of each lane in two registers: see [`from_pair`].
///
/// # Safety
///
/// The processor has AVX-512.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn lanes_avx512<const FROM: usize, const TO: usize>() -> [__m512i; 3] {
    // SAFETY: the arrays are as long as registers.
    unsafe {
        let lanes16 = |lanes: &[u16; 32]| _mm512_loadu_si512(lanes.as_ptr().cast());
        let lanes32 = |lanes: &[u16; 16]| _mm512_cvtepu16_epi32(_mm256_loadu_si256(lanes.as_ptr().cast()));
        if TO == 2 {
            let lanes = const {
                [from_pair::<32>(0, FROM > TO), from_pair::<32>(1, FROM > TO), from_pair::<32>(2, FROM > TO)]
            };
            [lanes16(&lanes[0]), lanes16(&lanes[1]), lanes16(&lanes[2])]
        } else {
            let lanes =
                const { [from_pair::<16>(0, false), from_pair::<16>(1, false), from_pair::<16>(2, false)] };
            [lanes32(&lanes[0]), lanes32(&lanes[1]), lanes32(&lanes[2])]
        }
    }
}

/// # Safety
///
/// The processor has AVX-512. `periods` times three registers may be written, and as many indices read.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn copy_avx512<const FROM: usize, const TO: usize, const FLIP: bool>(
    source: *const u8,
    target: *mut u8,
    periods: usize,
) -> u32 {
    // SAFETY: guaranteed by the caller; each load reads the indices of one register.
    unsafe {
        let lanes = lanes_avx512::<FROM, TO>();
        let unpacked = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        let mut most = _mm512_setzero_si512();
        for period in 0..periods {
            let (source, target) = (source.add(period * 192 / TO * FROM), target.add(192 * period));
            if FROM > TO {
                prefetch::near_lines(source, 192 / TO * FROM);
            }
            let mut load = |number: usize| {
                let source = source.add(number * (64 / TO * FROM));
                let register = match (FROM, TO) {
                    (1, 2) => _mm512_cvtepu8_epi16(_mm256_loadu_si256(source.cast())),
                    (1, 4) => _mm512_cvtepu8_epi32(_mm_loadu_si128(source.cast())),
                    (2, 4) => _mm512_cvtepu16_epi32(_mm256_loadu_si256(source.cast())),
                    (4, 2) => {
                        let low = _mm512_loadu_si512(source.cast());
                        let high = _mm512_loadu_si512(source.add(64).cast());
                        most = _mm512_max_epu32(most, _mm512_max_epu32(low, high));
                        let packed = _mm512_packus_epi32(low, high);
                        return if FLIP { packed } else { _mm512_permutexvar_epi64(unpacked, packed) };
                    }
                    _ => _mm512_loadu_si512(source.cast()),
                };
                most =
                    if TO == 2 { _mm512_max_epu16(most, register) } else { _mm512_max_epu32(most, register) };
                register
            };
            let (a, b, c) = (load(0), load(1), load(2));
            // The first two registers of 16-bit indices share a triangle, and the last two registers of 32-bit indices.
            let [a, b, c] = if !FLIP {
                [a, b, c]
            } else if TO == 2 {
                [
                    _mm512_permutex2var_epi16(a, lanes[0], b),
                    _mm512_permutex2var_epi16(b, lanes[1], a),
                    _mm512_permutexvar_epi16(lanes[2], c),
                ]
            } else {
                [
                    _mm512_permutexvar_epi32(lanes[0], a),
                    _mm512_permutex2var_epi32(b, lanes[1], c),
                    _mm512_permutex2var_epi32(c, lanes[2], b),
                ]
            };
            _mm512_storeu_si512(target.cast(), a);
            _mm512_storeu_si512(target.add(64).cast(), b);
            _mm512_storeu_si512(target.add(128).cast(), c);
        }
        let mut register = [0u8; 64];
        _mm512_storeu_si512(register.as_mut_ptr().cast(), most);
        largest(&register, if FROM == 4 { 4 } else { TO })
    }
}
