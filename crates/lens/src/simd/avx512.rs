//! Stores that several kernels in AVX-512 share.

use core::arch::x86_64::*;

use super::stream::store_512;

/// For each lane of the output xyzxyz: its lane in `a`, or in `b` (starting with 16), and then the same lane or,
/// starting with 16, its lane in `c`. Selecting from two registers twice needs no mask.
const fn interleaving() -> [[[i32; 16]; 2]; 3] {
    let mut lanes = [[[0; 16]; 2]; 3];
    let mut float = 0;
    while float < 48 {
        let (vector, lane, element) = (float / 16, float % 16, float as i32 / 3);
        lanes[vector][1][lane] = lane as i32;
        match float % 3 {
            0 => lanes[vector][0][lane] = element,
            1 => lanes[vector][0][lane] = 16 + element,
            _ => lanes[vector][1][lane] = 16 + element,
        }
        float += 1;
    }
    lanes
}

/// Stores sixteen triples, bypassing the cache if `PAST`.
///
/// # Safety
///
/// The processor has AVX-512, and 192 bytes may be written, which are aligned if `PAST`.
#[inline(always)]
pub(super) unsafe fn store_triples<const PAST: bool>(target: *mut u8, [x, y, z]: [__m512; 3]) {
    const INTERLEAVING: [[[i32; 16]; 2]; 3] = interleaving();
    for (vector, [from_xy, from_z]) in INTERLEAVING.iter().enumerate() {
        // SAFETY: guaranteed by the caller; the tables are as long as registers.
        unsafe {
            let xy = _mm512_permutex2var_ps(x, _mm512_loadu_si512(from_xy.as_ptr().cast()), y);
            let xyz = _mm512_permutex2var_ps(xy, _mm512_loadu_si512(from_z.as_ptr().cast()), z);
            store_512::<PAST>(target.add(64 * vector), xyz);
        }
    }
}
