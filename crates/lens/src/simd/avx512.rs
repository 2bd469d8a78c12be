//! Stores that several kernels in AVX-512 share.

use core::arch::x86_64::*;

use super::stream::store_512;

/// For each lane of the output, xyzxyz, its lane in `a`, in `b` (from 16 on) or in `c`, and the lanes from `c`.
const fn interleaving() -> ([[i32; 16]; 3], [[i32; 16]; 3], [u16; 3]) {
    let (mut ab, mut c, mut from_c) = ([[0; 16]; 3], [[0; 16]; 3], [0u16; 3]);
    let mut float = 0;
    while float < 48 {
        let (vector, lane, element) = (float / 16, float % 16, float as i32 / 3);
        match float % 3 {
            0 => ab[vector][lane] = element,
            1 => ab[vector][lane] = 16 + element,
            _ => {
                c[vector][lane] = element;
                from_c[vector] |= 1 << lane;
            }
        }
        float += 1;
    }
    (ab, c, from_c)
}

/// Stores sixteen triples, bypassing the cache if `PAST`.
///
/// # Safety
///
/// The processor has AVX-512, and 192 bytes may be written, which are aligned if `PAST`.
#[inline(always)]
pub(super) unsafe fn store_triples<const PAST: bool>(target: *mut u8, [x, y, z]: [__m512; 3]) {
    const INTERLEAVING: ([[i32; 16]; 3], [[i32; 16]; 3], [u16; 3]) = interleaving();
    for vector in 0..3 {
        // SAFETY: guaranteed by the caller; the tables are as long as registers.
        unsafe {
            let from_xy = _mm512_loadu_si512(INTERLEAVING.0[vector].as_ptr().cast());
            let from_z = _mm512_loadu_si512(INTERLEAVING.1[vector].as_ptr().cast());
            let xy = _mm512_permutex2var_ps(x, from_xy, y);
            let xyz = _mm512_mask_permutexvar_ps(xy, INTERLEAVING.2[vector], from_z, z);
            store_512::<PAST>(target.add(64 * vector), xyz);
        }
    }
}
